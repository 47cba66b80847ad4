/**
 * The plain byte scanner: one pass over one log line, full JSON grammar, no strings made.
 *
 * It finds where the envelope's members and a few members of `data` stand, and names what is wrong with the
 * line. It judges bytes only: UTF-8 and length are the reader's business, meaning is the oracle's.
 * `LineScanner` is the interface a faster scanner implements with identical results.
 */
import { DEPTH_MAX, ENVELOPE_KEYS } from '../core/event.js';
import { DATA_MEMBERS, DATA_MEMBER_CHECK, type MemberCheck } from './members.js';

/** What makes a line unusable as a record. */
export type ScanFault = 'invalid-json' | 'not-an-object' | 'too-deep' | 'duplicate-key';

/** Index of each envelope member in the span arrays. */
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
  /** A member name is written with escapes, or an object has very many members: decide by a full parse. */
  needsFullParse: boolean;
  /** The cheap type checks do not settle whether the line fits the event schema. */
  needsSchema: boolean;
  /** Value spans by `MEMBER`, strings with their quotes; start −1 where absent. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** The same for `DATA_MEMBERS`. */
  readonly dataStart: Int32Array;
  readonly dataEnd: Int32Array;
}

export interface LineScanner {
  /** Scans `bytes[from, to)`, a line without its LF. Never throws, never reads outside the range. */
  scan(bytes: Uint8Array, from: number, to: number): LineScan;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MANY_MEMBERS = 64;

/** 1 where a string byte needs a closer look: quote, backslash, control characters. */
const STRING_STOP = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) STRING_STOP[byte] = 1;
STRING_STOP[QUOTE] = 1;
STRING_STOP[BACKSLASH] = 1;

const HEX = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

const SIMPLE_ESCAPE = new Uint8Array(256);
for (const character of '"\\/bfnrt') SIMPLE_ESCAPE[character.charCodeAt(0)] = 1;

const utf8 = new TextEncoder();
const ENVELOPE_NAMES = ENVELOPE_KEYS.map((name) => utf8.encode(name));
const DATA_NAMES = DATA_MEMBERS.map((name) => utf8.encode(name));

/** Creates the scanner written in TypeScript. */
export function plainScanner(): LineScanner {
  return new PlainScanner();
}

/** Signals a fault out of the recursive descent; caught in `scan` and nowhere else. */
class Stop extends Error {
  constructor(readonly fault: ScanFault) {
    super(fault);
  }
}

class PlainScanner implements LineScanner {
  private bytes: Uint8Array = new Uint8Array(0);
  private to = 0;
  private at = 0;
  /** Names of the objects that are open: start, end and a cheap hash, one stack for all depths. */
  private readonly nameStart: number[] = [];
  private readonly nameEnd: number[] = [];
  private readonly nameHash: number[] = [];
  private nameCount = 0;
  /** The value being read is that of the envelope's `data`. */
  private inData = false;
  private stringHash = 0;
  private stringHasEscape = false;

  private readonly result: LineScan = {
    fault: undefined,
    faultAt: 0,
    loneSurrogateAt: -1,
    unsafeIntegerAt: -1,
    needsFullParse: false,
    needsSchema: false,
    start: new Int32Array(ENVELOPE_KEYS.length),
    end: new Int32Array(ENVELOPE_KEYS.length),
    dataStart: new Int32Array(DATA_MEMBERS.length),
    dataEnd: new Int32Array(DATA_MEMBERS.length),
  };

  scan(bytes: Uint8Array, from: number, to: number): LineScan {
    const result = this.result;
    this.bytes = bytes;
    this.to = to;
    this.at = from;
    this.nameCount = 0;
    result.fault = undefined;
    result.faultAt = from;
    result.loneSurrogateAt = -1;
    result.unsafeIntegerAt = -1;
    result.needsFullParse = false;
    result.needsSchema = false;
    result.start.fill(-1);
    result.dataStart.fill(-1);
    try {
      this.line();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      result.fault = error.fault;
      result.faultAt = this.at;
    }
    return result;
  }

  private line(): void {
    this.skipSpace();
    const isObject = this.peek() === 0x7b;
    this.value(0);
    this.skipSpace();
    if (this.at < this.to) throw new Stop('invalid-json');
    if (!isObject) throw new Stop('not-an-object');
  }

  private peek(): number {
    return this.at < this.to ? (this.bytes[this.at] as number) : -1;
  }

  private skipSpace(): void {
    let byte = this.peek();
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) {
      this.at++;
      byte = this.peek();
    }
  }

  private value(depth: number): void {
    const byte = this.peek();
    if (byte === QUOTE) this.string();
    else if (byte === 0x7b) this.object(depth + 1);
    else if (byte === 0x5b) this.array(depth + 1);
    else if (byte === 0x74) this.word(4, 0x72, 0x75, 0x65);
    else if (byte === 0x66) this.word(5, 0x61, 0x6c, 0x73, 0x65);
    else if (byte === 0x6e) this.word(4, 0x75, 0x6c, 0x6c);
    else this.number();
  }

  private word(length: number, ...rest: number[]): void {
    for (let index = 1; index < length; index++) {
      if (this.at + index >= this.to || this.bytes[this.at + index] !== rest[index - 1])
        throw new Stop('invalid-json');
    }
    this.at += length;
  }

  private digits(): void {
    const from = this.at;
    let byte = this.peek();
    while (byte >= 0x30 && byte <= 0x39) {
      this.at++;
      byte = this.peek();
    }
    if (this.at === from) throw new Stop('invalid-json');
  }

  private number(): void {
    const from = this.at;
    if (this.peek() === 0x2d) this.at++;
    const leading = this.at;
    this.digits();
    if (this.bytes[leading] === 0x30 && this.at - leading > 1) {
      this.at = leading;
      throw new Stop('invalid-json');
    }
    const integerDigits = this.at - leading;
    let isInteger = true;
    if (this.peek() === 0x2e) {
      isInteger = false;
      this.at++;
      this.digits();
    }
    if (this.peek() === 0x65 || this.peek() === 0x45) {
      isInteger = false;
      this.at++;
      if (this.peek() === 0x2b || this.peek() === 0x2d) this.at++;
      this.digits();
    }
    if (isInteger && integerDigits >= 16 && this.result.unsafeIntegerAt < 0) {
      const text = String.fromCharCode(...this.bytes.subarray(leading, Math.min(this.at, leading + 20)));
      if (integerDigits > 16 || !Number.isSafeInteger(Number(text))) this.result.unsafeIntegerAt = from;
    }
  }

  /** Reads a string and leaves its hash and whether it has escapes. */
  private string(): void {
    const { bytes, to } = this;
    let at = this.at + 1;
    let hash = 0;
    this.stringHasEscape = false;
    for (;;) {
      while (at < to && STRING_STOP[bytes[at] as number] === 0) {
        hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
        at++;
      }
      if (at >= to || bytes[at] !== BACKSLASH) break;
      this.stringHasEscape = true;
      at = this.escape(at);
    }
    this.at = at;
    if (at >= to || bytes[at] !== QUOTE) throw new Stop('invalid-json');
    this.at = at + 1;
    this.stringHash = hash;
  }

  /** Checks one escape at `at` (its backslash) and returns the position behind it; a surrogate pair is one. */
  private escape(at: number): number {
    const next = at + 1 < this.to ? (this.bytes[at + 1] as number) : -1;
    if (next >= 0 && SIMPLE_ESCAPE[next] === 1) return at + 2;
    const unit = this.codeUnit(at);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      if (this.bytes[at + 6] === BACKSLASH && at + 7 < this.to && this.bytes[at + 7] === 0x75) {
        const low = this.codeUnit(at + 6);
        if (low >= 0xdc00 && low <= 0xdfff) return at + 12;
      }
      this.loneSurrogate(at);
    } else if (unit >= 0xdc00 && unit <= 0xdfff) this.loneSurrogate(at);
    return at + 6;
  }

  private loneSurrogate(at: number): void {
    if (this.result.loneSurrogateAt < 0) this.result.loneSurrogateAt = at;
  }

  /** Value of the `\uXXXX` escape at `at`. */
  private codeUnit(at: number): number {
    let unit = 0;
    const isEscape = at + 6 <= this.to && this.bytes[at + 1] === 0x75;
    for (let index = 2; index < 6; index++) {
      const digit = isEscape ? (HEX[this.bytes[at + index] as number] as number) : -1;
      if (digit < 0) {
        this.at = at;
        throw new Stop('invalid-json');
      }
      unit = unit * 16 + digit;
    }
    return unit;
  }

  private array(depth: number): void {
    if (depth > DEPTH_MAX) throw new Stop('too-deep');
    this.at++;
    this.skipSpace();
    if (this.peek() === 0x5d) {
      this.at++;
      return;
    }
    for (;;) {
      this.skipSpace();
      this.value(depth);
      this.skipSpace();
      const byte = this.peek();
      if (byte !== 0x2c && byte !== 0x5d) throw new Stop('invalid-json');
      this.at++;
      if (byte === 0x5d) return;
    }
  }

  private object(depth: number): void {
    if (depth > DEPTH_MAX) throw new Stop('too-deep');
    this.at++;
    this.skipSpace();
    if (this.peek() === 0x7d) {
      this.at++;
      return;
    }
    const base = this.nameCount;
    for (;;) {
      this.skipSpace();
      if (this.peek() !== QUOTE) throw new Stop('invalid-json');
      const nameFrom = this.at + 1;
      this.string();
      const nameTo = this.at - 1;
      if (this.stringHasEscape) this.result.needsFullParse = true;
      else this.remember(base, nameFrom, nameTo);
      this.skipSpace();
      if (this.peek() !== 0x3a) throw new Stop('invalid-json');
      this.at++;
      this.skipSpace();
      const valueFrom = this.at;
      const member = depth === 1 ? this.enterMember(nameFrom, nameTo) : -1;
      this.value(depth);
      if (depth === 1) this.placeMember(member, valueFrom);
      else if (depth === 2 && this.inData) this.placeDataMember(nameFrom, nameTo, valueFrom);
      this.skipSpace();
      const byte = this.peek();
      if (byte !== 0x2c && byte !== 0x7d) throw new Stop('invalid-json');
      this.at++;
      if (byte === 0x7d) break;
    }
    this.nameCount = base;
  }

  /** Refuses a name the open object already has. Very wide objects are left to the full parse. */
  private remember(base: number, from: number, to: number): void {
    const hash = this.stringHash;
    if (this.nameCount - base >= MANY_MEMBERS) {
      this.result.needsFullParse = true;
      return;
    }
    for (let index = base; index < this.nameCount; index++) {
      if (this.nameHash[index] === hash && this.sameName(index, from, to)) {
        this.at = from;
        throw new Stop('duplicate-key');
      }
    }
    this.nameStart[this.nameCount] = from;
    this.nameEnd[this.nameCount] = to;
    this.nameHash[this.nameCount] = hash;
    this.nameCount++;
  }

  private sameName(index: number, from: number, to: number): boolean {
    const other = this.nameStart[index] as number;
    if ((this.nameEnd[index] as number) - other !== to - from) return false;
    for (let step = 0; step < to - from; step++) {
      if (this.bytes[other + step] !== this.bytes[from + step]) return false;
    }
    return true;
  }

  /** Which envelope member the name at depth 1 is; an unknown one is for the schema to refuse. */
  private enterMember(nameFrom: number, nameTo: number): number {
    const member = find(ENVELOPE_NAMES, this.bytes, nameFrom, nameTo);
    if (member < 0) this.result.needsSchema = true;
    this.inData = member === MEMBER.data;
    return member;
  }

  private placeMember(member: number, valueFrom: number): void {
    if (member < 0) return;
    this.result.start[member] = valueFrom;
    this.result.end[member] = this.at;
  }

  /** Notes where a known member of `data` has its value, and whether its type is plainly right. */
  private placeDataMember(nameFrom: number, nameTo: number, valueFrom: number): void {
    const member = find(DATA_NAMES, this.bytes, nameFrom, nameTo);
    if (member < 0) return;
    this.result.dataStart[member] = valueFrom;
    this.result.dataEnd[member] = this.at;
    if (!fits(DATA_MEMBER_CHECK[member] as MemberCheck, this.bytes, valueFrom, this.at))
      this.result.needsSchema = true;
  }
}

function find(names: readonly Uint8Array[], bytes: Uint8Array, from: number, to: number): number {
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as Uint8Array;
    if (name.length !== to - from) continue;
    let step = 0;
    while (step < name.length && name[step] === bytes[from + step]) step++;
    if (step === name.length) return index;
  }
  return -1;
}

function fits(check: MemberCheck, bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from];
  switch (check) {
    case 'text':
      return first === QUOTE && to - from > 2;
    case 'string':
      return first === QUOTE;
    case 'tier':
      return first === QUOTE && to - from === 4 && bytes[from + 1] === 0x54 && isTierDigit(bytes[from + 2]);
    case 'boolean':
      return first === 0x74 || first === 0x66;
    case 'schema':
      return false;
  }
}

function isTierDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x34;
}
