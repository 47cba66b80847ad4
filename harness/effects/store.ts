/**
 * The objects of a run, read: each payload is verified against its digest at every read, never taken on trust.
 *
 * Writing is pack-writer.ts. What a reference leads to is answered as found, missing or damaged; whether that matters
 * is the caller's question.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '../core/digest.js';
import { attempt, NO_FOLLOW, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import { KIND } from './kinds.js';
import type { KindName } from './kinds.js';
import { ObjectReader } from './object-reader.js';
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
  private readonly reader: ObjectReader;

  private constructor(reader: ObjectReader, index: PackIndex, faults: readonly PackFault[]) {
    this.reader = reader;
    this.index = index;
    this.faults = faults;
  }

  /** Opens the pack of a run and reads it once. A run without one has an empty store. @param options see `ReaderOptions` */
  static open(
    runDir: string,
    ops: FileOps = nodeFileOps,
    options: { readonly ahead?: boolean } = {},
  ): ObjectStore {
    const path = join(runDir, RUN.objects);
    return attempt(`reading ${path}`, () => {
      const index = new PackIndex();
      const faults: PackFault[] = [];
      const reader = new ObjectReader(runDir, { ops, index, ...options });
      if (ops.facts(path)?.type !== 'file') return new ObjectStore(reader, index, faults);
      const fd = ops.open(path, constants.O_RDONLY | NO_FOLLOW);
      try {
        for (const item of scanPack({ ops, fd, end: ops.factsOf(fd).size })) addItem(item, index, faults);
      } finally {
        ops.close(fd);
      }
      return new ObjectStore(reader, index, faults);
    });
  }

  read(ref: Digest, kind?: KindName): FoundObject {
    const found = this.reader.read(ref);
    if (!found.ok) {
      const isDamaged = this.faults.some(({ hash }) => hash === ref);
      return isDamaged ? { ok: false, fault: 'damaged' } : found;
    }
    if (kind !== undefined && !found.labels.some(({ semanticId }) => semanticId === KIND[kind]))
      return { ok: false, fault: 'mislabelled' };
    return found;
  }

  close(): void {
    this.reader.close();
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
