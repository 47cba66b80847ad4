/**
 * The three files of a run that the boundary writes: the pack of objects, the journal, the log of invocations.
 *
 * Each file is synced at most once a call. After a write has failed nobody knows what is on the disk, so the files take
 * nothing more, and every call says so.
 */
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import type { Digest } from '../core/digest.js';
import { attempt } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import { syncFolder } from '../log/small-file.js';
import { GroupSync } from './group-sync.js';
import { journalBytes } from './journal-lines.js';
import type { JournalLine, Scalar } from './journal-lines.js';
import { LineLog } from './line-log.js';
import { PackWriter } from './pack-writer.js';
import type { Storable } from './pack-writer.js';
import { ObjectStore } from './store.js';

export interface FilesOptions {
  readonly ops: FileOps;
  /** False where what a power failure loses may be lost: tests, and runs that are set aside after a crash anyway. */
  readonly durable: boolean;
}

interface Closable {
  readonly close: () => void;
}

export class EffectFiles {
  private readonly pack: PackWriter;
  private readonly journal: LineLog;
  private readonly log: LineLog;
  private readonly syncs: Readonly<Record<'pack' | 'journal' | 'log', GroupSync>>;
  private readonly durable: boolean;
  private files: Closable[] = [];
  private scalars: Scalar[] = [];
  private failed: Error | undefined;

  private constructor(runDir: string, { ops, durable }: FilesOptions) {
    this.durable = durable;
    const store = ObjectStore.open(runDir, ops);
    try {
      this.pack = this.opened(PackWriter.open(runDir, ops, store));
      this.journal = this.opened(LineLog.open(join(runDir, RUN.journal), ops));
      this.log = this.opened(LineLog.open(join(runDir, RUN.invocations), ops));
      // A file whose name is lost is lost, however often it was synced.
      if (durable) syncFolder(runDir, ops);
    } catch (error) {
      closeAll([...this.files, store]);
      throw error;
    }
    store.close();
    this.syncs = {
      pack: new GroupSync(() => this.pack.sync()),
      journal: new GroupSync(() => this.journal.sync()),
      log: new GroupSync(() => this.log.sync()),
    };
  }

  static open(runDir: string, options: FilesOptions): EffectFiles {
    return attempt(`opening ${runDir} for its calls`, () => new EffectFiles(runDir, options));
  }

  put(objects: readonly Storable[]): Digest[] {
    return this.guarded(() => this.pack.put(objects));
  }

  /** Appends to the journal, behind the scalars that were kept since. */
  note(lines: readonly JournalLine[]): void {
    const kept: readonly JournalLine[] =
      this.scalars.length === 0 ? [] : [{ line: 'scalars', values: this.scalars }];
    this.scalars = [];
    this.guarded(() => this.journal.append([...kept, ...lines].map(journalBytes)));
  }

  /** Keeps a value that a replay must be given, until something else is written to the journal, or it is closed. */
  keep(scalar: Scalar): void {
    this.scalars.push(scalar);
  }

  enter(entry: Uint8Array): void {
    this.guarded(() => this.log.append([entry]));
  }

  /** Waits until what was written to one of the files is on stable storage. */
  async settled(file: 'pack' | 'journal' | 'log'): Promise<void> {
    if (this.failed !== undefined) throw this.failed;
    if (!this.durable) return;
    try {
      await this.syncs[file].done();
    } catch (error) {
      this.failed ??= asError(error);
    }
    if (this.failed !== undefined) throw this.failed;
  }

  /** Closes all files, also when one of them cannot be. A second time does nothing. */
  close(): void {
    try {
      if (this.scalars.length > 0 && this.failed === undefined) this.note([]);
    } finally {
      const { files } = this;
      this.files = [];
      this.failed ??= new Error('counterproof bug: the files of this run are closed');
      const failed = closeAll(files);
      if (failed !== undefined) throw failed;
    }
  }

  /** @throws what failed first, from then on */
  assertWorking(): void {
    if (this.failed !== undefined) throw this.failed;
  }

  private opened<T extends Closable>(file: T): T {
    this.files.push(file);
    return file;
  }

  private guarded<T>(act: () => T): T {
    this.assertWorking();
    try {
      return act();
    } catch (error) {
      // Faults of ours poison the files as well: half a call may have been written.
      if (!(error instanceof HarnessError && error.code === 'invalid-input')) this.failed = asError(error);
      throw error;
    }
  }
}

/** @returns what went wrong first, after all are closed */
function closeAll(files: readonly Closable[]): Error | undefined {
  let failed: Error | undefined;
  for (const file of files) {
    try {
      attempt('closing a file of the calls', () => file.close());
    } catch (error) {
      failed ??= asError(error);
    }
  }
  return failed;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
