/**
 * Turns folded violations into findings: where each stands, its fingerprint, its sentence. Order and bytes depend on
 * the log alone.
 */
import { sha256Hex } from '../core/digest.js';
import type { Finding } from '../core/verdict.js';
import type { Case } from './case.js';
import { rootOf, type Raw } from './fold.js';
import type { Violation } from './rule.js';

const utf8 = new TextEncoder();

/** Findings in canonical order, at most `violationsMax` of each rule. */
export function findingsOf(c: Case, findings: readonly Raw[], violationsMax: number): Finding[] {
  const fingerprints = fingerprint(c, findings);
  const kept = new Map<string, number>();
  const shown: { place: number; finding: Finding }[] = [];
  for (const raw of findings) {
    const count = kept.get(raw.rule.id) ?? 0;
    if (count >= violationsMax) continue;
    kept.set(raw.rule.id, count + 1);
    shown.push({ place: placeOf(c, raw.violation), finding: render(c, raw, fingerprints) });
  }
  shown.sort(
    (a, b) =>
      a.place - b.place ||
      (a.finding.events[0]?.line ?? 0) - (b.finding.events[0]?.line ?? 0) ||
      compare(a.finding.rule, b.finding.rule) ||
      compare(a.finding.fingerprint, b.finding.fingerprint),
  );
  return shown.map((entry) => entry.finding);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Canonical position of a finding; a line that is no event stands before the first event behind it. */
function placeOf(c: Case, violation: Violation): number {
  const event = violation.events[0]?.event;
  if (event !== undefined) return c.history.lineage.place(event);
  const line = violation.lines?.[0]?.line;
  if (line === undefined) return c.history.size;
  let low = 0;
  let high = c.history.size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (c.history.line(middle) < line) low = middle + 1;
    else high = middle;
  }
  return low - 0.5;
}

/** Rule and names of subjects, without ids, lines, times and the run's own name; repeats get a number. */
function fingerprint(c: Case, findings: readonly Raw[]): ReadonlyMap<Raw, string> {
  const { run } = c.history;
  const name = run === null ? undefined : wholeName(run);
  const seen = new Map<string, number>();
  const result = new Map<Raw, string>();
  for (const raw of findings) {
    const key = raw.violation.key.map((part) => (name === undefined ? part : part.replace(name, '<run>')));
    const base = JSON.stringify([raw.rule.id, ...key]);
    const repeat = seen.get(base) ?? 0;
    seen.set(base, repeat + 1);
    result.set(raw, sha256Hex(utf8.encode(`${base} ${repeat}`)).slice(0, 16));
  }
  return result;
}

/** Matches the name where it stands for itself: `run_c` is no part of `run_completed`. */
function wholeName(name: string): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9_-])${literal}(?![A-Za-z0-9_-])`, 'g');
}

function render(c: Case, raw: Raw, fingerprints: ReadonlyMap<Raw, string>): Finding {
  const { rule, violation } = raw;
  const root = rootOf(raw);
  return {
    rule: rule.id,
    severity: rule.severity,
    facet: rule.facet,
    run: c.history.run,
    events: [
      ...violation.events.map(({ event, role }) => c.history.ref(event, role)),
      ...(violation.lines ?? []).map(({ id, line, offset }) => ({ id, line, offset, role: 'this line' })),
    ],
    facts: violation.facts,
    message: rule.say(violation.facts),
    ...(violation.path === undefined ? {} : { path: violation.path }),
    ...(root === raw ? {} : { consequenceOf: fingerprints.get(root) as string }),
    fingerprint: fingerprints.get(raw) as string,
    ...(violation.witness === undefined ? {} : { witness: violation.witness }),
    ...(violation.fix === undefined ? {} : { fix: violation.fix }),
  };
}
