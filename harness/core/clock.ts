/**
 * The clock of studies and tests: it moves only when told to, so that a run can be repeated to the millisecond.
 * The system's clock is not here; only cli may read it.
 */
import { assert } from './errors.js';
import type { ClockPort } from './ports.js';

/** A clock that its owner sets forward. Times are whole milliseconds since the Unix epoch. */
export interface VirtualClock extends ClockPort {
  /** Moves the clock forward. @throws for a negative or fractional step: time never runs back here */
  advance(ms: number): void;
}

/** Starts at `startMs`; every reading is followed by a step of `stepMs`, so that readings can be told apart. */
export function virtualClock(startMs: number, stepMs = 0): VirtualClock {
  assert(Number.isSafeInteger(startMs), `a clock starts at a whole millisecond: ${startMs}`);
  assert(
    Number.isSafeInteger(stepMs) && stepMs >= 0,
    `a clock steps by whole milliseconds forward: ${stepMs}`,
  );
  let ms = startMs;
  const advance = (step: number): void => {
    assert(Number.isSafeInteger(step) && step >= 0, `a clock moves by whole milliseconds forward: ${step}`);
    ms += step;
  };
  return {
    nowMs: () => {
      const reading = ms;
      advance(stepMs);
      return reading;
    },
    advance,
  };
}
