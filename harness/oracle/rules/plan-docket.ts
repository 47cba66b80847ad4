/**
 * The way of plans through the gate: drafts, open requests and decisions in canonical order, as the rules of family
 * `plan` walk it. Ids are compared only where both sides have them. No rules here.
 */
import type { Case } from '../case.js';
import { DECISIONS, DRAFTS, is, kinds } from '../kinds.js';

const REQUEST = kinds('approval_requested');

/** One plan's way through the gate, walked in canonical order. */
export interface Docket {
  readonly drafts: PlanEvents;
  /** Requests that no decision has answered yet. */
  readonly open: PlanEvents;
  lastDecision: number;
}

type Step = (event: number, docket: Docket) => void;

/** Walks drafts, requests and decisions about plans in canonical order, keeping what stands open. */
export function walkPlans(c: Case, step: Step): void {
  const { history } = c;
  const docket: Docket = { drafts: new PlanEvents(c), open: new PlanEvents(c), lastDecision: -1 };
  for (let place = 0; place < history.size; place++) {
    const event = history.lineage.at(place);
    const code = history.kindCode(event);
    if (is(DRAFTS, code)) docket.drafts.add(event);
    else if (is(REQUEST, code) && c.isAboutPlan(event)) {
      step(event, docket);
      docket.open.add(event);
    } else if (isPlanDecision(c, event)) {
      step(event, docket);
      const answered = docket.open.firstLike(event);
      if (answered !== undefined) docket.open.remove(answered);
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

export function sameId(c: Case, one: number, other: number): boolean {
  const a = c.history.planNumber(one);
  const b = c.history.planNumber(other);
  return a === 0 || b === 0 || a === b;
}

/** Events about plans, added in canonical order; each question is about those with the plan of a given event. */
export class PlanEvents {
  private readonly all: number[] = [];
  private readonly byPlan = new Map<number, number[]>();
  private readonly present = new Set<number>();
  /** Where the first that is still there stands in each list. */
  private readonly heads = new Map<readonly number[], number>();

  constructor(private readonly c: Case) {}

  add(event: number): void {
    const plan = this.c.history.planNumber(event);
    const list = this.byPlan.get(plan);
    if (list === undefined) this.byPlan.set(plan, [event]);
    else list.push(event);
    this.all.push(event);
    this.present.add(event);
  }

  remove(event: number): void {
    this.present.delete(event);
  }

  firstLike(event: number): number | undefined {
    const firsts = this.listsLike(event).flatMap((list) => this.first(list) ?? []);
    return firsts.reduce<number | undefined>(
      (best, at) => (best === undefined || this.c.isBefore(at, best) ? at : best),
      undefined,
    );
  }

  lastLike(event: number): number | undefined {
    const lasts = this.listsLike(event).flatMap((list) => this.last(list) ?? []);
    return lasts.reduce<number | undefined>(
      (best, at) => (best === undefined || this.c.isBefore(best, at) ? at : best),
      undefined,
    );
  }

  /** Whether an event descends from one of those with its plan, which are all of the kinds `set`. */
  isAboveLike(event: number, set: ReadonlySet<number>): boolean {
    if (this.lastLike(event) === undefined) return false;
    let at = this.c.nearest(event, set);
    while (at >= 0 && !(this.present.has(at) && sameId(this.c, at, event))) at = this.c.nearest(at, set);
    return at >= 0;
  }

  private listsLike(event: number): readonly number[][] {
    const plan = this.c.history.planNumber(event);
    if (plan === 0) return [this.all];
    return [this.byPlan.get(plan), this.byPlan.get(0)].filter((list) => list !== undefined);
  }

  private first(list: readonly number[]): number | undefined {
    let head = Math.min(this.heads.get(list) ?? 0, list.length);
    while (head < list.length && !this.present.has(list[head] as number)) head++;
    this.heads.set(list, head);
    return list[head];
  }

  private last(list: number[]): number | undefined {
    while (list.length > 0 && !this.present.has(list[list.length - 1] as number)) list.pop();
    return list[list.length - 1];
  }
}
