/**
 * The way of plans through the gate: drafts, open requests and decisions in canonical order, as the rules of family
 * `plan` walk it. No rules here.
 */
import type { Case } from '../case.js';
import { DECISIONS, DRAFTS, is, kinds } from '../kinds.js';

const REQUEST = kinds('approval_requested');

/** One plan's way through the gate, walked in canonical order. */
export interface Docket {
  readonly drafts: number[];
  readonly open: number[];
  lastDecision: number;
}

type Step = (event: number, docket: Docket) => void;

/** Walks drafts, requests and decisions about plans in canonical order, keeping what stands open. */
export function walkPlans(c: Case, step: Step): void {
  const { history } = c;
  const docket: Docket = { drafts: [], open: [], lastDecision: -1 };
  for (let place = 0; place < history.size; place++) {
    const event = history.lineage.at(place);
    const code = history.kindCode(event);
    if (is(DRAFTS, code)) docket.drafts.push(event);
    else if (is(REQUEST, code) && c.isAboutPlan(event)) {
      step(event, docket);
      docket.open.push(event);
    } else if (isPlanDecision(c, event)) {
      step(event, docket);
      const answered = docket.open.findIndex((request) => sameId(c, request, event));
      if (answered >= 0) docket.open.splice(answered, 1);
      docket.lastDecision = event;
    }
  }
}

function isPlanDecision(c: Case, event: number): boolean {
  const kind = c.history.kind(event);
  return (
    kind?.startsWith('approval_') === true && is(DECISIONS, c.history.kindCode(event)) && c.isAboutPlan(event)
  );
}

/** Ids are compared only where both sides have them. */
export function sameId(c: Case, one: number, other: number): boolean {
  const a = c.history.planNumber(one);
  const b = c.history.planNumber(other);
  return a === 0 || b === 0 || a === b;
}
