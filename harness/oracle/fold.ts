/**
 * Folds findings under their roots, by the table in consequences.ts and two things the table cannot say:
 * what a lost record explains, and that everything about a repeated id follows from the repetition.
 */
import type { Hole } from '../core/history.js';
import type { Case } from './case.js';
import { CONSEQUENCES, type Consequence } from './consequences.js';
import type { Rule, Violation } from './rule.js';

export interface Raw {
  readonly rule: Rule;
  readonly violation: Violation;
  parent: Raw | undefined;
}

const ROWS_OF: ReadonlyMap<string, readonly Consequence[]> = groupRows();

function groupRows(): Map<string, Consequence[]> {
  const rows = new Map<string, Consequence[]>();
  for (const row of CONSEQUENCES) rows.set(row.child, [...(rows.get(row.child) ?? []), row]);
  return rows;
}

/** Sets `parent` of every finding that follows from another. */
export function fold(c: Case, findings: readonly Raw[]): void {
  const byRule = new Map<string, Raw[]>();
  for (const raw of findings) byRule.set(raw.rule.id, [...(byRule.get(raw.rule.id) ?? []), raw]);
  const duplicates = duplicateEvents(byRule.get('causal/duplicate-id') ?? []);
  const unreadable =
    c.history.size === 0 ? findings.find((raw) => raw.rule.id.startsWith('log/')) : undefined;
  for (const raw of findings) {
    raw.parent =
      unreadable !== undefined
        ? other(unreadable, raw)
        : (duplicateOf(raw, duplicates) ?? lossBehind(c, raw, byRule) ?? byTable(c, raw, byRule));
  }
  cutLoops(findings);
}

function other(parent: Raw | undefined, child: Raw): Raw | undefined {
  return parent === child ? undefined : parent;
}

/** The event of every line that has a repeated id, and the finding that says so. */
function duplicateEvents(findings: readonly Raw[]): ReadonlyMap<number, Raw> {
  const events = new Map<number, Raw>();
  for (const raw of findings) for (const { event } of raw.violation.events) events.set(event, raw);
  return events;
}

function duplicateOf(raw: Raw, duplicates: ReadonlyMap<number, Raw>): Raw | undefined {
  if (duplicates.size === 0 || raw.rule.id.startsWith('log/') || raw.rule.severity === 'note')
    return undefined;
  for (const { event } of raw.violation.events) {
    const parent = duplicates.get(event);
    if (parent !== undefined) return other(parent, raw);
  }
  return undefined;
}

/** A cause that is missing because its line could not be read follows from that line. */
function lossBehind(c: Case, raw: Raw, byRule: ReadonlyMap<string, readonly Raw[]>): Raw | undefined {
  if (raw.rule.id !== 'causal/dangling-cause') return undefined;
  const cause = raw.violation.facts['cause'] as string;
  const { holes } = c.history.parts;
  const hole =
    holes.find((candidate) => candidate.ids.includes(cause)) ?? holes.find((candidate) => candidate.opaque);
  return (hole === undefined ? undefined : findingOf(hole, byRule)) ?? byRule.get('log/rotated')?.[0];
}

function findingOf(hole: Hole, byRule: ReadonlyMap<string, readonly Raw[]>): Raw | undefined {
  const candidates = byRule.get(`log/${hole.rule}`) ?? [];
  return (
    candidates.find(({ violation }) => violation.lines?.some((place) => place.line === hole.line)) ??
    candidates[0]
  );
}

function byTable(c: Case, raw: Raw, byRule: ReadonlyMap<string, readonly Raw[]>): Raw | undefined {
  for (const row of ROWS_OF.get(raw.rule.id) ?? []) {
    if (row.headless === true && !isHeadless(c)) continue;
    for (const parent of byRule.get(row.parent) ?? []) {
      if (parent === raw || !isOfKind(c, parent, row.parentKinds)) continue;
      if (meets(c, { child: raw.violation, parent: parent.violation, row })) return parent;
    }
  }
  return undefined;
}

function isOfKind(c: Case, parent: Raw, allowed: readonly string[] | undefined): boolean {
  const event = parent.violation.events[0]?.event;
  return allowed === undefined || (event !== undefined && allowed.includes(c.history.kindName(event)));
}

/** The first event names a cause that is not there, or has none although it is no start. */
function isHeadless(c: Case): boolean {
  return c.history.size > 0 && c.brokenAt(c.history.lineage.at(0)) >= 0;
}

function meets(c: Case, pair: { child: Violation; parent: Violation; row: Consequence }): boolean {
  const { child, parent } = pair;
  const event = child.events[0]?.event;
  const above = parent.events[0]?.event;
  switch (pair.row.relation) {
    case 'run':
      return true;
    case 'event':
      return event !== undefined && parent.events.some((involved) => involved.event === event);
    case 'cause':
      return event !== undefined && c.history.lineage.parent(event) === above;
    case 'broken':
      return event !== undefined && above !== undefined && c.brokenAt(event) === above;
    case 'path':
      return parent.path !== undefined && (child.path === parent.path || child.facts['file'] === parent.path);
    case 'unmet':
      return (
        Array.isArray(child.facts['unmet']) && child.facts['unmet'].includes(parent.facts['task'] ?? null)
      );
    case 'proposal':
      return sameNumber(proposalOf(c, child), proposalOf(c, parent));
    case 'task':
      return sameNumber(taskOf(c, child), taskOf(c, parent));
  }
}

function sameNumber(a: number, b: number): boolean {
  return a !== 0 && a === b;
}

function proposalOf(c: Case, violation: Violation): number {
  const { subject } = violation;
  if (subject.kind === 'proposal') return subject.number;
  const event = violation.events[0]?.event;
  return event === undefined ? 0 : c.proposalOf(event);
}

function taskOf(c: Case, violation: Violation): number {
  const { subject } = violation;
  if (subject.kind === 'task') return subject.number;
  const event = violation.events[0]?.event;
  return event === undefined ? 0 : c.taskOf(event);
}

/** The table has no circles on paper; should findings ever form one, its first becomes a root. */
function cutLoops(findings: readonly Raw[]): void {
  for (const raw of findings) {
    const seen = new Set<Raw>([raw]);
    for (let at = raw.parent; at !== undefined; at = at.parent) {
      if (seen.has(at)) {
        at.parent = undefined;
        break;
      }
      seen.add(at);
    }
  }
}

/** The root a finding hangs under, or the finding itself. */
export function rootOf(raw: Raw): Raw {
  let at = raw;
  while (at.parent !== undefined) at = at.parent;
  return at;
}
