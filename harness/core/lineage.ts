/**
 * Causal structure of a history: canonical order, cycles, broken ancestry, and "is an ancestor of".
 *
 * `causedBy` makes a forest (every event has at most one cause). The canonical order is its stable topological
 * order: parents before children, otherwise position in the file. Time stamps play no part.
 */

import { NO_CAUSE, type Parents } from './parents.js';

/** Steps walked up before the interval index is built: most questions are about near ancestors. */
const WALK_MAX = 48;
/** Ancestors that are asked for one by one rather than through the interval index. */
const FEW = 4;

export class Lineage {
  /** Canonical order as event numbers; undefined while it is the order of the file. */
  private readonly order: Int32Array | undefined;
  private readonly places: Int32Array | undefined;
  /** Cycle number of each event on a cycle, else 0. Undefined while there is none. */
  private readonly cycleOf: Int32Array | undefined;
  readonly cycles: readonly (readonly number[])[];
  private enter: Int32Array | undefined;
  private leave: Int32Array | undefined;
  private withEffects: Uint8Array | undefined;

  constructor(private readonly parents: Parents) {
    const forward = parents.forwardCount > 0;
    const cycles = forward ? findCycles(parents) : [];
    this.cycles = cycles;
    if (cycles.length > 0) {
      const cycleOf = new Int32Array(parents.size);
      cycles.forEach((members, index) => {
        for (const event of members) cycleOf[event] = index + 1;
      });
      this.cycleOf = cycleOf;
    }
    if (forward) {
      const order = topologicalOrder(parents, new Set(cycles.map((members) => members[0] as number)));
      const places = new Int32Array(parents.size);
      for (let place = 0; place < order.length; place++) places[order[place] as number] = place;
      this.order = order;
      this.places = places;
    }
  }

  get size(): number {
    return this.parents.size;
  }

  parent(event: number): number {
    return this.parents.at(event);
  }

  /** Event at a place of the canonical order. */
  at(place: number): number {
    return this.order === undefined ? place : (this.order[place] as number);
  }

  /** Place of an event in the canonical order. */
  place(event: number): number {
    return this.places === undefined ? event : (this.places[event] as number);
  }

  isOnCycle(event: number): boolean {
    return this.cycleOf !== undefined && this.cycleOf[event] !== 0;
  }

  /** First event in the file of the cycle that an event is on, or −1. */
  cycleHead(event: number): number {
    const cycle = this.cycleOf === undefined ? 0 : (this.cycleOf[event] as number);
    return cycle === 0 ? -1 : ((this.cycles[cycle - 1] as readonly number[])[0] as number);
  }

  /** The cause that canonical order and ancestry follow: a cycle is cut at its first event in the file. */
  cause(event: number): number {
    return this.cycleHead(event) === event ? NO_CAUSE : this.parents.at(event);
  }

  /** Whether the file itself is in canonical order, with every cause in it and every event but one caused. */
  get isWhole(): boolean {
    const { forwardCount, danglingCount, uncausedCount } = this.parents;
    return forwardCount === 0 && danglingCount === 0 && uncausedCount <= 1;
  }

  /** Whether any event names this one as its cause. */
  hasEffects(event: number): boolean {
    if (this.withEffects === undefined) {
      this.withEffects = new Uint8Array(this.size);
      for (let effect = 0; effect < this.size; effect++) {
        const parent = this.parents.at(effect);
        if (parent >= 0) this.withEffects[parent] = 1;
      }
    }
    return this.withEffects[event] === 1;
  }

  /** Whether `ancestor` is `event` itself or stands above it along `causedBy`. */
  isAncestor(ancestor: number, event: number): boolean {
    let at = event;
    for (let step = 0; step < WALK_MAX; step++) {
      if (at === ancestor) return true;
      at = this.cause(at);
      if (at < 0) return false;
    }
    this.buildIntervals();
    const enter = this.enter as Int32Array;
    const leave = this.leave as Int32Array;
    return (
      (enter[ancestor] as number) <= (enter[event] as number) &&
      (leave[event] as number) <= (leave[ancestor] as number)
    );
  }

  /** Whether an event is, or stands below, one of many others: each answer costs a binary search at most. */
  belowAny(ancestors: readonly number[]): (event: number) => boolean {
    if (ancestors.length <= FEW) return (event) => ancestors.some((above) => this.isAncestor(above, event));
    this.buildIntervals();
    const enter = this.enter as Int32Array;
    const leave = this.leave as Int32Array;
    const tops: number[] = [];
    let end = -1;
    for (const at of [...ancestors].sort((a, b) => (enter[a] as number) - (enter[b] as number))) {
      if ((leave[at] as number) < end) continue;
      tops.push(at);
      end = leave[at] as number;
    }
    return (event) => {
      const top =
        tops[
          lastUpTo(
            tops.length,
            (index) => (enter[tops[index] as number] as number) <= (enter[event] as number),
          )
        ];
      return top !== undefined && (leave[event] as number) <= (leave[top] as number);
    };
  }

  /** Entry and exit times of a depth-first walk: an ancestor's interval holds those of its descendants. */
  private buildIntervals(): void {
    if (this.enter !== undefined) return;
    const size = this.size;
    const firstChild = new Int32Array(size).fill(-1);
    const nextSibling = new Int32Array(size).fill(-1);
    for (let event = size - 1; event >= 0; event--) {
      const cause = this.cause(event);
      if (cause < 0) continue;
      nextSibling[event] = firstChild[cause] as number;
      firstChild[cause] = event;
    }
    const enter = new Int32Array(size);
    const leave = new Int32Array(size);
    let tick = 0;
    for (let root = 0; root < size; root++) {
      if (this.cause(root) >= 0) continue;
      let at = root;
      enter[at] = tick++;
      for (;;) {
        const child = firstChild[at] as number;
        if (child >= 0) {
          firstChild[at] = nextSibling[child] as number;
          at = child;
          enter[at] = tick++;
          continue;
        }
        leave[at] = tick++;
        if (at === root) break;
        at = this.cause(at);
      }
    }
    this.enter = enter;
    this.leave = leave;
  }
}

/** Last of `size` indices for which `holds`, which is true up to some index and false behind it; −1 for none. */
export function lastUpTo(size: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Cycles of the cause edges, each with its events in file order. */
function findCycles(parents: Parents): number[][] {
  const seen = new Int32Array(parents.size);
  const cycles: number[][] = [];
  for (let start = 0; start < parents.size; start++) {
    // Every cycle has an edge that does not point backwards, so only those need a walk.
    if (parents.at(start) < start || seen[start] !== 0) continue;
    const mark = start + 1;
    let at = start;
    while (at >= 0 && seen[at] === 0) {
      seen[at] = mark;
      at = parents.at(at);
    }
    if (at < 0 || seen[at] !== mark) continue;
    const members = [at];
    for (let next = parents.at(at); next !== at; next = parents.at(next)) members.push(next);
    cycles.push(members.sort((a, b) => a - b));
  }
  return cycles.sort((a, b) => (a[0] as number) - (b[0] as number));
}

/** Smallest topological order by file position (Kahn 1962 with a heap). `cut` events count as having no cause. */
function topologicalOrder(parents: Parents, cut: ReadonlySet<number>): Int32Array {
  const size = parents.size;
  const firstWaiting = new Int32Array(size).fill(-1);
  const nextWaiting = new Int32Array(size).fill(-1);
  const done = new Uint8Array(size);
  const order = new Int32Array(size);
  const ready = new MinHeap();
  let place = 0;
  for (let event = 0; event < size; event++) {
    const parent = cut.has(event) ? NO_CAUSE : parents.at(event);
    if (parent >= 0 && done[parent] === 0) {
      nextWaiting[event] = firstWaiting[parent] as number;
      firstWaiting[parent] = event;
      continue;
    }
    ready.push(event);
    for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
      done[next] = 1;
      order[place++] = next;
      for (let child = firstWaiting[next] as number; child >= 0; child = nextWaiting[child] as number)
        ready.push(child);
    }
  }
  return order;
}

class MinHeap {
  private readonly items: number[] = [];

  push(value: number): void {
    const { items } = this;
    let at = items.push(value) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if ((items[up] as number) <= value) break;
      items[at] = items[up] as number;
      at = up;
    }
    items[at] = value;
  }

  pop(): number | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down + 1 < items.length && (items[down + 1] as number) < (items[down] as number)) down++;
      if (down >= items.length || (items[down] as number) >= last) break;
      items[at] = items[down] as number;
      at = down;
    }
    items[at] = last;
    return top;
  }
}
