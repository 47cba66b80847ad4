/**
 * What a scanner of log lines is: one pass over one line, full JSON grammar, no strings made.
 *
 * It finds where the envelope's members and the known members of `data` stand, and names what is wrong with the
 * line. It judges bytes only: UTF-8 and length are the reader's business, meaning is the oracle's.
 * The one written in TypeScript is plain-scanner.ts; a faster one gives identical results.
 */

/** What makes a line unusable as a record. */
export type ScanFault = 'invalid-json' | 'not-an-object' | 'too-deep' | 'duplicate-key';

/** Index of each envelope member in the span arrays, in the order of `ENVELOPE_KEYS`. */
export const MEMBER = {
  id: 0,
  runId: 1,
  t: 2,
  kind: 3,
  actor: 4,
  data: 5,
  causedBy: 6,
  counterfactual: 7,
  tokens: 8,
} as const;

/** Result of scanning one line; the same object is filled again by the next scan. Spans are byte positions in the scanned array. */
export interface LineScan {
  fault: ScanFault | undefined;
  faultAt: number;
  /** Position of the first lone surrogate escape and of the first integer beyond ±(2^53−1); −1 where there is none. */
  loneSurrogateAt: number;
  unsafeIntegerAt: number;
  /** A member name is written with escapes, or an object has very many members: `repeatedName` must look for repeats. */
  needsNameCheck: boolean;
  /** The cheap type checks do not settle whether members fit the event schema. */
  needsSchema: boolean;
  /** A number has more than `DIGITS_MAX` digits before its point. */
  hasLongNumber: boolean;
  /** Value spans by `MEMBER`, strings with their quotes; start −1 where absent. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** The same for `DATA_MEMBERS`. */
  readonly dataStart: Int32Array;
  readonly dataEnd: Int32Array;
  /** The same for `TOKEN_MEMBERS` and `COUNTERFACTUAL_MEMBERS`. */
  readonly tokenStart: Int32Array;
  readonly tokenEnd: Int32Array;
  readonly blockStart: Int32Array;
  readonly blockEnd: Int32Array;
}

export interface LineScanner {
  /** Scans `bytes[from, to)`, a line without its LF. Never throws, never reads outside the range. */
  scan(bytes: Uint8Array, from: number, to: number): LineScan;
}
