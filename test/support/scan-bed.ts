/**
 * The line scanner as tests ask it: one line, one word for what becomes of it.
 */
import { repeatedName } from '../../harness/grammar/names.js';
import { plainScanner } from '../../harness/grammar/plain-scanner.js';
import type { LineScan } from '../../harness/grammar/scan.js';

export const scanner = plainScanner();

export function scan(line: Uint8Array | string): LineScan {
  const bytes = Buffer.from(line);
  return scanner.scan(bytes, 0, bytes.length);
}

/** What becomes of a line: what scanner and name check say together. */
export function verdictOf(line: Uint8Array): string {
  const found = scanner.scan(line, 0, line.length);
  if (found.fault !== undefined) return found.fault;
  return found.needsNameCheck && repeatedName(line) !== undefined ? 'duplicate-key' : 'accepted';
}

/** What JSON.parse makes of a text. */
export function parsed(text: string): { readonly ok: boolean; readonly value?: unknown } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false };
    throw error;
  }
}
