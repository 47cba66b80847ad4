/**
 * Whether an unreadable line is what a write cut short leaves behind: a record that stops too early, or a whole record
 * fused behind one. Only such lines can be accounted for by a `log_repaired` event; a whole line that was made
 * unreadable cannot.
 */
import type { LineScanner } from '../grammar/scan.js';

/** How a record of ours begins. Inside a string its quotes would be escaped. */
const RECORD_START = Buffer.from('{"id":"evt_');
/** What can be left of a word or an escape that a line was cut inside of: the scan stops at its beginning. */
const CUT_TOKEN = /^(?:tr?u?|fa?l?s?|nu?l?|\\(?:u[0-9a-fA-F]{0,3})?)$/;

export function isFragment(scanner: LineScanner, line: Uint8Array): boolean {
  if (line.length === 0) return true;
  const { fault, faultAt } = scanner.scan(line, 0, line.length);
  if (fault !== 'invalid-json') return false;
  const rest = Buffer.from(line.subarray(faultAt)).toString('latin1');
  // A whole record with something behind it was not cut.
  const isCut = rest === '' || (CUT_TOKEN.test(rest) && scanner.scan(line, 0, faultAt).fault !== undefined);
  return isCut || isFused(scanner, line);
}

/** A line of NULs, or one that ends in them: a block that the disk had not written yet. */
export function withoutNulTail(line: Uint8Array): Uint8Array {
  let end = line.length;
  while (end > 0 && line[end - 1] === 0) end--;
  return line.subarray(0, end);
}

/** A whole record stands behind the fragment of another. */
export function isFused(scanner: LineScanner, line: Uint8Array): boolean {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const last = text.lastIndexOf(RECORD_START);
  return last > 0 && scanner.scan(line, last, line.length).fault === undefined;
}
