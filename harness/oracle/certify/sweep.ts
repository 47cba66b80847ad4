/**
 * Goes over a history once, in the order of the file, and hands every event to those that observe its kind, together
 * with what it inherits from its causes. Only for histories whose file order is their canonical order.
 */
import { kindCode } from '../../core/event.js';
import { EventBlock, type History } from '../../core/history.js';
import {
  ACTIONS,
  APPROVAL_EVENTS,
  DECISIONS,
  DRAFTS,
  EXECUTIONS,
  GOAL,
  kinds,
  TASK_EVENTS,
  union,
  type KindSet,
} from '../kinds.js';
import type { DecisionObserver } from './decisions.js';
import { AMONG, type Glance } from './glance.js';
import type { OutcomeObserver } from './outcomes.js';
import type { ProposalObserver } from './proposals.js';
import type { TaskObserver } from './tasks.js';
import type { TreeObserver } from './tree.js';

const PROPOSED = kindCode('action_proposed');
const REQUESTED = kindCode('approval_requested');
const GRANTED = kindCode('approval_granted');
const DISPATCHED = kindCode('task_dispatched');
const STARTED = kindCode('task_started');
const OF_TASK = AMONG.dispatch | AMONG.start;
const ASKED_OR_DECIDED = union(DECISIONS, kinds('approval_requested'));
const OF_ACTIONS = kinds('action_approved', 'action_rejected');
const ABOUT_PROPOSALS = union(ASKED_OR_DECIDED, EXECUTIONS, kinds('action_proposed'));

export interface Observers {
  readonly tree: TreeObserver;
  readonly tasks: TaskObserver;
  readonly outcomes: OutcomeObserver;
  readonly proposals: ProposalObserver;
  readonly decisions: DecisionObserver;
}

/** Who sees which kinds, as bits by column value of the kind. */
const SEER = { tree: 1, tasks: 2, outcomes: 4, proposals: 8, decisions: 16 } as const;
const SEERS = new Uint8Array(256);
const seenBy = (bit: number, set: KindSet): void => {
  for (const code of set.codes) SEERS[code]! |= bit;
};
seenBy(SEER.tree, union(EXECUTIONS, DRAFTS, kinds('task_dispatched', 'run_completed', 'run_aborted')));
seenBy(SEER.tasks, union(TASK_EVENTS, ACTIONS));
seenBy(
  SEER.outcomes,
  union(
    EXECUTIONS,
    kinds('action_rejected', 'approval_rejected', 'approval_expired', 'approval_unavailable'),
  ),
);
seenBy(SEER.proposals, ABOUT_PROPOSALS);
seenBy(SEER.decisions, ABOUT_PROPOSALS);

export class Sweep {
  /** Drafts of plans, and requests and decisions about plans. */
  readonly planEvents: number[] = [];
  /** Bits of `AMONG` for each event and its causes. */
  private readonly among: Uint8Array;
  /** Requests and decisions about plans. */
  private readonly aboutPlan: Uint8Array;
  private readonly task: Int32Array;
  private readonly proposalEvent: Int32Array;
  /** Something names neither its plan nor its proposal, or both: what it is about would have to be searched for. */
  isUnclear = false;
  private readonly glance: Glance = {
    event: 0,
    kind: 0,
    facts: 0,
    task: 0,
    proposal: 0,
    plan: 0,
    parent: 0,
    above: 0,
    taskAbove: 0,
    taskOf: 0,
    proposalEventAbove: 0,
    isAboutPlan: false,
  };

  constructor(private readonly history: History) {
    const { size } = history;
    this.among = new Uint8Array(size);
    this.aboutPlan = new Uint8Array((size >> 3) + 1);
    this.task = new Int32Array(size);
    this.proposalEvent = new Int32Array(size);
  }

  run(observers: Observers): void {
    const { tree, tasks, outcomes, proposals, decisions } = observers;
    const { glance } = this;
    const block = new EventBlock();
    while (this.history.readOn(block)) {
      for (let at = 0; at < block.size; at++) {
        const parent = block.parent[at]!;
        const kind = block.kind[at]!;
        glance.event = block.first + at;
        glance.kind = kind;
        glance.facts = block.facts[at]!;
        glance.task = block.task[at]!;
        glance.proposal = block.proposal[at]!;
        glance.plan = block.plan[at]!;
        glance.parent = parent;
        glance.isAboutPlan = false;
        glance.above = parent < 0 ? 0 : this.among[parent]!;
        glance.taskAbove = parent < 0 ? 0 : this.task[parent]!;
        glance.taskOf = glance.task === 0 ? glance.taskAbove : glance.task;
        glance.proposalEventAbove = parent < 0 ? 0 : this.proposalEvent[parent]!;
        this.inherit(glance);
        // Called by name: these calls are nearly all that a sweep does.
        const seers = SEERS[kind]!;
        if ((seers & SEER.tree) !== 0) tree.see(glance);
        if ((seers & SEER.tasks) !== 0) tasks.see(glance);
        if ((seers & SEER.outcomes) !== 0) outcomes.see(glance);
        if ((seers & SEER.proposals) !== 0) proposals.see(glance);
        if ((seers & SEER.decisions) !== 0) decisions.see(glance);
      }
    }
  }

  private inherit(glance: Glance): void {
    const { event, kind } = glance;
    let among = glance.above;
    let task = glance.taskAbove;
    let proposalEvent = glance.proposalEventAbove;
    if (TASK_EVENTS.has(kind)) {
      task = glance.taskOf;
      if (task !== glance.taskAbove) among &= ~OF_TASK;
      if (kind === DISPATCHED) among |= AMONG.dispatch;
      else if (kind === STARTED) among |= AMONG.start;
    } else if (ABOUT_PROPOSALS.has(kind)) {
      if (ASKED_OR_DECIDED.has(kind)) this.settleSubject(glance);
      else if (kind !== PROPOSED && glance.proposal === 0) this.lookAbove(glance);
      if (kind === GRANTED) among |= glance.isAboutPlan ? AMONG.planGrant : 0;
      if (glance.proposal !== 0) proposalEvent = event + 1;
    } else if (DRAFTS.has(kind)) {
      among |= AMONG.draft;
      this.planEvents.push(event);
    } else if (GOAL.has(kind)) among |= AMONG.goal;
    this.among[event] = among;
    this.task[event] = task;
    this.proposalEvent[event] = proposalEvent;
  }

  /** Whether a request or decision is about a plan. */
  private settleSubject(glance: Glance): void {
    const { event, kind, plan, proposal } = glance;
    if (proposal === 0 ? OF_ACTIONS.has(kind) : plan !== 0) this.isUnclear = true;
    if (plan === 0 && proposal === 0) this.lookAbove(glance);
    glance.isAboutPlan = proposal === 0;
    if (!glance.isAboutPlan) return;
    this.aboutPlan[event >> 3]! |= 1 << (event & 7);
    if (APPROVAL_EVENTS.has(kind)) this.planEvents.push(event);
  }

  /** An event that names no subject may have that of its cause. */
  private lookAbove({ parent }: Glance): void {
    if (parent < 0) return;
    const kind = this.history.kindCode(parent);
    const isOfPlan = kind === REQUESTED && (this.aboutPlan[parent >> 3]! & (1 << (parent & 7))) !== 0;
    if (kind === PROPOSED || (ASKED_OR_DECIDED.has(kind) && !isOfPlan)) this.isUnclear = true;
  }
}
