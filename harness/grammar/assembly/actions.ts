/**
 * What actions say of themselves: whether an execution says what its proposal said, as far as the last proposals are
 * remembered, and hashes of digest and command for everybody else. See record.ts.
 */
import {
  ACTION_SLOTS,
  AT_COMMAND_HASH,
  AT_DIGEST_HASH,
  AT_PROPOSAL,
  COMMAND_MAX_BYTES,
  HASH_LOOK,
  HASH_NONE,
  KEEP_COMMAND,
  KEEP_DIGEST,
  KIND_ACTION_EXECUTED,
  KIND_ACTION_FAILED,
  KIND_ACTION_PROPOSED,
  SAMENESS_LOOK,
  SAMENESS_OWN,
  SAMENESS_SAME,
  SHIFT_COMMAND,
  SHIFT_DIGEST,
} from './contract';
import { ACTIONS, ACTION_BYTES } from './memory';
import { addFacts, isEscaped, isThere, spanFrom, spanTo } from './spans';
import { isSame, lowBytes } from './bytes';

// A slot: number of the proposal, lengths of digest and command, and their bytes.
const DIGEST_LENGTH: usize = 4;
const COMMAND_LENGTH: usize = 8;
const DIGEST_BYTES: usize = 16;
const COMMAND_BYTES: usize = 96;
const BACKSLASH: u32 = 0x5c;
/** The length of a text that is not there, or not kept. */
const NOT_KEPT: u32 = 0xffff_ffff;

export function resetActions(): void {
  memory.fill(ACTIONS, 0, ACTION_SLOTS * ACTION_BYTES);
}

/** Facts and hashes of an action; `kind` and the proposal's number are known. */
export function settleAction(record: usize, kind: u32): void {
  const proposal = load<u32>(record, AT_PROPOSAL);
  const slot = ACTIONS + (proposal & (ACTION_SLOTS - 1)) * ACTION_BYTES;
  if (kind == KIND_ACTION_PROPOSED && proposal != 0) propose(slot, proposal);
  else {
    const isKnown = proposal != 0 && load<u32>(slot) == proposal;
    if (isThere(KEEP_DIGEST)) {
      const isOld = isKnown && isKept(KEEP_DIGEST, slot + DIGEST_LENGTH, slot + DIGEST_BYTES);
      addFacts((isOld ? SAMENESS_SAME : SAMENESS_LOOK) << SHIFT_DIGEST);
    }
    if (isThere(KEEP_COMMAND)) {
      const isOld = isKnown && isKept(KEEP_COMMAND, slot + COMMAND_LENGTH, slot + COMMAND_BYTES);
      addFacts((isOld ? SAMENESS_SAME : SAMENESS_LOOK) << SHIFT_COMMAND);
    }
  }
  // What is done about a proposal is no action of its own.
  const isDone = kind == KIND_ACTION_EXECUTED || kind == KIND_ACTION_FAILED;
  const isHashed = kind == KIND_ACTION_PROPOSED || (isDone && proposal == 0);
  store<u32>(record, isHashed ? hashOf(KEEP_DIGEST) : HASH_NONE, AT_DIGEST_HASH);
  store<u32>(record, isHashed ? hashOf(KEEP_COMMAND) : HASH_NONE, AT_COMMAND_HASH);
}

/** A proposal overwrites its slot, also with nothing. */
function propose(slot: usize, proposal: u32): void {
  store<u32>(slot, proposal);
  if (isThere(KEEP_DIGEST)) addFacts(SAMENESS_OWN << SHIFT_DIGEST);
  if (isThere(KEEP_COMMAND)) addFacts(SAMENESS_OWN << SHIFT_COMMAND);
  keepText(KEEP_DIGEST, slot + DIGEST_LENGTH, slot + DIGEST_BYTES);
  keepText(KEEP_COMMAND, slot + COMMAND_LENGTH, slot + COMMAND_BYTES);
}

function keepText(keep: u32, lengthAt: usize, bytesAt: usize): void {
  const length = isThere(keep) ? spanTo(keep) - spanFrom(keep) : NOT_KEPT;
  if (length > COMMAND_MAX_BYTES) {
    store<u32>(lengthAt, NOT_KEPT);
    return;
  }
  store<u32>(lengthAt, length);
  memory.copy(bytesAt, spanFrom(keep), length);
}

function isKept(keep: u32, lengthAt: usize, bytesAt: usize): bool {
  const length = spanTo(keep) - spanFrom(keep);
  return load<u32>(lengthAt) == length && isSame(bytesAt, spanFrom(keep), length);
}

/** `identityHash` of a text, unless its hash says nothing. */
function hashOf(keep: u32): u32 {
  if (!isThere(keep)) return HASH_NONE;
  const from = spanFrom(keep);
  const to = spanTo(keep);
  if (to > from && isAmbiguous(keep, from, to)) return HASH_LOOK;
  let hash: u32 = 0x811c9dc5 ^ <u32>(to - from);
  for (let at = from; at < to; at += 4) {
    const word = load<u32>(at) & <u32>lowBytes(to - at);
    hash = (hash ^ word) * 0x9e3779b1;
    hash ^= hash >> 15;
  }
  return hash <= HASH_LOOK ? 2 : hash;
}

/** Whether the same text may be written otherwise, or may lose something at its ends: see `HASH_LOOK` in record.ts. */
function isAmbiguous(keep: u32, from: usize, to: usize): bool {
  if (isTrimmed(load<u8>(from)) || isTrimmed(load<u8>(to - 1))) return true;
  if (!isEscaped(keep)) return false;
  if (load<u8>(from) == BACKSLASH) return true;
  if (load<u8>(to - 2) == BACKSLASH && isBlankEscape(load<u8>(to - 1))) return true;
  for (let at = from; at < to; at++) {
    if (load<u8>(at) != BACKSLASH) continue;
    const letter = load<u8>(++at);
    if (letter == 0x75 || letter == 0x2f) return true;
  }
  return false;
}

/** `b`, `f`, `n`, `r` or `t`. */
@inline
function isBlankEscape(letter: u32): bool {
  return letter == 0x62 || letter == 0x66 || letter == 0x6e || letter == 0x72 || letter == 0x74;
}

@inline
function isTrimmed(byte: u32): bool {
  return byte == 0x20 || byte >= 0x80;
}
