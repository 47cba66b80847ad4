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

export class ObjectReader {
  private readonly ops: FileOps;
  private readonly index: PackIndex;
  private readonly path: string;
  private fd: number | undefined;

  constructor(runDir: string, { ops, index }: { readonly ops: FileOps; readonly index: PackIndex }) {
    this.ops = ops;
    this.index = index;
    this.path = join(runDir, RUN.objects);
  }

  read(ref: Digest): IndexedObject {
    const number = this.index.numberOf(ref);
    if (number === undefined) return { ok: false, fault: 'missing' };
    const { offset, bytes: length } = this.index.placeOf(number);
    const bytes = this.readAt(offset, length);
    if (`sha256:${sha256Hex(bytes)}` !== ref) return { ok: false, fault: 'damaged' };
    return { ok: true, bytes, labels: this.index.labelsOf(number) };
  }

  /** Bytes from an offset, fewer at the end of the file: a cut payload must not be filled up. */
  private readAt(offset: number, length: number): Buffer {
    this.fd ??= this.ops.open(this.path, constants.O_RDONLY | NO_FOLLOW);
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const count = this.ops.read(this.fd, bytes.subarray(filled), offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  close(): void {
    if (this.fd !== undefined) this.ops.close(this.fd);
  }
}
