/**
 * The interpreter that this command is, as it is pinned in what it records. Measured once a process, and only by commands
 * that record or replay: it reads the whole of Node.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureInterpreter } from '../effects/interpreter.js';
import type { MeasuredInterpreter } from '../effects/interpreter.js';
import { harnessInfo } from './version.js';

let measured: MeasuredInterpreter | undefined;

export function thisInterpreter(): MeasuredInterpreter {
  measured ??= measureInterpreter({
    distDir: dirname(dirname(fileURLToPath(import.meta.url))),
    nodeVersion: process.version,
    nodePath: process.execPath,
    release: harnessInfo().version,
  });
  return measured;
}
