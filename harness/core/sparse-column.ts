/**
 * A column that only few events have a value in: values are added in the order of events and found again by halving.
 * Where nearly every event has one, packed-column.ts takes less.
 */
import { FloatColumn } from './columns.js';

export class SparseColumn {
  private readonly events = new FloatColumn();
  private readonly values = new FloatColumn();

  get size(): number {
    return this.events.size;
  }

  push(event: number, value: number): void {
    this.events.push(event);
    this.values.push(value);
  }

  eventAt(index: number): number {
    return this.events.at(index);
  }

  valueAt(index: number): number {
    return this.values.at(index);
  }

  /** Value of an event, or undefined where it has none. */
  of(event: number): number | undefined {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events.at(middle) < event) low = middle + 1;
      else high = middle;
    }
    return low < this.size && this.events.at(low) === event ? this.values.at(low) : undefined;
  }
}
