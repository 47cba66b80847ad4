/**
 * Puts what comes through a pipe into a file, since a check looks at lines again: standard input, named pipes,
 * the shell's `<(…)`. Nothing here waits in a way that an interrupt could not end.
 */
import {
  constants,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HarnessError } from '../core/errors.js';

/** The operand that stands for standard input. */
export const STANDARD_INPUT = '-';

export interface Spooled {
  /** File by operand, for those operands that are pipes. */
  readonly files: ReadonlyMap<string, string>;
  /** Removes the files. */
  dispose(): void;
}

/**
 * Reads every pipe among the operands to its end. The files are gone when the process ends, however it does.
 * @throws HarnessError `io-failed` where reading fails or the disk is full
 */
export async function spoolPipes(operands: readonly string[]): Promise<Spooled> {
  const pipes = [...new Set(operands)].filter((operand) => operand === STANDARD_INPUT || isPipe(operand));
  if (pipes.length === 0) return { files: new Map(), dispose: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-'));
  const dispose = (): void => {
    process.off('exit', dispose);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', dispose);
  const files = new Map<string, string>();
  for (const [index, pipe] of pipes.entries()) {
    const path = join(folder, `${index}.jsonl`);
    files.set(pipe, path);
    try {
      await pipeline(openPipe(pipe), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    } catch (cause) {
      dispose();
      throw new HarnessError(
        'io-failed',
        `reading ${pipe === STANDARD_INPUT ? 'standard input' : pipe} failed: ${(cause as Error).message}`,
        { hint: 'check the pipe and the space on the disk', cause },
      );
    }
  }
  return { files, dispose };
}

function openPipe(operand: string): NodeJS.ReadableStream {
  if (operand === STANDARD_INPUT) return process.stdin;
  if (!statSync(operand).isFIFO()) return createReadStream(operand);
  // As a socket it is waited for by the event loop; a thread that waits to open it would hold up the end.
  const fd = openSync(operand, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

function isPipe(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && (facts.isFIFO() || facts.isCharacterDevice());
}
