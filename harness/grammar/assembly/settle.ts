/**
 * The end of a line: what its members say together, and then, the line being plain, numbers for its strings. In the
 * order of the record's words, so that every scanner gives the same numbers.
 */
import {
  AT_ACTOR,
  AT_CHANNEL,
  AT_FACTS,
  AT_KIND,
  AT_LANE,
  AT_PATHS,
  AT_PLAN,
  AT_PROPOSAL,
  AT_RUN,
  AT_TASK,
  AT_TO,
  BY_OTHER,
  FLAG_MAYBE_NO,
  FLAG_MAYBE_TIME_OUT,
  FLAG_OTHERS_CALL,
  FLAG_TOKENS,
  KEEP_ACTOR,
  KEEP_BY,
  KEEP_CALL,
  KEEP_CAUSE,
  KEEP_CHANNEL,
  KEEP_DATA_CALL,
  KEEP_DECISION,
  KEEP_ID,
  KEEP_PLAN,
  KEEP_PREVENTED_BY,
  KEEP_PROPOSAL,
  KEEP_REASON,
  KEEP_ROLE,
  KEEP_RUN,
  KEEP_TASK,
  KEEP_TO,
  KIND_MODEL_CALLED,
  SHIFT_BY,
  SHIFT_PREVENTED_BY,
} from './contract';
import { settleAction } from './actions';
import { BY, OTHERS_ROLES, PREVENTED_BY, TIME_OUTS, findName, indexOf } from './members';
import { SMALL } from './memory';
import { addPending, closePending, pendCall, pendCause } from './pending';
import { addFacts, escaped, facts, paths, isEscaped, isThere, spanFrom, spanTo } from './spans';
import { isSame } from './bytes';
import { NAMES, internName, lengthOf, textOf } from './strings';

/** Texts that are known by their bytes, which escapes would make ambiguous. */
const BY_BYTES: u32 =
  (1 << KEEP_TASK) |
  (1 << KEEP_PROPOSAL) |
  (1 << KEEP_PLAN) |
  (1 << KEEP_TO) |
  (1 << KEEP_BY) |
  (1 << KEEP_CHANNEL) |
  (1 << KEEP_CALL) |
  (1 << KEEP_PREVENTED_BY);

/** `evt_` and 13 characters. */
const OWN_ID_BYTES: usize = 17;
const OWN_ID_BITS = 0x1fff;

/** The run of the line before, which is the same nearly always: its number and its bytes. */
let lastRun: u32 = 0;
let lastRunAt: usize = 0;
let lastRunLength: usize = 0;

export function resetSettled(): void {
  lastRun = 0;
}

/** Completes the record of a line that was read. False where it is not plain; nothing is interned then. */
export function settle(record: usize, kind: u32): bool {
  if ((escaped & BY_BYTES) != 0) return false;
  const isCall = kind == KIND_MODEL_CALLED;
  if (isCall && isEscaped(KEEP_ROLE)) return false;
  let call: u32 = 0;
  if ((facts & FLAG_TOKENS) != 0) {
    if (isEscaped(KEEP_DATA_CALL)) return false;
    call = isThere(KEEP_CALL) ? KEEP_CALL : isThere(KEEP_DATA_CALL) ? KEEP_DATA_CALL : 0;
  }
  if (isThere(KEEP_PREVENTED_BY)) {
    const entry = known(PREVENTED_BY, KEEP_PREVENTED_BY);
    if (entry == 0) return false;
    addFacts((indexOf(entry) + 1) << SHIFT_PREVENTED_BY);
  }
  if (isCall && isThere(KEEP_ROLE) && known(OTHERS_ROLES, KEEP_ROLE) != 0) addFacts(FLAG_OTHERS_CALL);
  settleDecision();
  settleNames(record);
  pendCall(call == 0 ? 0 : spanFrom(call), call == 0 ? 0 : spanTo(call) - spanFrom(call));
  closePending();
  settleAction(record, kind);
  store<u32>(record, kind, AT_KIND);
  store<u32>(record, facts, AT_FACTS);
  store<u32>(record, paths, AT_PATHS);
  return true;
}

function known(table: usize, keep: u32): usize {
  return findName(table, spanFrom(keep), spanTo(keep) - spanFrom(keep));
}

function settleDecision(): void {
  if (isThere(KEEP_BY)) {
    const entry = known(BY, KEEP_BY);
    addFacts((entry == 0 ? BY_OTHER : indexOf(entry) + 1) << SHIFT_BY);
  }
  if (isThere(KEEP_DECISION)) {
    if (mayBeNo()) addFacts(FLAG_MAYBE_NO);
    if (mayBeTimeOut(KEEP_DECISION)) addFacts(FLAG_MAYBE_TIME_OUT);
  }
  if (isThere(KEEP_REASON) && mayBeTimeOut(KEEP_REASON)) addFacts(FLAG_MAYBE_TIME_OUT);
}

/** Whether a decision does not begin like approve, grant or yes. */
function mayBeNo(): bool {
  const from = spanFrom(KEEP_DECISION);
  if (isEscaped(KEEP_DECISION) || spanTo(KEEP_DECISION) == from) return true;
  const letter = <u32>load<u8>(from) | 0x20;
  return letter != 0x61 && letter != 0x67 && letter != 0x79;
}

function mayBeTimeOut(keep: u32): bool {
  if (isEscaped(keep)) return true;
  const from = spanFrom(keep);
  const length = spanTo(keep) - from;
  if (length == 0 || length > 16) return false;
  const bytes = v128.load(from);
  const isCapital = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x41)), i8x16.splat(26));
  v128.store(SMALL, v128.or(bytes, v128.and(isCapital, i8x16.splat(0x20))));
  return findName(TIME_OUTS, SMALL, length) != 0;
}

function settleNames(record: usize): void {
  const id = spanFrom(KEEP_ID);
  const length = spanTo(KEEP_ID) - id;
  addPending(record, id, length);
  store<u32>(record, length == OWN_ID_BYTES ? laneOf(id) : 0, AT_LANE);
  const cause = isThere(KEEP_CAUSE) ? spanFrom(KEEP_CAUSE) : 0;
  pendCause(cause, spanTo(KEEP_CAUSE) - cause);
  store<u32>(record, settleRun(), AT_RUN);
  store<u32>(record, nameOf(KEEP_ACTOR), AT_ACTOR);
  store<u32>(record, nameOf(KEEP_TASK), AT_TASK);
  store<u32>(record, nameOf(KEEP_PROPOSAL), AT_PROPOSAL);
  store<u32>(record, nameOf(KEEP_PLAN), AT_PLAN);
  store<u32>(record, nameOf(KEEP_TO), AT_TO);
  store<u32>(record, nameOf(KEEP_CHANNEL), AT_CHANNEL);
}

/** 1 + the lane in an id of our own length, or 0 where its characters are not our own: see core/ids.ts. */
function laneOf(id: usize): u32 {
  const bytes = v128.load(id + 4);
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
  const letters = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x61)), i8x16.splat(26));
  const one = v128.or(i8x16.eq(bytes, i8x16.splat(0x69)), i8x16.eq(bytes, i8x16.splat(0x6c)));
  const other = v128.or(i8x16.eq(bytes, i8x16.splat(0x6f)), i8x16.eq(bytes, i8x16.splat(0x75)));
  const own = v128.andnot(v128.or(digits, letters), v128.or(one, other));
  if ((i8x16.bitmask(own) & OWN_ID_BITS) != OWN_ID_BITS) return 0;
  return 1 + ((base32(load<u8>(id + 13)) << 5) | base32(load<u8>(id + 14)));
}

/** Value of a character of Crockford's base 32, which has no i, l, o and u. */
@inline
function base32(byte: u32): u32 {
  if (byte < 0x61) return byte - 0x30;
  const left = <u32>(byte > 0x69) + <u32>(byte > 0x6c) + <u32>(byte > 0x6f) + <u32>(byte > 0x75);
  return byte - 0x61 + 10 - left;
}

@inline
function nameOf(keep: u32): u32 {
  return isThere(keep) ? internName(spanFrom(keep), spanTo(keep) - spanFrom(keep)) : 0;
}

@inline
function isLast(keep: u32, at: usize, length: usize): bool {
  const from = spanFrom(keep);
  return spanTo(keep) - from == length && isSame(at, from, length);
}

function settleRun(): u32 {
  if (lastRun != 0 && isLast(KEEP_RUN, lastRunAt, lastRunLength)) return lastRun;
  lastRun = nameOf(KEEP_RUN);
  lastRunAt = textOf(NAMES, lastRun);
  lastRunLength = lengthOf(NAMES, lastRun);
  return lastRun;
}
