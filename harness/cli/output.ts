/**
 * Where the command writes: results to standard output or a file, everything else to standard error.
 * The only place that touches the terminal; progress shows on a terminal and nowhere else.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, basename } from 'node:path';
import colors from 'picocolors';
import { HarnessError, isHarnessError } from '../core/errors.js';
import { PLAIN, printable, type Paint } from '../report/text.js';

/** Writes all of `text` to standard output, also to a slow pipe; a reader that went away ends the command quietly. */
export function print(text: string): void {
  writeAll(1, text);
}

/** Tells the user, control characters escaped: a message may name what a stranger has written. */
export function printError(text: string): void {
  tell(text.split('\n').map(printable).join('\n'));
}

/** Never fails: where nobody can be told, the exit code still says it. */
function tell(text: string): void {
  try {
    writeAll(2, text);
  } catch (error) {
    if (!isHarnessError(error)) throw error;
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(file, bytes, done);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN')
        throw new HarnessError('io-failed', `writing output failed: ${String(code)}`, {
          hint: 'check the disk or the pipe',
          cause: error,
        });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/**
 * Writes a result file whole or not at all: a temporary file beside it, then a rename. A link stays a link; a device
 * or a pipe is written to, since a rename would put a file in its place.
 */
export function writeFile(path: string, text: string): void {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (facts === undefined) replace(path, text);
    else if (facts.isFile() || facts.isDirectory()) replace(realpathSync(path), text);
    else fill(openSync(path, 'w'), text);
  } catch (cause) {
    if (isHarnessError(cause)) throw cause;
    throw new HarnessError('io-failed', `cannot write ${path}: ${(cause as Error).message}`, {
      hint: 'check the folder and the space on the disk',
      cause,
    });
  }
}

function replace(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    fill(openSync(temporary, 'w'), text, { sync: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function fill(file: number, text: string, { sync = false } = {}): void {
  try {
    writeAll(file, text);
    if (sync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Colours for standard output: on a terminal, unless NO_COLOR or the output goes to a file. */
export function paintFor(isToFile: boolean): Paint {
  // Some hosts say they know colours although nobody reads them: only a terminal gets any.
  if (isToFile || !process.stdout.isTTY || !colors.isColorSupported) return PLAIN;
  const { red, green, yellow, dim, bold } = colors.createColors(true);
  return { bad: red, good: green, unsure: yellow, dim, strong: bold };
}

/** A line that is written over while work goes on; silent in pipes. */
export function progressLine(label: string, total: number): { update(done: number): void; clear(): void } {
  const isShown = process.stderr.isTTY;
  return {
    update(done) {
      if (isShown) tell(`\r${label} ${done}/${total}\u001b[K`);
    },
    clear() {
      if (isShown) tell('\r\u001b[K');
    },
  };
}
