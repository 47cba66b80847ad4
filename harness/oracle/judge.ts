/**
 * The judge: holds every rule against one case and gives findings, facets and a verdict. Pure; same case in,
 * same judgement out.
 */
import { isHarnessError } from '../core/errors.js';
import { FACETS, type Facet, type FacetVerdict } from '../core/verdict.js';
import type { FacetJudgement, RuleTally, RunJudgement, Withheld } from '../core/verdict.js';
import type { Case } from './case.js';
import { certify, type Certificate } from './certify/certify.js';
import { findingsOf } from './findings.js';
import { fold, rootOf, type Raw } from './fold.js';
import type { Need, Report, Rule, Violation } from './rule.js';
import { RULES } from './rules/index.js';
import { tokenTotals } from './totals.js';
import { withhold } from './withhold.js';

/** Violations of one rule that are folded; those beyond are counted only. */
const FOLDED_PER_RULE = 2000;

export interface JudgeOptions {
  /** Findings of one rule that are kept in the judgement. */
  readonly violationsMax: number;
  readonly rules?: readonly Rule[];
  /** False to hold every rule against everything, also where a certificate says that it finds nothing. */
  readonly certified?: boolean;
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
  // Certificates are about the rules of the catalogue.
  const isCertified = options.certified !== false && options.rules === undefined;
  const certificates = isCertified ? certify(c) : new Map<string, Certificate>();
  const runs = (options.rules ?? RULES).map((rule) => hold(c, rule, certificates.get(rule.id)));
  const { findings, withheld } = withhold(c, runs);
  fold(c, findings);
  const reported = findingsOf(c, findings, options.violationsMax);
  const omitted: { [rule: string]: number } = {};
  for (const run of runs) {
    const shown = reported.filter((finding) => finding.rule === run.rule.id).length;
    const held = withheld.find((entry) => entry.rule === run.rule.id)?.count ?? 0;
    const beyond =
      run.found - held - shown + (c.history.parts.faultsOmitted.get(run.rule.id.replace(/^log\//, '')) ?? 0);
    if (beyond > 0) omitted[run.rule.id] = beyond;
  }
  const facets = judgeFacets(runs, { findings, withheld, isUnread: c.history.size === 0 });
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

function hold(c: Case, rule: Rule, certificate: Certificate | undefined): RuleRun {
  const lost = unreadableNeeds(c, rule);
  const skipped = lost.length === 0 ? whyNot(c, rule) : undefined;
  const run: RuleRun = { rule, applied: 0, found: 0, kept: [], unknown: [...lost], skipped };
  if (skipped !== undefined || !(rule.needs ?? []).every((need) => has(c, need))) return run;
  if (certificate !== undefined) {
    run.applied = certificate.applied;
    if (certificate.left.size === 0) return run;
  }
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
    c.left = certificate?.left;
    rule.check(c, report);
  } catch (error) {
    // Reading failed or the rule has a bug: the first is the operator's to know, the second must not pass a run.
    if (isHarnessError(error)) throw error;
    run.unknown.push(`the rule ${rule.id} failed: ${(error as Error).message}`);
  } finally {
    c.left = undefined;
  }
  return run;
}

/** Documents that decide whether and how a rule applies, and that are there but cannot be read. */
function unreadableNeeds(c: Case, rule: Rule): string[] {
  const needs = rule.needs ?? [];
  const paths = [
    ...(needs.includes('condition') || needs.includes('gate') ? ['condition.json'] : []),
    ...(needs.includes('gate') && c.options.policy === undefined ? ['gate-policy.json'] : []),
  ];
  return paths.filter((path) => c.documents.isUnreadable(path)).map((path) => `${path} cannot be read`);
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

function judgeFacets(
  runs: readonly RuleRun[],
  seen: { findings: readonly Raw[]; withheld: readonly Withheld[]; isUnread: boolean },
): Record<Facet, FacetJudgement> {
  const { findings, withheld, isUnread } = seen;
  const facets = {} as Record<Facet, FacetJudgement>;
  for (const facet of FACETS) {
    const own = runs.filter((run) => run.rule.facet === facet);
    const errors = findings.filter((raw) => raw.rule.facet === facet && raw.rule.severity === 'error');
    // What only follows from lines that cannot be relied on says nothing about the run itself.
    const proven = errors.filter((raw) => facet === 'evidence' || !rootOf(raw).rule.id.startsWith('log/'));
    const reasons = [
      ...own.flatMap((run) => run.unknown),
      ...(facet === 'evidence' ? [] : unproven(errors)),
      ...(facet === 'well-formed' && isUnread ? ['no event could be read'] : []),
      ...withheld
        .filter((entry) => own.some((run) => run.rule.id === entry.rule))
        .map((entry) => `${entry.rule} cannot be decided: ${entry.reason}`),
    ];
    facets[facet] = facetOf({
      isFailed: proven.length > 0,
      reasons: [...new Set(reasons)],
      isHeld: own.some((run) => run.skipped === undefined),
    });
  }
  return facets;
}

/** Why errors that only follow from bad lines do not fail a facet: they may be the lines' fault. */
function unproven(errors: readonly Raw[]): string[] {
  const roots = errors.map((raw) => rootOf(raw).rule.id).filter((id) => id.startsWith('log/'));
  const names = [...new Set(roots)].sort();
  return names.length === 0 ? [] : [`what fails here may follow from ${names.join(', ')} alone`];
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
