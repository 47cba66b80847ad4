/**
 * Whether an action was executed as it was proposed, by the facts of the lines alone (core/facts.ts): scanners remember
 * for a while what proposals said. Where that does not settle it, the lines themselves are compared.
 */
import { FIELD, fieldOf, SAMENESS } from '../core/facts.js';
import type { Case } from './case.js';

/** What comes of comparing an execution with what led to it: `compared` is compared and the same. */
export const SAME = { nothing: 0, compared: 1, unclear: 2 } as const;

/** Lines that a scanner may have taken for a proposal of this run, and that are none. */
const NOT_OF_RUN = new Set(['wrong-run-id', 'line-too-long']);

/** Whether what scanners remembered is of this run alone, and no file says more of its proposals. */
export function isRemembered(c: Case): boolean {
  return !c.evidence.isFolder && !c.history.parts.faults.some(({ rule }) => NOT_OF_RUN.has(rule));
}

/** Compares an execution with its only proposal, the request for it and its approval; -1 where there is none. */
export function samenessOf(
  c: Case,
  {
    proposed,
    request,
    approval,
    execution,
  }: { proposed: number; request: number; approval: number; execution: number },
): number {
  const { history } = c;
  const made = history.facts(proposed);
  const done = history.facts(execution);
  const madeDigest = fieldOf(made, FIELD.digest);
  const doneDigest = fieldOf(done, FIELD.digest);
  const asked = request < 0 ? SAMENESS.none : fieldOf(history.facts(request), FIELD.digest);
  const decided = approval < 0 ? SAMENESS.none : fieldOf(history.facts(approval), FIELD.digest);
  if (fieldOf(made, FIELD.command) === SAMENESS.look || madeDigest === SAMENESS.look) return SAME.unclear;
  if (doneDigest === SAMENESS.look || asked === SAMENESS.look || decided === SAMENESS.look)
    return SAME.unclear;
  const isBetween = asked === SAMENESS.same || decided === SAMENESS.same;
  let isCompared = doneDigest === SAMENESS.same || (madeDigest !== SAMENESS.none && isBetween);
  const isBound = madeDigest !== SAMENESS.none && doneDigest !== SAMENESS.none;
  const doneCommand = isBound ? SAMENESS.none : fieldOf(done, FIELD.command);
  if (doneCommand !== SAMENESS.none) {
    const told = fieldOf(made, FIELD.command) | commandOf(c, request) | commandOf(c, approval);
    // Whatever was told of the command is what was proposed, and so is what was done.
    if (told !== SAMENESS.none && (told === SAMENESS.look || doneCommand !== SAMENESS.same))
      return SAME.unclear;
    if (told !== SAMENESS.none) isCompared = true;
  }
  return isCompared ? SAME.compared : SAME.nothing;
}

function commandOf(c: Case, event: number): number {
  const command = event < 0 ? SAMENESS.none : fieldOf(c.history.facts(event), FIELD.command);
  return command === SAMENESS.none ? command : command === SAMENESS.same ? SAMENESS.own : SAMENESS.look;
}
