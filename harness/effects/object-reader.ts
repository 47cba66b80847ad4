/**
 * Reads objects of a pack by an index that somebody else keeps, verified against their digests.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { NO_FOLLOW } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import type { Label } from './pack-layout.js';
import type { PackIndex } from './pack-index.js';

export type IndexedObject =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly labels: readonly Label[] }
  | { readonly ok: false; readonly fault: 'missing' | 'damaged' };

/** How much is read at once where objects are read one after the other. */
const AHEAD_BYTES = 256 * 1024;
const BEFORE_BYTES = AHEAD_BYTES / 4;

export interface ReaderOptions {
  readonly ops: FileOps;
  readonly index: PackIndex;
  /** Whether to read ahead: the objects of a call stand together. What is read later may then be of an earlier moment. */
  readonly ahead?: boolean;
}

export class ObjectReader {
  private readonly ops: FileOps;
  private readonly index: PackIndex;
  private readonly ahead: boolean;
  private readonly path: string;
  private fd: number | undefined;
  private piece: { readonly offset: number; readonly bytes: Buffer } = { offset: 0, bytes: Buffer.alloc(0) };

  constructor(runDir: string, { ops, index, ahead = false }: ReaderOptions) {
    this.ops = ops;
    this.index = index;
    this.ahead = ahead;
    this.path = join(runDir, RUN.objects);
  }

  read(ref: Digest): IndexedObject {
    const number = this.index.numberOf(ref);
    if (number === undefined) return { ok: false, fault: 'missing' };
    const { offset, bytes: length } = this.index.placeOf(number);
    const bytes = this.bytesAt(offset, length);
    if (`sha256:${sha256Hex(bytes)}` !== ref) return { ok: false, fault: 'damaged' };
    return { ok: true, bytes, labels: this.index.labelsOf(number) };
  }

  close(): void {
    if (this.fd !== undefined) this.ops.close(this.fd);
  }

  private bytesAt(offset: number, length: number): Buffer {
    const { piece } = this;
    const from = offset - piece.offset;
    if (this.ahead && from >= 0 && from + length <= piece.bytes.length)
      return piece.bytes.subarray(from, from + length);
    // What stands far before is one object that many calls name: it is no reason to go back.
    const isBehind = from < -BEFORE_BYTES;
    if (!this.ahead || length > AHEAD_BYTES || (isBehind && piece.bytes.length > 0))
      return this.load(offset, length);
    // Records come behind what they name, so a little before is read as well. A piece is never written over: who holds
    // bytes of it may go on.
    const start = Math.max(0, offset - BEFORE_BYTES);
    this.piece = { offset: start, bytes: this.load(start, AHEAD_BYTES + (offset - start)) };
    return this.piece.bytes.subarray(offset - start, offset - start + length);
  }

  private load(offset: number, length: number): Buffer {
    this.fd ??= this.ops.open(this.path, constants.O_RDONLY | NO_FOLLOW);
    const bytes = Buffer.alloc(length);
    let filled = 0;
    for (let count = -1; count !== 0 && filled < length; filled += count) {
      count = this.ops.read(this.fd, bytes.subarray(filled), offset + filled);
    }
    return bytes.subarray(0, filled);
  }
}
