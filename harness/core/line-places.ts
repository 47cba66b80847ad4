/**
 * Where the lines of events stand in a log: line number, byte offset, length. Lines follow each other, so nearly all
 * of it can be worked out: a length is kept for each event, and a place only now and then and wherever lines are
 * missing in between.
 */
import { FloatColumn } from './columns.js';
import { PackedColumn, type Strided } from './packed-column.js';
import { SparseColumn } from './sparse-column.js';

const EVERY_BITS = 6;
const EVERY = 1 << EVERY_BITS;

export class LinePlaces {
  private readonly lengths = new PackedColumn();
  /** Line number less event number: the same for long stretches. */
  private readonly shifts = new PackedColumn();
  /** Bytes between an event's line and the one before it, where there are any. */
  private readonly gaps = new SparseColumn();
  /** Offsets of every 64th event. */
  private readonly offsets = new FloatColumn();
  private end = 0;

  push(line: number, offset: number, bytes: number): void {
    const event = this.lengths.size;
    if ((event & (EVERY - 1)) === 0) this.offsets.push(offset);
    this.lengths.push(bytes);
    this.shifts.push(line - event);
    if (offset !== this.end && (event & (EVERY - 1)) !== 0) this.gaps.push(event, offset - this.end);
    this.end = offset + bytes + 1;
  }

  /** Adds lines that follow each other without a gap, given by their lengths. */
  pushAll(line: number, offset: number, lengths: Strided<Int32Array>): void {
    const event = this.lengths.size;
    if (offset !== this.end && (event & (EVERY - 1)) !== 0) this.gaps.push(event, offset - this.end);
    let end = offset;
    for (let index = 0; index < lengths.count; index++) {
      if (((event + index) & (EVERY - 1)) === 0) this.offsets.push(end);
      end += lengths.values[lengths.at + index * lengths.stride]! + 1;
    }
    this.end = end;
    this.lengths.pushAll(lengths);
    this.shifts.pushSame(line - event, lengths.count);
  }

  line(event: number): number {
    return event + this.shifts.at(event);
  }

  /** Length of the line in bytes, without its LF. */
  bytes(event: number): number {
    return this.lengths.at(event);
  }

  offset(event: number): number {
    const known = (event >>> EVERY_BITS) << EVERY_BITS;
    let offset = this.offsets.at(known >>> EVERY_BITS);
    for (let at = known; at < event; at++) offset += this.lengths.at(at) + 1;
    if (this.gaps.size > 0) for (let at = known + 1; at <= event; at++) offset += this.gaps.of(at) ?? 0;
    return offset;
  }
}
