/**
 * The envelope of a line: its members, each once, and their values. Strict in everything: what is not exactly as
 * record.ts says makes the line one that wants a closer look.
 */
import {
  AT_CACHE_WRITE,
  AT_INPUT,
  AT_TIME,
  CHECK_TEXT,
  KEEP_ACTOR,
  KEEP_CAUSE,
  KEEP_ID,
  KEEP_RUN,
  MEMBER_ACTOR,
  MEMBER_CAUSED_BY,
  MEMBER_COUNTERFACTUAL,
  MEMBER_DATA,
  MEMBER_ID,
  MEMBER_KIND,
  MEMBER_RUN_ID,
  MEMBER_T,
  MEMBER_TOKENS,
} from './contract';
import { readText } from './checks';
import { readCounterfactual, readData, readTokens } from './data';
import { QUOTE, nameEnd, skipSpace } from './json';
import {
  AT_BEGIN,
  ENVELOPE,
  KINDS,
  ROW_ENVELOPE,
  behindSpelt,
  findName,
  followerOf,
  followersOf,
  forgetNames,
  indexOf,
  isSpelt,
  nameEntry,
  readName,
} from './members';
import { settle } from './settle';
import { clearSpans, isEscaped, keepId } from './spans';
import { hashOf } from './bytes';
import { readTime, timeMs } from './time';

const LF: u32 = 0x0a;
/** `evt_` */
const ID_START: u32 = 0x5f747665;
const NEEDED: u32 =
  (1 << MEMBER_ID) | (1 << MEMBER_RUN_ID) | (1 << MEMBER_T) | (1 << MEMBER_KIND) | (1 << MEMBER_ACTOR);

let kind: u32 = 0;

/**
 * Reads the line that begins at `at` into a record.
 * @returns place of its line feed, or 0 where the line is not plain or not whole before `end`
 */
export function readLine(at: usize, end: usize, record: usize): usize {
  clearSpans();
  forgetNames();
  v128.store(record, i8x16.splat(-1), AT_INPUT);
  store<i32>(record, -1, AT_CACHE_WRITE);
  at = skipSpace(at);
  if (load<u8>(at) != 0x7b) return 0;
  const row = followersOf(ROW_ENVELOPE);
  let follower = row + AT_BEGIN;
  let seen: u32 = 0;
  for (;;) {
    let entry = load<usize>(follower);
    if (isSpelt(entry, ++at)) at = behindSpelt(entry, at);
    else {
      at = readName(ENVELOPE, at);
      if (at == 0 || nameEntry == 0) return 0;
      entry = nameEntry;
      store<usize>(follower, entry);
    }
    follower = followerOf(row, entry);
    const member = indexOf(entry);
    const bit: u32 = 1 << member;
    if ((seen & bit) != 0) return 0;
    seen |= bit;
    at = readMember(member, at, record);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return 0;
  }
  at = skipSpace(at + 1);
  if (load<u8>(at) != LF || at >= end || (seen & NEEDED) != NEEDED) return 0;
  return settle(record, kind) ? at : 0;
}

@inline
function readMember(member: u32, at: usize, record: usize): usize {
  switch (member) {
    case MEMBER_ID:
      return readId(at, KEEP_ID);
    case MEMBER_RUN_ID:
      return readPlainText(at, KEEP_RUN);
    case MEMBER_T: {
      if (load<u8>(at) != QUOTE) return 0;
      at = readTime(at + 1);
      store<f64>(record, timeMs, AT_TIME);
      return at == 0 ? 0 : at + 1;
    }
    case MEMBER_KIND:
      return readKind(at);
    case MEMBER_ACTOR:
      return readPlainText(at, KEEP_ACTOR);
    case MEMBER_DATA:
      return readData(at, kind);
    case MEMBER_CAUSED_BY:
      return readId(at, KEEP_CAUSE);
    case MEMBER_COUNTERFACTUAL:
      return readCounterfactual(at);
    case MEMBER_TOKENS:
      return readTokens(at, record);
    default:
      return 0;
  }
}

/** A text that is not empty and has no escapes. */
function readPlainText(at: usize, keep: u32): usize {
  at = readText(at, CHECK_TEXT, keep);
  return isEscaped(keep) ? 0 : at;
}

function readKind(at: usize): usize {
  if (load<u8>(at) != QUOTE) return 0;
  const end = nameEnd(at + 1);
  if (end == 0) return 0;
  const entry = findName(KINDS, at + 1, end - at - 1);
  if (entry == 0) return 0;
  kind = indexOf(entry);
  return end + 1;
}

/** An id: `evt_` and at least one letter, digit, hyphen or low line. */
function readId(at: usize, keep: u32): usize {
  if (load<u8>(at) != QUOTE || load<u32>(at + 1) != ID_START) return 0;
  const from = at + 1;
  at += 5;
  let inside = idBytes(at);
  while (inside == 0xffff) {
    at += 16;
    inside = idBytes(at);
  }
  at += ctz<i32>(~inside);
  if (load<u8>(at) != QUOTE || at == from + 4) return 0;
  const hash = hashOf(from, at - from);
  keepId(keep, from, at, hash);
  return at + 1;
}

/** Bits of the bytes that an id may have. */
@inline
function idBytes(at: usize): i32 {
  const bytes = v128.load(at);
  const small = v128.or(bytes, i8x16.splat(0x20));
  const letters = i8x16.lt_u(i8x16.sub(small, i8x16.splat(0x61)), i8x16.splat(26));
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
  const others = v128.or(i8x16.eq(bytes, i8x16.splat(0x2d)), i8x16.eq(bytes, i8x16.splat(0x5f)));
  return i8x16.bitmask(v128.or(v128.or(letters, digits), others));
}
