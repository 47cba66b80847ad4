/**
 * The boundary of a run that is replayed whole: answers every call of the agents' loop from the records, after replaying
 * it, and never calls a handler. What the loop asks and the record does not have, or has otherwise, stops the replay.
 */
import { assert } from '../core/errors.js';
import type { Toolbox } from '../core/tool.js';
import { divergence, gap, ReplayStopped } from './divergence.js';
import type { Mismatch } from './divergence.js';
import { refusalIn } from './output.js';
import type { Refusal } from './plan.js';
import type { Call, CallAnswer, CallPort, PreparedCall } from './ports.js';
import { Prepared, prepareCall } from './prepared.js';
import { grantText } from './purse.js';
import type { Grant } from './purse.js';
import { recordedAnswer } from './recorded-answer.js';
import type { JournalledCall, RecordedRun } from './recorded.js';
import { isSameRefusal } from './replay-call.js';
import { replayEntry } from './replay.js';
import type { ReplayOptions } from './replay.js';

/** What the loop decided about a call: to run it and who pays, or why not. */
type Decided = { readonly purse: string } | { readonly refusal: Refusal };

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

  execute(prepared: PreparedCall, purse: string): Promise<CallAnswer> {
    return this.answer(prepared, { purse });
  }

  refuse(prepared: PreparedCall, refusal: Refusal): Promise<CallAnswer> {
    return this.answer(prepared, { refusal });
  }

  /** Calls that the record has and nobody asked for again. */
  get unasked(): string[] {
    return [...this.run.calls.keys()].filter((callId) => !this.asked.has(callId));
  }

  private async answer(prepared: PreparedCall, decided: Decided): Promise<CallAnswer> {
    assert(prepared instanceof Prepared, 'a call is prepared by the port that answers it');
    const { callId, caller } = prepared.call;
    const stop = (mismatch: Mismatch): never => {
      throw new ReplayStopped(callId, mismatch);
    };
    this.asked.add(callId);
    const call = this.run.calls.get(callId);
    const outcome = call?.outcome;
    if (call === undefined || outcome === undefined) return stop(gap('receipt', 'the call', callId));
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
    const other = purseFault(call, decided) ?? decisionFault(prepared, decided, recorded.value);
    if (other !== undefined) return stop(other);
    this.answered += 1;
    // An answer from the world takes a turn of the loop, and so does one from the record.
    return Promise.resolve(recorded.value);
  }
}

/** The purse is named by the journal only. */
function purseFault({ effects }: JournalledCall, decided: Decided): Mismatch | undefined {
  if (!('purse' in decided)) return undefined;
  for (const { outcome } of effects.values()) {
    if (outcome !== undefined && outcome.purse !== decided.purse)
      return divergence('effects', 'the purse', { expected: decided.purse, found: outcome.purse });
  }
  return undefined;
}

/** A call that was refused must be refused again, by the same and in the same words; and one that was not, must not. */
function decisionFault(
  { refusal: own }: Prepared,
  decided: Decided,
  { output, status }: CallAnswer,
): Mismatch | undefined {
  const recorded = refusalIn(output);
  const again = own ?? ('refusal' in decided ? decided.refusal : undefined);
  // Whether something can be done is asked of the handlers, and a replay has none.
  if (isSameRefusal(recorded, again) || (recorded?.by === 'broker' && own === undefined)) return undefined;
  return divergence('plan', 'the decision', { expected: again ?? 'to run it', found: recorded ?? status });
}
