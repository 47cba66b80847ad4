/**
 * Streams a log file into a History: constant memory per line, one pass, nothing skipped in silence.
 *
 * Reads with `readSync` straight into the memory of a scanner; a line over the read limit is refused without being
 * held. Only the newline ends a line. What the bytes mean is the history builder's business, whether they are right the oracle's.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { HarnessError } from '../core/errors.js';
import { LINE_READ_MAX_BYTES } from '../core/event.js';
import type { History, LineSource } from '../core/history.js';
import { RECORDS_MAX, type LogScanner } from '../grammar/record.js';
import { HEAD_BYTES, HistoryBuilder } from './history-builder.js';
import { borrowScanner, returnScanner } from './scanners.js';

/** So much at a time stays near the processor, and is few calls. */
const CHUNK_BYTES = 512 * 1024;
const LF = 0x0a;

export interface ReadOptions {
  /** Told the number of bytes read so far, about once per MiB. */
  readonly onProgress?: (bytes: number) => void;
  /** Read only this many bytes: the prefix that a live check saw when it began. */
  readonly maxBytes?: number;
  /** Bytes read at a time, at most 1 MiB; 512 KiB unless told otherwise. The history does not depend on it. */
  readonly chunkBytes?: number;
}

export interface OpenLog {
  readonly history: History;
  /** Releases the file; `history.data` and `raw` must not be asked afterwards. */
  close(): void;
}

/**
 * Reads a whole log.
 * @throws HarnessError `no-input` where the file cannot be opened, `io-failed` where reading fails
 */
export function readLog(path: string, options: ReadOptions = {}): OpenLog {
  const file = openForReading(path);
  const scanner = borrowScanner();
  const close = (): void => {
    closeSync(file);
    returnScanner(scanner);
  };
  try {
    const facts = fstatSync(file);
    if (!facts.isFile())
      throw new HarnessError('no-input', `${path} is no file`, 'give a log, or pipe it in and name -');
    const bytes = facts.size;
    const source = new FileSource(file, path);
    const builder = new HistoryBuilder(scanner, source);
    const end = Math.min(bytes, options.maxBytes ?? bytes);
    const read = new Feed(source, scanner, builder).run({ end, ...options });
    return { history: builder.finish(read), close };
  } catch (error) {
    close();
    throw error;
  }
}

function openForReading(path: string): number {
  try {
    // Not held up by a pipe.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw new HarnessError('no-input', `cannot open ${path}: ${(cause as Error).message}`, {
      hint: 'check the path and its permissions',
      cause,
    });
  }
}

/** Positioned reads with a small window, since lines that are looked at again tend to be neighbours. */
class FileSource implements LineSource {
  private readonly window = Buffer.allocUnsafe(16 * 1024);
  private windowFrom = 0;
  private windowBytes = 0;

  constructor(
    private readonly file: number,
    private readonly path: string,
  ) {}

  read(offset: number, bytes: number): Uint8Array {
    if (bytes > this.window.length) {
      const own = Buffer.allocUnsafe(bytes);
      return own.subarray(0, this.readInto(own, offset));
    }
    if (offset < this.windowFrom || offset + bytes > this.windowFrom + this.windowBytes) {
      this.windowFrom = offset;
      this.windowBytes = this.readInto(this.window, offset);
    }
    const from = offset - this.windowFrom;
    // Fewer where the file was cut since: what the window held before is no part of it.
    return this.window.subarray(from, Math.min(from + bytes, this.windowBytes));
  }

  readInto(buffer: Uint8Array, offset: number): number {
    let done = 0;
    try {
      while (done < buffer.length) {
        const count = readSync(this.file, buffer, done, buffer.length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
    } catch (cause) {
      throw new HarnessError('io-failed', `reading ${this.path} failed: ${(cause as Error).message}`, {
        hint: 'check the disk and try again',
        cause,
      });
    }
    return done;
  }
}

/** Feeds the file to a scanner piece by piece, and the records it makes to the builder. */
class Feed {
  /** Bytes that stand in the scanner's input and are not scanned yet: the start of a line. */
  private held = 0;
  private line = 1;

  constructor(
    private readonly source: FileSource,
    private readonly scanner: LogScanner,
    private readonly builder: HistoryBuilder,
  ) {}

  /** Returns the number of bytes seen. */
  run(options: ReadOptions & { readonly end: number }): number {
    const { end, chunkBytes = CHUNK_BYTES } = options;
    let offset = 0;
    while (offset < end) {
      const room = this.scanner.input().subarray(this.held, this.held + Math.min(chunkBytes, end - offset));
      const count = this.source.readInto(room, offset);
      if (count === 0) break;
      offset += count;
      this.held += count;
      this.scan(offset);
      if (this.held > LINE_READ_MAX_BYTES) offset = this.skipLine(offset, { end, chunkBytes });
      options.onProgress?.(offset);
    }
    const rest = this.scanner.input().slice(0, this.held);
    if (rest.length > 0)
      this.builder.addLine(rest, { line: this.line, offset: offset - rest.length, terminated: false });
    return offset;
  }

  /** Scans what the input holds; `offset` is where the file was read up to. The start of a line moves to the front. */
  private scan(offset: number): void {
    const { scanner, builder } = this;
    const inputOffset = offset - this.held;
    let from = 0;
    for (let count = RECORDS_MAX; count === RECORDS_MAX;) {
      count = scanner.scan(from, this.held);
      const scannedTo = scanner.scannedTo;
      builder.addRecords(count, { line: this.line, offset: inputOffset });
      this.line += count;
      from = scannedTo;
    }
    if (from > 0) scanner.input().copyWithin(0, from, this.held);
    this.held -= from;
  }

  /** Reads on to the end of a line that is too long to be held. @returns where the file was read up to */
  private skipLine(offset: number, { end, chunkBytes }: { end: number; chunkBytes: number }): number {
    const head = this.scanner.input().slice(0, HEAD_BYTES);
    const start = offset - this.held;
    let at = offset;
    let lf = -1;
    let count = 0;
    while (at < end && lf < 0) {
      const room = this.scanner.input().subarray(0, Math.min(chunkBytes, end - at));
      count = this.source.readInto(room, at);
      if (count === 0) break;
      lf = room.subarray(0, count).indexOf(LF);
      at += count;
    }
    const lineEnd = lf < 0 ? at : at - count + lf;
    this.builder.addTooLong(head, { line: this.line, offset: start, bytes: lineEnd - start });
    this.line++;
    this.held = lf < 0 ? 0 : count - lf - 1;
    if (this.held > 0) this.scanner.input().copyWithin(0, lf + 1, count);
    if (this.held > 0) this.scan(at);
    return at;
  }
}
