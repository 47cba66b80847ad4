/**
 * The report of a check as Markdown for the page of a job: a table of runs and facets, then every root finding with
 * the lines that show it, folded away.
 *
 * The host takes at most 1 MiB; what does not fit is counted, the worst findings come first. Texts of a log cannot
 * become markup: in the table they are code with every mark as an entity, in findings preformatted text.
 */
import { FACETS, type FacetVerdict, type RunVerdict, type VerdictReport } from '../core/verdict.js';
import { lineOf, logOf } from './place.js';
import { followSentence, rootsOf, type ReportContext, type Root } from './roots.js';
import { findingText, PLAIN, printable } from './text.js';

const BYTES_MAX = 1024 * 1024;
/** Room for the sentences that say what was left out. */
const SPARE_BYTES = 1024;
/** The findings get what the table leaves. */
const TABLE_BYTES_MAX = BYTES_MAX / 2;

const WORD: Readonly<Record<FacetVerdict, string>> = {
  pass: 'pass',
  fail: '**FAIL**',
  unknown: '**unknown**',
  'not-applicable': 'n/a',
};

export function markdownReport(report: VerdictReport, context: ReportContext): string {
  const head = headOf(report);
  const rows = fitting(report.runs.map(rowOf), TABLE_BYTES_MAX);
  const missingRows = leftOut(report.runs.length - rows.length, 'run');
  const table = [tableHead(), ...rows, missingRows].join('');
  const roots = rootsOf(report, context);
  const doubts = fitting(report.runs.flatMap(doubtsOf), TABLE_BYTES_MAX / 2);
  const start = [head, table, ...(doubts.length > 0 ? ['\n', ...doubts] : [])].join('');
  const blocks = fitting(
    roots.map((root) => blockOf(root, context)),
    BYTES_MAX - SPARE_BYTES - bytesOf(start),
  );
  return [start, ...blocks, leftOut(roots.length - blocks.length, 'finding'), omittedText(report)].join('');
}

function headOf(report: VerdictReport): string {
  const { runs, pass, fail, unknown, errors, warnings, notes } = report.summary;
  return (
    `### ${code(report.harness.name)}: ${counted(runs, 'run')}, ${pass} pass, ${fail} fail, ${unknown} unknown\n\n` +
    `${counted(errors, 'error')}, ${counted(warnings, 'warning')}, ${counted(notes, 'note')}; exit code ${report.exit}.\n\n`
  );
}

function tableHead(): string {
  return `| run | ${FACETS.join(' | ')} | events |\n| --- |${' --- |'.repeat(FACETS.length)} ---: |\n`;
}

function rowOf(run: RunVerdict): string {
  const facets = FACETS.map((facet) => WORD[run.facets[facet].verdict]);
  return `| ${code(run.path)} | ${facets.join(' | ')} | ${run.counts.events} |\n`;
}

function doubtsOf(run: RunVerdict): string[] {
  return FACETS.filter((facet) => run.facets[facet].verdict === 'unknown').map(
    (facet) => `- ${code(run.path)}: ${facet} is unknown: ${code(run.facets[facet].reasons.join('; '))}\n`,
  );
}

function blockOf(root: Root, context: ReportContext): string {
  const { run, finding, slice, followers, isKnown } = root;
  const known = isKnown ? ', known' : '';
  const place = `${printable(logOf(run))}:${lineOf(finding)}`;
  const text = findingText(
    run,
    { finding, slice },
    { paint: PLAIN, verbose: false, ...(context.known === undefined ? {} : { known: context.known }) },
  );
  return [
    '\n<details>',
    `<summary>${finding.severity}${known}: <code>${html(finding.rule)}</code> <code>${html(place)}</code>${html(followSentence(followers))}</summary>`,
    '',
    `<pre>${html(text)}</pre>`,
    '',
    '</details>\n',
  ].join('\n');
}

/** Texts from the start as long as they fit into so many bytes. */
function fitting(texts: readonly string[], bytesMax: number): readonly string[] {
  let bytes = 0;
  for (const [index, text] of texts.entries()) {
    bytes += bytesOf(text);
    if (bytes > bytesMax) return texts.slice(0, index);
  }
  return texts;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function leftOut(count: number, what: string): string {
  if (count === 0) return '';
  return `\n${counted(count, `more ${what}`)} left out: a page holds at most 1 MiB.\n`;
}

function omittedText(report: VerdictReport): string {
  const count = report.runs.flatMap((run) => Object.values(run.omitted)).reduce((sum, n) => sum + n, 0);
  return count === 0 ? '' : `\n${count} more were found and not kept; \`--max-violations\` keeps more.\n`;
}

/** Text that Markdown does not look into: HTML in which every mark of Markdown is an entity. */
function code(text: string): string {
  const inert = printable(text).replace(
    /[^\p{L}\p{N} /]/gu,
    (character) => `&#${character.codePointAt(0) ?? 0};`,
  );
  return `<code>${inert}</code>`;
}

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
