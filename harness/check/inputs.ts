/**
 * Turns what a user names (run folder, log, study, glob, `-`) into the runs to check, in a stable order.
 *
 * Symlinked folders are not walked, so a link to itself ends. A folder set aside after a crash
 * (`<runId>.abandoned-<n>`) is named, not judged.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { HarnessError } from '../core/errors.js';
import { errnoOf } from '../log/file-ops.js';
import { readLedger } from '../log/ledger.js';
import { RUN, STUDY } from '../log/run-dir.js';
import type { MissingRun } from './missing-run.js';
import { STANDARD_INPUT } from './spool.js';

export interface RunInput {
  /** The path as it is shown: relative if it was given so. */
  readonly path: string;
  readonly logPath: string;
  /** Absent for a bare log: then no folder is looked at. */
  readonly runDir?: string;
  /** The run is only remembered by the ledger of its study: there is nothing to read. */
  readonly missing?: MissingRun;
}

export interface Inputs {
  readonly runs: readonly RunInput[];
  /** Folders of runs that a crash cut short. */
  readonly abandoned: readonly string[];
}

/** runs/<study>/<run> is two levels below `runs`. */
const DEPTH_MAX = 3;
const ABANDONED = /\.abandoned-\d+$/;

/**
 * Resolves the operands of `check`. A run that is named twice is taken once.
 * @param spooled files that hold what came through the pipes among the operands (spool.ts)
 * @throws HarnessError `no-input` where a path is missing or nothing matched
 */
export function resolveInputs(
  operands: readonly string[],
  spooled: ReadonlyMap<string, string> = new Map(),
): Inputs {
  const runs: RunInput[] = [];
  const abandoned: string[] = [];
  for (const operand of operands) {
    const logPath = spooled.get(operand);
    if (logPath !== undefined) runs.push({ path: operand === STANDARD_INPUT ? '<stdin>' : operand, logPath });
    else for (const path of expand(operand)) addPath(path, runs, abandoned);
  }
  if (runs.length === 0) {
    throw new HarnessError(
      'no-input',
      `no run log found in ${operands.join(' ')}`,
      `a run is a folder with ${RUN.log}; name other logs one by one, or by a pattern such as '*.jsonl'`,
    );
  }
  return { runs: withoutRepeats(runs, (run) => resolve(run.logPath)), abandoned: [...new Set(abandoned)] };
}

function withoutRepeats<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  return [...new Map([...items].reverse().map((item) => [nameOf(item), item])).values()].reverse();
}

/** A path that exists is that path, whatever characters it holds; else it may be a pattern. */
function expand(operand: string): readonly string[] {
  if (kindOf(operand) !== undefined) return [operand];
  if (!isDynamicPattern(operand)) {
    throw new HarnessError('no-input', `${operand} does not exist`, 'check the path');
  }
  const found = globSync(operand, {
    onlyFiles: false,
    followSymbolicLinks: false,
    expandDirectories: false,
    dot: true,
    // Shown as it was given, wherever the command is run.
    absolute: isAbsolute(operand),
  });
  if (found.length === 0)
    throw new HarnessError('no-input', `nothing matches ${operand}`, 'check the pattern, and quote it');
  return found.map((path) => path.replace(/[/\\]$/, '')).sort();
}

/** What stands at a path, symlinks followed. */
function kindOf(path: string): 'folder' | 'file' | 'other' | undefined {
  try {
    const facts = statSync(path);
    return facts.isDirectory() ? 'folder' : facts.isFile() ? 'file' : 'other';
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG')
      return undefined;
    throw unseen(path, error);
  }
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    throw unseen(folder, error);
  }
}

function unseen(path: string, cause: unknown): HarnessError {
  const why = errnoOf(cause) ?? String(cause);
  return new HarnessError('no-input', `cannot look at ${path}: ${why}`, {
    hint: 'check its permissions',
    cause,
  });
}

function addPath(path: string, runs: RunInput[], abandoned: string[]): void {
  if (kindOf(path) === 'folder')
    walk(path.replace(/(?<=[^/\\])[/\\]+$/, ''), { depth: DEPTH_MAX, runs, abandoned });
  else {
    const isRun = basename(path) === RUN.log;
    runs.push({ path, logPath: path, ...(isRun ? { runDir: resolve(dirname(path)) } : {}) });
  }
}

/** Runs that the ledger of a study names and whose logs are not there: gone, emptied, or only a link. */
function missingOf(folder: string, runs: readonly RunInput[]): MissingRun[] {
  if (kindOf(join(folder, STUDY.ledger)) !== 'file') return [];
  const there = new Set(runs.map((run) => run.path));
  const gone = readLedger(folder).lines.filter((line) => !there.has(join(folder, line.runId)));
  return gone
    .map((line) => ({ run: line.runId, events: line.events }))
    .sort((a, b) => (a.run < b.run ? -1 : 1));
}

/**
 * A log that is no file is still that folder's log: reading it says so. Folders below a run are looked at too, so that
 * no log laid above them hides the runs of a study.
 */
function walk(folder: string, found: { depth: number; runs: RunInput[]; abandoned: string[] }): void {
  const logPath = join(folder, RUN.log);
  const kind = kindOf(logPath);
  if (kind === 'file' || kind === 'other')
    found.runs.push({ path: folder, logPath, runDir: resolve(folder) });
  if (found.depth === 0) return;
  for (const name of namesIn(folder)) {
    const below = join(folder, name);
    if (ABANDONED.test(name)) found.abandoned.push(below);
    else walk(below, { ...found, depth: found.depth - 1 });
  }
  for (const missing of missingOf(folder, found.runs)) {
    const path = join(folder, missing.run);
    found.runs.push({ path, logPath: join(path, RUN.log), missing });
  }
}
