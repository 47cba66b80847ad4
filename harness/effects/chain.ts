/**
 * Enters calls into the log of invocations: objects first, then the entry that names them and the entry before it.
 *
 * A call gets its number when it is done, and entries stand in the order of their numbers, however many calls wait for
 * the disk at the same time.
 */
import { digestOf, entryHash } from '../core/digest.js';
import type { Digest, EntryFields } from '../core/digest.js';
import { assert } from '../core/errors.js';
import { entryBytes } from './entries.js';
import type { Entry } from './entries.js';
import type { EffectFiles } from './files.js';
import { epochOf } from './genesis.js';
import type { Genesis } from './genesis.js';
import { recordBytes } from './objects.js';
import type { EffectLink } from './objects.js';
import type { Storable } from './pack-writer.js';
import { plainOf } from './plan.js';
import type { CallAnswer, CallStatus, Interpreter } from './ports.js';
import type { Prepared } from './prepared.js';
import { sourceBytes } from './source.js';

/** How a call ended. `plan` is absent for a pure tool that was run. */
export interface Outcome {
  readonly status: CallStatus;
  readonly output: Uint8Array;
  readonly plan?: Digest;
  /** What has not been stored yet, besides input, output and record. */
  readonly objects: readonly Storable[];
  readonly effects: readonly EffectLink[];
  readonly evidence: CallAnswer['evidence'];
}

export interface ChainOptions {
  readonly genesis: Genesis;
  readonly interpreter: Interpreter;
  /** Where the chain stands: its last entry, or its start. */
  readonly last: Entry | undefined;
  readonly start: Digest;
}

export class Chain {
  private readonly files: EffectFiles;
  private readonly options: ChainOptions;
  /** Numbers given out, and entries that stand in the log: a call has its number before its entry. */
  private numbered: number;
  private entered: number;
  private head: Digest;

  constructor(files: EffectFiles, options: ChainOptions) {
    const { last, start } = options;
    this.files = files;
    this.options = options;
    this.numbered = last === undefined ? 0 : last.fields.entryIndex + 1;
    this.entered = this.numbered;
    this.head = last?.hash ?? start;
  }

  async enter(call: Prepared, outcome: Outcome): Promise<CallAnswer> {
    const { genesis, interpreter } = this.options;
    const { callId, caller, tool: skillId } = call.call;
    const source = sourceBytes(call.tool);
    const entryIndex = this.numbered;
    const invocationId = `${genesis.runId}:${entryIndex}`;
    const pins = {
      transitionFn: digestOf(source),
      interpreter: interpreter.digest,
      semanticsEpoch: epochOf(interpreter.release),
    };
    const output = digestOf(outcome.output);
    const record = recordBytes({
      invocationId,
      episodeId: genesis.runId,
      skillId,
      ...pins,
      input: call.inputRef,
      output,
      ...(outcome.plan && { world: { plan: outcome.plan, effects: outcome.effects } }),
    });
    this.files.put([
      { kind: 'source', bytes: source },
      { kind: 'input', bytes: call.inputBytes },
      ...outcome.objects,
      { kind: 'output', bytes: outcome.output },
      { kind: outcome.plan === undefined ? 'pureRecord' : 'record', bytes: record },
    ]);
    // Only now: a call that could not be stored must leave no gap in the numbers.
    this.numbered += 1;
    await this.files.settled('pack');
    const entryHash = this.append({
      entryIndex,
      ...pins,
      prevEntryHash: this.head,
      writtenBy: caller,
      transitionRef: digestOf(record),
    });
    const { inputRef: input } = call;
    this.files.note([{ line: 'callOutcome', callId, input, entryIndex, entryHash, output }]);
    await this.files.settled('log');
    const { status, effects, evidence } = outcome;
    return { callId, invocationId, entryHash, status, output: plainOf(outcome.output), effects, evidence };
  }

  private append(fields: EntryFields): Digest {
    assert(fields.entryIndex === this.entered, `entries are appended in order: ${fields.entryIndex}`);
    this.files.enter(entryBytes(fields));
    this.entered += 1;
    this.head = entryHash(fields);
    return this.head;
  }
}
