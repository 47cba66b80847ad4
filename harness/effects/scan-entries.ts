/**
 * The second table of a scan: every entry of the invocation log, its place in the chain, and all that it leads to.
 */
import { join } from 'node:path';
import { entryHash } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import { readEntry, worldRow } from './entries.js';
import type { Entry, WorldRow } from './entries.js';
import type { KindName } from './kinds.js';
import { linesOf } from './line-log.js';
import { effectStatusOf } from './objects.js';
import type { EffectLink, InvocationRecord } from './objects.js';
import type { OnItem, ScanItem } from './scan-items.js';
import type { ScanTable } from './scan-objects.js';
import type { FoundObject } from './store.js';
import { asObject, readObject } from './struct.js';

/** An entry as the journal is held against it. */
export interface ScannedEntry {
  readonly index: number;
  readonly hash: Digest;
  readonly record: InvocationRecord | undefined;
}

export interface EntriesTable extends ScanTable {
  readonly runDir: string;
  readonly ops: FileOps;
  /** Reads an object that the table needs the bytes of: outputs of refused calls. */
  readonly read: (ref: Digest) => FoundObject;
  readonly onWorld?: (world: WorldRow) => void;
}

export interface ScannedEntries {
  /** In the order of the log. */
  readonly entries: readonly ScannedEntry[];
  /** False when the budget has ended before the last. */
  readonly isComplete: boolean;
}

/** Verifies the entries. */
export function scanEntries(table: EntriesTable): ScannedEntries {
  const entries: ScannedEntry[] = [];
  let before: Entry | undefined;
  let bad: BadLine | undefined;
  for (const line of linesOf(join(table.runDir, RUN.invocations), table.ops)) {
    const row = table.rows.next();
    if (row === 'stop') return { entries, isComplete: false };
    const report: OnItem = row === 'due' ? table.onItem : () => undefined;
    const read = readEntry(line.bytes);
    if (!read.ok || !line.ended) {
      if (bad !== undefined) report(badItem(bad, 'hole'));
      bad = { line: line.number, ended: line.ended, why: read.ok ? 'no LF at its end' : read.why };
      continue;
    }
    const entry = read.value;
    const hole = (field: string, reason: string, ref?: Digest): void =>
      report({
        type: 'hole',
        table: 'entries',
        index: entry.fields.entryIndex,
        field,
        reason,
        ...(ref && { ref }),
      });
    // What was torn by a crash takes nothing away if the chain goes on behind it.
    if (bad !== undefined) report(badItem(bad, follows(entry, before) ? 'note' : 'hole'));
    bad = undefined;
    scanChain(entry, { before, table, hole });
    const index = entry.fields.entryIndex;
    const record = scanRecord(entry, { table, hole });
    entries.push({ index, hash: entry.hash, record });
    if (row === 'due' && record !== undefined) table.onWorld?.(worldRow(entry, record.output));
    before = entry;
  }
  if (bad !== undefined) {
    const row = table.rows.next();
    if (row === 'stop') return { entries, isComplete: false };
    if (row === 'due') table.onItem(badItem(bad, bad.ended ? 'hole' : 'note'));
  }
  return { entries, isComplete: true };
}

/** A line that is no entry. What it is shows at the next one: an item about it belongs to that row. */
interface BadLine {
  readonly line: number;
  readonly ended: boolean;
  readonly why: string;
}

function badItem({ line, why }: BadLine, type: ScanItem['type']): ScanItem {
  const reason = type === 'note' ? `torn: ${why}` : why;
  return { type, table: 'entries', index: line, field: 'line', reason };
}

function follows({ fields }: Entry, before: Entry | undefined): boolean {
  if (before === undefined) return fields.entryIndex === 0;
  return fields.entryIndex === before.fields.entryIndex + 1 && fields.prevEntryHash === before.hash;
}

type Hole = (field: string, reason: string, ref?: Digest) => void;

interface EntryContext {
  readonly table: EntriesTable;
  readonly hole: Hole;
}

function scanChain(
  { fields, hash }: Entry,
  { before, table, hole }: EntryContext & { readonly before: Entry | undefined },
): void {
  if (entryHash(fields) !== hash) hole('entryHash', 'hash');
  const expected = before === undefined ? 0 : before.fields.entryIndex + 1;
  if (fields.entryIndex !== expected) hole('entryIndex', `gap: ${expected} expected`);
  if (before === undefined) {
    const genesis = table.facts.reach(fields.prevEntryHash, 'genesis');
    if (typeof genesis === 'string') hole('prevEntryHash', `genesis ${genesis}`, fields.prevEntryHash);
    else scanGenesis(fields.prevEntryHash, { table, hole });
  } else if (fields.prevEntryHash !== before.hash) hole('prevEntryHash', 'chain');
}

/** The genesis names the registry of epochs. */
function scanGenesis(ref: Digest, { table, hole }: EntryContext): void {
  const found = table.read(ref);
  const read = found.ok ? readObject(found.bytes) : undefined;
  const epochs = read?.ok === true ? read.value['epochs'] : undefined;
  const reached = typeof epochs === 'string' ? table.facts.reach(epochs as Digest, 'epochs') : 'missing';
  if (typeof reached === 'string') hole('genesis/epochs', reached, ref);
}

/** The record that an entry names, and all that this one leads to. */
function scanRecord({ fields }: Entry, { table, hole }: EntryContext): InvocationRecord | undefined {
  const reach = (field: string, ref: Digest, kind: KindName): number | undefined => {
    const found = table.facts.reach(ref, kind);
    if (typeof found === 'number') return found;
    hole(field, found, ref);
    return undefined;
  };
  const ref = fields.transitionRef;
  reach('transitionFn', fields.transitionFn, 'source');
  const number = table.facts.index.numberOf(ref);
  const record = number === undefined ? undefined : table.facts.records.get(number);
  const found = reach(
    'transitionRef',
    ref,
    record?.world === undefined && record !== undefined ? 'pureRecord' : 'record',
  );
  if (record === undefined) {
    // A record that cannot be read has its hole among the objects.
    if (found !== undefined && number === undefined) hole('transitionRef', 'unreadable', ref);
    return undefined;
  }
  for (const name of ['transitionFn', 'interpreter', 'semanticsEpoch'] as const)
    if (record[name] !== fields[name]) hole(name, 'the record says otherwise', ref);
  if (record.invocationId !== `${record.episodeId}:${fields.entryIndex}`)
    hole('invocationId', `the record says ${record.invocationId}`, ref);
  reach('input', record.input, 'input');
  reach('output', record.output, 'output');
  const { world } = record;
  if (world === undefined) return record;
  reach('plan', world.plan, 'plan');
  for (const link of world.effects) scanEffect(link, { table, hole, reach });
  if (world.effects.length === 0) scanRefusal(record.output, { table, hole, reach });
  return record;
}

interface ReachContext extends EntryContext {
  readonly reach: (field: string, ref: Digest, kind: KindName) => number | undefined;
}

function scanEffect({ id, record: ref, status }: EffectLink, { table, hole, reach }: ReachContext): void {
  const number = reach(`effects/${id}`, ref, 'effectRecord');
  const record = number === undefined ? undefined : table.facts.effectRecords.get(number);
  if (record === undefined) return;
  const recorded = effectStatusOf(record);
  if (recorded !== undefined && recorded !== status)
    hole(`effects/${id}/status`, `the record says ${recorded}`, ref);
  const request = reach(`effects/${id}/request`, record.requestRef, 'request');
  const asked = request === undefined ? undefined : table.facts.requests.get(request);
  if (
    asked !== undefined &&
    (asked.effect !== record.effect || asked.scope !== record.scope || asked.cost !== record.cost)
  )
    hole(`effects/${id}/request`, 'the record says otherwise', ref);
  if (record.resultRef !== '') reach(`effects/${id}/result`, record.resultRef, 'result');
}

/** Of a call that was stopped, the output names what stopped it. */
function scanRefusal(output: Digest, { table, hole, reach }: ReachContext): void {
  const found = table.read(output);
  const read = found.ok ? readObject(found.bytes) : undefined;
  if (read?.ok !== true) return;
  const refusal = asObject(read.value['world'])?.['refusal'];
  if (refusal === undefined) return;
  if (typeof refusal === 'string') reach('refusal', refusal as Digest, 'refusal');
  else hole('refusal', 'no digest', output);
}
