/**
 * Reports to render: logs and run folders judged on the way of `check`, with the lines that explain their findings.
 * Also the readers that hold a rendered report against its format: the schema of SARIF, and a strict parser of XML.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { SaxesParser } from 'saxes';
import { checkRun, type CheckedRun, type CheckOptions } from '../../harness/check/check-run.js';
import { facetOutcome, makeReport, type ReportOptions } from '../../harness/check/report.js';
import type { RunInput } from '../../harness/check/inputs.js';
import { FACETS, type Finding, type VerdictReport } from '../../harness/core/verdict.js';
import type { FacetOutcomes, JunitContext } from '../../harness/report/junit.js';
import { runFolder, type Files } from './judge.js';
import { makeFolder } from './log-bed.js';

export interface ReportInput {
  readonly log: string | Uint8Array;
  /** Path that the report shows. */
  readonly path?: string;
  /** Files of a run folder; without them the log is a bare one. */
  readonly files?: Files;
  readonly beside?: Files;
  readonly options?: Partial<CheckOptions>;
}

export interface Rendering {
  readonly report: VerdictReport;
  readonly context: JunitContext;
}

/** The folder that the checks of these tests ran in. */
export const ROOT_DIR = '/work tree/100%';

/** A log of one task that ends without a start: one root, no more. */
export const BAD = 'run goal plan ask grant t1> t1< done';

/** Words that mean something to what shows a report. */
export const HOSTILE = `]]> & <b>"'</pre></details> [x](https://evil.example) | \`@team\` ::error::x\n::error file=a::y\r\u0000\u001b[31m\u202e%0A 100%`;

/** Judges logs as the runs of one report. */
export function rendering(inputs: readonly ReportInput[], options: Partial<ReportOptions> = {}): Rendering {
  return renderingOf(inputs.map(judge), options);
}

export function renderingOf(checked: readonly CheckedRun[], options: Partial<ReportOptions> = {}): Rendering {
  const full: ReportOptions = {
    harness: { name: 'counterproof', version: '0.0.1' },
    profile: 'strict',
    live: false,
    facets: FACETS,
    failOn: 'error',
    ...options,
  };
  const runs = checked.map((run) => run.verdict);
  const report = makeReport(runs, full);
  const outcomes = runs.map(
    (run) =>
      Object.fromEntries(
        FACETS.map((facet) => [facet, facetOutcome(run, facet, full)]),
      ) as unknown as FacetOutcomes,
  );
  const known = full.baseline === undefined ? {} : { known: full.baseline };
  return {
    report,
    context: { slices: checked.map((run) => run.slices), root: ROOT_DIR, outcomes, ...known },
  };
}

function judge({ log, path, files, beside, options }: ReportInput): CheckedRun {
  const full: CheckOptions = { profile: 'strict', live: false, violationsMax: 100, ...options };
  return checkRun(files === undefined ? bareLog(log, path) : folder(log, { path, files, beside }), full);
}

function bareLog(log: string | Uint8Array, path = 'log.jsonl'): RunInput {
  const logPath = join(makeFolder(), 'log.jsonl');
  writeFileSync(logPath, log);
  return { path, logPath };
}

function folder(
  log: string | Uint8Array,
  {
    path = 'runs/run_x1',
    files,
    beside,
  }: { path?: string | undefined; files: Files; beside?: Files | undefined },
): RunInput {
  const { runDir } = runFolder(files, log, beside);
  return { path, logPath: join(runDir, 'provenance.jsonl'), runDir };
}

/** A run with so many findings as they are given, made of one that has at least one. */
export function withFindings(checked: Rendering, findings: readonly Finding[]): Rendering {
  const run = checked.report.runs[0] as VerdictReport['runs'][number];
  const slice = checked.context.slices[0]?.[0] ?? [];
  return renderingOf([{ verdict: { ...run, findings }, slices: findings.map(() => slice) }]);
}

const require = createRequire(import.meta.url);
const SCHEMA_PATH = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
let validateSarif: ReturnType<Ajv['compile']> | undefined;

/** What is wrong with a document by the schema of SARIF 2.1.0; empty where nothing is. */
export function sarifProblems(text: string): string[] {
  validateSarif ??= compileSarif();
  void validateSarif(JSON.parse(text));
  return (validateSarif.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}

/** The schema names an older draft, of which it uses nothing that changed, and has a pattern that is none in Unicode mode. */
function compileSarif(): ReturnType<Ajv['compile']> {
  const schema = JSON.parse(readFileSync(SCHEMA_PATH, 'utf8')) as Record<string, unknown>;
  for (const name of ['$schema', 'id']) Reflect.deleteProperty(schema, name);
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  ajv.addFormat('uri', (text) => /^[a-z][a-z0-9+.-]*:/i.test(text) && isUriReference(text));
  ajv.addFormat('uri-reference', isUriReference);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT/);
  return ajv.compile(schema);
}

function isUriReference(text: string): boolean {
  return /^(?:%[0-9A-F]{2}|[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=])*$/.test(text);
}

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Parses XML strictly. @throws where it is not well formed */
export function parseXml(text: string): Element {
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes: { ...attributes }, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', (more) => {
    (open.at(-1) as Element).text += more;
  });
  parser.write(text).close();
  return top.children[0] as Element;
}
