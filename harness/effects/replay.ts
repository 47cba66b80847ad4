/**
 * Replays the calls of a run one after the other, each from its entry down, in constant memory for each.
 */
import { digestOf, entryHash } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { Toolbox } from '../core/tool.js';
import { divergence, gap } from './divergence.js';
import type { Mismatch } from './divergence.js';
import { epochOf } from './genesis.js';
import type { CallOutcome } from './journal-lines.js';
import { KIND } from './kinds.js';
import { readRecord } from './objects.js';
import type { InvocationRecord } from './objects.js';
import type { Interpreter } from './ports.js';
import type { PlacedEntry, RecordedRun } from './recorded.js';
import { replayCall } from './replay-call.js';
import { sourceBytes } from './source.js';
import { readObject } from './struct.js';

export interface ReplayOptions {
  readonly toolbox: Toolbox;
  /** What is running now. */
  readonly interpreter: Interpreter;
  /** Go on where another interpreter, or another version of a tool, recorded the call; it is noted. */
  readonly allowInterpreter: boolean;
  /** First and last entry to replay, from 0; all where they are absent. */
  readonly from?: number;
  readonly to?: number;
  /** Only the entry with that hash or invocation id. */
  readonly invocation?: string;
}

/** Which entries are meant. */
export type ReplayRange = Pick<ReplayOptions, 'from' | 'to' | 'invocation'>;

/** What replaying one entry gave. `tool` is empty where the record could not be read. */
export interface ReplayedEntry {
  readonly invocationId: string;
  readonly entryIndex: number;
  readonly entryHash: Digest;
  readonly tool: string;
  readonly mismatch: Mismatch | undefined;
  /** What was allowed to differ, in phrases. */
  readonly notes: readonly string[];
}

/** Replays entries in order. Behind them come those that the log lacks and the journal knows of: each is a gap. */
export function* replayRun(
  run: RecordedRun,
  options: ReplayOptions,
): Generator<ReplayedEntry, void, undefined> {
  const isWanted = wantedOf(run, options);
  let before: PlacedEntry | undefined;
  for (const entry of run.entries) {
    if (isWanted(placeOf(entry))) yield replayEntry(run, { entry, before }, options);
    before = entry;
  }
  for (const { entryIndex, entryHash: hash, callId } of missingEntries(run)) {
    if (!isWanted({ entryIndex, entryHash: hash })) continue;
    const mismatch = gap('receipt', `the entry of ${callId}`, hash);
    const invocationId = nameOf(run, entryIndex);
    yield { invocationId, entryIndex, entryHash: hash, tool: '', mismatch, notes: [] };
  }
}

/** How many entries a replay of a range goes through, with those that are missing; of the whole run without a range. */
export function countWanted(run: RecordedRun, range: ReplayRange = {}): number {
  const places: readonly Place[] = [...run.entries.map(placeOf), ...missingEntries(run)];
  return places.filter(wantedOf(run, range)).length;
}

/** Replays one entry. @param place the entry, and the one that stands before it in the log */
export function replayEntry(
  run: RecordedRun,
  place: { readonly entry: PlacedEntry; readonly before: PlacedEntry | undefined },
  options: ReplayOptions,
): ReplayedEntry {
  const { entry } = place;
  const { entryIndex, writtenBy } = entry.fields;
  const journal = run.journalOf(entry);
  const notes: string[] = [];
  const found = readVerified(run, entry);
  const invocationId = found.record?.invocationId ?? nameOf(run, entryIndex);
  const tool = found.record?.skillId ?? '';
  const mismatch =
    receiptFault(run, place) ??
    found.mismatch ??
    (found.record && pinFault(entry, found.record, { ...options, notes })) ??
    (found.record &&
      replayCall(
        { store: run.store, record: found.record, writtenBy, ...(journal && { journal }) },
        options.toolbox,
      ));
  return { invocationId, entryIndex, entryHash: entry.hash, tool, mismatch, notes };
}

/** An entry as it is asked for. */
type Place = Pick<CallOutcome, 'entryIndex' | 'entryHash'>;

function placeOf({ fields, hash }: PlacedEntry): Place {
  return { entryIndex: fields.entryIndex, entryHash: hash };
}

function wantedOf(run: RecordedRun, range: ReplayRange): (place: Place) => boolean {
  const { from = 0, to = Infinity, invocation } = range;
  if (invocation === undefined) return ({ entryIndex }) => entryIndex >= from && entryIndex <= to;
  const runId = runIdOf(run);
  // Where the genesis cannot be read, nobody knows the run's name, and the number has to do.
  return ({ entryIndex, entryHash: hash }) =>
    invocation === hash ||
    (runId === undefined ? invocation.endsWith(`:${entryIndex}`) : invocation === `${runId}:${entryIndex}`);
}

/** What a call is called whose record cannot be had. */
function nameOf(run: RecordedRun, entryIndex: number): string {
  const runId = runIdOf(run);
  return runId === undefined ? `entry ${entryIndex}` : `${runId}:${entryIndex}`;
}

/** Name of the run, from its genesis. */
function runIdOf(run: RecordedRun): string | undefined {
  const [first] = run.entries;
  const found = first && run.store.read(first.fields.prevEntryHash, 'genesis');
  const read = found?.ok === true ? readObject(found.bytes) : undefined;
  const runId = read?.ok === true ? read.value['runId'] : undefined;
  return typeof runId === 'string' ? runId : undefined;
}

/** Calls that were entered, as the journal says, and whose number no entry of the log has. */
function missingEntries(run: RecordedRun): CallOutcome[] {
  const numbers = new Set(run.entries.map(({ fields }) => fields.entryIndex));
  const outcomes = [...run.calls.values()].flatMap(({ outcome }) => outcome ?? []);
  return outcomes
    .filter(({ entryIndex }) => !numbers.has(entryIndex))
    .sort((a, b) => a.entryIndex - b.entryIndex);
}

/** What is wrong with the entry itself and its place in the chain. */
function receiptFault(
  run: RecordedRun,
  { entry, before }: { entry: PlacedEntry; before: PlacedEntry | undefined },
): Mismatch | undefined {
  const { fields, hash } = entry;
  const again = entryHash(fields);
  if (again !== hash) return divergence('receipt', 'the hash of the entry', { expected: again, found: hash });
  const index = before === undefined ? 0 : before.fields.entryIndex + 1;
  if (fields.entryIndex !== index)
    return divergence('receipt', 'the index of the entry', { expected: index, found: fields.entryIndex });
  if (before !== undefined) {
    if (fields.prevEntryHash === before.hash) return undefined;
    return divergence('receipt', 'the entry before', { expected: before.hash, found: fields.prevEntryHash });
  }
  const genesis = run.store.read(fields.prevEntryHash, 'genesis');
  if (genesis.ok) return undefined;
  if (genesis.fault === 'missing') return gap('receipt', 'the genesis of the run', fields.prevEntryHash);
  const expected = 'the genesis of the run';
  return divergence('receipt', 'what the chain begins with', { expected, found: genesis.fault });
}

function readVerified(
  run: RecordedRun,
  entry: PlacedEntry,
): { readonly record?: InvocationRecord; readonly mismatch?: Mismatch } {
  const ref = entry.fields.transitionRef;
  const found = run.store.read(ref);
  if (!found.ok) {
    if (found.fault === 'missing') return { mismatch: gap('record', 'the record of the call', ref) };
    const expected = 'bytes with this digest';
    return { mismatch: divergence('record', `the record ${ref}`, { expected, found: found.fault }) };
  }
  const read = readRecord(found.bytes);
  if (!read.ok)
    return { mismatch: divergence('record', 'the record', { expected: 'a record', found: read.why }) };
  const kind = read.value.world === undefined ? KIND.pureRecord : KIND.record;
  if (!found.labels.some(({ semanticId }) => semanticId === kind)) {
    const labels = found.labels.map(({ semanticId }) => semanticId).join(', ');
    return { mismatch: divergence('record', 'the kind of the record', { expected: kind, found: labels }) };
  }
  return { record: read.value };
}

/** What entry and record pin: each other, the interpreter, the tool and the epoch. */
function pinFault(
  { fields }: PlacedEntry,
  record: InvocationRecord,
  options: ReplayOptions & { readonly notes: string[] },
): Mismatch | undefined {
  for (const name of ['transitionFn', 'interpreter', 'semanticsEpoch'] as const) {
    if (record[name] !== fields[name])
      return divergence('record', name, { expected: fields[name], found: record[name] });
  }
  const invocationId = `${record.episodeId}:${fields.entryIndex}`;
  if (record.invocationId !== invocationId)
    return divergence('record', 'the id of the call', { expected: invocationId, found: record.invocationId });
  const { interpreter, toolbox, allowInterpreter, notes } = options;
  const tool = toolbox.get(record.skillId);
  const now = [
    ['the interpreter', interpreter.digest, fields.interpreter],
    ['the source of the tool', tool && sourceDigest(tool), fields.transitionFn],
    ['the epoch', epochOf(interpreter.release), fields.semanticsEpoch],
  ] as const;
  for (const [what, expected, found] of now) {
    if (expected === undefined || expected === found) continue;
    if (!allowInterpreter) return divergence('interpreter', what, { expected, found });
    notes.push(`${what} was ${found}, and is ${expected} now`);
  }
  return undefined;
}

const sourceDigests = new WeakMap<object, Digest>();

function sourceDigest(tool: Parameters<typeof sourceBytes>[0]): Digest {
  const known = sourceDigests.get(tool) ?? digestOf(sourceBytes(tool));
  sourceDigests.set(tool, known);
  return known;
}
