/**
 * Reads the lines of a growing file in pieces, in constant memory: for the few questions a writer has about the log
 * it joins, and for what a seal counts. The reader that judges logs is another (reader.ts): faster, and strict.
 */
import { LINE_READ_MAX_BYTES } from '../core/event.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import type { FileOps } from './file-ops.js';

export const LF = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** One line without its LF, at most the first MiB of it. `bytes` is only good until the next line is asked for. */
export interface Line {
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** False for a last line without LF. */
  readonly ended: boolean;
}

export interface LineSource {
  readonly ops: FileOps;
  readonly fd: number;
  /** Where to stop reading. */
  readonly end: number;
  /** Gets all bytes in order, for a digest. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

/** All lines from the start of the file, empty ones too. */
export function* readLines(source: LineSource): Generator<Line, void, undefined> {
  let start = 0;
  let position = 0;
  let kept: Uint8Array[] = [];
  for (const chunk of readChunks(source)) {
    source.onBytes?.(chunk);
    let from = 0;
    for (let lf = chunk.indexOf(LF); lf >= 0; lf = chunk.indexOf(LF, from)) {
      yield { offset: start, bytes: oneArray([...kept, chunk.subarray(from, lf)]), ended: true };
      kept = [];
      from = lf + 1;
      start = position + from;
    }
    position += chunk.length;
    // The next chunk reuses the buffer. Of a line that goes on for ever only the start is kept.
    if (from < chunk.length && position - start <= LINE_READ_MAX_BYTES + CHUNK_BYTES)
      kept.push(chunk.slice(from));
  }
  if (position > start) yield { offset: start, bytes: oneArray(kept), ended: false };
}

/** A line as JSON object; `undefined` for everything else a log may hold. Lenient: judging is not done here. */
export function objectOf(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
    ) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** True for lines that the protocol calls blank: nothing but JSON white space. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** The bytes from the start of the file. A piece is only good until the next is asked for. */
export function* readChunks({ ops, fd, end }: LineSource): Generator<Uint8Array, void, undefined> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let position = 0; position < end;) {
    const count = ops.read(fd, buffer.subarray(0, Math.min(CHUNK_BYTES, end - position)), position);
    if (count === 0) return;
    yield buffer.subarray(0, count);
    position += count;
  }
}

function oneArray(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  return bytes.subarray(0, LINE_READ_MAX_BYTES);
}
