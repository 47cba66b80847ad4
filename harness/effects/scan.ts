/**
 * Verifies what a run has recorded of its calls, and does not merely read it: objects, entries, journal, orphans, seal.
 *
 * History is never rewritten to mend what is found. A scan may stop at a budget, and goes on where it stopped.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { attempt, NO_FOLLOW, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
import type { WorldRow } from './entries.js';
import { KIND } from './kinds.js';
import { PackIndex } from './pack-index.js';
import { scanPack } from './pack-scan.js';
import { scanEntries } from './scan-entries.js';
import type { EntriesTable } from './scan-entries.js';
import { scanFiles } from './scan-files.js';
import type { OnItem } from './scan-items.js';
import { scanJournal } from './scan-journal.js';
import { ObjectFacts, scanItem } from './scan-objects.js';
import { Rows } from './scan-rows.js';
import type { ScanBudget } from './scan-rows.js';
import { ObjectReader } from './object-reader.js';

export interface RunScanOptions {
  readonly budget: ScanBudget;
  /** Rows that an earlier part has verified, of the same files (see scan-cursor.ts). */
  readonly resume?: number;
  readonly onItem: OnItem;
  /** Gets the state after each call whose record can be read. */
  readonly onWorld?: (world: WorldRow) => void;
  readonly ops?: FileOps;
}

export interface RunScanned {
  /** Rows gone through, earlier parts included. */
  readonly rows: number;
  readonly objects: number;
  readonly entries: number;
  /** Whether the last row was reached, and not the end of the budget. */
  readonly isComplete: boolean;
}

/** Scans one run. */
export function scanRun(runDir: string, options: RunScanOptions): RunScanned {
  const { ops = nodeFileOps, resume, budget, onItem, onWorld } = options;
  return attempt(`scanning ${runDir}`, () => {
    const rows = new Rows(resume ?? 0, budget);
    const facts = new ObjectFacts(new PackIndex());
    const reader = new ObjectReader(runDir, { ops, index: facts.index });
    try {
      const table: EntriesTable = {
        runDir,
        ops,
        facts,
        rows,
        onItem,
        read: (ref) => reader.read(ref),
        ...(onWorld && { onWorld }),
      };
      const { entries, isComplete } = scanTables(table);
      return { rows: rows.position, objects: facts.index.size, entries, isComplete };
    } finally {
      reader.close();
    }
  });
}

function scanTables(table: EntriesTable): Pick<RunScanned, 'entries' | 'isComplete'> {
  if (!scanObjects(table)) return { entries: 0, isComplete: false };
  const { entries, isComplete: areAll } = scanEntries(table);
  const isComplete =
    areAll && scanJournal(table, entries) && scanOrphans(table) && scanFiles(table, entries.at(-1)?.hash);
  return { entries: entries.length, isComplete };
}

function scanObjects(table: EntriesTable): boolean {
  const path = join(table.runDir, RUN.objects);
  if (table.ops.facts(path)?.type !== 'file') return true;
  const fd = table.ops.open(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    const source = { ops: table.ops, fd, end: table.ops.factsOf(fd).size };
    for (const item of scanPack({ ...source, hashes: () => table.rows.isDue(0) })) {
      if (!scanItem(item, table)) return false;
    }
    return true;
  } finally {
    table.ops.close(fd);
  }
}

/** Objects of ours that nothing leads to: what a crash leaves behind, or what somebody has put there. */
function scanOrphans({ facts, rows, onItem }: EntriesTable): boolean {
  const { index } = facts;
  for (let number = 0; number < index.size; number += 1) {
    const row = rows.next();
    if (row === 'stop') return false;
    if (row === 'seen' || facts.isReached(number)) continue;
    const kinds = index.labelsOf(number).map(({ semanticId }) => semanticId);
    // The registry is named by genesis, which is a plan of no reader here.
    if (kinds.includes(KIND.epochs) || kinds.includes(KIND.genesis)) continue;
    onItem({
      type: 'note',
      table: 'objects',
      ref: index.hashOf(number),
      field: 'reference',
      reason: `orphan ${kinds.join(', ')}`,
    });
  }
  return true;
}
