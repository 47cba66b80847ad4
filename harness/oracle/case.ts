/**
 * The case before the judge: a history with what is derived from it once, for all rules.
 *
 * Subjects (task, proposal, plan) of each event, the nearest ancestors that matter, where a causal chain is
 * broken, and the documents of the run folder. Derived, never decided: rules draw the conclusions.
 */
import type { EvidencePort } from '../core/evidence.js';
import type { JsonObject } from '../core/event.js';
import { FLAG, type History } from '../core/history.js';
import { DANGLING, NO_CAUSE } from '../core/lineage.js';
import { maxTier, type Tier } from '../core/tier.js';
import type { Profile } from '../core/verdict.js';
import { Groups } from './groups.js';
import { DRAFTS, DECISIONS, is, isApproval, kinds, PLAN_OR_PROPOSAL_DECISIONS } from './kinds.js';
import { effectivePolicy, type Policy } from './policy.js';
import { RunDocuments } from './documents.js';

/** What a classifier says of one action; handed in as data, so that the judge does not depend on it. */
export interface Opinion {
  readonly tier: Tier;
  readonly reasons: readonly string[];
}

export interface CaseOptions {
  readonly profile: Profile;
  /** The log is still being written: judge it as a prefix. */
  readonly live: boolean;
  /** Opinions by event id. Undefined where no classifier was asked. */
  readonly opinions?: ReadonlyMap<string, Opinion>;
  /** A gate policy given by the caller instead of the run's own. */
  readonly policy?: JsonObject;
}

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

export class Case {
  readonly documents: RunDocuments;
  readonly policy: Policy;
  readonly runStarts: readonly number[];
  readonly goals: readonly number[];
  readonly terminals: readonly number[];
  /** A log that collapses planner and executor, under the profile that allows it. */
  readonly collapsed: boolean;
  /** Our own writer kept this log (`formatVersion` in its first event). */
  readonly isOurs: boolean;
  private readonly nearestOf = new Map<ReadonlySet<number>, Int32Array>();
  private taskGroups: Groups | undefined;
  private proposalGroups: Groups | undefined;
  private taskColumn: Int32Array | undefined;
  private brokenColumn: Int32Array | undefined;
  private hasTaskEvents = false;

  constructor(
    readonly history: History,
    readonly evidence: EvidencePort,
    readonly options: CaseOptions,
  ) {
    const firsts: Record<'starts' | 'goals' | 'terminals', number[]> = {
      starts: [],
      goals: [],
      terminals: [],
    };
    let planDecisions = 0;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      const kind = history.kind(event);
      if (kind === 'run_started') firsts.starts.push(event);
      else if (kind === 'goal_received') firsts.goals.push(event);
      else if (kind === 'run_completed' || kind === 'run_aborted') firsts.terminals.push(event);
      else if (kind === 'task_dispatched' || kind === 'task_started' || kind === 'task_result')
        this.hasTaskEvents = true;
      else if (kind === 'approval_requested' || kind === 'approval_granted' || kind === 'approval_rejected')
        planDecisions++;
    }
    this.runStarts = firsts.starts;
    this.goals = firsts.goals;
    this.terminals = firsts.terminals;
    this.collapsed = options.profile === 'collapsed' && !this.hasTaskEvents && planDecisions === 0;
    const [start] = this.runStarts;
    this.isOurs = start !== undefined && Object.hasOwn(history.data(start), 'formatVersion');
    this.documents = new RunDocuments(history, evidence);
    this.policy = effectivePolicy(this.documents.json('gate-policy.json'), options.policy);
  }

  /** No task is dispatched, started or ended anywhere in the log. */
  get hasNoTasks(): boolean {
    return !this.hasTaskEvents;
  }

  get live(): boolean {
    return this.options.live;
  }

  /** The run ended by `run_aborted`: open ends are legal. */
  get isAborted(): boolean {
    const [terminal] = this.terminals;
    return terminal !== undefined && this.history.kind(terminal) === 'run_aborted';
  }

  /** Whether a gate really decided: by condition.json, else by a decision in the log that is not `auto`. */
  get isGateActive(): boolean {
    const condition = this.documents.condition;
    if (condition !== undefined) return condition['actionGate'] === 'active';
    const { history } = this;
    for (let event = 0; event < history.size; event++) {
      if (is(PLAN_OR_PROPOSAL_DECISIONS, history.kindCode(event)) && !history.has(event, FLAG.auto))
        return true;
    }
    return false;
  }

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
      const [root] = this.runStarts;
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const cause = history.lineage.cause(at);
        const parent = history.lineage.parent(at);
        const breaksHere =
          history.lineage.isOnCycle(at) || parent === DANGLING || (parent === NO_CAUSE && at !== root);
        column[at] = breaksHere ? this.cycleHead(at) : cause >= 0 ? (column[cause] as number) : -1;
      }
      this.brokenColumn = column;
    }
    return this.brokenColumn[event] as number;
  }

  private cycleHead(event: number): number {
    const { lineage } = this.history;
    if (!lineage.isOnCycle(event)) return event;
    return lineage.cycles.find((members) => members.includes(event))?.[0] ?? event;
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
    const { history } = this;
    if (history.planNumber(event) !== 0) return true;
    if (history.proposalNumber(event) !== 0) return false;
    const cause = history.lineage.cause(event);
    if (cause < 0 || is(DRAFTS, history.kindCode(cause))) return true;
    if (history.kind(cause) === 'action_proposed') return false;
    return history.kind(cause) === 'approval_requested' ? this.isAboutPlan(cause) : true;
  }

  *tasks(): Generator<TaskRecord> {
    this.taskGroups ??= new Groups(this.history, (event) =>
      is(TASK_MEMBERS, this.history.kindCode(event)) ? this.taskOf(event) : 0,
    );
    for (const number of this.taskGroups.keys) yield this.task(number);
  }

  task(number: number): TaskRecord {
    this.taskGroups ??= new Groups(this.history, (event) =>
      is(TASK_MEMBERS, this.history.kindCode(event)) ? this.taskOf(event) : 0,
    );
    const events = this.taskGroups.of(number);
    const of = (kind: string): number[] => events.filter((event) => this.history.kind(event) === kind);
    return {
      number,
      name: this.history.text(number),
      dispatches: of('task_dispatched'),
      starts: of('task_started'),
      results: of('task_result'),
      actions: events.filter((event) => is(ACTIONS, this.history.kindCode(event))),
    };
  }

  *proposals(): Generator<ProposalRecord> {
    for (const number of this.proposalIndex().keys) yield this.proposal(number);
  }

  proposal(number: number): ProposalRecord {
    const events = this.proposalIndex().of(number);
    const { history } = this;
    return {
      number,
      name: history.text(number),
      proposed: events.filter((event) => history.kind(event) === 'action_proposed'),
      requests: events.filter((event) => history.kind(event) === 'approval_requested'),
      decisions: events.filter((event) => is(DECISIONS, history.kindCode(event))),
      executions: events.filter((event) => is(EXECUTIONS, history.kindCode(event))),
    };
  }

  private proposalIndex(): Groups {
    this.proposalGroups ??= new Groups(this.history, (event) =>
      is(PROPOSAL_MEMBERS, this.history.kindCode(event)) ? this.proposalOf(event) : 0,
    );
    return this.proposalGroups;
  }

  /** Tier of an action: the highest that its events record. */
  tierOfProposal(proposal: ProposalRecord): Tier | undefined {
    let tier: Tier | undefined;
    for (const event of [...proposal.proposed, ...proposal.requests, ...proposal.executions]) {
      tier = maxTier(tier, this.history.tier(event));
    }
    return tier;
  }

  /** Tier of one execution: its own, or its proposal's where that is higher. */
  tierOfExecution(execution: number): Tier | undefined {
    const number = this.proposalOf(execution);
    const own = this.history.tier(execution);
    return number === 0 ? own : maxTier(own, this.tierOfProposal(this.proposal(number)));
  }

  /** Whether `earlier` stands before `later` in canonical order. */
  isBefore(earlier: number, later: number): boolean {
    return this.history.lineage.place(earlier) < this.history.lineage.place(later);
  }

  /** Approvals of a proposal, by anyone or anything, that stand before `event`. */
  approvalsBefore(proposal: ProposalRecord, event: number): readonly number[] {
    return proposal.decisions.filter(
      (decision) => isApproval(this.history.kind(decision)) && this.isBefore(decision, event),
    );
  }
}

const TASK_EVENTS = kinds('task_dispatched', 'task_started', 'task_result');
const ACTIONS = kinds('action_proposed', 'action_executed', 'action_failed');
const EXECUTIONS = kinds('action_executed', 'action_failed');
const TASK_MEMBERS = new Set([...TASK_EVENTS, ...ACTIONS]);
const PROPOSAL_FOLLOWERS = new Set([...DECISIONS, ...EXECUTIONS, ...kinds('approval_requested')]);
const PROPOSAL_LEADERS = new Set([...DECISIONS, ...kinds('approval_requested', 'action_proposed')]);
const PROPOSAL_MEMBERS = new Set([...PROPOSAL_LEADERS, ...EXECUTIONS]);
