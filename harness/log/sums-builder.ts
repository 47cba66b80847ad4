/**
 * Counts along while a log is read (core/sums.ts). Sums are kept as long as lines are plain; a line that was looked
 * at closer and on which a sum depends takes that sum away.
 */
import { kindCode, KINDS } from '../core/event.js';
import { FLAG } from '../core/facts.js';
import { LANDMARKS, OTHERS_CALL, type Sums, type UsageSums } from '../core/sums.js';
import { HASH_NONE, RECORD_WORDS, WORD } from '../grammar/record.js';

const MODEL_CALLED = kindCode('model_called');
const DISPATCHED = kindCode('task_dispatched');
const PROPOSED = kindCode('action_proposed');
const EXECUTED = kindCode('action_executed');
const FAILED = kindCode('action_failed');
const REFUSALS = new Set([kindCode('action_rejected'), kindCode('approval_rejected')]);
const IS_LANDMARK = new Uint8Array(256);
for (const kind of LANDMARKS) IS_LANDMARK[kind] = 1;
/** Kinds for which more is kept than how many there are. */
const HAS_OWN_SUM = new Uint8Array(256);
for (const kind of [DISPATCHED, PROPOSED, EXECUTED, FAILED, ...REFUSALS]) HAS_OWN_SUM[kind] = 1;
const FIRST_CAPACITY = 1024;
/** With more, all are looked at. */
const SUSPECTS_MAX = 10_000;

export class SumsBuilder {
  private readonly kinds = new Array<number>(KINDS.length).fill(0);
  private readonly usage = {
    blocks: 0,
    calledBlocks: 0,
    calls: 0,
    input: 0,
    output: 0,
    thinking: 0,
    unknownThinking: 0,
    agentsThinking: 0,
    agentsUnknownThinking: 0,
  };
  private isUsagePlain = true;
  /** Highest call number that had a block: numbers are given in order, so a lower one has come back. */
  private lastCall = 0;
  private readonly lanes = new Set<number>();
  private seenLane = -1;
  private anyFacts = 0;
  private counterfactuals = 0;
  private paths = 0;
  private readonly landmarks = new Map<number, number[]>();
  private readonly kindsByActor = new Map<number, Uint8Array>();
  private lastActor = -1;
  private lastKinds: Uint8Array | undefined;
  private readonly recipients = new Set<number>();
  private readonly refusals = new Refusals();

  /** Adds the events of records of plain lines that follow each other; `event` is the number of the first. */
  addRun(
    words: Int32Array,
    { at, count }: { readonly at: number; readonly count: number },
    event: number,
  ): void {
    for (let index = 0; index < count; index++) {
      const record = at + index * RECORD_WORDS;
      const kind = words[record + WORD.kind]!;
      const facts = words[record + WORD.facts]!;
      this.kinds[kind]!++;
      this.addCommon(words, record, event + index);
      if ((facts & FLAG.tokens) !== 0) this.addUsage(words, record, (facts & FLAG.othersCall) !== 0);
      if (HAS_OWN_SUM[kind] === 1) this.addByKind(words, record, kind);
    }
  }

  private addCommon(words: Int32Array, at: number, event: number): void {
    const facts = words[at + WORD.facts]!;
    const kind = words[at + WORD.kind]!;
    if (IS_LANDMARK[kind] === 1) this.addLandmark(kind, event);
    this.addWork(words[at + WORD.actor]!, (facts & FLAG.othersCall) === 0 ? kind : OTHERS_CALL);
    this.anyFacts |= facts;
    if ((facts & FLAG.counterfactual) !== 0) this.counterfactuals++;
    this.paths += words[at + WORD.paths]!;
    this.addLane(words[at + WORD.lane]!);
  }

  private addByKind(words: Int32Array, at: number, kind: number): void {
    if (kind === DISPATCHED) this.addRecipient(words[at + WORD.to]!);
    else if (kind === PROPOSED) this.refusals.proposed(words, at);
    else if (kind === EXECUTED || kind === FAILED) this.refusals.executed(words, at);
    else if (REFUSALS.has(kind)) this.refusals.refused(words, at);
  }

  /** An event from a line that wanted a closer look; its record holds no token counts. */
  addLookedAt(words: Int32Array, at: number, event: number): void {
    const kind = words[at + WORD.kind]!;
    if (kind < KINDS.length) this.kinds[kind]!++;
    this.addCommon(words, at, event);
    if ((words[at + WORD.facts]! & FLAG.tokens) !== 0) this.isUsagePlain = false;
    this.addByKind(words, at, kind);
  }

  finish(clocks: Sums['clocks']): Sums {
    this.refusals.close();
    return {
      kinds: this.kinds,
      usage: this.isUsagePlain ? ({ ...this.usage } satisfies UsageSums) : undefined,
      lanes: this.lanes,
      landmarks: this.landmarks,
      kindsByActor: this.kindsByActor,
      recipients: this.recipients,
      paths: this.paths,
      anyFacts: this.anyFacts,
      counterfactuals: this.counterfactuals,
      clocks,
      mayReturn: this.refusals.mayReturn,
    };
  }

  private addLandmark(kind: number, event: number): void {
    const events = this.landmarks.get(kind);
    if (events === undefined) this.landmarks.set(kind, [event]);
    else events.push(event);
  }

  private addWork(actor: number, kind: number): void {
    let kinds = actor === this.lastActor ? this.lastKinds : this.kindsByActor.get(actor);
    if (kinds === undefined) this.kindsByActor.set(actor, (kinds = new Uint8Array(KINDS.length + 1)));
    this.lastActor = actor;
    this.lastKinds = kinds;
    // Kinds of no meaning are beyond its end.
    kinds[kind] = 1;
  }

  private addLane(lane: number): void {
    // As many as there are lanes; writers seldom take turns line by line.
    if (lane !== this.seenLane) this.lanes.add(lane);
    this.seenLane = lane;
  }

  private addRecipient(name: number): void {
    if (name !== 0) this.recipients.add(name);
  }

  private addUsage(words: Int32Array, at: number, isOthers: boolean): void {
    const { usage } = this;
    const call = words[at + WORD.call]!;
    usage.blocks++;
    if (words[at + WORD.kind] === MODEL_CALLED) usage.calledBlocks++;
    if (call !== 0) {
      usage.calls++;
      if (call <= this.lastCall) this.isUsagePlain = false;
      this.lastCall = call;
    }
    usage.input += Math.max(words[at + WORD.input]!, 0);
    usage.output += Math.max(words[at + WORD.output]!, 0);
    const thinking = words[at + WORD.thinking]!;
    usage.thinking += Math.max(thinking, 0);
    if (thinking < 0) usage.unknownThinking++;
    if (isOthers) return;
    usage.agentsThinking += Math.max(thinking, 0);
    if (thinking < 0) usage.agentsUnknownThinking++;
  }
}

/**
 * Whether an action that was refused may have come back: by hashes of digest and command, which tell different ones
 * apart and prove nothing when they are equal.
 */
class Refusals {
  /** Proposals to be looked at; undefined for all. */
  mayReturn: Set<number> | undefined = new Set();
  private digests: Int32Array = new Int32Array(FIRST_CAPACITY);
  private commands: Int32Array = new Int32Array(FIRST_CAPACITY);
  /** Hashes of what was refused. */
  private readonly refusedHashes = new Set<number>();
  private isAnythingRefused = false;
  private isUnclear = false;

  giveUp(): void {
    this.mayReturn = undefined;
  }

  proposed(words: Int32Array, at: number): void {
    const proposal = words[at + WORD.proposal]!;
    const digest = words[at + WORD.digestHash]!;
    const command = words[at + WORD.commandHash]!;
    if (this.isAnythingRefused) this.compare(digest, command, proposal);
    if (proposal === 0) return;
    this.makeRoom(proposal);
    // A name proposed twice may be refused for either.
    if (this.digests[proposal] !== HASH_NONE || this.commands[proposal] !== HASH_NONE) this.isUnclear = true;
    this.digests[proposal] = digest;
    this.commands[proposal] = command;
  }

  /** An execution of a proposal is not fresh: its proposal was compared. */
  executed(words: Int32Array, at: number): void {
    if (this.isAnythingRefused && words[at + WORD.proposal] === 0)
      this.compare(words[at + WORD.digestHash]!, words[at + WORD.commandHash]!, 0);
  }

  refused(words: Int32Array, at: number): void {
    const proposal = words[at + WORD.proposal]!;
    if (proposal === 0) {
      // Of a plan, or of what only its cause can tell.
      if (words[at + WORD.plan]! === 0) this.giveUp();
      return;
    }
    this.isAnythingRefused = true;
    const digest = proposal < this.digests.length ? this.digests[proposal]! : HASH_NONE;
    const command = proposal < this.digests.length ? this.commands[proposal]! : HASH_NONE;
    if (this.isUnclear) this.giveUp();
    if (digest !== HASH_NONE) this.refusedHashes.add(digest);
    if (command !== HASH_NONE) this.refusedHashes.add(command);
  }

  private compare(digest: number, command: number, proposal: number): void {
    const isSuspect = this.refusedHashes.has(digest) || this.refusedHashes.has(command);
    if (!isSuspect || this.mayReturn === undefined) return;
    this.mayReturn.add(proposal);
    if (this.mayReturn.size > SUSPECTS_MAX) this.giveUp();
  }

  /** Lets the memory go: nothing more is compared. */
  close(): void {
    this.digests = new Int32Array(0);
    this.commands = new Int32Array(0);
  }

  private makeRoom(proposal: number): void {
    if (proposal < this.digests.length) return;
    const length = Math.max(this.digests.length * 2, proposal + 1);
    const grow = (values: Int32Array): Int32Array => {
      const grown = new Int32Array(length);
      grown.set(values);
      return grown;
    };
    this.digests = grow(this.digests);
    this.commands = grow(this.commands);
  }
}
