/**
 * Entries of the invocation log, written and read: one line per call, each with the hash of the one before.
 *
 * Whether the chain holds is asked by the judge (oracle) and by `scan`; here an entry is only read strictly.
 */
import { struct, structBytes } from '../core/canonical.js';
import type { StructFields } from '../core/canonical.js';
import { entryHash, worldRef } from '../core/digest.js';
import type { Digest, EntryFields, WorldState } from '../core/digest.js';
import { asDigest, shapeSource, textOfBytes } from './pattern.js';
import { Members, readStruct } from './struct.js';
import type { Read } from './struct.js';

/** An entry as it stands in the log; `hash` is what the line says, not what its fields give. */
export interface Entry {
  readonly fields: EntryFields;
  readonly hash: Digest;
}

/** The line of an entry, without its LF. */
export function entryBytes(fields: EntryFields): Uint8Array {
  return structBytes(lineOf({ fields, hash: entryHash(fields) }));
}

const HEADER = shapeSource([
  ['entryIndex', 'integer'],
  ['semanticsEpoch', 'integer'],
  ['transitionFn', 'digest'],
  ['interpreter', 'digest'],
  ['prevEntryHash', 'digest'],
  ['writtenBy', 'text'],
]);
const REST = shapeSource([
  ['entryHash', 'digest'],
  ['transitionRef', 'digest'],
]);
const ENTRY = new RegExp(`^\\{"header":${HEADER},${REST.slice(2)}$`);

function plainEntry(bytes: Uint8Array): Entry | undefined {
  const found = ENTRY.exec(textOfBytes(bytes));
  if (found === null) return undefined;
  const fields: EntryFields = {
    entryIndex: Number(found[1]),
    semanticsEpoch: Number(found[2]),
    transitionFn: asDigest(found[3]),
    interpreter: asDigest(found[4]),
    prevEntryHash: asDigest(found[5]),
    writtenBy: found[6]!,
    transitionRef: asDigest(found[8]),
  };
  return { fields, hash: asDigest(found[7]) };
}

/** Reads a line of the invocation log. */
export function readEntry(bytes: Uint8Array): Read<Entry> {
  const plain = plainEntry(bytes);
  if (plain !== undefined) return { ok: true, value: plain };
  return readStruct(bytes, takeEntry, lineOf);
}

export interface WorldRow extends WorldState {
  readonly ref: Digest;
}

/** The state of the world that an entry led to, as `walk` and `scan` show it. */
export function worldRow(entry: Entry, output: Digest): WorldRow {
  const state = { revision: entry.fields.entryIndex, stateRoot: output, logHead: entry.hash };
  return { ref: worldRef(state), ...state };
}

/** Takes an entry of any spelling, such as one in the export of another store. */
export function takeEntry(m: Members): Entry {
  const header = new Members(m.object('header'));
  const fields: EntryFields = {
    entryIndex: header.integer('entryIndex'),
    semanticsEpoch: header.integer('semanticsEpoch'),
    transitionFn: header.digest('transitionFn'),
    interpreter: header.digest('interpreter'),
    prevEntryHash: header.digest('prevEntryHash'),
    writtenBy: header.text('writtenBy'),
    transitionRef: m.digest('transitionRef'),
  };
  return { fields, hash: m.digest('entryHash') };
}

function lineOf({ fields, hash }: Entry): StructFields {
  const header = struct([
    ['entryIndex', fields.entryIndex],
    ['semanticsEpoch', fields.semanticsEpoch],
    ['transitionFn', fields.transitionFn],
    ['interpreter', fields.interpreter],
    ['prevEntryHash', fields.prevEntryHash],
    ['writtenBy', fields.writtenBy],
  ]);
  return [
    ['header', header],
    ['entryHash', hash],
    ['transitionRef', fields.transitionRef],
  ];
}
