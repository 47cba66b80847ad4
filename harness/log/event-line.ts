/**
 * From what a caller wants to record to the bytes of one log line, or to one sentence that says why not.
 *
 * Everything is checked before a byte is written: JSON without loss, the schema, the length, and that every file the
 * event names stands in the run already. It gives no ids and no times; those are stamped on by the writer.
 */
import { HarnessError } from '../core/errors.js';
import { DEPTH_MAX, kindCode, LINE_WRITE_MAX_BYTES, PATH_KEYS, UNKNOWN_KIND } from '../core/event.js';
import type { JsonObject, RawEvent } from '../core/event.js';
import { escapePointer, validate } from '../core/schema.js';
import type { FileOps } from './file-ops.js';
import { resolveInside } from './run-dir.js';

/** An event as its author knows it. Id, run and time are the writer's to give. */
export interface EventDraft {
  readonly kind: string;
  /** Who says so; by default the actor the writer was opened with. */
  readonly actor?: string;
  readonly data?: JsonObject;
  /** Id of the event that triggered this one. Only `run_started` has none. */
  readonly causedBy?: string;
  readonly counterfactual?: JsonObject;
  readonly tokens?: JsonObject;
}

const GIVEN_KEYS: readonly string[] = ['id', 't', 'runId'];
const DRAFT_KEYS: readonly string[] = ['kind', 'actor', 'data', 'causedBy', 'counterfactual', 'tokens'];

/** The line with its LF, members in the order of the protocol. */
export function encodeLine(event: RawEvent): Buffer {
  const { id, runId, t, kind, actor, data, causedBy, counterfactual, tokens } = event;
  // JSON.stringify leaves out what is undefined.
  return Buffer.from(
    `${JSON.stringify({ id, runId, t, kind, actor, data, causedBy, counterfactual, tokens })}\n`,
  );
}

/** @throws HarnessError `invalid-input` or `line-too-long` unless the event may be written as it is */
export function checkEvent(event: RawEvent): void {
  const what = `event ${event.kind}`;
  const fault = jsonFault(event, 0);
  if (fault !== undefined)
    throw refused(what, fault, 'an event holds plain JSON that reads back as it was written');
  if (event.causedBy === undefined && event.kind !== 'run_started') {
    throw refused(
      what,
      'it has no causedBy',
      'name the event that triggered it; only run_started has no cause',
    );
  }
  const name = kindCode(event.kind) === UNKNOWN_KIND ? 'event' : 'event-written';
  const checked = validate(name, event);
  if (!checked.ok) {
    const problems = checked.problems.map(({ message }) => message).join('; ');
    throw refused(what, problems, `see schemas/${name}.schema.json`);
  }
  const bytes = encodeLine(event).length;
  if (bytes > LINE_WRITE_MAX_BYTES) {
    throw new HarnessError(
      'line-too-long',
      `${what} takes ${bytes} bytes, a line may have ${LINE_WRITE_MAX_BYTES}`,
      'write the payload to a file of the run first and name it in data.payloadPath',
    );
  }
}

/** Artifact first: an event never names a file that is not there. */
export function checkFiles(runDir: string, event: Pick<RawEvent, 'kind' | 'data'>, ops: FileOps): void {
  for (const key of PATH_KEYS) {
    const path = event.data?.[key];
    if (typeof path !== 'string') continue;
    const what = `event ${event.kind}: data.${key} ${JSON.stringify(path)}`;
    const found = resolveInside(runDir, path);
    if (!found.ok) throw refused(what, found.how, 'name a file inside the run folder, relative to it');
    if (ops.facts(found.absolute)?.type !== 'file') {
      throw refused(what, `no such file in ${runDir}`, 'write the file first, then the event');
    }
  }
}

/**
 * Id, time and run are the writer's to give: an event that brings its own could be back-dated, or pass for another's.
 * The types of the other members are the schema's business.
 *
 * @throws HarnessError `invalid-input` unless the value has the members of a draft, and no others
 */
export function checkDraft(value: unknown): asserts value is EventDraft {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused('the event', 'it is no JSON object', 'give {"kind", "actor", "data", "causedBy"}');
  }
  for (const key of Object.keys(value)) {
    if (DRAFT_KEYS.includes(key)) continue;
    if (GIVEN_KEYS.includes(key)) throw refused('the event', `it brings its own ${key}`, `leave ${key} out`);
    throw refused(
      'the event',
      `${JSON.stringify(key)} is no member of an event`,
      'put your own members into data',
    );
  }
  if (!('kind' in value) || typeof value.kind !== 'string') {
    throw refused('the event', 'it has no kind', 'say what happened in "kind"');
  }
}

function refused(what: string, why: string, hint: string): HarnessError {
  return new HarnessError('invalid-input', `${what}: ${why}`, hint);
}

/** What JSON text would lose or change: `JSON.stringify` turns NaN into null and says nothing. Reads "/data/x is NaN". */
function jsonFault(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : ' holds half a surrogate pair';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return ` is ${value}`;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? ' is an integer beyond 2^53' : undefined;
  }
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value !== 'object') return ` is of type ${typeof value}`;
  if (depth === DEPTH_MAX) return ` is nested more than ${DEPTH_MAX} levels deep`;
  if (!Array.isArray(value) && !isPlain(value)) return ' is no plain object';
  for (const [key, member] of membersOf(value)) {
    if (!isWellFormed(key)) return ' has a key with half a surrogate pair';
    const fault = jsonFault(member, depth + 1);
    if (fault !== undefined) return `/${escapePointer(key)}${fault}`;
  }
  return undefined;
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** What gets into the text. An undefined member is left out; in a list it, or a hole, would turn into null. */
function membersOf(value: object): (readonly [key: string, member: unknown])[] {
  if (Array.isArray(value)) return Array.from(value, (member: unknown, index) => [String(index), member]);
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** True for object literals and `JSON.parse` results, of whatever realm; false for classes. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
