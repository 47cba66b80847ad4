/**
 * The smallest change that mends a repetition, where one line does. A fix is advice to a reader; nothing here writes.
 */
import type { Fix } from '../core/verdict.js';
import type { Case } from './case.js';

/**
 * Removes one of several events that should be one: the first of `candidates` that nothing in the log goes back to.
 * Where each has effects of its own no single line mends it, and there is no fix.
 */
export function removeOneOf(c: Case, candidates: readonly number[]): { readonly fix?: Fix } {
  const spare = candidates.find((event) => !c.history.lineage.hasEffects(event));
  return spare === undefined ? {} : { fix: { op: 'remove', line: c.history.line(spare) } };
}
