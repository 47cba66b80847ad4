/**
 * Explains a finding as the shortest causal slice that shows it: the few log lines involved, in canonical order,
 * with what each says and what caused it. Rendered late, only for findings that are kept.
 */
import type { Finding } from '../core/verdict.js';
import type { Case } from './case.js';
import { textOf } from './documents.js';

export interface SliceLine {
  readonly line: number;
  readonly kind: string;
  /** What the event is about: ids, tier, the first words of a summary. */
  readonly about: string;
  readonly role: string;
  /** Line of the event's cause, where it is in the log. */
  readonly causeLine?: number;
}

export type Slice = readonly SliceLine[];

const LINES_MAX = 6;
const ABOUT_MAX = 72;

/** The slice of a finding. Lines that are no events are shown by their place only. */
export function explain(c: Case, finding: Finding): Slice {
  const { history } = c;
  const shown = finding.events.slice(0, LINES_MAX).map((ref) => {
    const event = eventAt(c, ref.line);
    if (event === undefined) {
      return {
        place: -1,
        line: {
          line: ref.line,
          kind: ref.id === '' ? '(no record)' : '(no event)',
          about: ref.id,
          role: ref.role,
        },
      };
    }
    const parent = history.lineage.parent(event);
    const line: SliceLine = {
      line: ref.line,
      kind: history.kindName(event),
      about: about(c, event),
      role: ref.role,
      ...(parent >= 0 ? { causeLine: history.line(parent) } : {}),
    };
    return { place: history.lineage.place(event), line };
  });
  return shown.sort((a, b) => a.place - b.place || a.line.line - b.line.line).map((entry) => entry.line);
}

/** Event on a line of the file: lines ascend with event numbers. */
function eventAt(c: Case, line: number): number | undefined {
  let low = 0;
  let high = c.history.size - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = c.history.line(middle);
    if (at === line) return middle;
    if (at < line) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

function about(c: Case, event: number): string {
  const data = c.history.data(event);
  const text = (name: string): string => textOf(data, name) ?? '';
  const words = [
    text('taskId'),
    text('proposalId'),
    text('planId') || text('planPath'),
    text('snapshotId'),
    text('tier'),
  ];
  const to = text('to');
  if (to !== '') words.push(`→ ${to}`);
  words.push(text('status'), text('decision'), text('command') || text('summary') || text('reason'));
  const joined = words.filter((word) => word !== '').join(' ');
  const said = joined === '' ? `by ${c.history.actor(event)}` : joined;
  return said.length > ABOUT_MAX ? `${said.slice(0, ABOUT_MAX - 1)}…` : said;
}
