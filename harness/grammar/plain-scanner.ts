/**
 * The line scanner written in TypeScript: recursive descent over bytes, which is safe because it stops at
 * `DEPTH_MAX` levels. It makes no string on the way of a plain line; a name written with escapes is decoded.
 */
import { DEPTH_MAX, ENVELOPE_KEYS } from '../core/event.js';
import { Lexer, QUOTE, Stop } from './lexer.js';
import {
  COUNTERFACTUAL_MEMBER_CHECK,
  COUNTERFACTUAL_MEMBERS,
  DATA_MEMBER_CHECK,
  DATA_MEMBERS,
  fits,
  NameTable,
  TOKEN_MEMBER_CHECK,
  TOKEN_MEMBERS,
  type MemberCheck,
} from './members.js';
import { MEMBERS_MAX } from './record.js';
import { MEMBER, type LineScan, type LineScanner } from './scan.js';

const ENVELOPE_NAMES = new NameTable(ENVELOPE_KEYS);
const DATA_NAMES = new NameTable(DATA_MEMBERS);
const TOKEN_NAMES = new NameTable(TOKEN_MEMBERS);
const COUNTERFACTUAL_NAMES = new NameTable(COUNTERFACTUAL_MEMBERS);
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Creates the scanner written in TypeScript. */
export function plainScanner(): LineScanner {
  return new PlainScanner();
}

class PlainScanner extends Lexer implements LineScanner {
  /** Names of the objects that are open: start, end and hash, one stack for all depths. */
  private readonly nameStart: number[] = [];
  private readonly nameEnd: number[] = [];
  private readonly nameHash: number[] = [];
  private nameCount = 0;
  /** The object of the envelope whose value is being read, where its members are known. */
  private inside: Inside | undefined;

  private readonly result: LineScan = {
    fault: undefined,
    faultAt: 0,
    loneSurrogateAt: -1,
    unsafeIntegerAt: -1,
    needsNameCheck: false,
    needsSchema: false,
    hasLongNumber: false,
    start: new Int32Array(ENVELOPE_KEYS.length),
    end: new Int32Array(ENVELOPE_KEYS.length),
    dataStart: new Int32Array(DATA_MEMBERS.length),
    dataEnd: new Int32Array(DATA_MEMBERS.length),
    tokenStart: new Int32Array(TOKEN_MEMBERS.length),
    tokenEnd: new Int32Array(TOKEN_MEMBERS.length),
    blockStart: new Int32Array(COUNTERFACTUAL_MEMBERS.length),
    blockEnd: new Int32Array(COUNTERFACTUAL_MEMBERS.length),
  };
  private readonly data: Inside = {
    names: DATA_NAMES,
    checks: DATA_MEMBER_CHECK,
    start: this.result.dataStart,
    end: this.result.dataEnd,
  };
  private readonly tokens: Inside = {
    names: TOKEN_NAMES,
    checks: TOKEN_MEMBER_CHECK,
    start: this.result.tokenStart,
    end: this.result.tokenEnd,
  };
  private readonly block: Inside = {
    names: COUNTERFACTUAL_NAMES,
    checks: COUNTERFACTUAL_MEMBER_CHECK,
    start: this.result.blockStart,
    end: this.result.blockEnd,
  };

  scan(bytes: Uint8Array, from: number, to: number): LineScan {
    const result = this.result;
    this.begin(bytes, from, to);
    this.nameCount = 0;
    result.fault = undefined;
    result.faultAt = from;
    result.needsNameCheck = false;
    result.needsSchema = false;
    result.start.fill(-1);
    result.dataStart.fill(-1);
    result.tokenStart.fill(-1);
    result.blockStart.fill(-1);
    this.hasLongNumber = false;
    try {
      this.line();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      result.fault = error.fault;
      result.faultAt = this.at;
    }
    result.loneSurrogateAt = this.loneSurrogateAt;
    result.unsafeIntegerAt = this.unsafeIntegerAt;
    result.hasLongNumber = this.hasLongNumber;
    return result;
  }

  private line(): void {
    this.skipSpace();
    const from = this.at;
    const isObject = this.peek() === 0x7b;
    this.value(0);
    this.skipSpace();
    if (this.at < this.to) throw new Stop('invalid-json');
    if (isObject) return;
    this.at = from;
    throw new Stop('not-an-object');
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
      this.member(depth, base);
      this.skipSpace();
      const byte = this.peek();
      if (byte !== 0x2c && byte !== 0x7d) throw new Stop('invalid-json');
      this.at++;
      if (byte === 0x7d) break;
    }
    this.nameCount = base;
  }

  private member(depth: number, base: number): void {
    if (this.peek() !== QUOTE) throw new Stop('invalid-json');
    const nameFrom = this.at + 1;
    this.string();
    const nameTo = this.at - 1;
    const isEscaped = this.stringHasEscape;
    if (isEscaped) this.result.needsNameCheck = true;
    else this.remember(base, nameFrom, nameTo);
    this.skipSpace();
    if (this.peek() !== 0x3a) throw new Stop('invalid-json');
    this.at++;
    this.skipSpace();
    const valueFrom = this.at;
    if (depth === 1) {
      const name = this.find(ENVELOPE_NAMES, { nameFrom, nameTo, isEscaped });
      this.inside =
        name === MEMBER.data
          ? this.data
          : name === MEMBER.tokens
            ? this.tokens
            : name === MEMBER.counterfactual
              ? this.block
              : undefined;
      this.value(depth);
      this.placeMember(name, valueFrom);
    } else if (depth === 2 && this.inside !== undefined) {
      const { inside } = this;
      const name = this.find(inside.names, { nameFrom, nameTo, isEscaped });
      this.value(depth);
      this.placeInner(inside, name, valueFrom);
    } else this.value(depth);
  }

  /** Refuses a name the open object already has. */
  private remember(base: number, from: number, to: number): void {
    const hash = this.stringHash;
    if (this.nameCount - base >= MEMBERS_MAX) {
      this.result.needsNameCheck = true;
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

  /** Which known member a name is, also when it is written with escapes. */
  private find(table: NameTable, name: { nameFrom: number; nameTo: number; isEscaped: boolean }): number {
    const { nameFrom, nameTo } = name;
    if (!name.isEscaped) return table.find(this.bytes, nameFrom, nameTo);
    const decoded = String(JSON.parse(utf8.decode(this.bytes.subarray(nameFrom - 1, nameTo + 1))));
    const plain = encoder.encode(decoded);
    return table.find(plain, 0, plain.length);
  }

  /** An envelope member that is unknown is for the schema to refuse. */
  private placeMember(name: number, valueFrom: number): void {
    if (name < 0) {
      this.result.needsSchema = true;
      return;
    }
    this.result.start[name] = valueFrom;
    this.result.end[name] = this.at;
  }

  /** Notes where a known member of an inner object has its value, and whether that plainly fits the schema. */
  private placeInner(inside: Inside, name: number, valueFrom: number): void {
    if (name < 0) {
      // `tokens` is closed, the others are open.
      if (inside === this.tokens) this.result.needsSchema = true;
      return;
    }
    inside.start[name] = valueFrom;
    inside.end[name] = this.at;
    if (!fits(inside.checks[name] as MemberCheck, this.bytes, { from: valueFrom, to: this.at }))
      this.result.needsSchema = true;
  }
}

/** An object of the envelope whose members are known, and where they are put. */
interface Inside {
  readonly names: NameTable;
  readonly checks: readonly MemberCheck[];
  readonly start: Int32Array;
  readonly end: Int32Array;
}
