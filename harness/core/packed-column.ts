/**
 * A growable column of whole numbers that takes as few bytes for each as its neighbours allow.
 *
 * Values are kept in segments. A full segment is packed once: as offsets from its smallest value in one, two or four
 * bytes, or in none at all where all are the same; 0 stands for itself, so that "none" costs a segment nothing. Nothing
 * is ever copied to grow, so memory has no peaks. The loops are kept apart by width because they are hot.
 */

const SEGMENT_BITS = 14;
export const SEGMENT = 1 << SEGMENT_BITS;
const IN_SEGMENT = SEGMENT - 1;
const FIRST_CAPACITY = 64;

/** Numbers that stand in an array at equal distances: so many, from `at` on. */
export interface Strided<A> {
  readonly values: A;
  readonly at: number;
  readonly stride: number;
  readonly count: number;
}

/** Values less `shift`, 0 as 0; null where every value is `shift`. */
type Codes = Uint8Array | Uint16Array | Int32Array | null;

/** Values are of 32 bits. */
export class PackedColumn {
  private readonly codes: Codes[] = [];
  private readonly shifts: number[] = [];
  private open = new Int32Array(FIRST_CAPACITY);
  private fill = 0;

  get size(): number {
    return this.codes.length * SEGMENT + this.fill;
  }

  push(value: number): void {
    if (this.fill === this.open.length) this.makeRoom();
    this.open[this.fill++] = value;
  }

  pushAll({ values, at, stride, count }: Strided<Int32Array>): void {
    for (let done = 0; done < count;) {
      if (this.fill === this.open.length) this.makeRoom();
      const { open, fill } = this;
      const most = Math.min(open.length - fill, count - done);
      for (let index = 0; index < most; index++) open[fill + index] = values[at + (done + index) * stride]!;
      this.fill = fill + most;
      done += most;
    }
  }

  /** Adds the same value so many times. */
  pushSame(value: number, count: number): void {
    for (let done = 0; done < count;) {
      if (this.fill === this.open.length) this.makeRoom();
      const most = Math.min(this.open.length - this.fill, count - done);
      this.open.fill(value, this.fill, this.fill + most);
      this.fill += most;
      done += most;
    }
  }

  at(index: number): number {
    const segment = index >>> SEGMENT_BITS;
    if (segment === this.codes.length) return this.open[index & IN_SEGMENT]!;
    const codes = this.codes[segment];
    const shift = this.shifts[segment]!;
    if (codes === null || codes === undefined) return shift;
    const code = codes[index & IN_SEGMENT]!;
    return code === 0 ? 0 : code + shift;
  }

  /** Replaces a value: cheap among the last ones, and a segment's worth of work further back. */
  set(index: number, value: number): void {
    const segment = index >>> SEGMENT_BITS;
    if (segment === this.codes.length) {
      this.open[index & IN_SEGMENT] = value;
      return;
    }
    const values = new Int32Array(SEGMENT);
    this.read(segment, values);
    values[index & IN_SEGMENT] = value;
    this.pack(segment, values);
  }

  /** Copies one segment, values `[segment × SEGMENT, …)`, to the front of `into`. @returns how many values it holds */
  read(segment: number, into: Int32Array): number {
    if (segment >= this.codes.length) {
      for (let at = 0; at < this.fill; at++) into[at] = this.open[at]!;
      return this.fill;
    }
    const codes = this.codes[segment];
    const shift = this.shifts[segment]!;
    if (codes === null || codes === undefined) into.fill(shift, 0, SEGMENT);
    else if (codes instanceof Uint8Array) unpackBytes(codes, shift, into);
    else if (codes instanceof Uint16Array) unpackShorts(codes, shift, into);
    else into.set(codes);
    return SEGMENT;
  }

  private makeRoom(): void {
    if (this.fill < SEGMENT) {
      const grown = new Int32Array(Math.min(this.open.length * 8, SEGMENT));
      grown.set(this.open);
      this.open = grown;
      return;
    }
    this.pack(this.codes.length, this.open);
    this.fill = 0;
  }

  private pack(segment: number, values: Int32Array): void {
    let low = 0x7fffffff;
    let high = -0x80000000;
    let zeros = 0;
    for (let at = 0; at < SEGMENT; at++) {
      const value = values[at]!;
      if (value === 0) zeros++;
      else {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    const most = high - low + 1;
    const isSame = zeros === SEGMENT || (zeros === 0 && low === high);
    this.shifts[segment] = isSame ? (zeros === 0 ? low : 0) : most > 0xffff ? 0 : low - 1;
    if (isSame) this.codes[segment] = null;
    else if (most <= 0xff) this.codes[segment] = packBytes(values, low - 1);
    else if (most <= 0xffff) this.codes[segment] = packShorts(values, low - 1);
    else this.codes[segment] = values.slice();
  }
}

function packBytes(values: Int32Array, shift: number): Uint8Array {
  const codes = new Uint8Array(SEGMENT);
  for (let at = 0; at < SEGMENT; at++) codes[at] = values[at] === 0 ? 0 : values[at]! - shift;
  return codes;
}

function packShorts(values: Int32Array, shift: number): Uint16Array {
  const codes = new Uint16Array(SEGMENT);
  for (let at = 0; at < SEGMENT; at++) codes[at] = values[at] === 0 ? 0 : values[at]! - shift;
  return codes;
}

function unpackBytes(codes: Uint8Array, shift: number, into: Int32Array): void {
  for (let at = 0; at < SEGMENT; at++) into[at] = codes[at] === 0 ? 0 : codes[at]! + shift;
}

function unpackShorts(codes: Uint16Array, shift: number, into: Int32Array): void {
  for (let at = 0; at < SEGMENT; at++) into[at] = codes[at] === 0 ? 0 : codes[at]! + shift;
}
