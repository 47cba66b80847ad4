/**
 * The last table of a scan: what the seals say of the log, of the chain's head, and of every other file.
 */
import type { Digest } from '../core/digest.js';
import type { JsonValue } from '../core/event.js';
import { validate } from '../core/schema.js';
import type { Seal } from '../core/types.js';
import { folderEvidence } from '../log/folder-evidence.js';
import type { EntriesTable } from './scan-entries.js';
import type { OnItem } from './scan-items.js';

/** Verifies the files against the seals. @param head hash of the last entry. @returns false when the budget has ended */
export function scanFiles({ runDir, rows, onItem }: EntriesTable, head: Digest | undefined): boolean {
  const evidence = folderEvidence(runDir);
  const names = evidence.seals();
  const first = rows.next();
  if (first === 'stop') return false;
  if (names.length === 0 && first === 'due')
    onItem({ type: 'note', table: 'files', field: 'seal', reason: 'not sealed' });
  for (const name of names) {
    const row = rows.next();
    if (row === 'stop') return false;
    const report: OnItem = row === 'due' ? onItem : () => undefined;
    const found = evidence.json(name);
    const seal = found.found ? validate('seal', found.value satisfies JsonValue) : undefined;
    if (seal?.ok !== true) {
      report({ type: 'hole', table: 'files', file: name, field: 'seal', reason: 'unreadable' });
      continue;
    }
    const isLast = name === names.at(-1);
    if (isLast && (seal.value.head ?? undefined) !== head)
      report({
        type: 'hole',
        table: 'files',
        file: name,
        field: 'head',
        reason: `it says ${seal.value.head ?? 'none'}`,
      });
    const prefix = evidence.prefix(seal.value.logBytes);
    if (!('sha256' in prefix) || `sha256:${prefix.sha256}` !== seal.value.logDigest)
      report({ type: 'hole', table: 'files', file: name, field: 'logDigest', reason: 'hash' });
    if (!scanSealed(seal.value, { evidence, rows, onItem })) return false;
  }
  return true;
}

function scanSealed(
  { files }: Seal,
  {
    evidence,
    rows,
    onItem,
  }: Pick<EntriesTable, 'rows' | 'onItem'> & { evidence: ReturnType<typeof folderEvidence> },
): boolean {
  for (const { path, sha256 } of files) {
    const row = rows.next();
    if (row === 'stop') return false;
    if (row === 'seen') continue;
    const found = evidence.file(path);
    if (!found.found) onItem({ type: 'hole', table: 'files', file: path, field: 'file', reason: found.why });
    else if (found.sha256 !== sha256)
      onItem({
        type: 'hole',
        table: 'files',
        file: path,
        field: 'sha256',
        reason: 'the seal says otherwise',
      });
  }
  return true;
}
