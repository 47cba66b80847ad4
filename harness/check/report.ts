/**
 * Puts judged runs together into one report: counts, and the exit code. The only place that knows how facets,
 * severities and a baseline decide it.
 */
import { EXIT, type ExitCode } from '../core/errors.js';
import { FACETS } from '../core/verdict.js';
import type { Facet, Finding, RunVerdict, Severity, VerdictReport } from '../core/verdict.js';

/** How a run, or one facet of it, counts for the exit code. */
export type Outcome = 'pass' | 'fail' | 'unknown';

export interface ReportOptions {
  readonly harness: { readonly name: string; readonly version: string };
  readonly profile: VerdictReport['profile'];
  readonly live: boolean;
  /** Facets that decide; faults of the log's lines always do. */
  readonly facets: readonly Facet[];
  readonly failOn: 'error' | 'warning';
  /** Fingerprints that are known already and do not fail again. */
  readonly baseline?: ReadonlySet<string>;
}

export function makeReport(runs: readonly RunVerdict[], options: ReportOptions): VerdictReport {
  const roots = runs.flatMap((run) => run.findings.filter((finding) => finding.consequenceOf === undefined));
  const count = (severity: Severity): number =>
    roots.filter((finding) => finding.severity === severity).length;
  const outcomes = runs.map((run) => outcomeOf(run, options));
  const tally = (outcome: 'pass' | 'fail' | 'unknown'): number =>
    outcomes.filter((each) => each === outcome).length;
  return {
    formatVersion: 1,
    harness: options.harness,
    profile: options.profile,
    live: options.live,
    facets: options.facets,
    exit: exitOf(runs, outcomes),
    summary: {
      runs: runs.length,
      pass: tally('pass'),
      fail: tally('fail'),
      unknown: tally('unknown'),
      errors: count('error'),
      warnings: count('warning'),
      notes: count('note'),
    },
    runs,
  };
}

/** Empty input is no input: it exits 66, unless something else fails. */
function exitOf(runs: readonly RunVerdict[], outcomes: readonly string[]): ExitCode {
  if (outcomes.some((outcome, index) => outcome === 'fail' && !isEmpty(runs[index] as RunVerdict)))
    return EXIT.fail;
  if (runs.some(isEmpty)) return EXIT.noInput;
  return outcomes.includes('unknown') ? EXIT.unknown : EXIT.pass;
}

function isEmpty(run: RunVerdict): boolean {
  return run.counts.bytes === 0 && run.findings.some((finding) => finding.rule === 'log/empty-log');
}

/** How one run counts for the exit code. */
export function outcomeOf(run: RunVerdict, options: ReportOptions): Outcome {
  const outcomes = FACETS.map((facet) => facetOutcome(run, facet, options));
  return outcomes.includes('fail') ? 'fail' : outcomes.includes('unknown') ? 'unknown' : 'pass';
}

/** How one facet of a run counts: a facet that was not asked for fails by faults of the log's lines only. */
export function facetOutcome(run: RunVerdict, facet: Facet, options: ReportOptions): Outcome {
  const isAsked = options.facets.includes(facet);
  const { verdict } = run.facets[facet];
  const deciding = run.findings.filter((finding) => finding.facet === facet && decides(finding, options));
  if (options.baseline === undefined) {
    if ((isAsked && verdict === 'fail') || deciding.some(isRoot)) return 'fail';
  } else if (
    deciding.some((finding) => !options.baseline?.has(finding.fingerprint)) ||
    isCut(run, facet, options)
  )
    return 'fail';
  return isAsked && verdict === 'unknown' ? 'unknown' : 'pass';
}

/** Findings beyond those kept cannot be compared with a baseline, so those that would decide are not taken for known. */
function isCut(run: RunVerdict, facet: Facet, options: ReportOptions): boolean {
  return Object.keys(run.omitted).some((rule) => {
    const kept = run.findings.find((finding) => finding.rule === rule);
    return kept === undefined || (kept.facet === facet && decides(kept, options));
  });
}

function isRoot(finding: Finding): boolean {
  return finding.consequenceOf === undefined;
}

function decides(finding: Finding, options: ReportOptions): boolean {
  const isSevere =
    finding.severity === 'error' || (finding.severity === 'warning' && options.failOn === 'warning');
  return isSevere && (options.facets.includes(finding.facet) || finding.rule.startsWith('log/'));
}
