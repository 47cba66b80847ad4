/**
 * The case before the judge: a history with what is derived from it once, for all rules.
 *
 * What each event is about and where its causes break off (subjects.ts), the run's landmarks, its documents and
 * its policy. Derived, never decided: rules draw the conclusions.
 */
import type { EvidencePort } from '../core/evidence.js';
import { kindCode, type JsonObject } from '../core/event.js';
import { FLAG } from '../core/facts.js';
import type { History } from '../core/history.js';
import { lastUpTo } from '../core/lineage.js';
import { maxTier, type Tier } from '../core/tier.js';
import type { Profile } from '../core/verdict.js';
import { is, isApproval, kinds, PLAN_OR_PROPOSAL_DECISIONS, TASK_EVENTS } from './kinds.js';
import { effectivePolicy, type Policy } from './policy.js';
import { RunDocuments } from './documents.js';
import { Subjects, type ProposalRecord } from './subjects.js';
import { Usage } from './usage.js';

export type { ProposalRecord, TaskRecord } from './subjects.js';

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

export class Case extends Subjects {
  readonly documents: RunDocuments;
  readonly policy: Policy;
  readonly runStarts: readonly number[];
  readonly goals: readonly number[];
  readonly terminals: readonly number[];
  /** A log that collapses planner and executor, under the profile that allows it. */
  readonly collapsed: boolean;
  /** Our own writer kept this log (`formatVersion` in its first event). */
  readonly isOurs: boolean;
  private readonly hasTaskEvents: boolean;
  private gateActive: boolean | undefined;
  private usageBlocks: Usage | undefined;
  private readonly tiers = new WeakMap<ProposalRecord, Tier | undefined>();

  constructor(
    history: History,
    readonly evidence: EvidencePort,
    readonly options: CaseOptions,
  ) {
    super(history);
    this.runStarts = history.landmarks(RUN_STARTED);
    this.goals = history.landmarks(GOAL_RECEIVED);
    this.terminals = this.inOrder([...history.landmarks(COMPLETED), ...history.landmarks(ABORTED)]);
    this.hasTaskEvents = TASK_EVENTS.codes.some((code) => (history.parts.sums.kinds[code] ?? 0) > 0);
    this.collapsed = options.profile === 'collapsed' && !this.hasTaskEvents && !this.hasPlanDecisions();
    const [start] = this.runStarts;
    this.isOurs = start !== undefined && Object.hasOwn(history.data(start), 'formatVersion');
    this.documents = new RunDocuments(history, evidence);
    this.policy = effectivePolicy(this.documents.json('gate-policy.json'), options.policy);
  }

  /** Events in canonical order. */
  private inOrder(events: number[]): readonly number[] {
    const { lineage } = this.history;
    return events.sort((a, b) => lineage.place(a) - lineage.place(b));
  }

  private hasPlanDecisions(): boolean {
    const { history } = this;
    for (let event = 0; event < history.size; event++)
      if (is(PLAN_TALK, history.kindCode(event)) && this.isAboutPlan(event)) return true;
    return false;
  }

  /** No task is dispatched, started or ended anywhere in the log. */
  get hasNoTasks(): boolean {
    return !this.hasTaskEvents;
  }

  /** The usage blocks of the run. */
  get usage(): Usage {
    this.usageBlocks ??= new Usage(this.history);
    return this.usageBlocks;
  }

  /** The log is judged as a prefix; one that holds its end, and no half line, is finished. */
  get live(): boolean {
    if (!this.options.live) return false;
    return this.terminals.length === 0 || this.history.parts.faults.some(({ rule }) => rule === 'torn-tail');
  }

  /** The run ended by `run_aborted`: open ends are legal. */
  get isAborted(): boolean {
    const [terminal] = this.terminals;
    return terminal !== undefined && this.history.kind(terminal) === 'run_aborted';
  }

  /** Whether a gate really decided: by condition.json, else by a decision in the log that is not `auto`. */
  get isGateActive(): boolean {
    this.gateActive ??= this.findActiveGate();
    return this.gateActive;
  }

  private findActiveGate(): boolean {
    const condition = this.documents.condition;
    if (condition !== undefined) return condition['actionGate'] === 'active';
    const { history } = this;
    for (let event = 0; event < history.size; event++) {
      if (is(PLAN_OR_PROPOSAL_DECISIONS, history.kindCode(event)) && !history.has(event, FLAG.auto))
        return true;
    }
    return false;
  }

  /** Tier of an action: the highest that its events record. */
  tierOfProposal(proposal: ProposalRecord): Tier | undefined {
    if (this.tiers.has(proposal)) return this.tiers.get(proposal);
    let tier: Tier | undefined;
    for (const event of [...proposal.proposed, ...proposal.requests, ...proposal.executions]) {
      tier = maxTier(tier, this.history.tier(event));
    }
    this.tiers.set(proposal, tier);
    return tier;
  }

  /** Whether `earlier` stands before `later` in canonical order. */
  isBefore(earlier: number, later: number): boolean {
    return this.history.lineage.place(earlier) < this.history.lineage.place(later);
  }

  /** Last of some events in canonical order that stands before another; undefined where none does. */
  lastBefore(events: readonly number[], later: number): number | undefined {
    return events[lastUpTo(events.length, (index) => this.isBefore(events[index] as number, later))];
  }

  /** Approvals of a proposal, by anyone or anything, that stand before `event`. */
  approvalsBefore(proposal: ProposalRecord, event: number): readonly number[] {
    return proposal.decisions.filter(
      (decision) => isApproval(this.history.kind(decision)) && this.isBefore(decision, event),
    );
  }
}

const RUN_STARTED = kindCode('run_started');
const GOAL_RECEIVED = kindCode('goal_received');
const COMPLETED = kindCode('run_completed');
const ABORTED = kindCode('run_aborted');
const PLAN_TALK = kinds('approval_requested', 'approval_granted', 'approval_rejected');
