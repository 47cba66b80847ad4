/**
 * What `check` does once its arguments are parsed: resolve inputs, check, report. Kept apart from the command so
 * that `--help` loads none of it.
 */
import { readFileSync } from 'node:fs';
import { HarnessError } from '../core/errors.js';
import type { JsonObject } from '../core/event.js';
import { validate } from '../core/schema.js';
import { FACETS, type RunVerdict, type VerdictReport } from '../core/verdict.js';
import { isTier } from '../core/tier.js';
import type { CheckOptions } from '../check/check-run.js';
import { resolveInputs } from '../check/inputs.js';
import { checkRuns } from '../check/pool.js';
import { facetOutcome, makeReport, type ReportOptions } from '../check/report.js';
import { spoolPipes } from '../check/spool.js';
import type { Opinion } from '../oracle/case.js';
import { githubReport } from '../report/github.js';
import { jsonLinesReport, jsonReport } from '../report/json.js';
import { junitReport, type FacetOutcomes } from '../report/junit.js';
import { markdownReport } from '../report/markdown.js';
import type { ReportContext } from '../report/roots.js';
import { sarifReport } from '../report/sarif.js';
import { textReport } from '../report/text.js';
import type { CheckArguments } from './check-arguments.js';
import { paintFor, print, printError, progressLine, writeFile } from './output.js';
import { harnessInfo } from './version.js';

/** Checks and prints. @returns the exit code */
export async function runCheck(args: CheckArguments): Promise<number> {
  const check = checkOptions(args);
  const baseline = args.baseline === undefined ? undefined : readBaseline(args.baseline);
  const spooled = await spoolPipes(args.paths);
  try {
    const inputs = resolveInputs(args.paths, spooled.files);
    const progress = progressLine('checking run', inputs.runs.length);
    const checked = await checkRuns(inputs.runs, {
      check,
      ...(args.jobs === undefined ? {} : { jobs: args.jobs }),
      onDone: (done) => {
        progress.update(done);
      },
    });
    progress.clear();
    const options: ReportOptions = {
      harness: harnessInfo(),
      profile: args.profile,
      live: args.live,
      facets: args.facet ?? FACETS,
      failOn: args['fail-on'],
      ...(baseline === undefined ? {} : { baseline }),
    };
    const report = makeReport(
      checked.map((run) => run.verdict),
      options,
    );
    const text = render(args, report, {
      options,
      context: {
        slices: checked.map((run) => run.slices),
        root: process.cwd(),
        ...(baseline === undefined ? {} : { known: baseline }),
      },
    });
    if (args.output === undefined) print(text);
    else writeFile(args.output, text);
    for (const folder of inputs.abandoned) printError(`set aside after a crash, not judged: ${folder}\n`);
    return report.exit;
  } finally {
    spooled.dispose();
  }
}

function render(
  args: CheckArguments,
  report: VerdictReport,
  { context, options }: { context: ReportContext; options: ReportOptions },
): string {
  const format = args.json ? 'json' : args.format;
  switch (format) {
    case 'json':
      return jsonReport(report);
    case 'jsonl':
      return jsonLinesReport(report);
    case 'sarif':
      return sarifReport(report, context);
    case 'junit':
      return junitReport(report, {
        ...context,
        outcomes: report.runs.map((run) => outcomesOf(run, options)),
      });
    case 'github':
      return githubReport(report, context);
    case 'markdown':
      return markdownReport(report, context);
    case 'text':
      return textReport(report, context.slices, {
        paint: paintFor(args.output !== undefined),
        verbose: args.verbose,
        ...(context.known === undefined ? {} : { known: context.known }),
      });
  }
}

function outcomesOf(run: RunVerdict, options: ReportOptions): FacetOutcomes {
  const outcomes = FACETS.map((facet) => [facet, facetOutcome(run, facet, options)] as const);
  return Object.fromEntries(outcomes) as FacetOutcomes;
}

function checkOptions(args: CheckArguments): CheckOptions {
  if (!Number.isInteger(args['max-violations']) || args['max-violations'] < 1) {
    throw new HarnessError('usage', '--max-violations must be a whole number from 1', 'leave it out for 100');
  }
  if (args.jobs !== undefined && (!Number.isInteger(args.jobs) || args.jobs < 1)) {
    throw new HarnessError('usage', '--jobs must be a whole number from 1', 'leave it out for one per core');
  }
  return {
    profile: args.profile,
    live: args.live,
    violationsMax: args['max-violations'],
    ...(args.policy === undefined ? {} : { policy: readPolicy(args.policy) }),
    ...(args.opinions === undefined ? {} : { opinions: readOpinions(args.opinions) }),
  };
}

function readJson(path: string, what: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (cause) {
    throw new HarnessError('no-input', `cannot read the ${what} ${path}: ${(cause as Error).message}`, {
      hint: 'give a JSON file',
      cause,
    });
  }
}

function readPolicy(path: string): JsonObject {
  const checked = validate('gate-policy', readJson(path, 'policy'));
  if (checked.ok) return checked.value;
  throw new HarnessError(
    'usage',
    `${path} is no gate policy: ${checked.problems.map((problem) => problem.message).join('; ')}`,
    'see schemas/gate-policy.schema.json',
  );
}

/** Fingerprints of an earlier JSON report. */
function readBaseline(path: string): ReadonlySet<string> {
  const checked = validate('verdict-report', readJson(path, 'baseline'));
  if (!checked.ok)
    throw new HarnessError(
      'usage',
      `${path} is no report of \`check --format json\``,
      'write one with --format json -o',
    );
  return new Set(checked.value.runs.flatMap((run) => run.findings.map((finding) => finding.fingerprint)));
}

function readOpinions(path: string): { [eventId: string]: Opinion } {
  const opinions: { [eventId: string]: Opinion } = {};
  const hint = 'opinions are { "evt_…": { "tier": "T3", "reasons": ["…"] } }';
  const value = readJson(path, 'opinions');
  if (typeof value !== 'object' || value === null)
    throw new HarnessError('usage', `${path} holds no opinions`, hint);
  for (const [id, opinion] of Object.entries(value as { [id: string]: Partial<Opinion> | null })) {
    if (!isTier(opinion?.tier)) throw new HarnessError('usage', `${path}: ${id} has no tier T0 to T4`, hint);
    const { tier, reasons } = opinion;
    opinions[id] = { tier, reasons: Array.isArray(reasons) ? reasons.map(String) : [] };
  }
  return opinions;
}
