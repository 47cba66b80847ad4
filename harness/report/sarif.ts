/**
 * The report of a check as SARIF 2.1.0, for hosts of code that show findings beside a change: one run of the tool,
 * one result for each root finding, within the limits that hosts impose. What is cut is said in a notification.
 *
 * A consequence is no result of its own, so that one fault is one alert; its root counts and names it. Rules are
 * described where they occur. Nothing here depends on time, machine or order of work.
 */
import type { JsonObject } from '../core/event.js';
import { FACETS, type Facet, type Finding, type RunVerdict, type VerdictReport } from '../core/verdict.js';
import { ruleOf } from '../oracle/rules/index.js';
import { logOf, ROOT_ID, uriFrom } from './place.js';
import { rootsOf, type ReportContext, type Root } from './roots.js';
import { linesLeftOut, plain, sarifResult } from './sarif-result.js';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** What the hosts of code take of one run. */
const RESULTS_MAX = 5000;
const NOTIFICATIONS_MAX = 200;

/** One SARIF document. */
export function sarifReport(report: VerdictReport, context: ReportContext): string {
  const roots = rootsOf(report, context);
  const shown = roots.slice(0, RESULTS_MAX);
  const rules = [...new Set(shown.map(({ finding }) => finding.rule))].sort();
  const indexes = new Map(rules.map((rule, index) => [rule, index]));
  const results = shown.map((root) =>
    sarifResult(root, { ...context, ruleIndex: indexes.get(root.finding.rule) ?? -1 }),
  );
  const { name, version } = report.harness;
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name, version, rules: rules.map((rule) => descriptor(rule, shown)) } },
        invocations: [invocation(report, { context, roots })],
        originalUriBaseIds: { [ROOT_ID]: { description: { text: 'The folder that the check was run in.' } } },
        results,
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function descriptor(id: string, roots: readonly Root[]): JsonObject {
  const rule = ruleOf(id);
  const name = id.replace(/(?:^|[/-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (rule === undefined) {
    const finding = roots.find((root) => root.finding.rule === id)?.finding as Finding;
    return { id, name, defaultConfiguration: { level: finding.severity } };
  }
  const { title, why, mend, example, severity, facet } = rule;
  return {
    id,
    name,
    shortDescription: { text: plain(title) },
    fullDescription: { text: plain(why) },
    help: { text: plain(`${mend} Example that breaks the rule: ${example}`) },
    defaultConfiguration: { level: severity },
    properties: { tags: [facet] },
  };
}

/**
 * The check as an invocation. Where a facet that decides is unknown it was not successful: without results it would
 * look like a pass.
 */
function invocation(
  report: VerdictReport,
  { context, roots }: { context: ReportContext; roots: readonly Root[] },
): JsonObject {
  const notifications = [
    ...cutNotifications(roots),
    ...report.runs.flatMap((run) => runNotifications(run, report, context)),
  ];
  const more = notifications.length - NOTIFICATIONS_MAX;
  const shown = more > 0 ? notifications.slice(0, NOTIFICATIONS_MAX - 1) : notifications;
  if (more > 0)
    shown.push(
      notification('counterproof/more', {
        level: 'error',
        text: `${more + 1} more notifications are left out; --format json has everything.`,
      }),
    );
  const isDecided = report.runs.every((run) =>
    report.facets.every((facet) => run.facets[facet].verdict !== 'unknown'),
  );
  return {
    executionSuccessful: isDecided,
    exitCode: report.exit,
    ...(shown.length === 0 ? {} : { toolExecutionNotifications: shown }),
  };
}

function cutNotifications(roots: readonly Root[]): JsonObject[] {
  const notifications: JsonObject[] = [];
  const results = roots.length - RESULTS_MAX;
  if (results > 0)
    notifications.push(
      notification('counterproof/results-cut', {
        level: 'warning',
        text: `${results} of ${roots.length} findings are left out, the least severe: hosts show ${RESULTS_MAX}; --format json has everything.`,
      }),
    );
  const lines = roots.slice(0, RESULTS_MAX).reduce((sum, root) => sum + linesLeftOut(root), 0);
  if (lines > 0)
    notifications.push(
      notification('counterproof/lines-cut', {
        level: 'warning',
        text: `${lines} lines of findings are left out, more than hosts show; --format json has everything.`,
      }),
    );
  return notifications;
}

/** What could not be decided in a run, and what was found and not kept. */
function runNotifications(run: RunVerdict, report: VerdictReport, context: ReportContext): JsonObject[] {
  const where = [{ physicalLocation: { artifactLocation: { ...uriFrom(context.root, logOf(run)) } } }];
  const unknown = FACETS.filter((facet) => run.facets[facet].verdict === 'unknown').map((facet) =>
    notification('counterproof/facet-unknown', {
      level: report.facets.includes(facet) ? 'error' : 'warning',
      text: unknownText(run, facet),
      where,
    }),
  );
  const omitted = Object.entries(run.omitted).map(([rule, count]) =>
    notification('counterproof/findings-omitted', {
      level: 'warning',
      text: `${rule}: ${count} more were found and not kept; --max-violations keeps more.`,
      where,
    }),
  );
  return [...unknown, ...omitted];
}

function unknownText(run: RunVerdict, facet: Facet): string {
  const { reasons } = run.facets[facet];
  return `${facet} is unknown${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}.`;
}

function notification(
  id: string,
  said: { level: 'error' | 'warning'; text: string; where?: JsonObject[] },
): JsonObject {
  return {
    descriptor: { id },
    level: said.level,
    message: { text: plain(said.text) },
    ...(said.where === undefined ? {} : { locations: said.where }),
  };
}
