/**
 * Certificates of rules about single decisions and executions: who decided, what an execution leans on, whether plans
 * are decided once, whether an execution without a proposal needed one.
 */
import { kindCode } from '../../core/event.js';
import { FIELD, fieldOf, FLAG } from '../../core/facts.js';
import { TIERS } from '../../core/tier.js';
import type { Case } from '../case.js';
import { APPROVALS, EXECUTIONS, kinds, PLAN_OR_PROPOSAL_DECISIONS, REJECTIONS } from '../kinds.js';
import { tookEffect } from '../outcomes.js';
import { deciderOf, isOnMerit } from '../people.js';
import type { Glance } from './glance.js';
import type { ProposalObserver } from './proposals.js';

const REQUESTED = kindCode('approval_requested');
const REQUESTS = kinds('approval_requested');
const PROPOSED = kindCode('action_proposed');
const T0 = TIERS.indexOf('T0') + 1;

export class DecisionObserver {
  private decisions = 0;
  private planDecisions = 0;
  private peoplesApprovals = 0;
  /** Approvals that an execution leans on, a bit for each event, and how many there are. */
  private readonly leanedOn: Uint8Array;
  private leaning = 0;
  private fresh = 0;
  /** The plan that is asked for, and the request; 0 and −1 once it is decided. */
  private openPlan = 0;
  private openRequest = -1;
  private hasRefused = false;
  private areRefusalsPlain = true;
  private areDecisionsTimely = true;
  private arePlansDecidedOnce = true;
  private areApprovers = true;
  private areApprovalsOwn = true;
  private readonly harmlessTier: number;
  /** Every executed action without a proposal is known to be of T0. */
  areUnproposedHarmless = true;

  constructor(
    private readonly c: Case,
    private readonly proposals: ProposalObserver,
  ) {
    this.leanedOn = new Uint8Array((c.history.size >> 3) + 1);
    const free = c.policy.requirement('T0', [], []);
    this.harmlessTier = free === 'allow' || free === 'notify' ? T0 : -1;
  }

  see(glance: Glance): void {
    const { kind } = glance;
    if (kind === PROPOSED) {
      if (this.hasRefused) this.fresh++;
    } else if (EXECUTIONS.has(kind)) this.seeExecution(glance);
    else {
      if (glance.isAboutPlan) this.seePlan(glance);
      if (PLAN_OR_PROPOSAL_DECISIONS.has(kind)) {
        this.decisions++;
        if ((glance.facts & FLAG.maybeTimeOut) !== 0) this.areDecisionsTimely = false;
      }
      if (APPROVALS.has(kind)) this.seeApproval(glance);
      else if (REJECTIONS.has(kind) && glance.proposal !== 0) this.seeRefusal(glance);
    }
  }

  prove(add: (rule: string, applied: number, left?: ReadonlySet<number>) => void): void {
    if (this.areDecisionsTimely) add('gate/expired-treated-as-decision', this.decisions);
    if (this.areApprovers) add('gate/approver-not-principal', this.peoplesApprovals);
    if (this.areApprovalsOwn) add('gate/shared-approval', this.leaning);
  }

  /** Decisions on plans where each answers the one open request of its plan, else undefined. */
  get plansDecidedOnce(): number | undefined {
    return this.arePlansDecidedOnce ? this.planDecisions : undefined;
  }

  private seePlan({ event, kind, plan }: Glance): void {
    if (kind === REQUESTED) {
      if (this.openPlan !== 0 || plan === 0) this.arePlansDecidedOnce = false;
      this.openPlan = plan;
      this.openRequest = event;
      return;
    }
    this.planDecisions++;
    // A decision answers the request above it, not the one asked last.
    const isAnswer =
      plan !== 0 && this.openPlan === plan && this.c.nearest(event, REQUESTS) === this.openRequest;
    if (!isAnswer) this.arePlansDecidedOnce = false;
    this.openPlan = 0;
  }

  private seeApproval({ event, facts, isAboutPlan }: Glance): void {
    const decider = deciderOf(this.c, event);
    if ((facts & FLAG.auto) !== 0) {
      if (decider === 'agent') this.areApprovers = false;
      return;
    }
    this.peoplesApprovals++;
    if (decider === 'agent' || (decider === 'machinery' && !isAboutPlan)) this.areApprovers = false;
  }

  private seeExecution({ kind, facts, parent, proposal, proposalEventAbove }: Glance): void {
    const tier = fieldOf(facts, FIELD.tier);
    if (proposal === 0) {
      const isExecuted = tookEffect(kind, facts);
      if (isExecuted && tier !== this.harmlessTier) this.areUnproposedHarmless = false;
      if (isExecuted && this.hasRefused) this.fresh++;
      return;
    }
    const cause = parent < 0 ? -1 : this.c.history.kindCode(parent);
    if (APPROVALS.has(cause)) {
      const isOwn = proposalEventAbove === parent + 1 && this.c.history.proposalNumber(parent) === proposal;
      if (isOwn) this.lean(parent);
      else this.areApprovalsOwn = false;
    } else if (EXECUTIONS.has(cause)) this.areApprovalsOwn = false;
  }

  private lean(approval: number): void {
    const bit = 1 << (approval & 7);
    if ((this.leanedOn[approval >> 3]! & bit) !== 0) return;
    this.leanedOn[approval >> 3]! |= bit;
    this.leaning++;
  }

  private seeRefusal({ event, proposal }: Glance): void {
    if (this.proposals.isOddSoFar(proposal)) this.areRefusalsPlain = false;
    const proposed = this.proposals.eventOf(proposal);
    if (proposed < 0 || !isOnMerit(this.c, event)) return;
    const facts = this.c.history.facts(proposed);
    if (fieldOf(facts, FIELD.digest) !== 0 || fieldOf(facts, FIELD.command) !== 0) this.hasRefused = true;
  }

  /** Proposals, and executions without one, that came after a refusal; undefined where that is not plain. */
  get freshAfterRefusal(): number | undefined {
    return this.areRefusalsPlain ? this.fresh : undefined;
  }
}
