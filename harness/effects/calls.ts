/**
 * The calls of a run so far, so that none happens twice: one sent again gets the answer that is recorded, or, if a crash
 * kept its outcome from being known, is not run again.
 */
import type { Digest } from '../core/digest.js';
import { HarnessError } from '../core/errors.js';
import { attempt } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import type { Entry } from './entries.js';
import type { CallOutcome } from './journal-lines.js';
import type { CallAnswer } from './ports.js';
import type { Prepared } from './prepared.js';
import { grantText, parseGrant, Purse } from './purse.js';
import type { Grant } from './purse.js';
import { recordedAnswer } from './recorded-answer.js';
import { RecordedRun } from './recorded.js';
import { KIND } from './kinds.js';
import type { ObjectStore } from './store.js';
import { unclaimedOutcomes } from './unclaimed.js';

/**
 * `running`: its answer is on the way. `answered`: it is on disk. `indeterminate`: an intent without an outcome; its input
 * is absent where the line that says it is lost.
 */
type KnownCall =
  | { readonly state: 'running'; readonly input: Digest; readonly answer: Promise<CallAnswer> }
  | { readonly state: 'answered'; readonly input: Digest }
  | { readonly state: 'indeterminate'; readonly input: Digest | undefined };

export class Calls {
  /** Last entry of the log of invocations. */
  readonly last: Entry | undefined;
  /** What the first entry names as the one before it, or will name. */
  readonly start: Digest | undefined;
  /** Outcomes found in the log of invocations that the journal lacks, to be written there. */
  readonly unclaimed: readonly CallOutcome[];
  private readonly runDir: string;
  private readonly ops: FileOps;
  private readonly known = new Map<string, KnownCall>();
  private readonly purses = new Map<string, Purse>();
  /** The run as it was read when a recorded answer was last looked for: calls that are sent again come in numbers. */
  private recorded: RecordedRun | undefined;

  private constructor(run: RecordedRun, ops: FileOps) {
    this.runDir = run.runDir;
    this.ops = ops;
    this.last = run.entries.at(-1);
    this.start = run.entries[0]?.fields.prevEntryHash ?? genesisIn(run.store);
    for (const [callId, { intent, outcome, effects }] of run.calls) {
      if (outcome !== undefined) this.known.set(callId, { state: 'answered', input: outcome.input });
      // Where only denials are known of a call, nothing has happened.
      else if (intent !== undefined || [...effects.values()].some((effect) => effect.intent !== undefined))
        this.known.set(callId, { state: 'indeterminate', input: intent?.input });
    }
    this.unclaimed = unclaimedOutcomes(run);
    for (const { callId, input } of this.unclaimed) this.known.set(callId, { state: 'answered', input });
    for (const { purse, grants } of run.purses) {
      const parsed = grants.map(parseGrant).filter((grant) => grant !== undefined);
      this.purses.set(purse, new Purse(purse, parsed));
    }
    // What was spent stays spent: every intent is decided again, in order, on the same grants.
    for (const { effects } of run.calls.values()) {
      for (const { intent } of effects.values()) {
        if (intent !== undefined) this.purses.get(intent.purse)?.decide(intent, intent.now);
      }
    }
  }

  /** Reads what the run has recorded so far. */
  static open(runDir: string, ops: FileOps): Calls {
    const run = RecordedRun.open(runDir, ops);
    try {
      return new Calls(run, ops);
    } finally {
      attempt(`closing the calls of ${runDir}`, () => run.close());
    }
  }

  /** Gives back what reading answers needs. */
  close(): void {
    const { recorded } = this;
    this.recorded = undefined;
    if (recorded !== undefined) attempt(`closing the calls of ${this.runDir}`, () => recorded.close());
  }

  purse(name: string): Purse | undefined {
    return this.purses.get(name);
  }

  /**
   * Makes a purse, or finds the one that the run had under this name, with what is left in it.
   * @returns whether it is new
   * @throws HarnessError `invalid-input` when other grants were given out under the name
   */
  addPurse(name: string, grants: readonly Grant[]): boolean {
    const known = this.purses.get(name);
    if (known === undefined) {
      this.purses.set(name, new Purse(name, grants));
      return true;
    }
    if (known.grants.map(grantText).join() === grants.map(grantText).join()) return false;
    const hint = 'give out further grants under another name';
    throw new HarnessError('invalid-input', `${this.runDir} has given out other grants as ${name}`, hint);
  }

  /**
   * @param act runs the call, if it is new
   * @throws HarnessError `invalid-input` for a name that was used for another input, or whose outcome is unknown
   */
  async once(prepared: Prepared, act: () => Promise<CallAnswer>): Promise<CallAnswer> {
    const { callId } = prepared.call;
    const input = prepared.inputRef;
    const known = this.known.get(callId);
    if (known !== undefined) return this.again(callId, known, input);
    const answer = act();
    this.known.set(callId, { state: 'running', input, answer });
    const answered = await answer;
    // Answers are read from the disk when asked for again, and not kept: a run may have a great many.
    this.known.set(callId, { state: 'answered', input });
    return answered;
  }

  private again(callId: string, known: KnownCall, input: Digest): CallAnswer | Promise<CallAnswer> {
    if (known.input !== undefined && known.input !== input) {
      const hint = 'give every call a name of its own';
      throw new HarnessError('invalid-input', `${callId} was called with another input before`, hint);
    }
    if (known.state === 'running') return known.answer;
    if (known.state === 'indeterminate') {
      const hint = `see counterproof recover ${this.runDir}`;
      throw new HarnessError(
        'invalid-input',
        `whether ${callId} took effect is not known, and it is not run again`,
        hint,
      );
    }
    return this.fromDisk(callId);
  }

  private fromDisk(callId: string): CallAnswer {
    const answer = recordedAnswer(this.readUpTo(callId), callId);
    if (answer.ok) return answer.value;
    const hint = `see counterproof scan ${this.runDir}`;
    throw new HarnessError('invalid-input', `the answer of ${callId} cannot be read: ${answer.why}`, hint);
  }

  /** Whoever sends one call again sends more: the run is read once for all that it had answered then. */
  private readUpTo(callId: string): RecordedRun {
    const { recorded } = this;
    if (recorded?.calls.get(callId)?.outcome !== undefined) return recorded;
    this.close();
    const read = RecordedRun.open(this.runDir, this.ops);
    this.recorded = read;
    return read;
  }
}

/** The genesis of a run that has no entry yet, but may have purses and intents. */
function genesisIn({ index }: ObjectStore): Digest | undefined {
  for (let number = 0; number < index.size; number += 1) {
    if (index.labelsOf(number).some(({ semanticId }) => semanticId === KIND.genesis))
      return index.hashOf(number);
  }
  return undefined;
}
