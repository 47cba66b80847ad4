/**
 * What a row of the table of consequences is, and the few shapes rows have. The table itself is consequences.ts.
 */

/**
 * How two findings must meet. `event`: the child's first event is among the parent's · `cause`: an event of the
 * parent's caused the child's, failed tries aside · `under`: the child's event descends from one of the parent's, the
 * last aside, which stands there for contrast · `late`: the child's event follows the end of the run · `proposal`,
 * `task`: same subject · `path`: same file · `broken`: the child's chain of causes breaks at an event of the parent's ·
 * `unmet`: the parent's task is what the child lacks · `run`: always.
 */
export type Relation =
  'event' | 'cause' | 'under' | 'late' | 'proposal' | 'task' | 'path' | 'broken' | 'unmet' | 'run';

export interface Consequence {
  readonly child: string;
  readonly parent: string;
  readonly relation: Relation;
  /** Only where an event of the parent's is of one of these kinds. */
  readonly parentKinds?: readonly string[];
  /** Only where the log's head is cut off: its first event has no cause in the log. */
  readonly headless?: boolean;
}

/** Rows that say: `child` follows from each of these. */
export function follows(
  child: string,
  ...parents: readonly (readonly [parent: string, relation: Relation])[]
): Consequence[] {
  return parents.map(([parent, relation]) => ({ child, parent, relation }));
}

const BROKEN_CHAIN = [
  'causal/cycle',
  'causal/dangling-cause',
  'causal/orphan',
  'causal/second-root',
] as const;

/** Rows that say: `child` follows from whatever broke the chain of causes above it. */
export function brokenChain(child: string): Consequence[] {
  return BROKEN_CHAIN.flatMap((parent) => follows(child, [parent, 'broken']));
}

/** What is missing when the event that its effect names is lost: the child stands for the gap below it. */
export function lostCause(child: string, relation: Relation, parentKinds: readonly string[]): Consequence {
  return { child, parent: 'causal/dangling-cause', relation, parentKinds };
}

/** Rules whose findings say that an event does not descend from what it should: see ancestry.ts. */
export const ANCESTRY: readonly string[] = [
  'plan/request-without-draft',
  'plan/decision-without-request',
  'plan/dispatch-before-grant',
  'task/start-without-dispatch',
  'task/action-outside-task',
  'task/result-without-start',
  'action/approval-without-proposal',
  'action/approval-not-its-cause',
];

/** Rules about the whole way up: they follow from findings of those above, and explain none. */
export const TRACES: readonly string[] = ['causal/untraceable-action', 'causal/untraceable-terminal'];
