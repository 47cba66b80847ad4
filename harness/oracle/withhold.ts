/**
 * Sets aside findings that say something is not there, where a line that could not be read may be what is missing.
 * The facet is then unknown: a lost line neither proves a fault nor hides one.
 */
import type { Hole } from '../core/history.js';
import type { Withheld } from '../core/verdict.js';
import type { Case } from './case.js';
import type { Raw } from './fold.js';
import type { Rule, Violation } from './rule.js';

export function withhold(
  c: Case,
  runs: readonly { readonly rule: Rule; readonly kept: readonly Violation[] }[],
): { findings: Raw[]; withheld: Withheld[] } {
  const findings: Raw[] = [];
  const withheld: Withheld[] = [];
  for (const run of runs) {
    let count = 0;
    let reason = '';
    for (const violation of run.kept) {
      const excuse = excuseFor(c, violation);
      if (excuse === undefined) findings.push({ rule: run.rule, violation, parent: undefined });
      else {
        count++;
        reason ||= excuse;
      }
    }
    if (count > 0) withheld.push({ rule: run.rule.id, count, reason });
  }
  return { findings, withheld };
}

/** Where the record that a violation misses may have been lost; undefined where it was not. */
function excuseFor(c: Case, violation: Violation): string | undefined {
  if (violation.absence === undefined) return undefined;
  const rotated = c.evidence.rotatedParts()[0];
  if (rotated !== undefined) return `it may stand in ${rotated}`;
  const hole = c.history.parts.holes.find((candidate) => explains(c, candidate, violation));
  return hole === undefined ? undefined : `it may be the record lost on line ${hole.line}`;
}

function explains(c: Case, hole: Hole, violation: Violation): boolean {
  return (
    isOnSide(c, hole, violation) &&
    (hole.opaque ||
      namesIn(c, violation).some((name) => hole.subjects.includes(name) || hole.ids.includes(name)))
  );
}

/** Whether the line was lost on the side where the record is missing. Across a broken chain sides mean nothing. */
function isOnSide(c: Case, hole: Hole, violation: Violation): boolean {
  const event = violation.events[0]?.event;
  if (violation.absence === 'anywhere' || event === undefined || c.brokenAt(event) >= 0) return true;
  return hole.line < c.history.line(event) === (violation.absence === 'before');
}

/** Names of the subjects a violation is about. */
function namesIn(c: Case, violation: Violation): string[] {
  const { subject, facts } = violation;
  const names = ['task', 'proposal', 'plan']
    .map((member) => facts[member])
    .filter((name): name is string => typeof name === 'string');
  if (subject.kind === 'task' || subject.kind === 'proposal' || subject.kind === 'plan')
    names.push(c.history.text(subject.number));
  return names.filter((name) => name !== '');
}
