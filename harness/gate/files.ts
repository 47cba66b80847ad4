/**
 * Classifies the file tools: a table of tools, and what their paths add.
 */
import type { JsonObject, JsonValue } from '../core/event.js';
import type { Reading } from './classify.js';
import type { Reversibility } from './matrix.js';

const TOOLS: Readonly<Record<string, Reversibility>> = {
  'fs.read': 'read-only',
  'fs.list': 'read-only',
  // The old content is gone unless somebody kept it.
  'fs.write': 'trivial',
  'fs.delete': 'irreversible',
};

/** What a call of a file tool does; `undefined` for other tools. */
export function classifyFiles(tool: string, input: JsonObject): Reading | undefined {
  const reversibility = TOOLS[tool];
  if (reversibility === undefined) return undefined;
  const outside = pathsIn(input).find(leaves);
  if (outside !== undefined) {
    return { reversibility, blastRadius: 'critical', reasons: [`${outside} leads out of the worktree`] };
  }
  if (tool !== 'fs.delete') return { reversibility, blastRadius: 'local', reasons: [`${tool} on one path`] };
  return input['recursive'] === true
    ? { reversibility, blastRadius: 'bounded', reasons: ['deletes a folder with all it holds'] }
    : { reversibility, blastRadius: 'local', reasons: ['deletes one file'] };
}

function pathsIn(input: JsonObject): string[] {
  return Object.values(input).filter((value: JsonValue): value is string => typeof value === 'string');
}

function leaves(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}
