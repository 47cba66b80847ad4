/**
 * Scanners that are free to be used again: their memory is worth keeping from one log to the next.
 */
import { randomInt } from 'node:crypto';
import { plainLogScanner } from '../grammar/plain-log-scanner.js';
import type { LogScanner } from '../grammar/record.js';
import { wasmScanner } from '../grammar/wasm-scanner.js';

const SEED_MAX = 2 ** 32;
const free: LogScanner[] = [];

/** A scanner that knows of no log. Give it back when nobody asks the history for texts any more. */
export function borrowScanner(): LogScanner {
  return free.pop() ?? makeScanner();
}

export function returnScanner(scanner: LogScanner): void {
  scanner.reset();
  free.push(scanner);
}

/** The compiled scanner where there can be one. `COUNTERPROOF_SCANNER=plain` asks for the other. */
function makeScanner(): LogScanner {
  const isPlain = process.env['COUNTERPROOF_SCANNER'] === 'plain';
  return (isPlain ? undefined : wasmScanner(randomInt(SEED_MAX))) ?? plainLogScanner();
}
