/**
 * A second opinion on whether a bare log is well formed: every rule of the facet over the relations of world.ts.
 * Slow (up to the cube of the events) and without any code of the harness; test/oracle/second-opinion.test.ts
 * holds the oracle against it.
 */
import { ACTION } from './action-rules.js';
import { named, readTable } from './facts.js';
import { PLAN } from './plan-rules.js';
import { CAUSAL, RUN } from './run-rules.js';
import { TASK } from './task-rules.js';
import { ofKind, worldOf } from './world.js';

export interface Opinion {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** Lines of the events that break a rule, by rule; rules that nothing breaks are not in it. */
  readonly broken: ReadonlyMap<string, readonly number[]>;
}

const RULES = { ...CAUSAL, ...RUN, ...PLAN, ...TASK, ...ACTION };
/** All rules it has an opinion on. */
export const OPINED: readonly string[] = Object.keys(RULES);

export function opinionOn(log: string): Opinion {
  const world = worldOf(readTable(log));
  const broken = new Map<string, number[]>();
  for (const [id, rule] of Object.entries(RULES)) {
    const lines = [...new Set(rule(world).map(({ line }) => line))].sort((a, b) => a - b);
    if (lines.length > 0) broken.set(id, lines);
  }
  const isOpen = ofKind(world, 'task_dispatched').some((fact) => named(fact, 'taskId') === undefined);
  return { verdict: broken.size > 0 ? 'fail' : isOpen ? 'unknown' : 'pass', broken };
}
