/**
 * Verifies what a run has recorded of its calls, and does not merely read it: objects, entries, journal, orphans, seal.
 *
 * History is never rewritten to mend what is found. A scan may stop at a budget, and goes on where it stopped.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../core/digest.js';
import { HarnessError } from '../core/errors.js';
import { attempt, NO_FOLLOW, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';
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
  /** Where an earlier part stopped. */
  readonly resume?: RunCursor;
  readonly onItem: OnItem;
  readonly ops?: FileOps;
}

/** Where a scan of a run stopped, and what the files were then. */
export interface RunCursor {
  readonly row: number;
  readonly files: string;
}

export interface RunScanned {
  /** Rows gone through, earlier parts included. */
  readonly rows: number;
  readonly objects: number;
  readonly entries: number;
  /** Set when the budget ended first. */
  readonly stoppedAt?: RunCursor;
}

/** Scans one run. @throws HarnessError `invalid-input` for a cursor of other files than these */
export function scanRun(runDir: string, options: RunScanOptions): RunScanned {
  const { ops = nodeFileOps, resume, budget, onItem } = options;
  return attempt(`scanning ${runDir}`, () => {
    const files = fingerprint(runDir, ops);
    if (resume !== undefined && resume.files !== files) {
      const hint = 'the run has changed since: scan it from the start';
      throw new HarnessError('invalid-input', `the cursor is not of ${runDir} as it is now`, hint);
    }
    const rows = new Rows(resume?.row ?? 0, budget);
    const facts = new ObjectFacts(new PackIndex());
    const reader = new ObjectReader(runDir, { ops, index: facts.index });
    try {
      const table: EntriesTable = { runDir, ops, facts, rows, onItem, read: (ref) => reader.read(ref) };
      const entries = scanTables(table);
      const stoppedAt = entries === undefined ? { stoppedAt: { row: rows.position, files } } : {};
      return { rows: rows.position, objects: facts.index.size, entries: entries ?? 0, ...stoppedAt };
    } finally {
      reader.close();
    }
  });
}

/** @returns how many entries there are, or `undefined` when the budget has ended */
function scanTables(table: EntriesTable): number | undefined {
  if (!scanObjects(table)) return undefined;
  const entries = scanEntries(table);
  if (entries === undefined || !scanJournal(table, entries) || !scanOrphans(table)) return undefined;
  return scanFiles(table, entries.at(-1)?.hash) ? entries.length : undefined;
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

/** What the files are, cheaply: their sizes. Whoever changes one and keeps its size is found by the scan itself. */
function fingerprint(runDir: string, ops: FileOps): string {
  const sizes = [RUN.objects, RUN.invocations, RUN.journal].map(
    (name) => ops.facts(join(runDir, name))?.size ?? -1,
  );
  return sha256Hex(Buffer.from(sizes.join(' '))).slice(0, 16);
}
