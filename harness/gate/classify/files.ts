/**
 * Classifies the file tools: a table of tools, and what their paths add.
 */
import type { JsonObject, JsonValue } from '../../core/event.js';
import type { Reversibility } from './matrix.js';
import { reading } from './reading.js';
import type { Reading } from './reading.js';
import { lookUp } from './table.js';

const TOOLS: Readonly<Record<string, Reversibility>> = {
  'fs.read': 'read-only',
  'fs.list': 'read-only',
  // The old content is gone unless somebody kept it.
  'fs.write': 'trivial',
  'fs.delete': 'irreversible',
};

/** What a call of a file tool does; `undefined` for other tools. */
export function readFileTool(tool: string, input: JsonObject): Reading | undefined {
  const reversibility = lookUp(TOOLS, tool);
  if (reversibility === undefined) return undefined;
  const outside = pathsIn(input).find(leaves);
  if (outside !== undefined)
    return reading([reversibility, 'critical'], `${outside} leads out of the worktree`, {
      tripwires: ['fs.outside-sandbox'],
    });
  if (tool !== 'fs.delete') return reading([reversibility, 'local'], `${tool} on one path`);
  return input['recursive'] === true
    ? reading([reversibility, 'bounded'], 'deletes a folder with all it holds')
    : reading([reversibility, 'local'], 'deletes one file');
}

function pathsIn(input: JsonObject): string[] {
  return Object.values(input).filter((value: JsonValue): value is string => typeof value === 'string');
}

function leaves(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}
