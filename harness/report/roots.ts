/**
 * The findings that a report for a host lists: roots only, the worst first, each with the lines that show it and what
 * follows from it. Hosts cut long lists at their end, so what matters most must not stand there.
 */
import type { Finding, RunVerdict, Severity, VerdictReport } from '../core/verdict.js';
import type { Slice } from '../oracle/explain.js';

/** What a report is rendered with, beside the verdicts. */
export interface ReportContext {
  /** By run, then by finding, in the order of the report. */
  readonly slices: readonly (readonly Slice[])[];
  /** Folder that the check ran in: paths below it are shown from there. */
  readonly root: string;
  /** Fingerprints that the baseline knows, where there is one. */
  readonly known?: ReadonlySet<string>;
}

export interface Root {
  readonly run: RunVerdict;
  readonly finding: Finding;
  readonly slice: Slice;
  readonly followers: readonly Finding[];
  readonly isKnown: boolean;
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

/** The roots of all runs: errors, warnings, notes; of each what is new first; else in the order of the report. */
export function rootsOf(report: VerdictReport, context: ReportContext): Root[] {
  const roots = report.runs.flatMap((run, index) => rootsOfRun(run, context.slices[index] ?? [], context));
  return roots.sort(
    (a, b) => RANK[a.finding.severity] - RANK[b.finding.severity] || Number(a.isKnown) - Number(b.isKnown),
  );
}

/** The roots of one run in its order. */
export function rootsOfRun(run: RunVerdict, slices: readonly Slice[], context: ReportContext): Root[] {
  const followers = new Map<string, Finding[]>();
  for (const finding of run.findings) {
    if (finding.consequenceOf === undefined) continue;
    const beside = followers.get(finding.consequenceOf);
    if (beside === undefined) followers.set(finding.consequenceOf, [finding]);
    else beside.push(finding);
  }
  return run.findings.flatMap((finding, index) =>
    finding.consequenceOf !== undefined
      ? []
      : [
          {
            run,
            finding,
            slice: slices[index] ?? [],
            followers: followers.get(finding.fingerprint) ?? [],
            isKnown: context.known?.has(finding.fingerprint) === true,
          },
        ],
  );
}

/** `task/result-missing, causal/orphan ×3`: rules in the order they are met, each once. */
export function tallyOf(findings: readonly Finding[]): string {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => (count === 1 ? rule : `${rule} ×${count}`)).join(', ');
}

/** How many findings follow from a root, as a sentence to go behind its message; nothing where none does. */
export function followSentence(followers: readonly Finding[]): string {
  if (followers.length === 0) return '';
  const verb = followers.length === 1 ? 'finding follows' : 'findings follow';
  return ` ${followers.length} more ${verb} from it: ${tallyOf(followers)}.`;
}
