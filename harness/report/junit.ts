/**
 * The report of a check as JUnit XML, for systems that show test results: a suite for each run, a case for each facet.
 * What a facet has to say is the whole text of its findings, the same text that the terminal shows.
 *
 * Cases count as the exit code does: what a baseline knows does not fail, nor does a facet that was not asked for.
 * There are no times in it, so the same report gives the same bytes.
 */
import { FACETS, type Facet, type Finding, type RunVerdict, type VerdictReport } from '../core/verdict.js';
import type { Slice } from '../oracle/explain.js';
import { rootsOfRun, tallyOf, type ReportContext, type Root } from './roots.js';
import { findingText, PLAIN, printable } from './text.js';

/** How each facet of a run counts for the exit code. */
export type FacetOutcomes = Readonly<Record<Facet, 'pass' | 'fail' | 'unknown'>>;

export interface JunitContext extends ReportContext {
  /** By run, in the order of the report. */
  readonly outcomes: readonly FacetOutcomes[];
}

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

interface Case {
  readonly outcome: Outcome;
  readonly xml: string;
}

interface Judged {
  readonly run: RunVerdict;
  readonly slices: readonly Slice[];
  readonly outcomes: FacetOutcomes | undefined;
  readonly context: JunitContext;
  /** Facets that decide. */
  readonly asked: readonly Facet[];
}

export function junitReport(report: VerdictReport, context: JunitContext): string {
  const suites = report.runs.map((run, index) => {
    const judged = {
      run,
      slices: context.slices[index] ?? [],
      outcomes: context.outcomes[index],
      context,
      asked: report.facets,
    };
    return { run, cases: FACETS.map((facet) => caseOf(judged, facet)) };
  });
  const all = counts(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="${attribute(report.harness.name)}" ${all} time="0">\n`,
    ...suites.map(
      ({ run, cases }) =>
        `  <testsuite name="${attribute(run.path)}" ${counts(cases)} time="0">\n` +
        `${cases.map((each) => each.xml).join('')}  </testsuite>\n`,
    ),
    '</testsuites>\n',
  ].join('');
}

function counts(cases: readonly Case[]): string {
  const count = (outcome: Outcome): number => cases.filter((each) => each.outcome === outcome).length;
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function caseOf(judged: Judged, facet: Facet): Case {
  const { run } = judged;
  const { verdict, reasons } = run.facets[facet];
  const outcome = outcomeOf(judged, facet);
  const text = facetText(judged, facet);
  const reason = reasons.map(printable).join('; ');
  const body = {
    passed: () => element('system-out', {}, text),
    failure: () =>
      element('failure', { type: 'counterproof', message: messageOf(run, facet) }, text || verdict),
    error: () =>
      element(
        'error',
        { type: 'counterproof', message: `unknown: ${reason || 'undecided'}` },
        [...reasons.map(printable), text].join('\n'),
      ),
    skipped: () =>
      element('skipped', { message: skipReason(verdict, reason) }, '') + element('system-out', {}, text),
  }[outcome]();
  const head = `    <testcase classname="${attribute(run.path)}" name="${facet}" time="0"`;
  return { outcome, xml: body === '' ? `${head}/>\n` : `${head}>\n${body}    </testcase>\n` };
}

/** What fails and does not count is known to the baseline, or was not asked for. */
function outcomeOf({ run, outcomes, asked }: Judged, facet: Facet): Outcome {
  const { verdict } = run.facets[facet];
  const outcome = outcomes?.[facet] ?? 'pass';
  if (outcome === 'fail') return 'failure';
  if (outcome === 'unknown') return 'error';
  if (verdict === 'fail' && asked.includes(facet)) return 'passed';
  return verdict === 'pass' ? 'passed' : 'skipped';
}

function skipReason(verdict: string, reason: string): string {
  const what = verdict === 'not-applicable' ? 'not applicable' : `${verdict}, but this facet does not decide`;
  return reason === '' ? what : `${what}: ${reason}`;
}

function messageOf(run: RunVerdict, facet: Facet): string {
  const own = run.findings.filter((finding) => finding.facet === facet && finding.severity === 'error');
  const roots = own.filter((finding) => finding.consequenceOf === undefined);
  return tallyOf(roots.length > 0 ? roots : own) || `${facet} fails`;
}

/** Everything a facet has to say: its roots in full, and what in it follows from roots of other facets. */
function facetText({ run, slices, context }: Judged, facet: Facet): string {
  const roots = rootsOfRun(run, slices, context);
  const own = roots.filter(({ finding }) => finding.facet === facet);
  const foreign = roots
    .filter(({ finding }) => finding.facet !== facet)
    .flatMap((root) =>
      root.followers
        .filter((follower) => follower.facet === facet)
        .map((follower) => foreignText(root, follower)),
    );
  const options = {
    paint: PLAIN,
    verbose: true,
    ...(context.known === undefined ? {} : { known: context.known }),
  };
  return [...own.map((root) => findingText(run, root, options)), ...foreign].join('\n\n');
}

function foreignText(root: Root, follower: Finding): string {
  const line = follower.events[0] === undefined ? '' : `:${follower.events[0].line}`;
  return `${follower.rule} ${line}\n  ${printable(follower.message)}\n  follows from ${root.finding.rule} (${root.finding.facet})`;
}

function element(name: string, attributes: Readonly<Record<string, string>>, text: string): string {
  if (text === '' && name === 'system-out') return '';
  const head = [
    name,
    ...Object.entries(attributes).map(([key, value]) => `${key}="${attribute(value)}"`),
  ].join(' ');
  return text === '' ? `      <${head}/>\n` : `      <${head}>${xml(text)}</${name}>\n`;
}

/** Attributes are read with their line ends as blanks, so those are shown as escapes. */
function attribute(text: string): string {
  return xml(printable(text));
}

const ENTITY: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text for XML 1.0: markup is escaped, and characters that no XML may hold are shown as what they are. */
function xml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITY[character] as string)
    .replace(
      /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
