/**
 * Turns what a user names (run folder, log, study, glob, `-`) into the runs to check, in a stable order.
 *
 * Symlinked folders are not walked, so a link to itself ends. A folder set aside after a crash
 * (`<runId>.abandoned-<n>`) is named, not judged.
 */
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { HarnessError } from '../core/errors.js';
import { errnoOf } from '../log/file-ops.js';
import { RUN } from '../log/run-dir.js';

export interface RunInput {
  /** The path as it is shown: relative if it was given so. */
  readonly path: string;
  readonly logPath: string;
  /** Absent for a bare log: then no folder is looked at. */
  readonly runDir?: string;
}

export interface Inputs {
  readonly runs: readonly RunInput[];
  /** Folders of runs that a crash cut short. */
  readonly abandoned: readonly string[];
  /** Removes what reading standard input left behind. */
  dispose(): void;
}

/** runs/<study>/<run> is two levels below `runs`. */
const DEPTH_MAX = 3;
const ABANDONED = /\.abandoned-\d+$/;

/**
 * Resolves the operands of `check`.
 * @throws HarnessError `no-input` where a path is missing or nothing matched
 */
export function resolveInputs(operands: readonly string[]): Inputs {
  const runs: RunInput[] = [];
  const abandoned: string[] = [];
  const temporary: string[] = [];
  const dispose = (): void => {
    for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
  };
  for (const operand of operands) {
    if (operand === '-') {
      const folder = mkdtempSync(join(tmpdir(), 'counterproof-'));
      temporary.push(folder);
      runs.push({ path: '<stdin>', logPath: spoolStandardInput(folder) });
    } else for (const path of expand(operand)) addPath(path, runs, abandoned);
  }
  if (runs.length === 0) {
    dispose();
    throw new HarnessError(
      'no-input',
      `no run log found in ${operands.join(' ')}`,
      `a run is a folder with ${RUN.log}, or a .jsonl file`,
    );
  }
  return { runs, abandoned, dispose };
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
  });
  if (found.length === 0)
    throw new HarnessError('no-input', `nothing matches ${operand}`, 'check the pattern, and quote it');
  return found.map((path) => path.replace(/[/\\]$/, '')).sort();
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG')
      return undefined;
    throw new HarnessError(
      'no-input',
      `cannot look at ${path}: ${code ?? String(error)}`,
      'check its permissions',
      { cause: error },
    );
  }
}

function addPath(path: string, runs: RunInput[], abandoned: string[]): void {
  if (kindOf(path) === 'file') {
    const isRun = basename(path) === RUN.log;
    runs.push({ path, logPath: path, ...(isRun ? { runDir: resolve(dirname(path)) } : {}) });
  } else walk(path, DEPTH_MAX, runs, abandoned);
}

function walk(folder: string, depth: number, runs: RunInput[], abandoned: string[]): void {
  const logPath = join(folder, RUN.log);
  if (kindOf(logPath) === 'file') {
    runs.push({ path: folder, logPath, runDir: resolve(folder) });
    return;
  }
  if (depth === 0) return;
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
  for (const name of entries.map((entry) => entry.name).sort()) {
    const below = join(folder, name);
    if (ABANDONED.test(name)) abandoned.push(below);
    else walk(below, depth - 1, runs, abandoned);
  }
}

/** Standard input can be read once; a check looks at lines again, so it goes to a file first. */
function spoolStandardInput(folder: string): string {
  const path = join(folder, 'stdin.jsonl');
  const file = openSync(path, 'wx', 0o600);
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  try {
    for (let count = readStandardInput(chunk); count > 0; count = readStandardInput(chunk)) {
      for (let done = 0; done < count;) done += writeSync(file, chunk, done, count - done);
    }
  } finally {
    closeSync(file);
  }
  return path;
}

function readStandardInput(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk, 0, chunk.length, null);
    } catch (error) {
      const code = errnoOf(error);
      if (code === 'EOF') return 0;
      // A terminal or pipe in non-blocking mode has nothing yet: wait a little instead of spinning.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else
        throw new HarnessError(
          'io-failed',
          `reading standard input failed: ${code ?? String(error)}`,
          'try again',
          { cause: error },
        );
    }
  }
}
