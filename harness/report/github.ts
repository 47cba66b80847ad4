/**
 * The report of a check as workflow commands, which the host of a repository shows as annotations beside a change.
 *
 * The host shows ten errors, ten warnings and ten notices of a step and drops the rest in silence, so the worst are
 * written and the last notice counts the others. What a baseline knows is counted only.
 */
import { FACETS, type Severity, type VerdictReport } from '../core/verdict.js';
import { ruleOf } from '../oracle/rules/index.js';
import { lineOf, logOf, pathFrom, STANDARD_INPUT } from './place.js';
import { followSentence, rootsOf, type ReportContext, type Root } from './roots.js';
import { printable } from './text.js';

interface Annotation {
  readonly severity: Severity;
  readonly file: string;
  readonly line?: number;
  readonly title: string;
  readonly message: string;
}

const COMMAND: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** One notice is kept for the count. */
const SHOWN: Readonly<Record<Severity, number>> = { error: 10, warning: 10, note: 9 };
const SEVERITIES = ['error', 'warning', 'note'] as const;

export function githubReport(report: VerdictReport, context: ReportContext): string {
  const roots = rootsOf(report, context);
  const all = [
    ...roots.filter((root) => !root.isKnown).map((root) => ofRoot(root, context)),
    ...unknownFacets(report, context),
  ];
  const groups = SEVERITIES.map((severity) => {
    const group = all.filter((annotation) => annotation.severity === severity);
    return { shown: group.slice(0, SHOWN[severity]), more: Math.max(0, group.length - SHOWN[severity]) };
  });
  const more = groups.map((group, index) => counted(group.more, SEVERITIES[index] as Severity));
  const omitted = report.runs.flatMap((run) => Object.values(run.omitted)).reduce((sum, n) => sum + n, 0);
  const known = roots.filter((root) => root.isKnown).length;
  const rest = [
    ...more,
    ...(omitted > 0 ? [`${omitted} that --max-violations cut`] : []),
    ...(known > 0 ? [`${known} known to the baseline`] : []),
  ].filter((part) => part !== '');
  return [
    ...groups.flatMap((group) => group.shown.map(command)),
    ...(rest.length === 0 ? [] : [`::notice title=counterproof::Not shown here: ${rest.join(', ')}.\n`]),
  ].join('');
}

function counted(count: number, severity: Severity): string {
  return count === 0 ? '' : `${count} more ${severity}${count === 1 ? '' : 's'}`;
}

function ofRoot({ run, finding, followers }: Root, context: ReportContext): Annotation {
  const title = ruleOf(finding.rule)?.title;
  return {
    severity: finding.severity,
    file: pathFrom(context.root, logOf(run)),
    ...(finding.events.length === 0 ? {} : { line: lineOf(finding) }),
    title: title === undefined ? finding.rule : `${finding.rule}: ${title}`,
    message: finding.message + followSentence(followers),
  };
}

/** Doubt fails a check without a finding, so it is annotated too. */
function unknownFacets(report: VerdictReport, context: ReportContext): Annotation[] {
  return report.runs.flatMap((run) =>
    FACETS.filter((facet) => run.facets[facet].verdict === 'unknown').map((facet) => ({
      severity: report.facets.includes(facet) ? ('error' as const) : ('warning' as const),
      file: pathFrom(context.root, logOf(run)),
      title: `${facet} is unknown`,
      message: run.facets[facet].reasons.join('; ') || 'It could not be decided.',
    })),
  );
}

function command({ severity, file, line, title, message }: Annotation): string {
  const isFile = file !== STANDARD_INPUT;
  const place = [
    ...(isFile ? [`file=${property(file)}`] : []),
    ...(isFile && line !== undefined ? [`line=${line}`] : []),
  ];
  const from = isFile || line === undefined ? '' : `line ${line}: `;
  const head = [...place, `title=${property(printable(title))}`].join(',');
  return `::${COMMAND[severity]} ${head}::${data(printable(from + message))}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
