/**
 * Scanners that are free to be used again: their memory is worth keeping from one log to the next.
 */
import { plainLogScanner } from '../grammar/plain-log-scanner.js';
import type { LogScanner } from '../grammar/record.js';

const free: LogScanner[] = [];

/** A scanner that knows of no log. Give it back when nobody asks the history for texts any more. */
export function borrowScanner(): LogScanner {
  return free.pop() ?? plainLogScanner();
}

export function returnScanner(scanner: LogScanner): void {
  scanner.reset();
  free.push(scanner);
}
