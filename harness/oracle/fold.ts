/**
 * Folds findings under their roots, by the table in consequences.ts and two things the table cannot say:
 * what a lost record explains, and that everything about a repeated id follows from the repetition.
 */
import type { Hole } from '../core/history.js';
import { Ancestry } from './ancestry.js';
import type { Case } from './case.js';
import type { Consequence } from './consequence.js';
import { CONSEQUENCES } from './consequences.js';
import { Meeting, type Raw } from './meeting.js';

export type { Raw } from './meeting.js';

const ROWS_OF: ReadonlyMap<string, readonly Consequence[]> = groupRows();

function groupRows(): Map<string, Consequence[]> {
  const rows = new Map<string, Consequence[]>();
  for (const row of CONSEQUENCES) rows.set(row.child, [...(rows.get(row.child) ?? []), row]);
  return rows;
}

/** Sets `parent` of every finding that follows from another. */
export function fold(c: Case, findings: readonly Raw[]): void {
  const meeting = new Meeting(c, findings);
  const duplicates = duplicateEvents(meeting.of('causal/duplicate-id'));
  const unreadable = c.history.size === 0 ? firstLineFault(findings) : undefined;
  const losses = new Losses(c, meeting);
  const ancestry = new Ancestry(c, meeting);
  for (const raw of findings) {
    raw.parent =
      unreadable !== undefined
        ? other(unreadable, raw)
        : (duplicateOf(raw, duplicates) ??
          losses.behind(raw) ??
          byTable(c, raw, meeting) ??
          ancestry.above(raw));
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
class Losses {
  private readonly naming = new Map<string, Hole>();
  private readonly nameless: Hole | undefined;
  private readonly rotated: Raw | undefined;
  private readonly byLine = new Map<string, Raw>();

  constructor(c: Case, meeting: Meeting) {
    const { holes } = c.history.parts;
    for (const hole of holes) for (const id of hole.ids) if (!this.naming.has(id)) this.naming.set(id, hole);
    this.nameless = holes.find((hole) => hole.opaque || hole.ids.length === 0);
    this.rotated = meeting.of('log/rotated')[0];
    for (const rule of new Set(holes.map((hole) => `log/${hole.rule}`))) {
      const [first] = meeting.of(rule);
      if (first !== undefined) this.byLine.set(rule, first);
      for (const raw of meeting.of(rule))
        for (const { line } of raw.violation.lines ?? [])
          if (!this.byLine.has(`${rule} ${line}`)) this.byLine.set(`${rule} ${line}`, raw);
    }
  }

  behind(raw: Raw): Raw | undefined {
    if (raw.rule.id !== 'causal/dangling-cause') return undefined;
    const hole = this.naming.get(raw.violation.facts['cause'] as string) ?? this.nameless;
    if (hole === undefined) return this.rotated;
    const rule = `log/${hole.rule}`;
    return this.byLine.get(`${rule} ${hole.line}`) ?? this.byLine.get(rule) ?? this.rotated;
  }
}

function byTable(c: Case, raw: Raw, meeting: Meeting): Raw | undefined {
  for (const row of ROWS_OF.get(raw.rule.id) ?? []) {
    if (row.headless === true && !isHeadless(c)) continue;
    const parent = meeting.parent(raw, row);
    if (parent !== undefined) return parent;
  }
  return undefined;
}

/** The first event names a cause that is not there, or has none although it is no start. */
function isHeadless(c: Case): boolean {
  return c.history.size > 0 && c.brokenAt(c.history.lineage.at(0)) >= 0;
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
