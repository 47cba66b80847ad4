/**
 * A growable column of moments in milliseconds, NaN for none: within a segment as whole milliseconds after the first
 * in four bytes, and as doubles where that does not do.
 */
import { SEGMENT, type Strided } from './packed-column.js';

const FIRST_CAPACITY = 64;
const SPAN_MS = 2 ** 32;

export class TimeColumn {
  private readonly full: (Uint32Array | Float64Array)[] = [];
  private readonly starts: number[] = [];
  private open = new Float64Array(FIRST_CAPACITY);
  private fill = 0;

  push(ms: number): void {
    if (this.fill === this.open.length) this.makeRoom();
    this.open[this.fill++] = ms;
  }

  pushAll({ values, at, stride, count }: Strided<Float64Array>): void {
    for (let done = 0; done < count;) {
      if (this.fill === this.open.length) this.makeRoom();
      const { open, fill } = this;
      const most = Math.min(open.length - fill, count - done);
      for (let index = 0; index < most; index++) open[fill + index] = values[at + (done + index) * stride]!;
      this.fill = fill + most;
      done += most;
    }
  }

  at(index: number): number {
    const segment = Math.floor(index / SEGMENT);
    const place = index & (SEGMENT - 1);
    if (segment >= this.full.length) return this.open[place]!;
    return this.full[segment]![place]! + this.starts[segment]!;
  }

  private makeRoom(): void {
    if (this.fill < SEGMENT) {
      const grown = new Float64Array(Math.min(this.open.length * 8, SEGMENT));
      grown.set(this.open);
      this.open = grown;
      return;
    }
    const { open } = this;
    let low = Infinity;
    let isWhole = true;
    for (let at = 0; at < SEGMENT; at++) if (open[at]! < low) low = open[at]!;
    for (let at = 0; at < SEGMENT && isWhole; at++) {
      const after = open[at]! - low;
      isWhole = after >= 0 && after < SPAN_MS && Math.floor(after) === after;
    }
    if (isWhole) {
      const codes = new Uint32Array(SEGMENT);
      for (let at = 0; at < SEGMENT; at++) codes[at] = open[at]! - low;
      this.full.push(codes);
    } else this.full.push(open.slice());
    this.starts.push(isWhole ? low : 0);
    this.fill = 0;
  }
}
