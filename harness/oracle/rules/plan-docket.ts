/**
 * The way of plans through the gate: drafts, requests and decisions in canonical order, as the rules of family
 * `plan` walk it. Ids are compared only where both sides have them. No rules here.
 */
import { FLAG } from '../../core/facts.js';
import type { Case } from '../case.js';
import { DRAFTS, GRANT, is, isApproval, kinds, type KindSet } from '../kinds.js';

const REQUEST = kinds('approval_requested');

/** One plan's way through the gate, walked in canonical order. */
export interface Docket {
  readonly drafts: PlanEvents;
  readonly requests: PlanEvents;
  /** The first decision on each request that has one. */
  readonly decided: Map<number, number>;
}

type Step = (event: number, docket: Docket) => void;

/** Walks drafts, requests and decisions about plans in canonical order, keeping what was asked and decided. */
export function walkPlans(c: Case, step: Step): void {
  const { history } = c;
  const docket: Docket = { drafts: new PlanEvents(c), requests: new PlanEvents(c), decided: new Map() };
  for (const event of c.planEvents()) {
    const code = history.kindCode(event);
    if (is(DRAFTS, code)) docket.drafts.add(event);
    else if (is(REQUEST, code)) {
      step(event, docket);
      docket.requests.add(event);
    } else {
      step(event, docket);
      const request = requestOf(event, docket);
      if (request !== undefined && !docket.decided.has(request)) docket.decided.set(request, event);
    }
  }
}

/** The request that a decision answers: the nearest one above it, so that a late answer is not taken for another's. */
export function requestOf(decision: number, docket: Docket): number | undefined {
  return docket.requests.nearestLike(decision, REQUEST);
}

function sameId(c: Case, one: number, other: number): boolean {
  const a = c.history.planNumber(one);
  const b = c.history.planNumber(other);
  return a === 0 || b === 0 || a === b;
}

/** Tells whether the grants above an event include one about a plan; each grant is looked at once. */
export function grantTracer(c: Case): (event: number) => boolean {
  const known = new Map<number, boolean>();
  return (event) => {
    const passed: number[] = [];
    let grant = c.nearest(event, GRANT);
    for (; grant >= 0 && !known.has(grant) && !c.isAboutPlan(grant); grant = c.nearest(grant, GRANT))
      passed.push(grant);
    const isUnder = grant >= 0 && (known.get(grant) ?? true);
    for (const at of passed) known.set(at, isUnder);
    return isUnder;
  };
}

/** What a decision repeats since the proposal was last asked for: the word of the same person, or the last word. */
export function decidedBefore(
  c: Case,
  of: {
    readonly round: readonly number[];
    readonly people: ReadonlyMap<number, number>;
    readonly event: number;
  },
): number | undefined {
  const last = of.round.at(-1) as number;
  if (!isSecondPerson(c, last, of.event)) return last;
  return of.people.get(c.history.actorNumber(of.event));
}

/** Two approvals by different people are the two-person rule at work, not a repetition. */
function isSecondPerson(c: Case, before: number, event: number): boolean {
  const { history } = c;
  if (!isApproval(history.kind(before)) || !isApproval(history.kind(event))) return false;
  return (
    history.actorNumber(before) !== history.actorNumber(event) &&
    !history.has(event, FLAG.auto) &&
    !history.has(before, FLAG.auto)
  );
}

/** Events about plans, added in canonical order; each question is about those with the plan of a given event. */
export class PlanEvents {
  private readonly lastOf = new Map<number, number>();
  private readonly present = new Set<number>();
  private latest: number | undefined;

  constructor(private readonly c: Case) {}

  add(event: number): void {
    this.lastOf.set(this.c.history.planNumber(event), event);
    this.present.add(event);
    this.latest = event;
  }

  lastLike(event: number): number | undefined {
    const plan = this.c.history.planNumber(event);
    if (plan === 0) return this.latest;
    const [own, nameless] = [this.lastOf.get(plan), this.lastOf.get(0)];
    if (own === undefined || nameless === undefined) return own ?? nameless;
    return this.c.isBefore(own, nameless) ? nameless : own;
  }

  /** The nearest cause of an event that is one of those with its plan, which are all of the kinds `set`. */
  nearestLike(event: number, set: KindSet): number | undefined {
    if (this.lastLike(event) === undefined) return undefined;
    let at = this.c.nearest(event, set);
    while (at >= 0 && !(this.present.has(at) && sameId(this.c, at, event))) at = this.c.nearest(at, set);
    return at >= 0 ? at : undefined;
  }
}
