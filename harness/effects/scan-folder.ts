/**
 * Scans whatever a folder is: a run, a study with its runs and its ledger, or the export of a public store. A cursor says
 * in which of them a scan stopped, so that it can go on there.
 */
import { basename, join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import { attempt, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { abandonedRun, RUN, STUDY } from '../log/run-dir.js';
import type { WorldRow } from './entries.js';
import type { ScanItem } from './scan-items.js';
import { scanLedger } from './scan-ledger.js';
import { assertCursor, cursorText, filesDigest, parseCursor, runFiles } from './scan-cursor.js';
import type { Cursor } from './scan-cursor.js';
import { Rows, SharedBudget } from './scan-rows.js';
import type { ScanBudget } from './scan-rows.js';
import { scanRun } from './scan.js';
import { exportFiles, isWorldExport, scanExport } from './world-export.js';

/** An item and the run it is of; empty for what is of the folder itself. */
export interface FolderItem extends ScanItem {
  readonly run: string;
}

/** The state after a call, and the run it is of. */
export interface FolderWorld extends WorldRow {
  readonly run: string;
}

export interface FolderScanned {
  readonly runs: number;
  readonly objects: number;
  readonly entries: number;
  /** Files and folders that were not scanned, by name. */
  readonly ignored: readonly string[];
  /** Where the budget ended; absent when the scan is complete. */
  readonly resume?: string;
}

export interface FolderScanOptions {
  readonly budget: ScanBudget;
  readonly resume?: string;
  readonly onItem: (item: FolderItem) => void;
  /** Gets the state after each call whose record can be read. */
  readonly onWorld?: (world: FolderWorld) => void;
  readonly ops?: FileOps;
}

/** @throws HarnessError `no-input` for a folder that is none of the three, `invalid-input` for a cursor of another */
export function scanFolder(folder: string, options: FolderScanOptions): FolderScanned {
  const { ops = nodeFileOps } = options;
  const cursor = options.resume === undefined ? undefined : parseCursor(options.resume);
  return attempt(`scanning ${folder}`, () => {
    if (ops.facts(`${folder}/.`)?.type !== 'folder')
      throw new HarnessError('no-input', `no folder at ${folder}`, 'give a run, a study or an export');
    const names = ops.list(folder).sort();
    if (isRun(names)) return scanRuns(folder, ['.'], { ...options, cursor });
    const runs = names.filter((name) => isRunFolder(folder, name, ops));
    if (runs.length > 0 || names.includes(STUDY.ledger))
      return scanStudy(folder, runs, { ...options, cursor });
    if (isWorldExport(folder)) return scanWorld(folder, { ...options, cursor });
    const hint = `a run has a file ${RUN.log} or ${RUN.invocations}, an export has log entries`;
    throw new HarnessError('no-input', `nothing to scan in ${folder}`, hint);
  });
}

type Options = FolderScanOptions & { readonly cursor: Cursor | undefined };

/** Runs one after the other; those before the cursor's were complete. */
function scanRuns(folder: string, runs: readonly string[], options: Options): FolderScanned {
  const { cursor, onItem, ops = nodeFileOps } = options;
  const filesUpTo = (last: number): string =>
    filesDigest(runs.slice(0, last + 1).map((run) => `${run}\n${runFiles(join(folder, run), ops)}`));
  const first = cursor === undefined ? 0 : runs.indexOf(cursor.run);
  if (first < 0) {
    const hint = 'the folder has changed since: scan it from the start';
    const found = `the cursor names ${cursor?.run ?? ''}, which is not in ${folder}`;
    throw new HarnessError('invalid-input', found, hint);
  }
  if (cursor !== undefined) assertCursor(cursor, filesUpTo(first), folder);
  const total = { runs: 0, objects: 0, entries: 0, ignored: [] };
  const budget = new SharedBudget(options.budget);
  for (let at = first; at < runs.length; at += 1) {
    const run = runs[at]!;
    const start = at === first && cursor !== undefined ? cursor.row : 0;
    const name = run === '.' ? basename(folder) : run;
    const scanned = scanRun(join(folder, run), {
      budget: budget.left(),
      ops,
      resume: start,
      onItem: (item) => onItem({ run: name, ...item }),
      onWorld: (world) => options.onWorld?.({ run: name, ...world }),
    });
    total.runs += 1;
    total.objects += scanned.objects;
    total.entries += scanned.entries;
    if (!scanned.isComplete)
      return { ...total, resume: cursorText({ run, row: scanned.rows, files: filesUpTo(at) }) };
    budget.spend(scanned.rows - start);
  }
  return total;
}

function scanStudy(folder: string, runs: readonly string[], options: Options): FolderScanned {
  const scanned = scanRuns(folder, runs, options);
  const abandoned = (options.ops ?? nodeFileOps).list(folder).filter(isAbandoned);
  // The ledger is small and read last, so that a study is complete only with it.
  if (scanned.resume === undefined) scanLedger(folder, runs, options.onItem);
  return { ...scanned, ignored: abandoned };
}

function scanWorld(folder: string, { budget, cursor, onItem }: Options): FolderScanned {
  const files = exportFiles(folder);
  if (cursor !== undefined) assertCursor(cursor, files, folder);
  const rows = new Rows(cursor?.row ?? 0, budget);
  const scanned = scanExport(folder, { rows, onItem: (item) => onItem({ run: '', ...item }) });
  const { entries, objects, ignored, isComplete } = scanned;
  return {
    runs: 0,
    entries,
    objects,
    ignored,
    ...(isComplete ? {} : { resume: cursorText({ run: '.', row: rows.position, files }) }),
  };
}

function isRun(names: readonly string[]): boolean {
  return names.includes(RUN.log) || names.includes(RUN.invocations) || names.includes(RUN.objects);
}

function isRunFolder(folder: string, name: string, ops: FileOps): boolean {
  const path = join(folder, name);
  return ops.facts(path)?.type === 'folder' && !isAbandoned(name) && isRun(ops.list(path));
}

/** Runs that a crash cut short are set aside under such names, and are no part of a study. */
function isAbandoned(name: string): boolean {
  const [, run = '', n] = /^(.+)\.abandoned-(\d+)$/.exec(name) ?? [];
  return n !== undefined && abandonedRun(run, Number(n)) === name;
}
