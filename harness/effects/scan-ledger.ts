/**
 * The ledger of a study against its runs: each sealed run is there, and its first seal is the one that is remembered.
 */
import { join } from 'node:path';
import type { JsonValue } from '../core/event.js';
import { validate } from '../core/schema.js';
import type { LedgerLine } from '../core/types.js';
import { folderEvidence } from '../log/folder-evidence.js';
import { readLedger } from '../log/ledger.js';
import type { FolderItem } from './scan-folder.js';

type OnItem = (item: FolderItem) => void;

/** @param runs names of the runs that are there */
export function scanLedger(folder: string, runs: readonly string[], onItem: OnItem): void {
  const { lines, unreadable } = readLedger(folder);
  for (const index of unreadable)
    onItem({ run: '', type: 'hole', table: 'ledger', index, field: 'line', reason: 'unreadable' });
  for (const line of lines) {
    if (runs.includes(line.runId)) scanLine(folder, line, onItem);
    else
      onItem({
        run: '',
        type: 'hole',
        table: 'ledger',
        field: 'runId',
        reason: `${line.runId} is sealed and gone`,
      });
  }
  const known = new Set(lines.map(({ runId }) => runId));
  for (const run of runs.filter((name) => !known.has(name)))
    onItem({ run, type: 'note', table: 'ledger', field: 'runId', reason: 'not in the ledger' });
}

function scanLine(folder: string, line: LedgerLine, onItem: OnItem): void {
  const { runId: run } = line;
  const evidence = folderEvidence(join(folder, run));
  const [name] = evidence.seals();
  const found = name === undefined ? undefined : evidence.json(name);
  const seal = found?.found === true ? validate('seal', found.value satisfies JsonValue) : undefined;
  if (seal?.ok !== true) {
    const reason = name === undefined ? `${run} has no seal` : `${name} of ${run} is unreadable`;
    onItem({ run, type: 'hole', table: 'ledger', field: 'seal', reason });
    return;
  }
  for (const field of ['logDigest', 'events', 'head'] as const) {
    if (line[field] !== seal.value[field])
      onItem({
        run,
        type: 'hole',
        table: 'ledger',
        field,
        reason: `the seal says ${seal.value[field] ?? 'none'}`,
      });
  }
}
