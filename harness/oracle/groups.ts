/**
 * Groups events by a subject's string number, in canonical order, in two typed arrays (a counting sort):
 * a few bytes per event instead of a map entry; and keeps the records made of some groups at hand.
 * Knows nothing about what the subjects are.
 */
import type { History } from '../core/history.js';

export class Groups {
  /** Subject numbers in order of first appearance. */
  readonly keys: readonly number[];
  private readonly from: Int32Array;
  private readonly members: Int32Array;

  /** @param keyOf subject number of an event, 0 to leave it out */
  constructor(history: History, keyOf: (event: number) => number) {
    const { lineage, size } = history;
    const from = new Int32Array(history.stringCount + 1);
    const keyOfEvent = new Int32Array(size);
    const keys: number[] = [];
    for (let place = 0; place < size; place++) {
      const event = lineage.at(place);
      const key = keyOf(event);
      keyOfEvent[event] = key;
      if (key === 0) continue;
      if (from[key + 1] === 0) keys.push(key);
      from[key + 1] = (from[key + 1] as number) + 1;
    }
    for (let key = 1; key < from.length; key++) from[key] = (from[key] as number) + (from[key - 1] as number);
    const next = from.slice();
    const members = new Int32Array(from[from.length - 1] as number);
    for (let place = 0; place < size; place++) {
      const event = lineage.at(place);
      const key = keyOfEvent[event] as number;
      if (key === 0) continue;
      members[next[key] as number] = event;
      next[key] = (next[key] as number) + 1;
    }
    this.keys = keys;
    this.from = from;
    this.members = members;
  }

  /** Events of a subject in canonical order; empty where there is none. */
  of(key: number): readonly number[] {
    const to = this.from[key + 1] as number;
    const events: number[] = [];
    for (let at = this.from[key] as number; at < to; at++) events.push(this.members[at] as number);
    return events;
  }
}

/** Events, or about as much, that records kept at hand may hold. */
const BUDGET = 1 << 22;
const COST_OF_RECORD = 16;

/** Records by subject number. When they hold too much all are let go: each can be made again. */
export class Records<R> {
  private readonly kept = new Map<number, R>();
  private spent = 0;

  constructor(private readonly make: (number: number) => { record: R; size: number }) {}

  get(number: number): R {
    const known = this.kept.get(number);
    if (known !== undefined) return known;
    const { record, size } = this.make(number);
    this.spent += size + COST_OF_RECORD;
    if (this.spent > BUDGET) {
      this.kept.clear();
      this.spent = size + COST_OF_RECORD;
    }
    this.kept.set(number, record);
    return record;
  }
}
