/**
 * The record of a scanned line: a fixed number of 32-bit words, the same whichever scanner made it.
 *
 * A line is either plain, and then everything the history needs is in its record, or it wants a closer look, and then
 * only its place is. Nothing here scans.
 */

import type { Strings } from '../core/columns.js';

/*
 * Plain lines are nearly all lines of a sound log. What makes a line plain is said here, once:
 *
 *  - it is one JSON object in UTF-8, at most `DEPTH_MAX` deep, at most `MEMBERS_MAX` members in any object; no name
 *    stands twice or has escapes; no lone surrogate; no number of more than `DIGITS_MAX` whole digits; no mark in front;
 *  - its members are those of the envelope; `id`, `runId`, `t`, `kind` and `actor` are there; these and `causedBy` are
 *    strings without escapes and not empty; `id` and `causedBy` match `EVENT_ID`; `t` is an RFC 3339 time that ends in
 *    `Z`, with second 59 at most and a fraction of at most three digits, if any;
 *  - its kind is of the protocol, and neither `correction` nor `log_repaired`;
 *  - `data` is an object; its known members pass their checks (members.ts); `taskId`, `proposalId`, `planId`, `to`, `by`,
 *    `channel` and, where they count, `callId` and `role` are without escapes; `waitedMs` is at most `COUNT_MAX`;
 *  - `tokens` is an object with known members only; counts are plain digits up to `COUNT_MAX`; `model` and `callId`
 *    are strings, not empty, `callId` without escapes; `model` is there;
 *  - `counterfactual` is an object; its known members have their types, and `preventedBy` is without escapes.
 *
 * The facts of a plain line (core/facts.ts), where they are not plainly what the member says:
 *
 *  - `maybeTimeOut`: `decision` or `reason` has escapes, or is one of `TIME_OUT_WORDS` when its letters are made small;
 *  - `maybeNo`: `decision` is there and has escapes, is empty, or does not begin with one of `aAgGyY`;
 *  - `othersCall`: the kind is `model_called` and `data.role` is `approver` or `judge`;
 *  - `oddPaths`: the value of a member that names a file is empty, or begins with `/`, or holds `..` or any byte other
 *    than letters and digits of ASCII, `.`, `_`, `-` and `/`;
 *  - `claims`: `data` has a member that may say something of a backup, as said in core/facts.ts;
 *  - `digest`, `command`: for a line that has the member. `own` on `action_proposed` with a `proposalId`; on any other
 *    kind with a `proposalId`, `same` where the slot of that proposal (`ACTION_SLOTS`) holds that very proposal and the
 *    same bytes; else `look`. A proposal overwrites its slot, also when it has neither digest nor command. A command
 *    longer than `COMMAND_MAX_BYTES` is not kept, and nothing is the same as it.
 */

/** 32-bit words of one record: a multiple of two, so that times lie on whole doubles. */
export const RECORD_WORDS = 26;

/** Position of each word in a record. */
export const WORD = {
  /** Where the line begins in the scanner's input. */
  start: 0,
  /** Its length without the LF. */
  bytes: 1,
  /** 1 for a plain line, 0 for one that wants a closer look; all below is undefined then. */
  plain: 2,
  /** Index of the kind in `KINDS`. */
  kind: 3,
  /** See core/facts.ts. */
  facts: 4,
  /** Numbers in the table of ids; `cause` is 0 without `causedBy`. */
  id: 5,
  cause: 6,
  /** Numbers in the table of names; 0 where the line does not have the member. `to` is `data.to`. */
  run: 7,
  actor: 8,
  task: 9,
  proposal: 10,
  plan: 11,
  to: 12,
  /** Number of the model call in the table of calls: of `tokens.callId`, else of `data.callId` beside `tokens`; else 0. */
  call: 13,
  /** Token counts, −1 where there is none. */
  input: 14,
  output: 15,
  thinking: 16,
  cacheRead: 17,
  cacheWrite: 18,
  /**
   * For proposals, and for executions and failed actions without one: hashes of `data.actionDigest` and `data.command`, `HASH_NONE` where
   * there is none. Two that differ are hashes of different texts; equal ones prove nothing. See `identityHash`.
   */
  digestHash: 19,
  commandHash: 20,
  /** 1 + the lane of an id of our own writers (core/ids.ts: `evt_` and 13 characters), 0 for any other id. */
  lane: 21,
  /** Milliseconds since the epoch, a double in words 22 and 23. */
  time: 22,
  /** How many members of `data` name a file (`PATH_KEYS`). */
  paths: 24,
  /** Number in the table of names of `data.channel`; 0 where there is none. */
  channel: 25,
} as const;

/** The double in which the time of a record stands. */
export const TIME_DOUBLE = WORD.time / 2;

export const MEMBERS_MAX = 64;
export const DIGITS_MAX = 15;
export const COUNT_MAX = 2 ** 31 - 1;

/**
 * Memory of what proposals said: the last proposal in each of so many slots (slot = number of the name modulo this),
 * with its digest and at most so many bytes of its command. Enough to settle nearly every execution without a look.
 */
export const ACTION_SLOTS = 4096;
export const COMMAND_MAX_BYTES = 152;

/** Scans a log piece by piece. Keeps the strings of all pieces until it is reset. */
export interface LogScanner {
  readonly ids: Strings;
  readonly names: Strings;
  readonly calls: Strings;
  /** Room for bytes of the log, `INPUT_BYTES` of it. Ask again after every call: an old array may be dead. */
  input(): Uint8Array;
  /**
   * Scans the whole lines in `input[from, to)`: those that end in LF.
   * @returns how many records were made; at most `RECORDS_MAX`, so that some whole lines may be left
   */
  scan(from: number, to: number): number;
  /** Position in the input behind the last line that was scanned. */
  readonly scannedTo: number;
  /** Records of the last scan, and the same memory as doubles for the times. Ask again after every scan. */
  records(): Int32Array;
  doubles(): Float64Array;
  /** Forgets all strings and proposals: the next piece is of another log. */
  reset(): void;
}

/** A piece of the log at a time, and the longest line that is read, both whole; the rest is room to scan past the end. */
export const INPUT_BYTES = 2 * 1024 * 1024 + 512 * 1024;
export const RECORDS_MAX = 16_384;

export const HASH_NONE = 0;
/**
 * A command whose hash would say nothing, because the same text can be written otherwise: it has an escape `\\u` or
 * `\\/`; or what may be trimmed stands at an end: its first byte is a blank or less, a backslash, or not ASCII; its last
 * byte is a blank or less or not ASCII, or one of `bfnrt` behind a backslash.
 */
export const HASH_LOOK = 1;

/** Hash of a digest or command, its bytes between the quotes, four at a time, little end first; the rest filled with 0. */
export function identityHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 ^ (to - from);
  for (let at = from; at < to; at += 4) {
    let word = 0;
    for (let step = 0; step < 4 && at + step < to; step++) word |= bytes[at + step]! << (8 * step);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0 <= HASH_LOOK ? 2 : hash;
}
