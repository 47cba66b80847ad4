/**
 * The words of JSON as bytes: white space, literals, numbers and strings, each checked in full.
 *
 * Notes on the way what JSON allows and the log does not like: lone surrogate escapes and integers beyond 2^53.
 * How the words make up a line is for plain-scanner.ts.
 */
import { DIGITS_MAX } from './record.js';
import type { ScanFault } from './scan.js';

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

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

/** Signals a fault out of the recursive descent; `at` says where. */
export class Stop extends Error {
  constructor(readonly fault: ScanFault) {
    super(fault);
  }
}

/** Reads words at `at`, which never passes `to`. */
export class Lexer {
  protected bytes: Uint8Array = new Uint8Array(0);
  protected to = 0;
  protected at = 0;
  /** Of the string read last: a cheap hash of its bytes, and whether it has escapes. */
  protected stringHash = 0;
  protected stringHasEscape = false;
  protected loneSurrogateAt = -1;
  protected unsafeIntegerAt = -1;
  /** A number has more digits before its point than every safe integer may have. */
  protected hasLongNumber = false;

  protected begin(bytes: Uint8Array, from: number, to: number): void {
    this.bytes = bytes;
    this.to = to;
    this.at = from;
    this.loneSurrogateAt = -1;
    this.unsafeIntegerAt = -1;
  }

  protected peek(): number {
    return this.at < this.to ? (this.bytes[this.at] as number) : -1;
  }

  protected skipSpace(): void {
    let byte = this.peek();
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) {
      this.at++;
      byte = this.peek();
    }
  }

  /** The rest of `true`, `false` or `null`, whose first letter was seen. */
  protected word(length: number, ...rest: number[]): void {
    for (let index = 1; index < length; index++) {
      if (this.at + index >= this.to || this.bytes[this.at + index] !== rest[index - 1])
        throw new Stop('invalid-json');
    }
    this.at += length;
  }

  protected number(): void {
    const from = this.at;
    if (this.peek() === 0x2d) this.at++;
    const leading = this.at;
    this.digits();
    const integerDigits = this.at - leading;
    if (this.bytes[leading] === 0x30 && integerDigits > 1) {
      this.at = leading;
      throw new Stop('invalid-json');
    }
    if (integerDigits > DIGITS_MAX) this.hasLongNumber = true;
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
    if (isInteger && integerDigits > DIGITS_MAX && this.unsafeIntegerAt < 0) {
      const text = String.fromCharCode(...this.bytes.subarray(leading, Math.min(this.at, leading + 20)));
      if (integerDigits > 16 || !Number.isSafeInteger(Number(text))) this.unsafeIntegerAt = from;
    }
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

  /** Reads a string and leaves its hash and whether it has escapes. */
  protected string(): void {
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
      if (at + 7 < this.to && this.bytes[at + 6] === BACKSLASH && this.bytes[at + 7] === 0x75) {
        const low = this.codeUnit(at + 6);
        if (low >= 0xdc00 && low <= 0xdfff) return at + 12;
      }
      this.loneSurrogate(at);
    } else if (unit >= 0xdc00 && unit <= 0xdfff) this.loneSurrogate(at);
    return at + 6;
  }

  private loneSurrogate(at: number): void {
    if (this.loneSurrogateAt < 0) this.loneSurrogateAt = at;
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
}
