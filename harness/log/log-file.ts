/**
 * One open log: appends a line with one write and then looks where it landed, so that an acknowledgement means
 * "read back, whole, on a line of its own". Knows bytes, line ends and file identity; nothing about events.
 *
 * Looking is not distrust of write(2): another process may have torn its own last line between our look at the end
 * of the file and our write, and then our line is part of that unreadable one.
 */
import { constants } from 'node:fs';
import { HarnessError } from '../core/errors.js';
import { attempt, diskFull, NO_FOLLOW, runRemoved } from './file-ops.js';
import type { FileFacts, FileOps } from './file-ops.js';
import { LF } from './lines.js';

/** Some bytes of the log that are no line of it: a last line without LF, or one that two writes share. */
export interface Fragment {
  readonly offset: number;
  readonly bytes: number;
}

/** Where a line came to stand. `fused`: behind bytes that lacked their LF, so nobody can read it. */
export type Landing = { readonly offset: number; readonly fused?: Fragment };

const LOOK_BACK_BYTES = 64 * 1024;

export class LogFile {
  readonly path: string;
  readonly ops: FileOps;
  readonly fd: number;
  private readonly identity: string;

  private constructor(path: string, ops: FileOps, fd: number) {
    this.path = path;
    this.ops = ops;
    this.fd = fd;
    this.identity = ops.factsOf(fd).identity;
  }

  /** Opens for appending. A symlink is refused: it could lead out of the run folder. `undefined` if there is no file. */
  static open(path: string, ops: FileOps, options: { readonly create: true }): LogFile;
  static open(path: string, ops: FileOps, options: { readonly create: boolean }): LogFile | undefined;
  static open(path: string, ops: FileOps, options: { readonly create: boolean }): LogFile | undefined {
    const found = ops.facts(path);
    if (found === undefined && !options.create) return undefined;
    if (found !== undefined && found.type !== 'file') throw notAFile(path, found);
    const flags = constants.O_RDWR | constants.O_APPEND | (options.create ? constants.O_CREAT : 0);
    const fd = attempt(`opening ${path}`, () => ops.open(path, flags | NO_FOLLOW));
    return new LogFile(path, ops, fd);
  }

  /** Bytes of the file that stands at the path now. @throws HarnessError `run-removed` if that is another file */
  size(): number {
    return attempt(`looking at ${this.path}`, () => {
      const facts = this.ops.facts(this.path);
      if (facts?.identity !== this.identity) throw runRemoved(`writing ${this.path}`);
      return facts.size;
    });
  }

  /** The last line, if it has no LF. It may be a write in flight; see repair.ts. */
  tail(): Fragment | undefined {
    const size = this.size();
    if (size === 0 || this.byteAt(size - 1) === LF) return undefined;
    const offset = this.lineStart(size);
    return { offset, bytes: size - offset };
  }

  /**
   * Appends bytes that end in LF with one write. When it throws, nothing is acknowledged; what the disk took of them
   * stays as a torn line.
   */
  append(bytes: Uint8Array): Landing {
    const before = this.size();
    const doing = `appending to ${this.path}`;
    const taken = attempt(doing, () => this.ops.write(this.fd, bytes));
    if (taken !== bytes.length) throw this.shortWrite(doing, taken, bytes.length);
    return attempt(doing, () => this.locate(bytes, before));
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = this.ops.read(this.fd, bytes.subarray(filled), offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  /** Everything appended is on stable storage, under this name. */
  sync(): void {
    this.size();
    attempt(`writing ${this.path} to stable storage`, () => this.ops.sync(this.fd));
  }

  close(): void {
    this.ops.close(this.fd);
  }

  private locate(bytes: Uint8Array, before: number): Landing {
    const { size, names } = this.ops.factsOf(this.fd);
    if (names === 0) throw runRemoved(`writing ${this.path}`);
    if (size < before + bytes.length) throw rewritten(this.path);
    // One byte more than was added, to see what stands in front of the first line added.
    const from = Math.max(0, before - 1);
    const added = this.read(from, size - from);
    const at = Buffer.from(added.buffer, added.byteOffset, added.byteLength).indexOf(bytes);
    if (at < 0) throw rewritten(this.path);
    const offset = from + at;
    const ownLine = offset === 0 || bytes[0] === LF || added[at - 1] === LF;
    return ownLine ? { offset } : { offset, fused: this.fragmentAround(offset, bytes.length) };
  }

  private fragmentAround(offset: number, length: number): Fragment {
    const start = this.lineStart(offset);
    return { offset: start, bytes: offset + length - 1 - start };
  }

  /** Where the line begins that `end` stands behind or in. */
  private lineStart(end: number): number {
    for (let to = end; to > 0;) {
      const from = Math.max(0, to - LOOK_BACK_BYTES);
      const lf = this.read(from, to - from).lastIndexOf(LF);
      if (lf >= 0) return from + lf + 1;
      to = from;
    }
    return 0;
  }

  private byteAt(offset: number): number | undefined {
    return attempt(`reading ${this.path}`, () => this.read(offset, 1))[0];
  }

  private shortWrite(doing: string, taken: number, given: number): HarnessError {
    if (this.ops.freeBytes(this.path) < given) return diskFull(doing);
    return new HarnessError(
      'io-failed',
      `${doing} failed: ${taken} of ${given} bytes were taken`,
      'append again: the torn line is closed and reported first',
    );
  }
}

function notAFile(path: string, found: FileFacts): HarnessError {
  const what = found.type === 'link' ? 'a symlink' : 'no regular file';
  return new HarnessError('invalid-input', `${path} is ${what}`, 'a run writes only to a log of its own');
}

function rewritten(path: string): HarnessError {
  const hint = 'a log is only ever appended to; find what truncated or rewrote it, and check the run';
  return new HarnessError('io-failed', `${path} was rewritten by something else while it was written`, hint);
}
