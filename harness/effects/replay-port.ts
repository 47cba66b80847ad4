/**
 * The boundary of a run that is replayed whole: answers every call of the agents' loop from the records, after replaying
 * it, and never calls a handler. What the loop asks and the record does not have, or has otherwise, stops the replay.
 */
import { assert } from '../core/errors.js';
import type { Toolbox } from '../core/tool.js';
import { divergence, gap, ReplayStopped } from './divergence.js';
import type { Mismatch } from './divergence.js';
import type { Refusal } from './plan.js';
import type { Call, CallAnswer, CallPort, PreparedCall } from './ports.js';
import { Prepared, prepareCall } from './prepared.js';
import { grantText } from './purse.js';
import type { Grant } from './purse.js';
import { recordedAnswer } from './recorded-answer.js';
import type { RecordedRun } from './recorded.js';
import { replayEntry } from './replay.js';
import type { ReplayOptions } from './replay.js';

export class ReplayPort implements CallPort {
  /** Calls answered so far. */
  answered = 0;
  private readonly run: RecordedRun;
  private readonly options: ReplayOptions;
  private readonly asked = new Set<string>();

  constructor(run: RecordedRun, options: ReplayOptions) {
    this.run = run;
    this.options = options;
  }

  get toolbox(): Toolbox {
    return this.options.toolbox;
  }

  grant(purse: string, grants: readonly Grant[]): void {
    const recorded = this.run.purses.find((line) => line.purse === purse);
    if (recorded === undefined) throw new ReplayStopped(purse, gap('effects', 'grants', purse));
    const [expected, found] = [grants.map(grantText).join(', '), recorded.grants.join(', ')];
    if (expected !== found)
      throw new ReplayStopped(purse, divergence('effects', 'grants', { expected, found }));
  }

  prepare(call: Call): PreparedCall {
    return prepareCall(call, this.options);
  }

  execute(prepared: PreparedCall): Promise<CallAnswer> {
    return this.answer(prepared);
  }

  refuse(prepared: PreparedCall, refusal: Refusal): Promise<CallAnswer> {
    return this.answer(prepared, refusal);
  }

  /** Calls that the record has and nobody asked for again. */
  get unasked(): string[] {
    return [...this.run.calls.keys()].filter((callId) => !this.asked.has(callId));
  }

  private async answer(prepared: PreparedCall, refusal?: Refusal): Promise<CallAnswer> {
    assert(prepared instanceof Prepared, 'a call is prepared by the port that answers it');
    const { callId, caller } = prepared.call;
    const stop = (mismatch: Mismatch): never => {
      throw new ReplayStopped(callId, mismatch);
    };
    this.asked.add(callId);
    const outcome = this.run.calls.get(callId)?.outcome;
    if (outcome === undefined) return stop(gap('receipt', 'the call', callId));
    if (outcome.input !== prepared.inputRef) {
      const found = this.run.store.read(outcome.input, 'input');
      const recorded = found.ok ? found.bytes : outcome.input;
      return stop(divergence('plan', 'the input', { expected: prepared.inputBytes, found: recorded }));
    }
    const at = outcome.entryIndex;
    const entry = this.run.entries[at];
    if (entry?.hash !== outcome.entryHash) return stop(gap('receipt', 'the entry', outcome.entryHash));
    if (entry.fields.writtenBy !== caller)
      return stop(divergence('receipt', 'the caller', { expected: caller, found: entry.fields.writtenBy }));
    const replayed = replayEntry(this.run, { entry, before: this.run.entries[at - 1] }, this.options);
    if (replayed.mismatch !== undefined) return stop(replayed.mismatch);
    const recorded = recordedAnswer(this.run, callId);
    if (!recorded.ok) return stop(gap('output', 'the answer', recorded.why));
    const isRefused = recorded.value.output['refused'] !== undefined;
    if (refusal !== undefined && !isRefused)
      return stop(divergence('plan', 'the decision', { expected: refusal, found: recorded.value.status }));
    this.answered += 1;
    // An answer from the world takes a turn of the loop, and so does one from the record.
    return Promise.resolve(recorded.value);
  }
}
