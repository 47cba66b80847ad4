/**
 * A small language for histories: `h('run goal plan ask grant t1> t1! p1?T3 a1 e1 t1< done')` is a log of 12 lines.
 *
 * Words are in notation.ts and test/README.md. A word may carry, in any order: `(actor)`, `@word` (cause; `@-` none,
 * `@evt_x` an id as it stands), `+n` / `-n` (seconds later or earlier than one second after the word before), `#evt_x`
 * (its own id), `{name:value,a.b:value}` (data on top of the word's own; `name:-` takes a member out).
 */
import type { JsonObject, JsonValue } from '../../harness/core/event.js';
import { readWord, type Word } from './notation.js';

export interface TestEvent {
  id: string;
  runId: string;
  t: string;
  kind: string;
  actor: string;
  data?: JsonObject;
  causedBy?: string;
  counterfactual?: JsonObject;
  tokens?: JsonObject;
}

/** Changes by label, such as `{ e1: { actor: 'ops' } }`: members to replace (`data` is merged), or a function. */
export type Tweaks = Readonly<Record<string, Partial<TestEvent> | ((event: TestEvent) => TestEvent)>>;

export const RUN_ID = 'run_x1';
const START_MS = Date.parse('2026-05-28T15:00:00.000Z');
const WORD = /^(.*?)((?:\([^)]*\)|@[^\s(@#{]+|#evt_[A-Za-z0-9_-]+|\{[^}]*\}|[+-]\d+(?:\.\d+)?)*)$/;
const OPTION = /\([^)]*\)|@[^\s(@#{]+|#evt_[A-Za-z0-9_-]+|\{[^}]*\}|[+-]\d+(?:\.\d+)?/g;

interface Placed {
  readonly event: TestEvent;
  readonly word: Word;
  readonly causeOption: string | undefined;
  /** Number of the task it belongs to, as in `t1>`. */
  readonly task: string;
}

/** A log as text. */
export function h(notation: string, tweaks: Tweaks = {}): string {
  return jsonl(history(notation, tweaks));
}

export function jsonl(events: readonly unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** The events of a log, to be changed further. */
export function history(notation: string, tweaks: Tweaks = {}): TestEvent[] {
  const placed: Placed[] = [];
  let ms = START_MS;
  for (const text of notation.split(/\s+/).filter((part) => part !== '')) {
    const { word, options } = read(text);
    ms += placed.length === 0 ? 0 : 1000;
    ms += Math.round(Number(options.find((option) => /^[+-]/.test(option)) ?? 0) * 1000);
    placed.push(place(placed, { word, options, ms }));
  }
  for (const entry of placed) settleCause(entry, placed);
  return placed.map(({ event, word }) => tweak(event, tweaks[word.label]));
}

function read(text: string): { word: Word; options: string[] } {
  const [, base, rest] = WORD.exec(text) as RegExpExecArray;
  return { word: readWord(base as string), options: (rest as string).match(OPTION) ?? [] };
}

function place(before: readonly Placed[], next: { word: Word; options: string[]; ms: number }): Placed {
  const { word, options } = next;
  const option = (mark: string): string | undefined =>
    options.find((candidate) => candidate.startsWith(mark))?.slice(1);
  const event: TestEvent = {
    id: option('#') ?? `evt_${String(before.length + 1).padStart(3, '0')}`,
    runId: RUN_ID,
    t: new Date(next.ms).toISOString(),
    kind: word.kind,
    actor: word.actor,
    ...(word.data === undefined ? {} : { data: contextual(word.data, before) }),
    ...(word.tokens === undefined ? {} : { tokens: word.tokens }),
  };
  decorate(event, { actor: option('('), data: option('{') });
  const causeOption = option('@')?.replace(/\?$/, '');
  const natural = naturalCause(word, before);
  const named = before.findLast((candidate) => candidate.word.label === causeOption);
  const cause = causeOption === undefined ? natural : named;
  if (cause !== undefined) event.causedBy = cause.event.id;
  const own = /^t(\w+)[>!<]$/.exec(word.label)?.[1];
  return { event, word, causeOption, task: own ?? (cause ?? natural)?.task ?? '' };
}

function decorate(event: TestEvent, options: { actor: string | undefined; data: string | undefined }): void {
  const actor = options.actor?.slice(0, -1);
  if (actor === 'auto') {
    event.actor = 'gate';
    event.data = { ...event.data, auto: true, by: 'policy' };
  } else if (actor !== undefined) event.actor = actor;
  for (const pair of options.data?.slice(0, -1).split(',') ?? []) {
    const [, path, value] = /^([^:]+):(.*)$/.exec(pair) as RegExpExecArray;
    setMember((event.data ??= {}), (path as string).split('.'), valueOf(value as string));
  }
}

/** `planId: 'plan'` is that of the latest draft; tier `T?` is that of the proposal. */
function contextual(data: JsonObject, before: readonly Placed[]): JsonObject {
  const filled = { ...data };
  if (data['planId'] === 'plan')
    filled['planId'] = latest(before, 'plan')?.event.data?.['planId'] ?? 'plan_v1';
  if (data['tier'] === 'T?') {
    const proposal = before.find(
      ({ event }) => event.kind === 'action_proposed' && event.data?.['proposalId'] === data['proposalId'],
    );
    filled['tier'] = proposal?.event.data?.['tier'] ?? 'T2';
  }
  return filled;
}

function naturalCause(word: Word, before: readonly Placed[]): Placed | undefined {
  for (const wanted of word.after) {
    const found = latest(before, wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The latest event with a label or of a group; `start` is that of a task still open, `task:1` any of task 1. */
function latest(before: readonly Placed[], wanted: string): Placed | undefined {
  if (wanted === 'last') return before.at(-1);
  if (wanted.startsWith('task:')) return before.findLast(({ task }) => task === wanted.slice(5));
  if (wanted !== 'start') return before.findLast(({ word }) => word.groups.includes(wanted));
  const isOpen = ({ task }: Placed): boolean => !before.some(({ word }) => word.label === `t${task}<`);
  const starts = before.filter(({ word }) => word.groups.includes('started'));
  return starts.findLast(isOpen) ?? starts.at(-1);
}

/** `@word` names the latest such word before, else the first behind it (itself included); `@evt_x` stands as it is. */
function settleCause({ event, word, causeOption }: Placed, placed: readonly Placed[]): void {
  if (causeOption === undefined || causeOption === '-' || event.causedBy !== undefined) return;
  if (causeOption.startsWith('evt_')) event.causedBy = causeOption;
  else {
    const found = placed.find((candidate) => candidate.word.label === causeOption);
    if (found === undefined) throw new Error(`no word ${causeOption} to be the cause of ${word.label}`);
    event.causedBy = found.event.id;
  }
}

function tweak(event: TestEvent, change: Tweaks[string] | undefined): TestEvent {
  if (change === undefined) return event;
  if (typeof change === 'function') return change(structuredClone(event));
  const data = change.data === undefined ? event.data : { ...event.data, ...change.data };
  const changed = { ...event, ...change, ...(data === undefined ? {} : { data }) };
  return changed;
}

function setMember(target: JsonObject, path: readonly string[], value: JsonValue | undefined): void {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length > 0) setMember((target[name] ??= {}) as JsonObject, rest, value);
  else if (value === undefined) Reflect.deleteProperty(target, name);
  else target[name] = value;
}

function valueOf(text: string): JsonValue | undefined {
  if (text === '-') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
