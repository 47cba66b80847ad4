/**
 * Reads a pack from front to back: every object with its place, and every region that is none.
 *
 * A writer that died leaves a torn record, and another may have appended behind it. The scan looks for the next header
 * whose payload hashes to what it says, and reports what it skipped; so one torn record never hides those behind it.
 */
import { sha256Hex } from '../core/digest.js';
import type { FileOps } from '../log/file-ops.js';
import { HEADER_BYTES_MAX, HEADER_START, parseHeader } from './pack-layout.js';
import type { Header } from './pack-layout.js';

const LF = 0x0a;
const WINDOW_BYTES = 1024 * 1024;

/**
 * `object`: a payload, and whether it has the hash its header says. `label`: one more label. `skipped`: bytes that are
 * no record; `isTail` when nothing stands behind them, as after a crash.
 */
export type PackItem =
  | {
      readonly type: 'object';
      readonly header: Header;
      /** Where its header starts, and where its payload does. */
      readonly start: number;
      readonly offset: number;
      readonly bytes: Uint8Array;
      readonly isSound: boolean;
    }
  | { readonly type: 'label'; readonly header: Header; readonly at: number }
  | { readonly type: 'skipped'; readonly at: number; readonly bytes: number; readonly isTail: boolean };

export interface PackSource {
  readonly ops: FileOps;
  readonly fd: number;
  /** Where to stop reading. */
  readonly end: number;
  /**
   * Whether to hash the payload of the n-th record, from 0; all where it is absent. One that is not hashed is called sound
   * if another record, or the end, follows it.
   */
  readonly hashes?: (record: number) => boolean;
}

/** All records from the start of the pack. An object's `bytes` are only good until the next item is asked for. */
export function* scanPack(source: PackSource): Generator<PackItem, void, undefined> {
  const window = new Window(source);
  let at = 0;
  for (let number = 0; at < source.end; number += 1) {
    const frame = frameAt(window, at, source.end);
    const isDue = source.hashes?.(number) ?? true;
    const record = frame && recordOf(window, frame, isDue);
    if (frame === undefined || record === undefined) {
      const next = nextSound(window, at + 1, source.end);
      yield { type: 'skipped', at, bytes: next - at, isTail: next === source.end };
      at = next;
      continue;
    }
    at = frame.next;
    yield record;
  }
}

/** Where a record's parts stand, by its header: the header, the payload, and what comes behind its LF. */
interface Frame {
  readonly header: Header;
  readonly start: number;
  readonly offset: number;
  readonly next: number;
}

/** The record that starts at `at`, by its header; `undefined` where none does, or where its end is missing. */
function frameAt(window: Window, at: number, end: number): Frame | undefined {
  const head = window.bytes(at, HEADER_BYTES_MAX + 1);
  const lf = head.indexOf(LF);
  const header = lf < 0 ? undefined : parseHeader(head.toString('latin1', 0, lf));
  if (header === undefined) return undefined;
  const offset = at + lf + 1;
  const next = header.bytes === undefined ? offset : offset + header.bytes + 1;
  return next > end ? undefined : { header, start: at, offset, next };
}

/**
 * A record with its payload. One with another hash than its header says is damaged if another record follows it, and
 * torn (`undefined`) if none does.
 */
function recordOf(
  window: Window,
  frame: Frame,
  isDue: boolean,
): Exclude<PackItem, { type: 'skipped' }> | undefined {
  const { header, start, offset, next } = frame;
  if (header.bytes === undefined) return { type: 'label', header, at: start };
  const goesOn = isDue ? undefined : isRecordStart(window, next);
  const isSound = goesOn === true ? isClosed(window, frame) : isHashRight(window, frame);
  if (!isSound && !(goesOn ?? isRecordStart(window, next))) return undefined;
  // Torn as well: something sound stands in what the header claims.
  if (!isSound && nextSound(window, start + 1, next) !== next) return undefined;
  return { type: 'object', header, start, offset, bytes: window.bytes(offset, header.bytes), isSound };
}

function isClosed(window: Window, { next }: Frame): boolean {
  return window.bytes(next - 1, 1)[0] === LF;
}

function isHashRight(window: Window, { header, offset, next }: Frame): boolean {
  const record = window.bytes(offset, next - offset);
  const bytes = record.subarray(0, record.length - 1);
  return record.at(-1) === LF && `sha256:${sha256Hex(bytes)}` === header.hash;
}

/** True at the end and where a header follows: what stands before it is one damaged record, and not a torn one. */
function isRecordStart(window: Window, at: number): boolean {
  if (at >= window.end) return true;
  const head = window.bytes(at, HEADER_BYTES_MAX + 1);
  const lf = head.indexOf(LF);
  return lf >= 0 && parseHeader(head.toString('latin1', 0, lf)) !== undefined;
}

/** Where the next record starts whose payload is sound, from `from` on; `until` where there is none before. */
function nextSound(window: Window, from: number, until: number): number {
  const { end } = window;
  for (let at = from; at < until;) {
    const found = window.find(HEADER_START, at);
    if (found < 0 || found >= until) return until;
    const isAfterLf = found > 0 && window.bytes(found - 1, 1)[0] === LF;
    const frame = isAfterLf ? frameAt(window, found, end) : undefined;
    if (frame !== undefined && (frame.header.bytes === undefined || isHashRight(window, frame))) return found;
    at = found + 1;
  }
  return until;
}

/** A piece of the file in memory, moved forward as it is read. */
class Window {
  readonly end: number;
  private readonly source: PackSource;
  private buffer = Buffer.alloc(WINDOW_BYTES);
  private start = 0;
  private filled = 0;

  constructor(source: PackSource) {
    this.source = source;
    this.end = source.end;
  }

  /** Bytes from `at`, fewer at the end of the file. Good until the next call. */
  bytes(at: number, length: number): Buffer {
    const wanted = Math.min(length, this.end - at);
    if (at < this.start || at + wanted > this.start + this.filled) this.load(at, wanted);
    return this.buffer.subarray(at - this.start, Math.min(at - this.start + wanted, this.filled));
  }

  /** Where `pattern` stands next, from `from` on; -1 where it does not. */
  find(pattern: Buffer, from: number): number {
    for (let at = from; at + pattern.length <= this.end;) {
      const loaded = this.start + this.filled;
      // What is in memory is searched before more is read: a payload may spell thousands of headers.
      if (at < this.start || at + pattern.length > loaded) this.load(at, pattern.length);
      const view = this.buffer.subarray(at - this.start, this.filled);
      const found = view.indexOf(pattern);
      if (found >= 0) return at + found;
      if (view.length < pattern.length) return -1;
      at += view.length - pattern.length + 1;
    }
    return -1;
  }

  private load(at: number, wanted: number): void {
    // A large object must be in memory at once to be hashed; the buffer stays as large as the largest one seen.
    if (wanted > this.buffer.length) this.buffer = Buffer.alloc(wanted);
    this.start = at;
    this.filled = 0;
    const length = Math.min(this.buffer.length, this.end - at);
    while (this.filled < length) {
      const into = this.buffer.subarray(this.filled, length);
      const count = this.source.ops.read(this.source.fd, into, at + this.filled);
      if (count === 0) return;
      this.filled += count;
    }
  }
}
