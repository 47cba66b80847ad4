/**
 * What stands above an event along `causedBy`: the nearest ancestor of some kinds, and where the chain of causes breaks
 * off. Columns are made on first use, and not at all where few are asked about. Nothing here judges.
 */
import { kindCode } from '../core/event.js';
import type { History } from '../core/history.js';
import { DANGLING, NO_CAUSE } from '../core/parents.js';
import type { KindSet } from './kinds.js';

/** Walks up, and how far each goes, before it pays to find the nearest of a kind for all events at once. */
const WALKS_MAX = 1000;
export const WALK_MAX = 256;

const RUN_STARTED = kindCode('run_started');

export class Causes {
  private readonly nearestOf = new Map<KindSet, Int32Array>();
  private walks = 0;
  private unbroken: boolean | undefined;
  private brokenColumn: Int32Array | undefined;

  constructor(readonly history: History) {}

  /** Nearest proper ancestor of one of the given kinds, or −1. */
  nearest(event: number, set: KindSet): number {
    const { history } = this;
    let column = this.nearestOf.get(set);
    if (column === undefined) {
      // Most questions are about near ancestors, and few are asked of a sound log.
      if (this.walks < WALKS_MAX) {
        this.walks++;
        let at = history.lineage.cause(event);
        for (let step = 0; step < WALK_MAX && at >= 0; step++) {
          if (set.has(history.kindCode(at))) return at;
          at = history.lineage.cause(at);
        }
        if (at < 0) return -1;
      }
      column = new Int32Array(history.size).fill(-1);
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const cause = history.lineage.cause(at);
        if (cause >= 0) column[at] = set.has(history.kindCode(cause)) ? cause : (column[cause] as number);
      }
      this.nearestOf.set(set, column);
    }
    return column[event] as number;
  }

  /** Every event but the first, which starts the run, has its cause before it. */
  get isUnbroken(): boolean {
    const { lineage } = this.history;
    this.unbroken ??= lineage.isWhole && lineage.parent(0) === NO_CAUSE && this.firstStart() === 0;
    return this.unbroken;
  }

  /** The event at which the chain of causes above `event` breaks off, or −1 where it reaches the run's start. */
  brokenAt(event: number): number {
    if (this.isUnbroken) return -1;
    if (this.brokenColumn === undefined) {
      const { history } = this;
      const column = new Int32Array(history.size).fill(-1);
      const root = this.firstStart();
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const cause = history.lineage.cause(at);
        const parent = history.lineage.parent(at);
        const breaksHere =
          history.lineage.isOnCycle(at) || parent === DANGLING || (parent === NO_CAUSE && at !== root);
        const head = history.lineage.cycleHead(at);
        column[at] = breaksHere ? (head < 0 ? at : head) : cause >= 0 ? (column[cause] as number) : -1;
      }
      this.brokenColumn = column;
    }
    return this.brokenColumn[event] as number;
  }

  /** First run_started in canonical order, or −1. */
  private firstStart(): number {
    const { history } = this;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (history.kindCode(event) === RUN_STARTED) return event;
    }
    return -1;
  }
}
