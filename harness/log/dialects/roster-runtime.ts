/**
 * What Roster's Python runtime really writes (`evtId ts payload`, dotted kinds), as opposed to the format its
 * specification describes, which is ours. One line becomes one line; the original stands whole in `data.source`.
 *
 * The runtime records no causes, no token counts, no plan or goal files and no task ids. A kind is mapped where the
 * two names say the same thing, and only there: a `planner.reply` may or may not hold a plan, and the runtime has a
 * kind of its own (`plan.proposed`) for when it does.
 */
import { EVENT_ID } from '../../core/event.js';
import type { JsonObject, JsonValue } from '../../core/event.js';
import { parseExact, toPlain } from '../../core/json.js';
import { parseTime } from '../../core/time.js';
import type { Dialect, Imported, Unknown } from './dialect.js';

interface Mapping {
  readonly kind: string;
  /** Members of the payload that mean the same in `data`. */
  readonly same: readonly string[];
  /** Members of `data` that the protocol expects and the source never has. */
  readonly absent: readonly string[];
}

const MAPPINGS: ReadonlyMap<string, Mapping> = new Map([
  // Only the first message of a run: later ones are conversation.
  ['principal.message', { kind: 'goal_received', same: [], absent: ['data.goalPath'] }],
  ['plan.proposed', { kind: 'plan_drafted', same: ['summary'], absent: ['data.planId', 'data.planPath'] }],
  ['task.dispatched', { kind: 'task_dispatched', same: ['to'], absent: ['data.taskId', 'data.messagePath'] }],
  [
    'task.result',
    { kind: 'task_result', same: [], absent: ['data.taskId', 'data.status', 'data.resultPath'] },
  ],
]);

/** Kinds that came about by calling a model, whose usage the runtime does not record. */
const MODEL_KINDS: readonly string[] = ['planner.reply', 'task.result'];

export const rosterRuntime: Dialect = {
  name: 'roster-runtime',
  detect: (line) => typeof line['evtId'] === 'string' && typeof line['ts'] === 'string' && 'payload' in line,
  convert,
};

/** One line of the source that is an event. */
interface Source {
  readonly number: number;
  readonly text: string;
  readonly evtId: string;
  readonly ts: string;
  readonly runId: string;
  readonly kind: string;
  readonly actor: string;
  readonly payload: JsonObject;
}

function convert(lines: readonly string[]): Imported {
  const out: string[] = [];
  const unknown: Unknown[] = [
    { line: 0, member: 'run_started', why: 'the runtime records no start of a run' },
  ];
  const skipped: { line: number; why: string }[] = [];
  const goals = new Set<string>();
  let mapped = 0;
  lines.forEach((text, index) => {
    if (text.trim() === '') return;
    const source = sourceOf(text, index + 1);
    if (typeof source === 'string') {
      skipped.push({ line: index + 1, why: source });
      return;
    }
    const repeated = source.kind === 'principal.message' && goals.has(source.runId);
    const mapping = repeated ? undefined : MAPPINGS.get(source.kind);
    if (mapping?.kind === 'goal_received') goals.add(source.runId);
    if (mapping !== undefined) mapped += 1;
    out.push(lineOf(source, mapping));
    unknown.push(...unknownOf(source, mapping));
  });
  return { lines: out, report: { events: out.length, mapped, kept: out.length - mapped, unknown, skipped } };
}

function sourceOf(text: string, number: number): Source | string {
  const parsed = parseExact(text);
  if (!parsed.ok) return `not readable: ${parsed.detail}`;
  const value = toPlain(parsed.value);
  if (!isObject(value)) return 'no JSON object';
  const { evtId, ts, runId, kind, actor, payload } = value;
  for (const [name, member] of Object.entries({ evtId, ts, runId, kind, actor })) {
    if (typeof member !== 'string' || member === '') return `no ${name}`;
  }
  if (!isObject(payload)) return 'no payload';
  return { number, text, payload, ...({ evtId, ts, runId, kind, actor } as Envelope) };
}

type Envelope = Pick<Source, 'evtId' | 'ts' | 'runId' | 'kind' | 'actor'>;

/** The source's own text goes into the line, not a copy made of parsed values: no digit of a number is lost. */
function lineOf(source: Source, mapping: Mapping | undefined): string {
  const { runId, actor, payload } = source;
  const envelope = {
    id: idOf(source),
    runId,
    t: timeOf(source.ts) ?? source.ts,
    kind: kindOf(source, mapping),
    actor,
  };
  const same = (mapping?.same ?? []).filter((key) => key in payload).map((key) => [key, payload[key]]);
  const members = Object.entries({ ...Object.fromEntries(same) } as JsonObject).map(member);
  const data = [...members, `"source":${source.text.trim()}`].join(',');
  return `${JSON.stringify(envelope).slice(0, -1)},"data":{${data}}}`;
}

function member([key, value]: [string, JsonValue]): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}

function unknownOf(source: Source, mapping: Mapping | undefined): Unknown[] {
  const line = source.number;
  const found: Unknown[] = [{ line, member: 'causedBy', why: 'the runtime records no causes' }];
  for (const absent of mapping?.absent ?? []) found.push({ line, member: absent, why: 'not recorded' });
  if (MODEL_KINDS.includes(source.kind)) {
    found.push({ line, member: 'tokens', why: 'the runtime records no usage of models' });
  }
  if (!EVENT_ID.test(source.evtId)) {
    found.push({
      line,
      member: 'id',
      why: `${JSON.stringify(source.evtId)} is no event id; numbered by line instead`,
    });
  }
  if (timeOf(source.ts) === undefined) {
    found.push({ line, member: 't', why: `${JSON.stringify(source.ts)} is no time in UTC; kept as it is` });
  }
  return found;
}

function kindOf(source: Source, mapping: Mapping | undefined): string {
  return mapping?.kind ?? `roster.${source.kind}`;
}

function idOf(source: Source): string {
  return EVENT_ID.test(source.evtId) ? source.evtId : `evt_line-${source.number}`;
}

/** An offset of zero is only another spelling of `Z`; any other offset is left for the judge to see. */
function timeOf(ts: string): string | undefined {
  const utc = ts.replace(/[+-]00:00$/, 'Z');
  const parsed = parseTime(utc);
  return parsed.ok && parsed.utc ? utc : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
