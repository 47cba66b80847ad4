/**
 * Appends objects to the pack of a run: several in one write, once each, made durable when the caller says so.
 *
 * Any number of writers may append; each write is one piece. What stands there already is not written again, only a
 * label that is new.
 */
import { join } from 'node:path';
import { digestOf } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { FileOps } from '../log/file-ops.js';
import { LogFile } from '../log/log-file.js';
import { RUN } from '../log/run-dir.js';
import { KIND, PROVENANCE } from './kinds.js';
import type { KindName } from './kinds.js';
import { headerLine, packed } from './pack-layout.js';
import type { PackIndex } from './pack-index.js';
import type { ObjectStore } from './store.js';

/** Some bytes and the kind they are stored as. */
export interface Storable {
  readonly kind: KindName;
  readonly bytes: Uint8Array;
}

const LF = Buffer.from('\n');

export class PackWriter {
  private readonly file: LogFile;
  private readonly index: PackIndex;

  private constructor(file: LogFile, index: PackIndex) {
    this.file = file;
    this.index = index;
  }

  /** @param known what the pack holds; a torn tail is closed before the first write */
  static open(runDir: string, ops: FileOps, known: ObjectStore): PackWriter {
    const file = LogFile.open(join(runDir, RUN.objects), ops, { create: true });
    try {
      // Torn bytes that end without LF would swallow the header that comes next.
      if (known.faults.some(({ reason }) => reason === 'torn-tail')) file.append(LF);
      return new PackWriter(file, known.index);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Writes what is new of these objects, in one piece. @returns their digests, in the same order */
  put(objects: readonly Storable[]): Digest[] {
    const parts: Uint8Array[] = [];
    const digests = objects.map(({ kind, bytes }) => {
      const label = { semanticId: KIND[kind], provenance: PROVENANCE[kind] };
      const hash = digestOf(bytes);
      const isKnown = this.index.numberOf(hash) !== undefined;
      // The writer reads nothing back from its index but what is known, so places do not matter here.
      if (!this.index.add(hash, { offset: 0, bytes: bytes.length }, label)) return hash;
      parts.push(
        ...(isKnown
          ? [headerLine({ hash, bytes: undefined, ...label })]
          : packed({ bytes, ...label }, hash).parts),
      );
      return hash;
    });
    if (parts.length > 0) this.append(Buffer.concat(parts));
    return digests;
  }

  /** Everything put is on stable storage. */
  sync(): void {
    this.file.sync();
  }

  close(): void {
    this.file.close();
  }

  private append(bytes: Uint8Array): void {
    // Behind the torn bytes of another writer the header would not stand at the start of a line: write it again there.
    if (this.file.append(bytes).fused !== undefined) this.file.append(Buffer.concat([LF, bytes]));
  }
}
