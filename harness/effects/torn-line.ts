/**
 * Whether a line that cannot be read is what a crash leaves: the beginning of one of ours, cut off. The next writer closes
 * such a line and goes on behind it; what it would have said was never acknowledged.
 */
import { parseExact } from '../core/json.js';

const START = Buffer.from('{"');
const CLOSE = 0x7d;

/** True for bytes that are good JSON as far as they go, and do not go to the end. */
export function isTornText(bytes: Uint8Array): boolean {
  // A whole line ends so; one that was cut there all the same is taken for a changed one, which is said louder.
  if (bytes.at(-1) === CLOSE || Buffer.compare(bytes.subarray(0, START.length), START) !== 0) return false;
  const parsed = parseExact(bytes);
  return !parsed.ok && parsed.reason === 'invalid-json' && parsed.offset === bytes.length;
}
