/**
 * What each event of a history is about: its task, its proposal, the ancestors that matter, and where the chain of
 * causes above it breaks off. Columns and groups made on first use; nothing here judges.
 */
import { kindCode } from '../core/event.js';
import { EventBlock } from '../core/history.js';
import { Causes, WALK_MAX } from './causes.js';
import { Groups, Records } from './groups.js';
import {
  ACTIONS,
  APPROVAL_EVENTS,
  DECISIONS,
  DRAFTS,
  EXECUTIONS,
  is,
  kinds,
  TASK_EVENTS,
  union,
} from './kinds.js';

export interface TaskRecord {
  readonly number: number;
  readonly name: string;
  readonly dispatches: readonly number[];
  readonly starts: readonly number[];
  /** Proposals and executions, whether or not they lie between start and result. */
  readonly actions: readonly number[];
  readonly results: readonly number[];
}

export interface ProposalRecord {
  readonly number: number;
  readonly name: string;
  readonly proposed: readonly number[];
  readonly requests: readonly number[];
  /** Decisions and time-outs in canonical order. */
  readonly decisions: readonly number[];
  /** `action_executed` and `action_failed` in canonical order. */
  readonly executions: readonly number[];
}

export class Subjects extends Causes {
  private leftOf: { left: ReadonlySet<number>; records: ReadonlyMap<number, ProposalRecord> } | undefined;
  private taskGroups: Groups | undefined;
  private proposalGroups: Groups | undefined;
  private readonly taskRecords = new Records((number) => this.makeTask(number));
  private readonly proposalRecords = new Records((number) => this.makeProposal(number));
  private taskColumn: Int32Array | undefined;
  private aboutPlan: Uint8Array | undefined;

  /** See `planEvents`; a sweep comes across them anyway. */
  plans: readonly number[] | undefined;
  /** Proposals that rules are held against; undefined for all. Set by the judge for one rule at a time. */
  left: ReadonlySet<number> | undefined;

  /** Task an event belongs to: `data.taskId`, else that of the nearest task event above it; 0 for none. */
  taskOf(event: number): number {
    if (this.taskColumn === undefined) {
      const { history } = this;
      const column = new Int32Array(history.size);
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const own = history.taskNumber(at);
        const above = own === 0 ? this.nearest(at, TASK_EVENTS) : -1;
        column[at] = own !== 0 ? own : above >= 0 ? (column[above] as number) : 0;
      }
      this.taskColumn = column;
    }
    return this.taskColumn[event] as number;
  }

  /** Proposal an event is about: `data.proposalId`, else that of the proposal or decision that caused it; 0 for none. */
  proposalOf(event: number): number {
    const { history } = this;
    let at = event;
    for (let step = 0; step < 4; step++) {
      const own = history.proposalNumber(at);
      if (own !== 0) return own;
      const code = history.kindCode(at);
      // A request or decision that names a plan is about that; to do something is never about a plan alone.
      if (!is(PROPOSAL_FOLLOWERS, code) || (history.planNumber(at) !== 0 && !is(EXECUTIONS, code))) return 0;
      at = history.lineage.cause(at);
      if (at < 0 || !is(PROPOSAL_LEADERS, history.kindCode(at))) return 0;
    }
    return 0;
  }

  /** Whether an approval event is about a plan (the default) or about a proposal. */
  isAboutPlan(event: number): boolean {
    const { history } = this;
    if (this.aboutPlan === undefined) {
      // Most name their subject, or are near what does.
      for (let at = event, step = 0; step < WALK_MAX; step++) {
        if (history.planNumber(at) !== 0) return true;
        if (history.proposalNumber(at) !== 0) return false;
        const cause = history.lineage.cause(at);
        if (cause < 0) return true;
        const code = history.kindCode(cause);
        if (code !== REQUESTED) return code !== PROPOSED;
        at = cause;
      }
      const column = new Uint8Array(history.size).fill(1);
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        if (history.planNumber(at) !== 0) continue;
        const cause = history.lineage.cause(at);
        if (history.proposalNumber(at) !== 0) column[at] = 0;
        else if (cause < 0) continue;
        else if (history.kindCode(cause) === PROPOSED) column[at] = 0;
        else if (history.kindCode(cause) === REQUESTED) column[at] = column[cause] as number;
      }
      this.aboutPlan = column;
    }
    return this.aboutPlan[event] === 1;
  }

  /** Drafts of plans, and requests, decisions and time-outs about plans, in canonical order. */
  planEvents(): readonly number[] {
    if (this.plans === undefined) {
      const { history } = this;
      const found: number[] = [];
      const block = new EventBlock();
      while (history.readOn(block)) {
        for (let at = 0; at < block.size; at++) {
          const event = block.first + at;
          const code = block.kind[at]!;
          if (is(DRAFTS, code) || (is(APPROVAL_EVENTS, code) && this.isAboutPlan(event))) found.push(event);
        }
      }
      if (!history.lineage.isWhole) found.sort((a, b) => history.lineage.place(a) - history.lineage.place(b));
      this.plans = found;
    }
    return this.plans;
  }

  *tasks(): Generator<TaskRecord> {
    for (const number of this.taskIndex().keys) yield this.task(number);
  }

  task(number: number): TaskRecord {
    return this.taskRecords.get(number);
  }

  private makeTask(number: number): { record: TaskRecord; size: number } {
    const record = {
      number,
      name: this.history.text(number),
      dispatches: [] as number[],
      starts: [] as number[],
      actions: [] as number[],
      results: [] as number[],
    };
    const events = this.taskIndex().of(number);
    for (const event of events) {
      const code = this.history.kindCode(event);
      if (code === DISPATCHED) record.dispatches.push(event);
      else if (code === STARTED) record.starts.push(event);
      else if (code === RESULT) record.results.push(event);
      else record.actions.push(event);
    }
    return { record, size: events.length };
  }

  private taskIndex(): Groups {
    this.taskGroups ??= new Groups(this.history, (event) =>
      is(TASK_MEMBERS, this.history.kindCode(event)) ? this.taskOf(event) : 0,
    );
    return this.taskGroups;
  }

  /** Proposals to look at: all, or those that a certificate leaves (see certify). */
  *proposals(): Generator<ProposalRecord> {
    if (this.left !== undefined) yield* this.leftRecords(this.left).values();
    else for (const number of this.proposalIndex().keys) yield this.proposal(number);
  }

  /** Records of the proposals that a certificate leaves, which all say in full what they are about. */
  private leftRecords(left: ReadonlySet<number>): ReadonlyMap<number, ProposalRecord> {
    if (this.leftOf?.left === left) return this.leftOf.records;
    const members = new Map<number, number[]>();
    const { history } = this;
    const block = new EventBlock();
    while (left.size > 0 && history.readOn(block)) {
      for (let at = 0; at < block.size; at++) {
        const number = block.proposal[at]!;
        if (number === 0 || !left.has(number) || !is(PROPOSAL_MEMBERS, block.kind[at]!)) continue;
        const events = members.get(number);
        if (events === undefined) members.set(number, [block.first + at]);
        else events.push(block.first + at);
      }
    }
    const records = new Map([...members].map(([number, events]) => [number, this.recordOf(number, events)]));
    this.leftOf = { left, records };
    return records;
  }

  /** Whether a rule is to look at an event of a proposal, or of none: all, or those that a certificate leaves. */
  isLeft(event: number): boolean {
    return this.left === undefined || this.left.has(this.proposalOf(event));
  }

  proposal(number: number): ProposalRecord {
    const left = this.left === undefined ? undefined : this.leftRecords(this.left).get(number);
    if (left !== undefined) return left;
    return this.proposalRecords.get(number);
  }

  private makeProposal(number: number): { record: ProposalRecord; size: number } {
    const events = this.proposalIndex().of(number);
    return { record: this.recordOf(number, events), size: events.length };
  }

  private recordOf(number: number, events: readonly number[]): ProposalRecord {
    const record = {
      number,
      name: this.history.text(number),
      proposed: [] as number[],
      requests: [] as number[],
      decisions: [] as number[],
      executions: [] as number[],
    };
    for (const event of events) {
      const code = this.history.kindCode(event);
      if (code === PROPOSED) record.proposed.push(event);
      else if (code === REQUESTED) record.requests.push(event);
      else if (is(EXECUTIONS, code)) record.executions.push(event);
      else record.decisions.push(event);
    }
    return record;
  }

  private proposalIndex(): Groups {
    this.proposalGroups ??= new Groups(this.history, (event) =>
      is(PROPOSAL_MEMBERS, this.history.kindCode(event)) ? this.proposalOf(event) : 0,
    );
    return this.proposalGroups;
  }
}

const DISPATCHED = kindCode('task_dispatched');
const STARTED = kindCode('task_started');
const RESULT = kindCode('task_result');
const PROPOSED = kindCode('action_proposed');
const REQUESTED = kindCode('approval_requested');
const TASK_MEMBERS = union(TASK_EVENTS, ACTIONS);
const PROPOSAL_FOLLOWERS = union(DECISIONS, EXECUTIONS, kinds('approval_requested'));
const PROPOSAL_LEADERS = union(DECISIONS, kinds('approval_requested', 'action_proposed'));
const PROPOSAL_MEMBERS = union(PROPOSAL_LEADERS, EXECUTIONS);
