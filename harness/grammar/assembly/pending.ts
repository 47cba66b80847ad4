/**
 * Ids and calls of the last few plain lines, not interned yet. A new id leads to a slot that is in no cache; the slots
 * of a batch are fetched side by side, and so the scanner waits once for all of them.
 */
import { AT_CALL, AT_CAUSE, AT_ID } from './contract';
import { PENDING } from './memory';
import { causeHash, idHash } from './spans';
import { hashOf } from './bytes';
import { CALLS, IDS, internHashed, internId, touchSlot } from './strings';

const BATCH: usize = 32;
const LINE_BYTES: usize = 48;

// A line: its record; place, length and hash of id, cause and call. Place 0 where there is none.
const ID: usize = 4;
const CAUSE: usize = 16;
const CALL: usize = 28;

let next: usize = PENDING;

/** Notes a line with its id, which has no cause and no call yet. */
@inline
export function addPending(record: usize, from: usize, length: usize): void {
  store<usize>(next, record);
  store<usize>(next, from, ID);
  store<usize>(next, length, ID + 4);
  store<u32>(next, idHash, ID + 8);
}

@inline
export function pendCause(from: usize, length: usize): void {
  store<usize>(next, from, CAUSE);
  store<usize>(next, length, CAUSE + 4);
  store<u32>(next, causeHash, CAUSE + 8);
}

@inline
export function pendCall(from: usize, length: usize): void {
  store<usize>(next, from, CALL);
  if (from == 0) return;
  store<usize>(next, length, CALL + 4);
  store<u32>(next, hashOf(from, length), CALL + 8);
}

/** The line is complete. */
export function closePending(): void {
  next += LINE_BYTES;
  if (next == PENDING + BATCH * LINE_BYTES) settlePending();
}

/** Interns what waits, line by line, so that numbers come in the order of the log. */
export function settlePending(): void {
  for (let line = PENDING; line < next; line += LINE_BYTES) {
    touchSlot(IDS, load<u32>(line, ID + 8));
    if (load<usize>(line, CALL) != 0) touchSlot(CALLS, load<u32>(line, CALL + 8));
  }
  for (let line = PENDING; line < next; line += LINE_BYTES) {
    const record = load<usize>(line);
    store<u32>(record, internId(load<usize>(line, ID), load<usize>(line, ID + 4), load<u32>(line, ID + 8)), AT_ID);
    const cause = load<usize>(line, CAUSE);
    const causeNumber =
      cause == 0 ? 0 : internId(cause, load<usize>(line, CAUSE + 4), load<u32>(line, CAUSE + 8));
    store<u32>(record, causeNumber, AT_CAUSE);
    const call = load<usize>(line, CALL);
    const callNumber =
      call == 0 ? 0 : internHashed(CALLS, call, load<usize>(line, CALL + 4), load<u32>(line, CALL + 8));
    store<u32>(record, callNumber, AT_CALL);
  }
  next = PENDING;
}
