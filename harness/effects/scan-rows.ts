/**
 * The rows of a scan, counted: which were verified by an earlier part, which are due, and where the budget ends.
 *
 * A scan that is resumed goes through the same rows again, since later rows lean on earlier ones, but verifies and
 * reports only those that are due. So the parts of a scan find together what one whole scan finds.
 */
import type { ClockPort } from '../core/ports.js';

export interface ScanBudget {
  /** Rows to verify. */
  readonly rows?: number;
  /** Time to verify them in, by the clock. */
  readonly ms?: number;
  readonly clock: ClockPort;
}

/** Rows between two looks at the clock. */
const LOOK_EVERY = 64;

export class Rows {
  /** Rows that were gone through, in earlier parts and in this one. */
  position = 0;
  private readonly start: number;
  private readonly last: number;
  private readonly deadline: number;
  private readonly clock: ClockPort;
  private isLate = false;

  /** @param start rows that earlier parts have verified */
  constructor(start: number, budget: ScanBudget) {
    this.start = start;
    this.last = start + (budget.rows ?? Infinity);
    this.clock = budget.clock;
    this.deadline = budget.ms === undefined ? Infinity : budget.clock.nowMs() + budget.ms;
  }

  /** Goes to the next row. */
  next(): 'seen' | 'due' | 'stop' {
    const at = this.position;
    if (at >= this.last || this.isTimeUp(at)) return 'stop';
    this.position += 1;
    return at < this.start ? 'seen' : 'due';
  }

  /** Whether a row that is so far on is due. */
  isDue(ahead: number): boolean {
    return this.position + ahead >= this.start;
  }

  /** At least one row is verified in each part, so that every part gets on. */
  private isTimeUp(at: number): boolean {
    if (at <= this.start || this.deadline === Infinity) return false;
    if (at % LOOK_EVERY === 0 && this.clock.nowMs() >= this.deadline) this.isLate = true;
    return this.isLate;
  }
}

/** One budget for several scans, one after the other. */
export class SharedBudget {
  private readonly clock: ClockPort;
  private readonly deadline: number | undefined;
  private rows: number | undefined;

  constructor({ rows, ms, clock }: ScanBudget) {
    this.clock = clock;
    this.rows = rows;
    this.deadline = ms === undefined ? undefined : clock.nowMs() + ms;
  }

  /** What is left for the next scan. */
  left(): ScanBudget {
    const { clock, rows, deadline } = this;
    return {
      clock,
      ...(rows === undefined ? {} : { rows }),
      ...(deadline === undefined ? {} : { ms: Math.max(0, deadline - clock.nowMs()) }),
    };
  }

  /** Rows that a scan has verified. */
  spend(rows: number): void {
    if (this.rows !== undefined) this.rows = Math.max(0, this.rows - rows);
  }
}
