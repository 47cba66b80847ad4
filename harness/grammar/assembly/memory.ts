/**
 * Where everything stands in the scanner's memory: fixed places first, then a heap of blocks for strings and tables.
 *
 * Nothing is freed one by one: blocks are taken from the top, old slots of a table that grew are used again as blocks,
 * and a reset begins at the bottom. Pages that nobody touched cost nothing, so the fixed places may be generous.
 */
import { ACTION_SLOTS, DEPTH_MAX, INPUT_BYTES, MEMBERS_MAX, RECORDS_MAX, RECORD_WORDS } from './contract';

/** The entry of a name that is never met. */
export const NO_ENTRY: usize = 0x800;
/** Keys of the hash. */
export const KEYS: usize = 0x1000;
/** Spans of members of the line being read. */
export const SPANS: usize = 0xa000;
/** The first 16 bytes of the last time. */
export const LAST_MINUTE: usize = 0xa400;
/** A short text in small letters. */
export const SMALL: usize = 0xa420;
/** Three string tables: their state, and where their chunks of addresses are. */
export const STRING_TABLES: usize = 0xa800;
export const DIRECTORIES: usize = 0xb000;
export const DIRECTORY_BYTES: usize = 0x4000;
export const FIRST_SLOTS: usize = 0x18000;
/** Lines whose ids are not interned yet. */
export const PENDING: usize = 0xe8000;
/** Strings seen lately: ids, then names, 16 bytes each. */
export const RECENT: usize = 0xf0000;
export const RECENT_ENTRIES: usize = 2048;
/** Names of the objects that are open. */
export const OPEN_NAMES: usize = 0x30000;
export const OPEN_NAME_BYTES: usize = 16;
/** Known names: nine tables of 128 entries of 64 bytes each. */
export const NAME_TABLES: usize = 0xc0000;
/** Which name followed which, by kind and by block: 64 rows of 64 entries. */
export const FOLLOWERS: usize = 0xe0000;
export const FOLLOWER_COUNT: usize = 4096;
/** What proposals said. */
export const ACTIONS: usize = 0x110000;
export const ACTION_BYTES: usize = 256;
export const RECORDS: usize = ACTIONS + ACTION_SLOTS * ACTION_BYTES;
export const RECORD_BYTES: usize = RECORD_WORDS * 4;
/** A vector may be read across the end of the input. */
export const INPUT: usize = (RECORDS + RECORDS_MAX * RECORD_BYTES + 0xffff) & ~0xffff;
/** Where JavaScript puts strings that it asks for. */
export const SCRATCH: usize = (INPUT + INPUT_BYTES + 0xffff) & ~0xffff;
export const SCRATCH_BYTES: usize = 1 << 20;

export const BLOCK_BYTES: usize = 1 << 20;
const HEAP: usize = (SCRATCH + SCRATCH_BYTES + 2 * BLOCK_BYTES - 1) & ~(BLOCK_BYTES - 1);
const PAGE_BITS: i32 = 16;
/** Memory grows by at least so many pages, since every growth makes JavaScript look for its views again. */
const GROWTH_PAGES: i32 = 128;
const PAGES_MAX: i32 = 65536;

// The names of open objects end before the known ones.
if (OPEN_NAMES + (DEPTH_MAX + 1) * MEMBERS_MAX * OPEN_NAME_BYTES > NAME_TABLES) unreachable();

// @ts-expect-error: decorator
@external('host', 'full')
declare function full(): void;

let top: usize = HEAP;
/** Single blocks to be used again; each begins with the place of the next. */
let free: usize = 0;

/** Makes sure that the fixed places exist. */
export function openHeap(): void {
  reserve(HEAP);
}

export function resetHeap(): void {
  top = HEAP;
  free = 0;
}

/** A row of blocks, whatever is in them. */
export function takeBlocks(count: usize): usize {
  if (count == 1 && free != 0) {
    const block = free;
    free = load<usize>(block);
    return block;
  }
  const block = top;
  const end = <u64>block + (<u64>count << 20);
  reserve(end);
  top = <usize>end;
  return block;
}

/** Gives back a row of blocks, to be taken one by one. */
export function giveBlocks(from: usize, count: usize): void {
  for (let block = from + (count << 20); block > from; ) {
    block -= BLOCK_BYTES;
    store<usize>(block, free);
    free = block;
  }
}

/** Grows the memory so that `end` and a page behind it exist: vectors are read across ends. */
function reserve(end: u64): void {
  const pages = <i64>(end >> PAGE_BITS) + 1;
  const have = <i64>memory.size();
  if (pages <= have) return;
  if (pages > PAGES_MAX) full();
  const wanted = min<i64>(max<i64>(pages, have + GROWTH_PAGES), PAGES_MAX);
  if (memory.grow(<i32>(wanted - have)) >= 0) return;
  if (memory.grow(<i32>(pages - have)) < 0) full();
}
