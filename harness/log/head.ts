/**
 * What a writer must know of a log before it may add to it: which run it is of, and the event that started it.
 * Unreadable lines are passed over; what they mean is for the judge to say.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import { attempt, nodeFileOps } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { objectOf, readLines } from './lines.js';
import type { Line } from './lines.js';
import { RUN } from './run-dir.js';

/** `unstarted`: no readable event at all. `headless`: events, but none of them a `run_started`. */
export type LogHead =
  | { readonly state: 'unstarted' }
  | { readonly state: 'headless' }
  | { readonly state: 'started'; readonly id: string; readonly runId: string };

const STARTED = Buffer.from('run_started');

/**
 * Reads as far as the first `run_started`, which is the first line of a log in order. A last line that only lacks its
 * LF counts: closing it, which is the first thing a writer does, makes it a line like any other.
 */
export function readHead(runDir: string, ops: FileOps = nodeFileOps): LogHead {
  return attempt(`reading ${join(runDir, RUN.log)}`, () => headOf(logLines(runDir, ops)));
}

function headOf(lines: Iterable<Line>): LogHead {
  let events = false;
  for (const { bytes } of lines) {
    // Once an event stands before the start, the rest is only searched for it.
    if (events && !Buffer.from(bytes).includes(STARTED)) continue;
    const event = objectOf(bytes);
    if (typeof event?.['id'] !== 'string' || typeof event['kind'] !== 'string') continue;
    events = true;
    if (event['kind'] === 'run_started' && typeof event['runId'] === 'string') {
      return { state: 'started', id: event['id'], runId: event['runId'] };
    }
  }
  return { state: events ? 'headless' : 'unstarted' };
}

/**
 * Id of the event that started the run; `undefined` while there is none.
 * @throws HarnessError `invalid-input` when the log is of another run, or has lost its beginning
 */
export function findStart(runDir: string, runId: string, ops: FileOps): string | undefined {
  const head = readHead(runDir, ops);
  if (head.state === 'unstarted') return undefined;
  const path = join(runDir, RUN.log);
  if (head.state === 'headless') {
    const hint = 'it was rotated, or is no log of ours; `counterproof check` says more';
    throw new HarnessError('invalid-input', `${path} has events but no run_started`, hint);
  }
  if (head.runId !== runId) {
    const hint = 'every run has a folder of its own; give the folder of this run';
    throw new HarnessError('invalid-input', `${path} is the log of ${head.runId}, not of ${runId}`, hint);
  }
  return head.id;
}

/** Whether the log holds an event of this id on a readable line. Reads the whole log in the worst case. */
export function hasEvent(runDir: string, id: string, ops: FileOps): boolean {
  const text = Buffer.from(JSON.stringify(id));
  return attempt(`reading ${join(runDir, RUN.log)}`, () => {
    for (const { bytes } of logLines(runDir, ops)) {
      if (Buffer.from(bytes).includes(text) && objectOf(bytes)?.['id'] === id) return true;
    }
    return false;
  });
}

function* logLines(runDir: string, ops: FileOps): Generator<Line, void, undefined> {
  const path = join(runDir, RUN.log);
  if (ops.facts(path) === undefined) return;
  const fd = ops.open(path, constants.O_RDONLY);
  try {
    yield* readLines({ ops, fd, end: ops.factsOf(fd).size });
  } finally {
    ops.close(fd);
  }
}
