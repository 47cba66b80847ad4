/**
 * Streams a log file into a History: constant memory per line, one pass, nothing skipped in silence.
 *
 * Reads with `readSync` in 1 MiB pieces; a line over the read limit is refused without being held. Only the
 * newline ends a line. What the bytes mean is the history builder's business, whether they are right the oracle's.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { HarnessError } from '../core/errors.js';
import { LINE_READ_MAX_BYTES } from '../core/event.js';
import type { History, LineSource } from '../core/history.js';
import { plainScanner } from '../grammar/plain-scanner.js';
import { HistoryBuilder } from './history-builder.js';

const CHUNK_BYTES = 1024 * 1024;
const LF = 0x0a;
/** How much of an over-long line is kept to name it. */
const HEAD_BYTES = 64 * 1024;

export interface ReadOptions {
  /** Told the number of bytes read so far, about once per MiB. */
  readonly onProgress?: (bytes: number) => void;
  /** Read only this many bytes: the prefix that a live check saw when it began. */
  readonly maxBytes?: number;
  /** Bytes read at a time, 1 MiB unless told otherwise. The history does not depend on it. */
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
  try {
    const facts = fstatSync(file);
    if (!facts.isFile())
      throw new HarnessError('no-input', `${path} is no file`, 'give a log, or pipe it in and name -');
    const bytes = facts.size;
    const source = new FileSource(file, path);
    const builder = new HistoryBuilder(plainScanner(), source);
    const end = Math.min(bytes, options.maxBytes ?? bytes);
    const read = feedLines(source, builder, { end, ...options });
    return { history: builder.finish(read), close: () => closeSync(file) };
  } catch (error) {
    closeSync(file);
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
  private readonly window = Buffer.allocUnsafe(64 * 1024);
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

  readInto(buffer: Buffer, offset: number): number {
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

/** Cuts the file into lines. Returns the number of bytes seen. */
function feedLines(
  source: FileSource,
  builder: HistoryBuilder,
  options: ReadOptions & { readonly end: number },
): number {
  const { end, chunkBytes = CHUNK_BYTES } = options;
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const pending = new PendingLine();
  let line = 1;
  let offset = 0;
  while (offset < end) {
    const count = source.readInto(chunk.subarray(0, Math.min(chunkBytes, end - offset)), offset);
    if (count === 0) break;
    let from = 0;
    for (let lf = chunk.indexOf(LF); lf >= 0 && lf < count; lf = chunk.indexOf(LF, from)) {
      if (pending.bytes === 0)
        addLine(builder, chunk.subarray(from, lf), { line, offset: offset + from, terminated: true });
      else pending.finish(builder, chunk.subarray(from, lf), { line, terminated: true });
      line++;
      from = lf + 1;
    }
    if (from < count) pending.extend(chunk.subarray(from, count), offset + from);
    offset += count;
    options.onProgress?.(offset);
  }
  if (pending.bytes > 0) pending.finish(builder, chunk.subarray(0, 0), { line, terminated: false });
  return offset;
}

function addLine(
  builder: HistoryBuilder,
  bytes: Buffer,
  at: { line: number; offset: number; terminated: boolean },
): void {
  if (bytes.length > LINE_READ_MAX_BYTES) {
    builder.addTooLong(bytes.subarray(0, HEAD_BYTES), {
      line: at.line,
      offset: at.offset,
      bytes: bytes.length,
    });
  } else builder.addLine(bytes, at);
}

/** A line that runs over the end of a chunk. Holds at most the read limit, whatever the line's length. */
class PendingLine {
  private parts: Buffer[] = [];
  private held = 0;
  private offset = 0;
  /** Length so far, held or not. */
  bytes = 0;

  extend(part: Buffer, offset: number): void {
    if (this.bytes === 0) this.offset = offset;
    this.bytes += part.length;
    const room = LINE_READ_MAX_BYTES + 1 - this.held;
    if (room <= 0) return;
    const copy = Buffer.from(part.subarray(0, room));
    this.parts.push(copy);
    this.held += copy.length;
  }

  finish(builder: HistoryBuilder, last: Buffer, at: { line: number; terminated: boolean }): void {
    this.extend(last, this.offset);
    const place = { line: at.line, offset: this.offset, bytes: this.bytes };
    const held = Buffer.concat(this.parts);
    if (this.bytes > LINE_READ_MAX_BYTES) builder.addTooLong(held.subarray(0, HEAD_BYTES), place);
    else builder.addLine(held, { ...at, offset: this.offset });
    this.parts = [];
    this.held = 0;
    this.bytes = 0;
  }
}
