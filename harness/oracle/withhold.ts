/**
 * Sets aside findings that say something is not there, where a line that could not be read may be what is missing.
 * The facet is then unknown: a lost line neither proves a fault nor hides one.
 */
import type { Hole } from '../core/history.js';
import { lastUpTo } from '../core/lineage.js';
import type { Withheld } from '../core/verdict.js';
import type { Case } from './case.js';
import type { Raw } from './fold.js';
import type { Rule, Violation } from './rule.js';

export function withhold(
  c: Case,
  runs: readonly { readonly rule: Rule; readonly kept: readonly Violation[] }[],
): { findings: Raw[]; withheld: Withheld[] } {
  const excuses = new Excuses(c);
  const findings: Raw[] = [];
  const withheld: Withheld[] = [];
  for (const run of runs) {
    let count = 0;
    let reason = '';
    for (const violation of run.kept) {
      const excuse = excuses.of(violation);
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

/** Where missing records may have been lost: the holes of a log by what is known of them, in the order of lines. */
class Excuses {
  private readonly rotated: string | undefined;
  private readonly opaque: Hole[] = [];
  private readonly naming = new Map<string, Hole[]>();

  constructor(private readonly c: Case) {
    this.rotated = c.evidence.rotatedParts()[0];
    for (const hole of [...c.history.parts.holes].sort((a, b) => a.line - b.line)) {
      if (hole.opaque) this.opaque.push(hole);
      for (const name of new Set([...hole.subjects, ...hole.ids])) {
        const known = this.naming.get(name);
        if (known === undefined) this.naming.set(name, [hole]);
        else known.push(hole);
      }
    }
  }

  /** Where the record that a violation misses may have been lost; undefined where it was not. */
  of(violation: Violation): string | undefined {
    if (violation.absence === undefined) return undefined;
    if (this.rotated !== undefined) return `it may stand in ${this.rotated}`;
    const lines = [this.opaque, ...namesIn(this.c, violation).map((name) => this.naming.get(name) ?? [])]
      .map((holes) => firstOnSide(this.c, holes, violation)?.line)
      .filter((line) => line !== undefined);
    return lines.length === 0 ? undefined : `it may be the record lost on line ${Math.min(...lines)}`;
  }
}

/** The first line lost on the side where the record is missing. Across a broken chain sides mean nothing. */
function firstOnSide(c: Case, holes: readonly Hole[], violation: Violation): Hole | undefined {
  const event = violation.events[0]?.event;
  if (violation.absence === 'anywhere' || event === undefined || c.brokenAt(event) >= 0) return holes[0];
  const line = c.history.line(event);
  const before = lastUpTo(holes.length, (index) => (holes[index] as Hole).line < line);
  return violation.absence === 'after' ? holes[before + 1] : before >= 0 ? holes[0] : undefined;
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
