/**
 * The objects of a run, read: each payload is verified against its digest at every read, never taken on trust.
 *
 * Writing is pack-writer.ts. What a reference leads to is answered as found, missing or damaged; whether that matters
 * is the caller's question.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { attempt, NO_FOLLOW, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import { KIND } from './kinds.js';
import type { KindName } from './kinds.js';
import { PackIndex } from './pack-index.js';
import type { Label } from './pack-layout.js';
import { scanPack } from './pack-scan.js';
import type { PackItem } from './pack-scan.js';

/** Why an object cannot be had. `mislabelled`: it is there, but nobody stored it as what it is taken for. */
export type ObjectFault = 'missing' | 'damaged' | 'mislabelled';

export type FoundObject =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly labels: readonly Label[] }
  | { readonly ok: false; readonly fault: ObjectFault };

/** Whatever objects can be read from: a run's pack, or the export of a store. */
export interface ObjectSource {
  /** The object, which must have been stored as `kind` where one is given. */
  read(ref: Digest, kind?: KindName): FoundObject;
}

const AHEAD_BYTES = 64 * 1024;

/** Bytes of the pack that are no object of it. */
export interface PackFault {
  readonly at: number;
  readonly bytes: number;
  readonly reason: 'torn-tail' | 'torn' | 'damaged';
  /** Digest that the header of a damaged object names. */
  readonly hash?: Digest;
}

export class ObjectStore implements ObjectSource {
  readonly index: PackIndex;
  readonly faults: readonly PackFault[];
  private readonly ops: FileOps;
  private readonly fd: number | undefined;
  /** A piece of the pack that was read ahead: what a call names stands close together, in the order of calls. */
  private ahead: { readonly from: number; readonly bytes: Buffer } = { from: 0, bytes: Buffer.alloc(0) };

  private constructor(parts: {
    readonly ops: FileOps;
    readonly fd: number | undefined;
    readonly index: PackIndex;
    readonly faults: readonly PackFault[];
  }) {
    this.ops = parts.ops;
    this.fd = parts.fd;
    this.index = parts.index;
    this.faults = parts.faults;
  }

  /**
   * Opens the pack of a run and reads it once. A run without one has an empty store.
   * @param onItem sees every item of the pack on the way
   */
  static open(runDir: string, ops: FileOps = nodeFileOps, onItem?: (item: PackItem) => void): ObjectStore {
    const path = join(runDir, RUN.objects);
    return attempt(`reading ${path}`, () => {
      const index = new PackIndex();
      const faults: PackFault[] = [];
      if (ops.facts(path)?.type !== 'file') return new ObjectStore({ ops, fd: undefined, index, faults });
      const fd = ops.open(path, constants.O_RDONLY | NO_FOLLOW);
      try {
        for (const item of scanPack({ ops, fd, end: ops.factsOf(fd).size })) {
          onItem?.(item);
          addItem(item, index, faults);
        }
      } catch (error) {
        ops.close(fd);
        throw error;
      }
      return new ObjectStore({ ops, fd, index, faults });
    });
  }

  read(ref: Digest, kind?: KindName): FoundObject {
    const number = this.index.numberOf(ref);
    if (number === undefined) {
      return { ok: false, fault: this.faults.some(({ hash }) => hash === ref) ? 'damaged' : 'missing' };
    }
    const labels = this.index.labelsOf(number);
    if (kind !== undefined && !labels.some(({ semanticId }) => semanticId === KIND[kind]))
      return { ok: false, fault: 'mislabelled' };
    const bytes = this.bytesOf(number);
    return `sha256:${sha256Hex(bytes)}` === ref
      ? { ok: true, bytes, labels }
      : { ok: false, fault: 'damaged' };
  }

  close(): void {
    if (this.fd !== undefined) this.ops.close(this.fd);
  }

  private bytesOf(number: number): Uint8Array {
    const { offset, bytes: length } = this.index.placeOf(number);
    const { from, bytes } = this.ahead;
    // What stands further back is read by itself, so that a look back does not lose what was read ahead.
    if (offset < from || length > AHEAD_BYTES) return this.readAt(offset, length);
    if (offset + length > from + bytes.length) {
      this.ahead = { from: offset, bytes: this.readAt(offset, AHEAD_BYTES) };
      return Buffer.from(this.ahead.bytes.subarray(0, length));
    }
    return Buffer.from(bytes.subarray(offset - from, offset - from + length));
  }

  /** Bytes from an offset, fewer at the end of the file. */
  private readAt(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length && this.fd !== undefined) {
      const count = this.ops.read(this.fd, bytes.subarray(filled), offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }
}

function addItem(item: PackItem, index: PackIndex, faults: PackFault[]): void {
  switch (item.type) {
    case 'skipped':
      faults.push({ at: item.at, bytes: item.bytes, reason: item.isTail ? 'torn-tail' : 'torn' });
      return;
    case 'label':
      // A label of bytes that are not there is no label of anything.
      if (index.numberOf(item.header.hash) !== undefined)
        index.add(item.header.hash, { offset: 0, bytes: 0 }, item.header);
      return;
    case 'object':
      if (item.isSound)
        index.add(item.header.hash, { offset: item.offset, bytes: item.bytes.length }, item.header);
      else
        faults.push({ at: item.offset, bytes: item.bytes.length, reason: 'damaged', hash: item.header.hash });
  }
}
