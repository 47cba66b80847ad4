/**
 * Applies the `fix` of a finding to a log, by lines and JSON alone: insert, remove or set.
 * An inserted event goes between its cause and those of its effects that stand below it.
 */
import type { JsonObject } from '../../harness/core/event.js';
import type { Fix } from '../../harness/core/verdict.js';

export function applyFix(log: string, fix: Fix): string {
  const lines = log.split('\n');
  switch (fix.op) {
    case 'remove':
      lines.splice(fix.line - 1, 1);
      break;
    case 'set':
      lines[fix.line - 1] = withMember(lines[fix.line - 1] as string, fix.pointer, fix.value);
      break;
    case 'insert':
      insert(lines, fix);
  }
  return lines.join('\n');
}

function withMember(line: string, pointer: string, value: unknown): string {
  const event = JSON.parse(line) as JsonObject;
  const names = pointer.slice(1).split('/');
  const last = names.pop() as string;
  let at = event;
  for (const name of names) at = (at[name] ??= {}) as JsonObject;
  Object.assign(at, { [last]: value });
  return JSON.stringify(event);
}

function insert(lines: string[], fix: Extract<Fix, { op: 'insert' }>): void {
  const above = JSON.parse(lines[fix.afterLine - 1] as string) as JsonObject;
  const id = 'evt_inserted';
  for (let at = fix.afterLine; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.includes(`"causedBy":"${fix.causedBy}"`)) lines[at] = withMember(line, '/causedBy', id);
  }
  const { kind, data, causedBy } = fix;
  const event = { id, runId: above['runId'], t: above['t'], kind, actor: 'mender', data, causedBy };
  lines.splice(fix.afterLine, 0, JSON.stringify(event));
}
