/**
 * When an event is stamped oddly beside its cause: earlier than clocks drift, or later than runs last.
 * Two notes and their certificates go by it; no verdict does.
 */

const SKEW_TOLERATED_MS = 2000;
const LEAP_MS = 365 * 24 * 60 * 60 * 1000;

export function isBeforeCause(laterMs: number): boolean {
  return laterMs < -SKEW_TOLERATED_MS;
}

export function isLeap(laterMs: number): boolean {
  return laterMs > LEAP_MS;
}
