/**
 * The text report of a check: findings as causal slices, then one line per run. Strings out, nothing printed.
 *
 * What comes from a log is untrusted: control characters are shown as escapes, so that no log can move the cursor
 * or colour a verdict.
 */
import type { Facet, FacetVerdict, Finding, Fix, RunVerdict, VerdictReport } from '../core/verdict.js';
import { FACETS } from '../core/verdict.js';
import type { Slice, SliceLine } from '../oracle/explain.js';
import { ruleOf } from '../oracle/rules/index.js';
import { logOf } from './place.js';

/** How to colour; plain text passes everything through. */
export interface Paint {
  bad(text: string): string;
  good(text: string): string;
  unsure(text: string): string;
  dim(text: string): string;
  strong(text: string): string;
}

/** A line that a job log would take for a command of its own. */
const COMMAND_LIKE = /^(\s*)::/gm;

const same = (text: string): string => text;
export const PLAIN: Paint = { bad: same, good: same, unsure: same, dim: same, strong: same };

export interface TextOptions {
  readonly paint: Paint;
  /** Show notes, consequences and rules that never applied in full. */
  readonly verbose: boolean;
  /** Fingerprints that the baseline knows. */
  readonly known?: ReadonlySet<string>;
}

/** Findings of one run that are written out; the rest is counted. */
const SHOWN_PER_RUN = 25;

export function textReport(
  report: VerdictReport,
  slices: readonly (readonly Slice[])[],
  options: TextOptions,
): string {
  const parts: string[] = [];
  report.runs.forEach((run, index) =>
    parts.push(runText(run, slices[index] ?? [], { ...options, isOnly: report.runs.length === 1 })),
  );
  if (report.runs.length > 1) parts.push(summaryText(report, options.paint));
  return parts.join('\n').replace(COMMAND_LIKE, '$1\\u003a:');
}

function runText(
  run: RunVerdict,
  slices: readonly Slice[],
  options: TextOptions & { isOnly: boolean },
): string {
  const roots = run.findings
    .map((finding, index) => ({ finding, slice: slices[index] ?? [] }))
    .filter(({ finding }) => finding.consequenceOf === undefined);
  const loud = roots.filter(({ finding }) => options.verbose || finding.severity !== 'note');
  const lines: string[] = [];
  for (const { finding, slice } of loud.slice(0, SHOWN_PER_RUN))
    lines.push(findingText(run, { finding, slice }, options), '');
  if (loud.length > SHOWN_PER_RUN)
    lines.push(`  … and ${loud.length - SHOWN_PER_RUN} more; --format json lists them all.`, '');
  lines.push(verdictLine(run, options.paint), ...detailLines(run, options));
  return `${lines.join('\n')}\n`;
}

/** One finding: its place, the lines that show it, its sentence, how to mend it, and what follows from it. */
export function findingText(
  run: RunVerdict,
  { finding, slice }: { finding: Finding; slice: Slice },
  options: TextOptions,
): string {
  const { paint } = options;
  const mark =
    finding.severity === 'error'
      ? paint.bad('✗')
      : finding.severity === 'warning'
        ? paint.unsure('!')
        : paint.dim('·');
  const known = options.known?.has(finding.fingerprint) === true ? paint.dim('  (known)') : '';
  const head = `${mark} ${paint.strong(finding.rule)}   ${printable(placeOf(run, finding))}${known}`;
  const followers = run.findings.filter((other) => other.consequenceOf === finding.fingerprint);
  const lines = [head, ...sliceText(slice, paint), `  ${printable(finding.message)}`];
  lines.push(paint.dim(`  ${printable(hintText(finding))}`));
  if (followers.length > 0)
    lines.push(paint.dim(`  follows from it: ${followersText(followers, options.verbose)}`));
  return lines.join('\n');
}

function placeOf(run: RunVerdict, finding: Finding): string {
  const [first] = finding.events;
  const log = logOf(run);
  if (first !== undefined) return `${log}:${first.line}`;
  return finding.path === undefined ? log : `${run.path}: ${finding.path}`;
}

function sliceText(slice: Slice, paint: Paint): string[] {
  const width = Math.max(0, ...slice.map((line) => line.kind.length));
  const digits = Math.max(4, ...slice.map((line) => String(line.line).length + 2));
  const aboutWidth = Math.max(0, ...slice.map((line) => line.about.length));
  return slice.map((line, index) => {
    const left = `  ${String(line.line).padStart(digits)}  ${line.kind.padEnd(width)}  ${line.about.padEnd(aboutWidth)}`;
    return `${printable(left)}  ${paint.dim(printable(noteOf(line, slice[index - 1])))}`.trimEnd();
  });
}

/** The role of a line, and its cause where that is not simply the line shown above it. */
function noteOf(line: SliceLine, above: SliceLine | undefined): string {
  const isPlain = line.causeLine === undefined || (above !== undefined && line.causeLine === above.line);
  return isPlain && above?.line !== line.causeLine
    ? line.role
    : line.causeLine === undefined
      ? line.role
      : `${line.role}, caused by line ${line.causeLine}`;
}

/** The smallest edit that would mend it where there is one, else what the rule advises. */
function hintText(finding: Finding): string {
  if (finding.fix !== undefined) return `smallest edit: ${fixText(finding.fix)}`;
  return `hint: ${ruleOf(finding.rule)?.mend ?? `see counterproof rules ${finding.rule}`}`;
}

function fixText(fix: Fix): string {
  switch (fix.op) {
    case 'insert':
      return `insert ${fix.kind} ${JSON.stringify(fix.data)} after line ${fix.afterLine}, caused by ${fix.causedBy}`;
    case 'remove':
      return `without line ${fix.line}`;
    case 'set':
      return `line ${fix.line}: ${fix.pointer.slice(1)} = ${JSON.stringify(fix.value)}`;
  }
}

function followersText(followers: readonly Finding[], verbose: boolean): string {
  const named = followers.map(
    (finding) => `${finding.rule}${finding.events[0] === undefined ? '' : ` :${finding.events[0].line}`}`,
  );
  const shown = verbose ? named : named.slice(0, 4);
  const more = named.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const WORD: Readonly<Record<FacetVerdict, string>> = {
  pass: 'pass',
  fail: 'FAIL',
  unknown: 'unknown',
  'not-applicable': 'n/a',
};

function painted(verdict: FacetVerdict, paint: Paint, word = WORD[verdict]): string {
  if (verdict === 'pass') return paint.good(word);
  if (verdict === 'fail') return paint.bad(word);
  return verdict === 'unknown' ? paint.unsure(word) : paint.dim(word);
}

function verdictLine(run: RunVerdict, paint: Paint): string {
  const facets = FACETS.map((facet) => `${facet} ${painted(run.facets[facet].verdict, paint)}`).join(' · ');
  const { events, lost } = run.counts;
  const counts = `${events} event${events === 1 ? '' : 's'}${lost > 0 ? `, ${lost} line${lost === 1 ? '' : 's'} lost` : ''}`;
  return `${painted(run.verdict, paint, WORD[run.verdict].toUpperCase())}  ${printable(run.path)}  ${counts}  ${facets}`;
}

function detailLines(run: RunVerdict, options: TextOptions & { isOnly: boolean }): string[] {
  const { paint } = options;
  const lines: string[] = [];
  for (const facet of FACETS)
    for (const reason of unsureReasons(run, facet)) lines.push(`  ${facet} is unknown: ${printable(reason)}`);
  const notes = run.findings.filter(
    (finding) => finding.severity === 'note' && finding.consequenceOf === undefined,
  );
  if (notes.length > 0 && !options.verbose)
    lines.push(
      paint.dim(`  ${notes.length} note(s): ${tally(notes.map((note) => note.rule))}; --verbose shows them`),
    );
  for (const [rule, count] of Object.entries(run.omitted)) lines.push(`  ${rule}: ${count} more not listed`);
  if (!options.isOnly && !options.verbose) return lines;
  const ran = run.rules.filter((rule) => rule.status !== 'not-applicable');
  const idle = ran.filter((rule) => rule.applied === 0).map((rule) => rule.id);
  const { tokens } = run;
  if (tokens.blocks > 0) {
    const thinking =
      tokens.unknownThinking > 0
        ? `${tokens.thinking} thinking (${tokens.unknownThinking} unknown)`
        : `${tokens.thinking} thinking`;
    lines.push(
      paint.dim(
        `  tokens: ${tokens.input} in, ${tokens.output} out, ${thinking}, in ${tokens.blocks} block(s)`,
      ),
    );
  }
  lines.push(
    paint.dim(
      `  rules: ${ran.length - idle.length} applied, ${idle.length} had nothing to judge, ${run.rules.length - ran.length} not applicable`,
    ),
  );
  if (idle.length > 0 && options.verbose) lines.push(paint.dim(`  never applied: ${idle.join(', ')}`));
  return lines;
}

function unsureReasons(run: RunVerdict, facet: Facet): readonly string[] {
  return run.facets[facet].verdict === 'unknown' ? run.facets[facet].reasons : [];
}

function tally(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

function summaryText(report: VerdictReport, paint: Paint): string {
  const { runs, pass, fail, unknown } = report.summary;
  const words = [
    `${runs} runs: ${paint.good(`${pass} pass`)}`,
    paint.bad(`${fail} fail`),
    paint.unsure(`${unknown} unknown`),
  ];
  return `${words.join(', ')}  (${report.summary.errors} errors, ${report.summary.warnings} warnings)\n`;
}

/** Text of a log made safe for a terminal: control and bidirectional characters become visible escapes. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
}
