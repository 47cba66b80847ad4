/**
 * Strings by number: three tables (ids, names, calls) over one store of bytes. Exact: bytes decide, hashes only lead.
 *
 * A slot holds a number in its low bits and bits of the hash above them, as many as the size of the table leaves free,
 * so that a search rarely touches a string that is not the one.
 */
import {
  BLOCK_BYTES,
  DIRECTORIES,
  DIRECTORY_BYTES,
  FIRST_SLOTS,
  RECENT,
  RECENT_ENTRIES,
  STRING_TABLES,
  giveBlocks,
  resetHeap,
  takeBlocks,
} from './memory';
import { hashOf, isSame, isSameLong } from './bytes';

const TABLE_BYTES: usize = 64;
export const IDS: usize = STRING_TABLES;
export const NAMES: usize = STRING_TABLES + TABLE_BYTES;
export const CALLS: usize = STRING_TABLES + 2 * TABLE_BYTES;

// State of a table: place of the slots, their number less one, next number, number at which it grows, directory.
const SLOTS: usize = 0;
const MASK: usize = 4;
const NEXT: usize = 8;
const LIMIT: usize = 12;
const DIRECTORY: usize = 16;

const FIRST_MASK: u32 = 4095;
const FIRST_BYTES: usize = 16384;
const FEW_SLOTS: u32 = 1 << 19;
/** Addresses in a block. */
const CHUNK_BITS: u32 = 18;
const CHUNK_MASK: u32 = (1 << CHUNK_BITS) - 1;
const VECTOR_BYTES: usize = 16;
/** A longer string has blocks of its own. */
const LONG_BYTES: usize = BLOCK_BYTES / 4;
/** A length prefix that says: four bytes of length follow. */
const LONG_PREFIX: u32 = 255;

let storeAt: usize = 0;
let storeEnd: usize = 0;

export function resetStrings(): void {
  resetHeap();
  storeAt = 0;
  storeEnd = 0;
  for (let number: usize = 0; number < 3; number++) {
    const table = STRING_TABLES + number * TABLE_BYTES;
    const slots = FIRST_SLOTS + number * FIRST_BYTES;
    memory.fill(slots, 0, FIRST_BYTES);
    store<usize>(table, slots, SLOTS);
    store<u32>(table, FIRST_MASK, MASK);
    store<u32>(table, 1, NEXT);
    store<u32>(table, limitOf(FIRST_MASK), LIMIT);
    store<usize>(table, DIRECTORIES + number * DIRECTORY_BYTES, DIRECTORY);
  }
  memory.fill(RECENT, 0, RECENT_ENTRIES * 32);
}

export function sizeOf(table: usize): u32 {
  return load<u32>(table, NEXT);
}

/** Where the entry of a number stands: its length prefix and its bytes. */
@inline
function entryOf(table: usize, number: u32): usize {
  const chunk = load<usize>(load<usize>(table, DIRECTORY) + ((number >> CHUNK_BITS) << 2));
  return load<usize>(chunk + ((number & CHUNK_MASK) << 2));
}

export function textOf(table: usize, number: u32): usize {
  const entry = entryOf(table, number);
  return load<u8>(entry) == LONG_PREFIX ? entry + 5 : entry + 1;
}

export function lengthOf(table: usize, number: u32): usize {
  const entry = entryOf(table, number);
  const short = <u32>load<u8>(entry);
  return short == LONG_PREFIX ? load<u32>(entry + 1) : short;
}

@inline
function isText(table: usize, number: u32, from: usize, length: usize): bool {
  const entry = entryOf(table, number);
  if (length < LONG_PREFIX) return load<u8>(entry) == length && isSame(entry + 1, from, length);
  return (
    load<u8>(entry) == LONG_PREFIX &&
    load<u32>(entry + 1) == length &&
    isSameLong(entry + 5, from, length)
  );
}

/** What was in slots that were touched: nobody asks, but a load that leads nowhere would not be done. */
let touched: u32 = 0;

/** Begins to fetch the slot of a text that will be looked for at the end of the line. */
@inline
export function touchSlot(table: usize, hash: u32): void {
  touched ^= load<u32>(load<usize>(table, SLOTS) + ((hash & load<u32>(table, MASK)) << 2));
}

/** The slot of a text, empty where it is not there. */
@inline
function slotOf(table: usize, from: usize, length: usize, hash: u32): usize {
  const slots = load<usize>(table, SLOTS);
  const mask = load<u32>(table, MASK);
  let index = hash & mask;
  for (;;) {
    const slot = slots + (index << 2);
    const held = load<u32>(slot);
    if (held == 0) return slot;
    if (((held ^ hash) & ~mask) == 0 && isText(table, held & mask, from, length)) return slot;
    index = (index + 1) & mask;
  }
  return 0;
}

/** Number of a text, 0 where it was never seen. */
export function numberOf(table: usize, from: usize, length: usize): u32 {
  const slot = slotOf(table, from, length, hashOf(from, length));
  return load<u32>(slot) & load<u32>(table, MASK);
}

/** Number of a text, given now if it is new. */
export function intern(table: usize, from: usize, length: usize): u32 {
  return internHashed(table, from, length, hashOf(from, length));
}

/** The same for ids, most of which are known from a few lines before, or new. */
export function internId(from: usize, length: usize, hash: u32): u32 {
  return internRecent(IDS, RECENT, from, length, hash);
}

/** The same for names, of which there are few at a time. */
export function internName(from: usize, length: usize): u32 {
  return internRecent(NAMES, RECENT + (RECENT_ENTRIES << 4), from, length, hashOf(from, length));
}

/** Looks among the strings seen lately first: hash, number, place and length of each. None of them is empty. */
@inline
function internRecent(table: usize, recent: usize, from: usize, length: usize, hash: u32): u32 {
  const entry = recent + ((hash & (<u32>RECENT_ENTRIES - 1)) << 4);
  if (
    load<u32>(entry) == hash &&
    load<u32>(entry, 12) == length &&
    isSame(load<usize>(entry, 8), from, length)
  )
    return load<u32>(entry, 4);
  const number = internHashed(table, from, length, hash);
  store<u32>(entry, hash);
  store<u32>(entry, number, 4);
  store<usize>(entry, textOf(table, number), 8);
  store<u32>(entry, length, 12);
  return number;
}

export function internHashed(table: usize, from: usize, length: usize, hash: u32): u32 {
  const slot = slotOf(table, from, length, hash);
  const mask = load<u32>(table, MASK);
  const held = load<u32>(slot);
  if (held != 0) return held & mask;
  const number = load<u32>(table, NEXT);
  const chunk = load<usize>(table, DIRECTORY) + ((number >> CHUNK_BITS) << 2);
  // The first number is 1, so the place of number 0 goes unused.
  if (number == 1 || (number & CHUNK_MASK) == 0) store<usize>(chunk, takeBlocks(1));
  store<usize>(load<usize>(chunk) + ((number & CHUNK_MASK) << 2), keepText(from, length));
  store<u32>(slot, (hash & ~mask) | number);
  store<u32>(table, number + 1, NEXT);
  if (number >= load<u32>(table, LIMIT)) growSlots(table);
  return number;
}

/** Copies a text into the store and returns where its entry begins. */
function keepText(from: usize, length: usize): usize {
  const prefix: usize = length < LONG_PREFIX ? 1 : 5;
  const bytes = prefix + length;
  let entry = storeAt;
  if (bytes > LONG_BYTES) entry = takeBlocks((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
  else {
    if (storeEnd - storeAt < bytes + VECTOR_BYTES) {
      entry = takeBlocks(1);
      storeEnd = entry + BLOCK_BYTES;
    }
    storeAt = entry + bytes;
  }
  if (prefix == 1) store<u8>(entry, length);
  else {
    store<u8>(entry, LONG_PREFIX);
    store<u32>(entry + 1, length);
  }
  copyText(entry + prefix, from, length);
  return entry;
}

/** Copies whole vectors where that is cheaper, and so up to 15 bytes too many. */
function copyText(to: usize, from: usize, length: usize): void {
  if (length > 16 * VECTOR_BYTES) {
    memory.copy(to, from, length);
    return;
  }
  for (let at: usize = 0; at < length; at += VECTOR_BYTES) v128.store(to + at, v128.load(from + at));
}

/** Three of four slots may be taken. */
function limitOf(mask: u32): u32 {
  return (mask >> 2) * 3;
}

/** Twice the slots, or four times as long as they are few. Hashes are computed again: keeping them would cost four bytes for each string. */
function growSlots(table: usize): void {
  const oldSlots = load<usize>(table, SLOTS);
  const oldMask = load<u32>(table, MASK);
  const oldBytes = (oldMask + 1) << 2;
  const mask = oldMask < FEW_SLOTS ? (oldMask << 2) | 3 : (oldMask << 1) | 1;
  const bytes: usize = (mask + 1) << 2;
  const slots = takeBlocks((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
  memory.fill(slots, 0, bytes);
  const next = load<u32>(table, NEXT);
  for (let number: u32 = 1; number < next; number++) {
    const hash = hashOf(textOf(table, number), lengthOf(table, number));
    let index = hash & mask;
    while (load<u32>(slots + (index << 2)) != 0) index = (index + 1) & mask;
    store<u32>(slots + (index << 2), (hash & ~mask) | number);
  }
  store<usize>(table, slots, SLOTS);
  store<u32>(table, mask, MASK);
  store<u32>(table, limitOf(mask), LIMIT);
  if (oldBytes > FIRST_BYTES) giveBlocks(oldSlots, (oldBytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
}
