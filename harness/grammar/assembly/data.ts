/**
 * The blocks of a line: `data`, `tokens` and `counterfactual`. Their known members are checked and kept; members of
 * `data` and `counterfactual` that nobody knows may be any JSON; `tokens` has none.
 */
import {
  CHECK_COUNT,
  CHECK_STRING,
  DATA_INLINE_MAX_BYTES,
  FLAG_AUTO,
  FLAG_BIG_DATA,
  FLAG_CLAIMS,
  FLAG_COUNTERFACTUAL,
  FLAG_ODD_PATHS,
  FLAG_PATHS,
  FLAG_TOKENS,
  KEEP_AUTO,
  KEEP_CLAIMS,
  KEEP_DOUBT,
  KEEP_EXECUTED,
  KEEP_MODEL,
  KEEP_PATH,
  KEEP_PREDICTED,
  KEEP_ROLE,
  KEEP_TIER,
  KEEP_WAITED,
  KEEP_WOULD,
  MEMBERS_MAX,
  SHIFT_EXECUTED,
  SHIFT_PREDICTED,
  SHIFT_TIER,
  SHIFT_WAITED,
  SHIFT_WOULD,
  WAITED_LONG_MS,
} from './contract';
import { checkValue, isLarge, isTextCheck, lastValue, readCount, readText } from './checks';
import { QUOTE, skipSpace, skipValue } from './json';
import {
  AT_BEGIN,
  COUNTERFACTUAL,
  DATA,
  ROW_COUNTERFACTUAL,
  ROW_TOKENS,
  TOKENS,
  behindSpelt,
  checkOf,
  dropNames,
  followerOf,
  followersOf,
  indexOf,
  isSpelt,
  keepOf,
  nameEntry,
  nameFrom,
  nameLength,
  openNames,
  readName,
  rememberName,
} from './members';
import { addFacts, countPath, isThere, keepSpan, spanFrom } from './spans';

/** Depth of a block: the line around it is 1. */
const DEPTH: u32 = 2;

/** Reads `data` or `counterfactual`, whose brace is given. */
function readBlock(table: usize, row: usize, at: usize): usize {
  if (load<u8>(skipSpace(at + 1)) == 0x7d) return skipSpace(at + 1) + 1;
  const names = openNames();
  let seen: u64 = 0;
  let known: u32 = 0;
  let follower = row + AT_BEGIN;
  for (;;) {
    let entry = load<usize>(follower);
    if (isSpelt(entry, ++at)) at = behindSpelt(entry, at);
    else {
      at = readName(table, at);
      if (at == 0) return 0;
      entry = nameEntry;
      if (entry != 0) store<usize>(follower, entry);
    }
    follower = followerOf(row, entry);
    if (entry == 0) {
      if (!rememberName(names, nameFrom, nameLength)) return 0;
      at = skipValue(at, DEPTH);
    } else {
      const bit = <u64>1 << indexOf(entry);
      if ((seen & bit) != 0) return 0;
      seen |= bit;
      known++;
      const check = checkOf(entry);
      if (isTextCheck(check)) {
        const keep = keepOf(entry);
        at = readText(at, check, keep);
        if (keep == KEEP_PATH && at != 0) settlePath(at);
      } else at = readTyped(entry, at);
    }
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return 0;
  }
  if (known + ((openNames() - names) >> 4) > MEMBERS_MAX) return 0;
  dropNames(names);
  return at + 1;
}

/** A name of a file, read just now: whether it plainly stays inside the run folder. */
function settlePath(end: usize): void {
  countPath();
  const from = spanFrom(KEEP_PATH);
  let isOdd = end - 1 == from || load<u8>(from) == 0x2f;
  for (let at = from; at < end - 1; at++) {
    const byte = <u32>load<u8>(at);
    // Letters, digits, low line, and `-`, `.`, `/`, which stand in a row.
    const isPlain = (byte | 0x20) - 0x61 < 26 || byte - 0x30 < 10 || byte == 0x5f || byte - 0x2d < 3;
    if (!isPlain || load<u16>(at) == 0x2e2e) isOdd = true;
  }
  addFacts(isOdd ? FLAG_PATHS | FLAG_ODD_PATHS : FLAG_PATHS);
}

/** A known member that is no text. */
function readTyped(entry: usize, at: usize): usize {
  const keep = keepOf(entry);
  if (keep == KEEP_ROLE && load<u8>(at) == QUOTE) return readText(at, CHECK_STRING, keep);
  const end = checkValue(checkOf(entry), at, DEPTH);
  if (end == 0 || keep == 0) return end;
  const value = <u32>lastValue;
  if (keep == KEEP_TIER) addFacts(value << SHIFT_TIER);
  else if (keep == KEEP_AUTO) addFacts(value == 2 ? FLAG_AUTO : 0);
  else if (keep == KEEP_WOULD) addFacts(value << SHIFT_WOULD);
  else if (keep == KEEP_EXECUTED) addFacts(value << SHIFT_EXECUTED);
  else if (keep == KEEP_PREDICTED) addFacts(value << SHIFT_PREDICTED);
  else if (keep == KEEP_CLAIMS || (keep == KEEP_DOUBT && load<u8>(at) != 0x74)) addFacts(FLAG_CLAIMS);
  else if (keep == KEEP_WAITED) {
    if (isLarge(lastValue)) return 0;
    addFacts((value < WAITED_LONG_MS ? 1 : 2) << SHIFT_WAITED);
  } else if (load<u8>(at) == QUOTE) keepSpan(keep, at + 1, end - 1);
  return end;
}

/** The value of the envelope's `data`. */
export function readData(at: usize, kind: u32): usize {
  if (load<u8>(at) != 0x7b) return 0;
  const end = readBlock(DATA, followersOf(kind), at);
  addFacts(end - at > DATA_INLINE_MAX_BYTES ? FLAG_BIG_DATA : 0);
  return end;
}

export function readCounterfactual(at: usize): usize {
  if (load<u8>(at) != 0x7b) return 0;
  addFacts(FLAG_COUNTERFACTUAL);
  return readBlock(COUNTERFACTUAL, followersOf(ROW_COUNTERFACTUAL), at);
}

/** `tokens`: counts go into the record at once, each to the word that is kept of it. */
export function readTokens(at: usize, record: usize): usize {
  if (load<u8>(at) != 0x7b) return 0;
  addFacts(FLAG_TOKENS);
  const row = followersOf(ROW_TOKENS);
  let follower = row + AT_BEGIN;
  let seen: u32 = 0;
  for (;;) {
    let entry = load<usize>(follower);
    if (isSpelt(entry, ++at)) at = behindSpelt(entry, at);
    else {
      at = readName(TOKENS, at);
      if (at == 0 || nameEntry == 0) return 0;
      entry = nameEntry;
      store<usize>(follower, entry);
    }
    follower = followerOf(row, entry);
    const bit: u32 = 1 << indexOf(entry);
    if ((seen & bit) != 0) return 0;
    seen |= bit;
    if (checkOf(entry) == CHECK_COUNT) {
      at = readCount(at);
      if (isLarge(lastValue)) return 0;
      store<u32>(record + (<usize>keepOf(entry) << 2), <u32>lastValue);
    } else at = readText(at, checkOf(entry), keepOf(entry));
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return 0;
  }
  return isThere(KEEP_MODEL) ? at + 1 : 0;
}
