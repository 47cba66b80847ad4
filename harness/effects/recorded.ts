/**
 * What a run has recorded, joined: its entries in order, and what the journal says about each call.
 *
 * It reads and joins, and believes nothing: every object is verified when it is read. What is wrong with a run is found
 * by scan.ts and replay.ts; lines that cannot be read are only counted here.
 */
import { join } from 'node:path';
import type { Digest } from '../core/digest.js';
import { attempt, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import { readEntry } from './entries.js';
import type { Entry } from './entries.js';
import { readJournalLine } from './journal-lines.js';
import type {
  CallIntent,
  CallOutcome,
  EffectIntent,
  EffectOutcome,
  PurseLine,
  Scalar,
} from './journal-lines.js';
import { linesOf } from './line-log.js';
import { ObjectStore } from './store.js';

/** All that the journal has about one call. */
export interface JournalledCall {
  intent?: CallIntent;
  outcome?: CallOutcome;
  readonly effects: Map<string, { intent?: EffectIntent; outcome?: EffectOutcome }>;
}

/** A line that could not be read. `isTail`: the last one, without LF, as a crash leaves it. */
export interface BadLine {
  readonly file: 'invocations' | 'journal';
  readonly line: number;
  readonly why: string;
  readonly isTail: boolean;
}

/** An entry and the line it stands on. */
export interface PlacedEntry extends Entry {
  readonly line: number;
}

export class RecordedRun {
  readonly runDir: string;
  readonly store: ObjectStore;
  readonly entries: PlacedEntry[] = [];
  readonly calls = new Map<string, JournalledCall>();
  readonly purses: PurseLine[] = [];
  /** Clock readings, draws and turns, in the order in which they were taken. */
  readonly scalars: Scalar[] = [];
  readonly badLines: BadLine[] = [];

  private constructor(runDir: string, store: ObjectStore) {
    this.runDir = runDir;
    this.store = store;
  }

  /** Reads the files of a run; what is not there is empty. Close it to close the pack. */
  static open(runDir: string, ops: FileOps = nodeFileOps): RecordedRun {
    return attempt(`reading the calls of ${runDir}`, () => {
      const run = new RecordedRun(runDir, ObjectStore.open(runDir, ops, { ahead: true }));
      try {
        run.readEntries(ops);
        run.readJournal(ops);
      } catch (error) {
        run.close();
        throw error;
      }
      return run;
    });
  }

  /** Name of the call that an entry is of, by the entry's hash. */
  callOf(entry: Digest): string | undefined {
    this.callsByEntry ??= new Map(
      [...this.calls].flatMap(([callId, { outcome }]) =>
        outcome ? [[outcome.entryHash, callId] as const] : [],
      ),
    );
    return this.callsByEntry.get(entry);
  }

  /** The entry with a hash. */
  entryOf(hash: Digest): PlacedEntry | undefined {
    this.entriesByHash ??= new Map(this.entries.map((entry) => [entry.hash, entry] as const));
    return this.entriesByHash.get(hash);
  }

  close(): void {
    this.store.close();
  }

  private entriesByHash: Map<Digest, PlacedEntry> | undefined;
  private callsByEntry: Map<Digest, string> | undefined;

  private readEntries(ops: FileOps): void {
    for (const { number, bytes, ended } of linesOf(join(this.runDir, RUN.invocations), ops)) {
      const read = readEntry(bytes);
      if (read.ok && ended) this.entries.push({ ...read.value, line: number });
      else this.bad('invocations', number, { why: read.ok ? 'no LF at its end' : read.why, ended });
    }
  }

  private readJournal(ops: FileOps): void {
    for (const { number, bytes, ended } of linesOf(join(this.runDir, RUN.journal), ops)) {
      const read = readJournalLine(bytes);
      if (!read.ok || !ended) {
        this.bad('journal', number, { why: read.ok ? 'no LF at its end' : read.why, ended });
        continue;
      }
      const { value } = read;
      switch (value.line) {
        case 'purse':
          this.purses.push(value);
          break;
        case 'scalars':
          for (const scalar of value.values) this.scalars.push(scalar);
          break;
        case 'callIntent':
          this.call(value.callId).intent = value;
          break;
        case 'callOutcome':
          this.call(value.callId).outcome = value;
          break;
        case 'effectIntent':
          this.effect(value.callId, value.effectId).intent = value;
          break;
        case 'effectOutcome':
          this.effect(value.callId, value.effectId).outcome = value;
      }
    }
  }

  private call(callId: string): JournalledCall {
    let call = this.calls.get(callId);
    if (call === undefined) {
      call = { effects: new Map() };
      this.calls.set(callId, call);
    }
    return call;
  }

  private effect(callId: string, effectId: string): { intent?: EffectIntent; outcome?: EffectOutcome } {
    const { effects } = this.call(callId);
    let effect = effects.get(effectId);
    if (effect === undefined) {
      effect = {};
      effects.set(effectId, effect);
    }
    return effect;
  }

  private bad(file: BadLine['file'], line: number, found: { why: string; ended: boolean }): void {
    this.badLines.push({ file, line, why: found.why, isTail: !found.ended });
  }
}
