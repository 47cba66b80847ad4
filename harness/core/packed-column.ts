/**
 * A growable column of numbers that takes as few bytes for each as its neighbours allow.
 *
 * Values are kept in segments. A full segment is packed once: as offsets from its smallest value in one, two or four
 * bytes, or in none at all where all are the same; 0 stands for itself, so that "none" costs a segment nothing. What
 * is no integer, or too far apart, stays as doubles. Nothing is ever copied to grow, so memory has no peaks.
 */

const SEGMENT_BITS = 12;
export const SEGMENT = 1 << SEGMENT_BITS;
const IN_SEGMENT = SEGMENT - 1;
const FIRST_CAPACITY = 64;

/** Values less `shift`, 0 as 0; null where every value is `shift`. */
type Codes = Uint8Array | Uint16Array | Uint32Array | Float64Array | null;

export class PackedColumn {
  private readonly codes: Codes[] = [];
  private readonly shifts: number[] = [];
  private open = new Float64Array(FIRST_CAPACITY);
  private fill = 0;

  get size(): number {
    return this.codes.length * SEGMENT + this.fill;
  }

  push(value: number): void {
    if (this.fill === this.open.length) this.makeRoom();
    this.open[this.fill++] = value;
  }

  at(index: number): number {
    const segment = index >>> SEGMENT_BITS;
    if (segment === this.codes.length) return this.open[index & IN_SEGMENT] as number;
    const codes = this.codes[segment];
    const shift = this.shifts[segment] as number;
    if (codes === null || codes === undefined) return shift;
    const code = codes[index & IN_SEGMENT] as number;
    return code === 0 ? 0 : code + shift;
  }

  /** Replaces a value: cheap among the last ones, and a segment's worth of work further back. */
  set(index: number, value: number): void {
    const segment = index >>> SEGMENT_BITS;
    if (segment === this.codes.length) {
      this.open[index & IN_SEGMENT] = value;
      return;
    }
    const values = new Float64Array(SEGMENT);
    this.read(segment, values);
    values[index & IN_SEGMENT] = value;
    const packed = pack(values);
    this.codes[segment] = packed.codes;
    this.shifts[segment] = packed.shift;
  }

  /** Copies one segment, values `[segment × SEGMENT, …)`, to the front of `into`. @returns how many values it holds */
  read(segment: number, into: Float64Array | Int32Array): number {
    if (segment >= this.codes.length) {
      for (let at = 0; at < this.fill; at++) into[at] = this.open[at] as number;
      return this.fill;
    }
    const codes = this.codes[segment] as Codes;
    const shift = this.shifts[segment] as number;
    if (codes === null) into.fill(shift, 0, SEGMENT);
    else unpack(codes, shift, into);
    return SEGMENT;
  }

  private makeRoom(): void {
    if (this.fill < SEGMENT) {
      const grown = new Float64Array(Math.min(this.open.length * 4, SEGMENT));
      grown.set(this.open);
      this.open = grown;
      return;
    }
    const packed = pack(this.open);
    this.codes.push(packed.codes);
    this.shifts.push(packed.shift);
    this.fill = 0;
  }
}

/** One loop for each width would be four times this text; the engine makes them itself. */
function unpack(codes: Exclude<Codes, null>, shift: number, into: Float64Array | Int32Array): void {
  for (let at = 0; at < SEGMENT; at++) {
    const code = codes[at] as number;
    into[at] = code === 0 ? 0 : code + shift;
  }
}

function pack(values: Float64Array): { codes: Codes; shift: number } {
  let low = Infinity;
  let high = -Infinity;
  let hasZero = false;
  let isWhole = true;
  for (const value of values) {
    if (value === 0) hasZero = true;
    else {
      if (value < low) low = value;
      if (value > high) high = value;
      if (Math.floor(value) !== value) isWhole = false;
    }
  }
  if (low > high && isWhole) return { codes: null, shift: 0 };
  if (low === high && !hasZero && isWhole) return { codes: null, shift: low };
  const codes = isWhole ? codesFor(high - low + 1) : undefined;
  if (codes === undefined) return { codes: values.slice(), shift: 0 };
  const shift = low - 1;
  for (let at = 0; at < SEGMENT; at++) {
    const value = values[at] as number;
    codes[at] = value === 0 ? 0 : value - shift;
  }
  return { codes, shift };
}

/** Room for codes up to `most`; undefined where they need doubles. Infinite and absurd ranges are among those. */
function codesFor(most: number): Uint8Array | Uint16Array | Uint32Array | undefined {
  if (most <= 0xff) return new Uint8Array(SEGMENT);
  if (most <= 0xffff) return new Uint16Array(SEGMENT);
  if (most <= 0xffffffff) return new Uint32Array(SEGMENT);
  return undefined;
}
