/**
 * Growable columns of numbers and an exact string table: the storage under a History.
 *
 * A JS Map holds at most 16,777,216 entries and about 160 bytes each; typed arrays with open addressing
 * have no such limit. Strings are compared byte by byte, so no hash an agent could collide decides anything;
 * a table filled with collisions turns to a digest, so that they cannot slow it down either.
 */
import { createHash } from 'node:crypto';

const FIRST_CAPACITY = 1024;

export class IntColumn {
  private values = new Int32Array(FIRST_CAPACITY);
  size = 0;

  push(value: number): void {
    if (this.size === this.values.length) {
      const grown = new Int32Array(this.size * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.size++] = value;
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  set(index: number, value: number): void {
    this.values[index] = value;
  }
}

export class FloatColumn {
  private values = new Float64Array(FIRST_CAPACITY);
  size = 0;

  push(value: number): void {
    if (this.size === this.values.length) {
      const grown = new Float64Array(this.size * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.size++] = value;
  }

  at(index: number): number {
    return this.values[index] as number;
  }
}

export class ByteColumn {
  private values = new Uint8Array(FIRST_CAPACITY);
  size = 0;

  push(value: number): void {
    this.reserve(1);
    this.values[this.size++] = value;
  }

  append(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    this.values.set(bytes.subarray(from, to), this.size);
    this.size += to - from;
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  /** Whether the values from `start` on are `bytes[from, to)`. */
  holds(start: number, bytes: Uint8Array, range: { readonly from: number; readonly to: number }): boolean {
    const { values } = this;
    for (let at = range.from, own = start; at < range.to; at++, own++)
      if (values[own] !== bytes[at]) return false;
    return true;
  }

  slice(from: number, to: number): Uint8Array {
    return this.values.subarray(from, to);
  }

  private reserve(count: number): void {
    if (this.size + count <= this.values.length) return;
    const grown = new Uint8Array(Math.max(this.values.length * 2, this.size + count));
    grown.set(this.values);
    this.values = grown;
  }
}

/** A mark is a character like any other inside a string. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Steps from slot to slot that chance needs at most, by far: a longer search is somebody's doing. */
const PROBES_MAX = 256;

/** Strings by number: 1, 2, 3 … in the order of first appearance; 0 is none. Compared byte by byte. */
export interface Strings {
  /** How many numbers are given, the 0 of "none" included. */
  readonly size: number;
  /** Number of `bytes[from, to)`, given now if it is new. */
  intern(bytes: Uint8Array, from: number, to: number): number;
  /** The string of a number; '' for "none". */
  text(number: number): string;
  /** Number of a text already seen, else 0. */
  numberOf(text: string): number;
}

/** Gives every distinct byte string a number. */
export class StringTable implements Strings {
  private readonly arena = new ByteColumn();
  private readonly starts = new FloatColumn();
  private slots = new Int32Array(FIRST_CAPACITY);
  private mask = FIRST_CAPACITY - 1;
  private hash = quickHash;

  constructor() {
    this.starts.push(0);
    this.starts.push(0);
  }

  /** How many numbers are given, the 0 of "none" included. */
  get size(): number {
    return this.starts.size - 1;
  }

  /** Number of `bytes[from, to)`, given now if it is new. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    const slot = this.slotOf(bytes, from, to);
    const known = this.slots[slot] as number;
    if (known !== 0) return known;
    const number = this.size;
    this.arena.append(bytes, from, to);
    this.starts.push(this.arena.size);
    this.slots[slot] = number;
    if (number * 2 > this.mask) this.refill(this.slots.length * 2);
    return number;
  }

  internText(text: string): number {
    const bytes = encoder.encode(text);
    return this.intern(bytes, 0, bytes.length);
  }

  /** Number of a string already seen, else 0. */
  numberOf(text: string): number {
    const bytes = encoder.encode(text);
    return this.slots[this.slotOf(bytes, 0, bytes.length)] as number;
  }

  /** The string of a number; '' for "none". */
  text(number: number): string {
    return utf8.decode(this.bytesOf(number));
  }

  private bytesOf(number: number): Uint8Array {
    return this.arena.slice(this.starts.at(number), this.starts.at(number + 1));
  }

  private slotOf(bytes: Uint8Array, from: number, to: number): number {
    const range = { from, to };
    let slot = this.hash(bytes, from, to) & this.mask;
    for (let probes = 0; probes < PROBES_MAX || this.hash === strongHash; probes++) {
      const number = this.slots[slot] as number;
      if (number === 0 || this.isText(number, bytes, range)) return slot;
      slot = (slot + 1) & this.mask;
    }
    this.hash = strongHash;
    this.refill(this.slots.length);
    return this.slotOf(bytes, from, to);
  }

  private isText(
    number: number,
    bytes: Uint8Array,
    range: { readonly from: number; readonly to: number },
  ): boolean {
    const start = this.starts.at(number);
    if (this.starts.at(number + 1) - start !== range.to - range.from) return false;
    return this.arena.holds(start, bytes, range);
  }

  private refill(capacity: number): void {
    this.slots = new Int32Array(capacity);
    this.mask = capacity - 1;
    for (let number = 1; number < this.size; number++) {
      const bytes = this.bytesOf(number);
      let slot = this.hash(bytes, 0, bytes.length) & this.mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
      this.slots[slot] = number;
    }
  }
}

/** FNV-1a with a final mix: spreads ids that differ in their last characters only. All 32 bits count. */
function quickHash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let index = from; index < to; index++) value = Math.imul(value ^ (bytes[index] as number), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return value ^ (value >>> 15);
}

/** Collisions of this one have to be searched for one by one. */
function strongHash(bytes: Uint8Array, from: number, to: number): number {
  return createHash('sha256').update(bytes.subarray(from, to)).digest().readInt32LE(0);
}
