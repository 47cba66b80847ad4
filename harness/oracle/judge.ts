/**
 * The judge: holds every rule against one case and gives findings, facets and a verdict. Pure; same case in,
 * same judgement out.
 */
import { sha256Hex } from '../core/digest.js';
import { isHarnessError } from '../core/errors.js';
import type { Hole } from '../core/history.js';
import { FACETS, type Facet, type FacetVerdict, type Finding } from '../core/verdict.js';
import type { FacetJudgement, RuleTally, RunJudgement, Withheld } from '../core/verdict.js';
import type { Case } from './case.js';
import { fold, rootOf, type Raw } from './fold.js';
import type { Need, Report, Rule, Violation } from './rule.js';
import { RULES } from './rules/index.js';
import { tokenTotals } from './totals.js';

/** Violations of one rule that are folded; those beyond are counted only. */
const FOLDED_PER_RULE = 2000;
const utf8 = new TextEncoder();

export interface JudgeOptions {
  /** Findings of one rule that are kept in the judgement. */
  readonly violationsMax: number;
  readonly rules?: readonly Rule[];
}

interface RuleRun {
  readonly rule: Rule;
  applied: number;
  found: number;
  readonly kept: Violation[];
  readonly unknown: string[];
  skipped: string | undefined;
}

/** Judges one run. */
export function judge(c: Case, options: JudgeOptions): RunJudgement {
  const runs = (options.rules ?? RULES).map((rule) => hold(c, rule));
  const { findings, withheld } = withhold(c, runs);
  fold(c, findings);
  const reported = report(c, findings, options.violationsMax);
  const omitted: { [rule: string]: number } = {};
  for (const run of runs) {
    const shown = reported.filter((finding) => finding.rule === run.rule.id).length;
    const held = withheld.find((entry) => entry.rule === run.rule.id)?.count ?? 0;
    const beyond =
      run.found - held - shown + (c.history.parts.faultsOmitted.get(run.rule.id.replace(/^log\//, '')) ?? 0);
    if (beyond > 0) omitted[run.rule.id] = beyond;
  }
  const facets = judgeFacets(runs, findings, withheld);
  return {
    run: c.history.run,
    verdict: overall(FACETS.map((facet) => facets[facet].verdict)),
    facets,
    counts: c.history.parts.counts,
    tokens: tokenTotals(c),
    findings: reported,
    omitted,
    rules: runs.map(tally),
    withheld,
    unknownKinds: unknownKinds(findings),
  };
}

/** Worst of several verdicts: a failure outweighs an unknown, an unknown a pass. */
export function overall(verdicts: readonly FacetVerdict[]): FacetVerdict {
  if (verdicts.includes('fail')) return 'fail';
  if (verdicts.includes('unknown')) return 'unknown';
  return verdicts.includes('pass') ? 'pass' : 'not-applicable';
}

function hold(c: Case, rule: Rule): RuleRun {
  const run: RuleRun = { rule, applied: 0, found: 0, kept: [], unknown: [], skipped: whyNot(c, rule) };
  if (run.skipped !== undefined) return run;
  const report: Report = {
    applied: (count = 1) => (run.applied += count),
    found: (violation) => {
      run.found++;
      if (run.kept.length < FOLDED_PER_RULE) run.kept.push(violation);
    },
    unknown: (reason) => {
      if (!run.unknown.includes(reason)) run.unknown.push(reason);
    },
  };
  try {
    rule.check(c, report);
  } catch (error) {
    // Reading failed or the rule has a bug: the first is the operator's to know, the second must not pass a run.
    if (isHarnessError(error)) throw error;
    run.unknown.push(`the rule ${rule.id} failed: ${(error as Error).message}`);
  }
  return run;
}

function whyNot(c: Case, rule: Rule): string | undefined {
  if (rule.atEnd === true && c.live) return 'the log is still being written';
  for (const need of rule.needs ?? []) if (!has(c, need)) return REASONS[need];
  return undefined;
}

const REASONS: Readonly<Record<Need, string>> = {
  folder: 'a bare log has no run folder',
  ours: 'not a log of this harness (no formatVersion in run_started)',
  gate: 'no gate was active',
  condition: 'the run has no condition.json',
  opinions: 'no classifier opinions were given',
};

function has(c: Case, need: Need): boolean {
  switch (need) {
    case 'folder':
      return c.evidence.isFolder;
    case 'ours':
      return c.isOurs;
    case 'gate':
      return c.isGateActive;
    case 'condition':
      return c.documents.condition !== undefined;
    case 'opinions':
      return c.options.opinions !== undefined;
  }
}

/** Sets aside findings that rest on the absence of a record which a lost line may have been. */
function withhold(c: Case, runs: readonly RuleRun[]): { findings: Raw[]; withheld: Withheld[] } {
  const findings: Raw[] = [];
  const withheld: Withheld[] = [];
  const rotated = c.evidence.rotatedParts()[0];
  for (const run of runs) {
    let count = 0;
    let reason = '';
    for (const violation of run.kept) {
      const hole =
        violation.absence === true
          ? c.history.parts.holes.find((candidate) => explains(c, candidate, violation))
          : undefined;
      const isRotated = violation.absence === true && rotated !== undefined;
      if (hole === undefined && !isRotated) findings.push({ rule: run.rule, violation, parent: undefined });
      else {
        count++;
        reason ||=
          hole === undefined
            ? `it may stand in ${rotated}`
            : `it may be the record lost on line ${hole.line}`;
      }
    }
    if (count > 0) withheld.push({ rule: run.rule.id, count, reason });
  }
  return { findings, withheld };
}

function explains(c: Case, hole: Hole, violation: Violation): boolean {
  if (hole.opaque) return true;
  return namesIn(c, violation).some((name) => hole.subjects.includes(name) || hole.ids.includes(name));
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

function report(c: Case, findings: readonly Raw[], violationsMax: number): Finding[] {
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
  const run = c.history.run ?? '';
  const seen = new Map<string, number>();
  const result = new Map<Raw, string>();
  for (const raw of findings) {
    const key = raw.violation.key.map((part) => (run === '' ? part : part.replaceAll(run, '<run>')));
    const base = JSON.stringify([raw.rule.id, ...key]);
    const repeat = seen.get(base) ?? 0;
    seen.set(base, repeat + 1);
    result.set(raw, sha256Hex(utf8.encode(`${base} ${repeat}`)).slice(0, 16));
  }
  return result;
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

function judgeFacets(
  runs: readonly RuleRun[],
  findings: readonly Raw[],
  withheld: readonly Withheld[],
): Record<Facet, FacetJudgement> {
  const facets = {} as Record<Facet, FacetJudgement>;
  for (const facet of FACETS) {
    const own = runs.filter((run) => run.rule.facet === facet);
    const errors = findings.filter((raw) => raw.rule.facet === facet && raw.rule.severity === 'error');
    // What only follows from lost records says nothing about the run itself.
    const proven = errors.filter((raw) => facet === 'evidence' || !rootOf(raw).rule.id.startsWith('log/'));
    const reasons = [
      ...own.flatMap((run) => run.unknown),
      ...(errors.length > proven.length ? ['records of the log were lost'] : []),
      ...withheld
        .filter((entry) => own.some((run) => run.rule.id === entry.rule))
        .map((entry) => `${entry.rule} cannot be decided: ${entry.reason}`),
    ];
    facets[facet] = facetOf({
      isFailed: proven.length > 0,
      reasons,
      isHeld: own.some((run) => run.skipped === undefined),
    });
  }
  return facets;
}

function facetOf(state: { isFailed: boolean; reasons: readonly string[]; isHeld: boolean }): FacetJudgement {
  const { reasons } = state;
  if (state.isFailed) return { verdict: 'fail', reasons };
  if (reasons.length > 0) return { verdict: 'unknown', reasons };
  return { verdict: state.isHeld ? 'pass' : 'not-applicable', reasons };
}

function tally(run: RuleRun): RuleTally {
  const { rule, applied, found } = run;
  if (run.skipped !== undefined)
    return { id: rule.id, applied: 0, found: 0, status: 'not-applicable', reason: run.skipped };
  if (run.unknown.length > 0)
    return { id: rule.id, applied, found, status: 'unknown', reason: run.unknown.join('; ') };
  return { id: rule.id, applied, found, status: 'ran' };
}

function unknownKinds(findings: readonly Raw[]): { [name: string]: number } {
  const counts = findings
    .filter((raw) => raw.rule.id === 'log/unknown-kind')
    .map((raw) => [raw.violation.facts['kind'], raw.violation.facts['count']] as const);
  return Object.fromEntries(counts) as { [name: string]: number };
}
