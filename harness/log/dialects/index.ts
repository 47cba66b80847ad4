/**
 * The foreign log formats that can be imported. A new one is a file beside this and a line in the table.
 */
import { parseExact, toPlain } from '../../core/json.js';
import type { Dialect } from './dialect.js';
import { rosterRuntime } from './roster-runtime.js';

/** In the order in which they are tried. */
export const DIALECTS: readonly Dialect[] = [rosterRuntime];

export function dialectNamed(name: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.name === name);
}

/** The dialect of the first line that any dialect knows; `undefined` if none knows any. */
export function detectDialect(lines: readonly string[]): Dialect | undefined {
  for (const line of lines) {
    const parsed = parseExact(line);
    const value = parsed.ok ? toPlain(parsed.value) : undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const found = DIALECTS.find((dialect) => dialect.detect(value));
    if (found !== undefined) return found;
  }
  return undefined;
}
