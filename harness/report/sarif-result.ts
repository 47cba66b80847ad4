/**
 * One root finding as a result of SARIF: place, message, fingerprint, and the causal slice as a thread flow.
 *
 * Texts of a log are untrusted: control characters are shown as escapes, and brackets cannot make a link.
 */
import type { JsonObject, JsonValue } from '../core/event.js';
import type { EventRef } from '../core/verdict.js';
import type { SliceLine } from '../oracle/explain.js';
import { lineOf, logOf, uriFrom } from './place.js';
import { followSentence, type ReportContext, type Root } from './roots.js';
import { printable } from './text.js';

/** What the hosts of code show of one result. */
export const FLOW_LINES_MAX = 1000;
export const LOCATIONS_MAX = 100;

const FACTS_LENGTH_MAX = 1024;
const FOLLOWERS_MAX = 20;

/** Where the rule of the result stands among those of the driver, and in what the check ran. */
export interface ResultContext extends ReportContext {
  readonly ruleIndex: number;
}

export function sarifResult(root: Root, context: ResultContext): JsonObject {
  const { finding, followers } = root;
  const others = otherLines(root);
  return {
    ruleId: finding.rule,
    ruleIndex: context.ruleIndex,
    level: finding.severity,
    message: { text: plain(finding.message + followSentence(followers)) },
    locations: [{ physicalLocation: physical(root, { line: lineOf(finding), root: context.root }) }],
    partialFingerprints: { 'counterproofFingerprint/v1': finding.fingerprint },
    ...(root.slice.length === 0 ? {} : { codeFlows: [codeFlow(root, context)] }),
    ...(others.length === 0 ? {} : { relatedLocations: relatedLocations(root, others, context) }),
    ...(context.known === undefined ? {} : { baselineState: root.isKnown ? 'unchanged' : 'new' }),
    properties: properties(root),
  };
}

/** Lines of a result that are left out, since the hosts show no more. */
export function linesLeftOut(root: Root): number {
  const flow = Math.max(0, root.slice.length - FLOW_LINES_MAX);
  return flow + Math.max(0, otherLines(root).length - (LOCATIONS_MAX - 1));
}

function otherLines({ finding }: Root): readonly EventRef[] {
  const [first, ...others] = finding.events;
  return others.filter((event) => event.line !== first?.line);
}

function physical(root: Root, at: { line: number; root: string }): JsonObject {
  return {
    artifactLocation: { ...uriFrom(at.root, logOf(root.run)) },
    region: { startLine: Math.max(1, at.line) },
  };
}

function relatedLocations(root: Root, others: readonly EventRef[], context: ReportContext): JsonValue[] {
  return others.slice(0, LOCATIONS_MAX - 1).map((event, id) => ({
    id,
    physicalLocation: physical(root, { line: event.line, root: context.root }),
    message: { text: plain(event.role) },
  }));
}

function codeFlow(root: Root, context: ReportContext): JsonObject {
  return {
    threadFlows: [{ locations: withoutMiddle(root.slice).map((line) => flowLine(root, line, context)) }],
  };
}

function flowLine(root: Root, line: SliceLine, context: ReportContext): JsonObject {
  const cause = line.causeLine === undefined ? '' : `, caused by line ${line.causeLine}`;
  const what = [line.kind, line.about].filter((part) => part !== '').join(' ');
  return {
    location: {
      physicalLocation: physical(root, { line: line.line, root: context.root }),
      message: { text: plain(`${what} (${line.role}${cause})`) },
    },
  };
}

/** The start and the end of a slice that is too long say more than its start alone. */
function withoutMiddle<Item>(items: readonly Item[]): readonly Item[] {
  const half = FLOW_LINES_MAX / 2;
  return items.length <= FLOW_LINES_MAX ? items : [...items.slice(0, half), ...items.slice(-half)];
}

function properties({ run, finding, followers }: Root): JsonObject {
  return {
    facet: finding.facet,
    run: finding.run ?? run.path,
    facts: smallFacts(finding.facts),
    ...(finding.events.length === 0 ? {} : { event: finding.events[0]?.id ?? '' }),
    ...(finding.path === undefined ? {} : { path: finding.path }),
    ...(followers.length === 0 ? {} : { consequenceCount: followers.length }),
    ...(followers.length === 0
      ? {}
      : {
          consequences: followers.slice(0, FOLLOWERS_MAX).map((follower) => ({
            rule: follower.rule,
            ...(follower.events[0] === undefined ? {} : { line: follower.events[0].line }),
            fingerprint: follower.fingerprint,
          })),
        }),
  };
}

/** Facts as far as they are short; what is left out is in the JSON report. */
function smallFacts(facts: Readonly<JsonObject>): JsonObject {
  const kept: JsonObject = {};
  let length = 0;
  for (const [name, value] of Object.entries(facts)) {
    length += JSON.stringify([name, value]).length;
    if (length > FACTS_LENGTH_MAX) break;
    kept[name] = value;
  }
  return kept;
}

/** Text of a message, in which `[words](target)` would be a link. */
export function plain(text: string): string {
  const shown = printable(text);
  return shown.includes('](') ? shown.replaceAll('[', '\\[').replaceAll(']', '\\]') : shown;
}
