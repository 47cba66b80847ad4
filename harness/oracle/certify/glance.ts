/**
 * One event as the sweep of a certificate sees it, with what it inherits along `causedBy`. The same object for every
 * event: nothing may keep it.
 */

/** What stands among the causes of an event, or what it is itself. */
export const AMONG = {
  goal: 1,
  draft: 2,
  /** A grant that is about a plan. */
  planGrant: 8,
  /** Dispatch and start of the task that the nearest task event above belongs to. */
  dispatch: 16,
  start: 32,
} as const;

export interface Glance {
  event: number;
  /** Column values of kind and facts (core/facts.ts), and numbers of names; 0 for none. */
  kind: number;
  facts: number;
  task: number;
  proposal: number;
  plan: number;
  parent: number;
  /** Bits of `AMONG` for the causes of the event, itself left out. */
  above: number;
  /** Task of the nearest task event above, and the task the event itself belongs to. */
  taskAbove: number;
  taskOf: number;
  /** Nearest event above that is about a proposal, plus one; 0 for none. */
  proposalEventAbove: number;
  /** For requests and decisions: whether they are about a plan. */
  isAboutPlan: boolean;
}

export const NOTHING_LEFT: ReadonlySet<number> = new Set();
