/**
 * What each event of a history is about: its task, its proposal, the ancestors that matter, and where the chain of
 * causes above it breaks off. Columns and groups made on first use; nothing here judges.
 */
import { kindCode } from '../core/event.js';
import type { History } from '../core/history.js';
import { DANGLING, NO_CAUSE } from '../core/parents.js';
import { Groups, Records } from './groups.js';
import { ACTIONS, DECISIONS, EXECUTIONS, is, kinds, TASK_EVENTS } from './kinds.js';

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

export class Subjects {
  private readonly nearestOf = new Map<ReadonlySet<number>, Int32Array>();
  private taskGroups: Groups | undefined;
  private proposalGroups: Groups | undefined;
  private readonly taskRecords = new Records((number) => this.makeTask(number));
  private readonly proposalRecords = new Records((number) => this.makeProposal(number));
  private taskColumn: Int32Array | undefined;
  private brokenColumn: Int32Array | undefined;
  private aboutPlan: Uint8Array | undefined;

  constructor(readonly history: History) {}

  /** Nearest proper ancestor of one of the given kinds, or −1. */
  nearest(event: number, set: ReadonlySet<number>): number {
    let column = this.nearestOf.get(set);
    if (column === undefined) {
      const { history } = this;
      column = new Int32Array(history.size).fill(-1);
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const cause = history.lineage.cause(at);
        if (cause >= 0) column[at] = set.has(history.kindCode(cause)) ? cause : (column[cause] as number);
      }
      this.nearestOf.set(set, column);
    }
    return column[event] as number;
  }

  /** The event at which the chain of causes above `event` breaks off, or −1 where it reaches the run's start. */
  brokenAt(event: number): number {
    if (this.brokenColumn === undefined) {
      const { history } = this;
      const column = new Int32Array(history.size).fill(-1);
      const root = this.firstStart();
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const cause = history.lineage.cause(at);
        const parent = history.lineage.parent(at);
        const breaksHere =
          history.lineage.isOnCycle(at) || parent === DANGLING || (parent === NO_CAUSE && at !== root);
        const head = history.lineage.cycleHead(at);
        column[at] = breaksHere ? (head < 0 ? at : head) : cause >= 0 ? (column[cause] as number) : -1;
      }
      this.brokenColumn = column;
    }
    return this.brokenColumn[event] as number;
  }

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
      if (!is(PROPOSAL_FOLLOWERS, history.kindCode(at)) || history.planNumber(at) !== 0) return 0;
      at = history.lineage.cause(at);
      if (at < 0 || !is(PROPOSAL_LEADERS, history.kindCode(at))) return 0;
    }
    return 0;
  }

  /** Whether an approval event is about a plan (the default) or about a proposal. */
  isAboutPlan(event: number): boolean {
    if (this.aboutPlan === undefined) {
      const { history } = this;
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

  *proposals(): Generator<ProposalRecord> {
    for (const number of this.proposalIndex().keys) yield this.proposal(number);
  }

  proposal(number: number): ProposalRecord {
    return this.proposalRecords.get(number);
  }

  private makeProposal(number: number): { record: ProposalRecord; size: number } {
    const record = {
      number,
      name: this.history.text(number),
      proposed: [] as number[],
      requests: [] as number[],
      decisions: [] as number[],
      executions: [] as number[],
    };
    const events = this.proposalIndex().of(number);
    for (const event of events) {
      const code = this.history.kindCode(event);
      if (code === PROPOSED) record.proposed.push(event);
      else if (code === REQUESTED) record.requests.push(event);
      else if (is(EXECUTIONS, code)) record.executions.push(event);
      else record.decisions.push(event);
    }
    return { record, size: events.length };
  }

  private proposalIndex(): Groups {
    this.proposalGroups ??= new Groups(this.history, (event) =>
      is(PROPOSAL_MEMBERS, this.history.kindCode(event)) ? this.proposalOf(event) : 0,
    );
    return this.proposalGroups;
  }

  /** First run_started in canonical order, or −1. */
  private firstStart(): number {
    const { history } = this;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (history.kindCode(event) === RUN_STARTED) return event;
    }
    return -1;
  }
}

const RUN_STARTED = kindCode('run_started');
const DISPATCHED = kindCode('task_dispatched');
const STARTED = kindCode('task_started');
const RESULT = kindCode('task_result');
const PROPOSED = kindCode('action_proposed');
const REQUESTED = kindCode('approval_requested');
const TASK_MEMBERS = new Set([...TASK_EVENTS, ...ACTIONS]);
const PROPOSAL_FOLLOWERS = new Set([...DECISIONS, ...EXECUTIONS, ...kinds('approval_requested')]);
const PROPOSAL_LEADERS = new Set([...DECISIONS, ...kinds('approval_requested', 'action_proposed')]);
const PROPOSAL_MEMBERS = new Set([...PROPOSAL_LEADERS, ...EXECUTIONS]);
