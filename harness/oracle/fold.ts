/**
 * Folds findings under their roots, by the table in consequences.ts and two things the table cannot say:
 * what a lost record explains, and that everything about a repeated id follows from the repetition.
 */
import type { Hole } from '../core/history.js';
import type { Case } from './case.js';
import type { Consequence } from './consequence.js';
import { CONSEQUENCES } from './consequences.js';
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
  const unreadable = c.history.size === 0 ? firstLineFault(findings) : undefined;
  for (const raw of findings) {
    raw.parent =
      unreadable !== undefined
        ? other(unreadable, raw)
        : (duplicateOf(raw, duplicates) ?? lossBehind(c, raw, byRule) ?? byTable(c, raw, byRule));
  }
  cutLoops(findings);
}

/** Where nothing can be read, the first line that says so stands for all. */
function firstLineFault(findings: readonly Raw[]): Raw | undefined {
  const line = (raw: Raw): number => raw.violation.lines?.[0]?.line ?? 1;
  return findings
    .filter((raw) => raw.rule.id.startsWith('log/') && raw.rule.severity === 'error')
    .reduce<Raw | undefined>((first, raw) => (first && line(first) <= line(raw) ? first : raw), undefined);
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
  // That the run as a whole lacks something does not follow from a repeated line.
  if (raw.violation.absence !== undefined && raw.violation.subject.kind === 'run') return undefined;
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
    holes.find((candidate) => candidate.ids.includes(cause)) ??
    holes.find((candidate) => candidate.opaque || candidate.ids.length === 0);
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
  return (
    allowed === undefined ||
    parent.violation.events.some(({ event }) => allowed.includes(c.history.kindName(event)))
  );
}

/** The first event names a cause that is not there, or has none although it is no start. */
function isHeadless(c: Case): boolean {
  return c.history.size > 0 && c.brokenAt(c.history.lineage.at(0)) >= 0;
}

function meets(c: Case, pair: { child: Violation; parent: Violation; row: Consequence }): boolean {
  const { child, parent } = pair;
  const event = child.events[0]?.event;
  const { lineage } = c.history;
  const some = (is: (above: number) => boolean): boolean => parent.events.some((above) => is(above.event));
  switch (pair.row.relation) {
    case 'run':
      return true;
    case 'event':
      return event !== undefined && some((above) => above === event);
    case 'cause':
      return event !== undefined && some((above) => triggerOf(c, event) === above);
    case 'under':
      return event !== undefined && contrasted(parent).some((above) => lineage.isAncestor(above, event));
    case 'late':
      return event !== undefined && c.terminals[0] !== undefined && c.isBefore(c.terminals[0], event);
    case 'broken':
      return event !== undefined && some((above) => c.brokenAt(event) === above);
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

/** What set an event off: its cause, or that of the failed try it goes on from. */
function triggerOf(c: Case, event: number): number {
  let at = c.history.lineage.cause(event);
  while (at >= 0 && c.history.kind(at) === 'action_failed') at = c.history.lineage.cause(at);
  return at;
}

/** Events of a finding but the last, which is there for contrast; the only one where there is one. */
function contrasted(violation: Violation): number[] {
  const events = violation.events.map(({ event }) => event);
  return events.length > 1 ? events.slice(0, -1) : events;
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
