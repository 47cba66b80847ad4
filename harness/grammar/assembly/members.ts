/**
 * Names: the known ones, which JavaScript fills in once, and those of open objects, so that none stands there twice.
 *
 * A known name is found by its length and its first eight bytes, and compared in full with two or three words. Before
 * that, the name that followed the one before the last time, on a line of that kind, is tried with one vector.
 */
import { MEMBERS_MAX } from './contract';
import { QUOTE, nameEnd, skipColon, skipSpace } from './json';
import { FOLLOWERS, FOLLOWER_COUNT, NAME_TABLES, NO_ENTRY, OPEN_NAMES, OPEN_NAME_BYTES } from './memory';
import { isSame, lowBytes } from './bytes';

const TABLE_BYTES: usize = 8192;
const ENTRY_BYTES: usize = 64;
const ENTRY_MASK: usize = TABLE_BYTES - 1;
const NAME_MAX_BYTES: usize = 24;
/** More bytes than there are. */
const NEVER: u32 = 0xffff_ffff;

export const ENVELOPE: usize = NAME_TABLES;
export const DATA: usize = NAME_TABLES + TABLE_BYTES;
export const TOKENS: usize = NAME_TABLES + 2 * TABLE_BYTES;
export const COUNTERFACTUAL: usize = NAME_TABLES + 3 * TABLE_BYTES;
export const KINDS: usize = NAME_TABLES + 4 * TABLE_BYTES;
export const BY: usize = NAME_TABLES + 5 * TABLE_BYTES;
export const PREVENTED_BY: usize = NAME_TABLES + 6 * TABLE_BYTES;
export const TIME_OUTS: usize = NAME_TABLES + 7 * TABLE_BYTES;
export const OTHERS_ROLES: usize = NAME_TABLES + 8 * TABLE_BYTES;

// An entry: first, second and last eight bytes, length, and three bytes about the name; which bytes of `SPELT` count,
// and the name as it is mostly spelt, with quotes and colon.
const SECOND: usize = 8;
const LAST: usize = 16;
const LENGTH: usize = 24;
const INDEX: usize = 25;
const CHECK: usize = 26;
const KEEP: usize = 27;
const BITS: usize = 28;
const SPELT: usize = 32;
/** Longest name that is tried before it is looked for. */
const SPELT_MAX_BYTES: usize = 13;
/** Quotes and colon. */
const AROUND: usize = 3;

/** In a row of followers: what stands first, and what follows a name that is not known. */
export const AT_BEGIN: usize = 63 << 2;
const AT_UNKNOWN: usize = 62 << 2;
/** Rows of followers behind those of the kinds. */
export const ROW_ENVELOPE: u32 = 63;
export const ROW_TOKENS: u32 = 62;
export const ROW_COUNTERFACTUAL: u32 = 61;

@inline
function placeOf(first: u64, length: usize): usize {
  return <usize>(((first ^ (<u64>length << 56)) * 0x9fb21c651e98df25) >> 57) * ENTRY_BYTES;
}

@inline
function firstOf(name: usize, length: usize): u64 {
  return load<u64>(name) & lowBytes(length);
}

/** Adds a name that is not there yet. `about` is its index, its check and what is kept of it, a byte each. */
export function addName(table: usize, name: usize, length: usize, about: u32): void {
  if (length == 0 || length > NAME_MAX_BYTES) unreachable();
  let place = placeOf(firstOf(name, length), length);
  while (load<u8>(table + place, LENGTH) != 0) place = (place + ENTRY_BYTES) & ENTRY_MASK;
  const entry = table + place;
  store<u64>(entry, firstOf(name, length));
  if (length > 16) store<u64>(entry, load<u64>(name + 8), SECOND);
  if (length > 8) store<u64>(entry, load<u64>(name + length - 8), LAST);
  store<u32>(entry, (about << 8) | <u32>length, LENGTH);
  store<u32>(entry, NEVER, BITS);
  if (length > SPELT_MAX_BYTES) return;
  store<u32>(entry, (1 << (<u32>length + AROUND)) - 1, BITS);
  store<u8>(entry, QUOTE, SPELT);
  memory.copy(entry + SPELT + 1, name, length);
  store<u16>(entry + SPELT + 1 + length, 0x3a22);
}

/** No name follows another one yet. */
export function openNamesKnown(): void {
  store<u32>(NO_ENTRY, NEVER, BITS);
  for (let index: usize = 0; index < FOLLOWER_COUNT; index++) store<usize>(FOLLOWERS + (index << 2), NO_ENTRY);
}

@inline
export function followersOf(row: u32): usize {
  return FOLLOWERS + (<usize>row << 8);
}

/** Where a row says what follows a name. */
@inline
export function followerOf(row: usize, entry: usize): usize {
  return row + (entry == 0 ? AT_UNKNOWN : <usize>load<u8>(entry, INDEX) << 2);
}

/** Whether a name stands at its opening quote just as it is mostly spelt. */
@inline
export function isSpelt(entry: usize, at: usize): bool {
  const bits = load<u32>(entry, BITS);
  const same = i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(entry, SPELT)));
  return (same & bits) == bits;
}

/** Place of the value, given the place of a name that is spelt so. */
@inline
export function behindSpelt(entry: usize, at: usize): usize {
  return skipSpace(at + load<u8>(entry, LENGTH) + AROUND);
}

/** Of the name read last: its entry or 0, its first letter and its length. */
export let nameEntry: usize = 0;
export let nameFrom: usize = 0;
export let nameLength: usize = 0;

/** Reads any name behind white space, and its colon. Returns the place of the value, or 0. */
export function readName(table: usize, at: usize): usize {
  at = skipSpace(at);
  if (load<u8>(at) != QUOTE) return 0;
  nameFrom = at + 1;
  const end = nameEnd(nameFrom);
  if (end == 0) return 0;
  nameLength = end - nameFrom;
  nameEntry = findName(table, nameFrom, nameLength);
  return skipColon(end + 1);
}

/** Entry of a name, or 0. */
@inline
export function findName(table: usize, name: usize, length: usize): usize {
  const first = firstOf(name, length);
  let place = placeOf(first, length);
  for (;;) {
    const entry = table + place;
    const own = <usize>load<u8>(entry, LENGTH);
    if (own == 0) return 0;
    if (own == length && load<u64>(entry) == first && isRest(entry, name, length)) return entry;
    place = (place + ENTRY_BYTES) & ENTRY_MASK;
  }
  return 0;
}

@inline
function isRest(entry: usize, name: usize, length: usize): bool {
  if (length <= 8) return true;
  if (load<u64>(entry, LAST) != load<u64>(name + length - 8)) return false;
  return length <= 16 || load<u64>(entry, SECOND) == load<u64>(name + 8);
}

@inline
export function indexOf(entry: usize): u32 {
  return load<u8>(entry, INDEX);
}

@inline
export function checkOf(entry: usize): u32 {
  return load<u8>(entry, CHECK);
}

@inline
export function keepOf(entry: usize): u32 {
  return load<u8>(entry, KEEP);
}

/** Where the next name of an open object is noted. */
let noteAt: usize = OPEN_NAMES;

export function forgetNames(): void {
  noteAt = OPEN_NAMES;
}

/** Begins an object: what it is known by to the next two. */
@inline
export function openNames(): usize {
  return noteAt;
}

@inline
export function dropNames(object: usize): void {
  noteAt = object;
}

/** Notes a name of an object. False where it stands there already, or where there are too many. */
export function rememberName(object: usize, name: usize, length: usize): bool {
  if (noteAt - object >= MEMBERS_MAX * OPEN_NAME_BYTES) return false;
  const first = firstOf(name, length);
  for (let at = object; at < noteAt; at += OPEN_NAME_BYTES) {
    if (load<u64>(at) != first || load<u32>(at, 8) != length) continue;
    if (length <= 8 || isSame(load<usize>(at, 12), name, length)) return false;
  }
  store<u64>(noteAt, first);
  store<u32>(noteAt, length, 8);
  store<usize>(noteAt, name, 12);
  noteAt += OPEN_NAME_BYTES;
  return true;
}
