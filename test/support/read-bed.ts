/**
 * Logs as bytes, read back by the log reader: what tests of the reader and the history look at.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { History, LineFault } from '../../harness/core/history.js';
import { readLog } from '../../harness/log/reader.js';
import type { ReadOptions } from '../../harness/log/reader.js';
import { makeFolder } from './log-bed.js';

type Json = { readonly [name: string]: unknown };

/** An event that fits the schema, with other members where wanted; one that is undefined is left out. */
export function event(id: string, more: Json = {}): Json {
  const first = id === 'evt_0';
  return {
    id,
    runId: 'run_r',
    t: '2026-05-28T15:00:00.000Z',
    kind: first ? 'run_started' : 'test.tick',
    actor: 'coder',
    ...(first ? {} : { causedBy: 'evt_0' }),
    ...more,
  };
}

export function line(id: string, more: Json = {}): string {
  return JSON.stringify(event(id, more));
}

/** Bytes of a log; strings are lines and get their LF, buffers stay as they are. */
export function logOf(...parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\n`) : part)));
}

/** Reads a log file and closes it when the test is over. */
export function readFrom(path: string, options: ReadOptions = {}): History {
  const log = readLog(path, options);
  onTestFinished(() => {
    log.close();
  });
  return log.history;
}

/** Writes the bytes to a file of their own and reads them as a log. */
export function read(bytes: Uint8Array, options: ReadOptions = {}): History {
  const path = join(makeFolder(), 'log.jsonl');
  writeFileSync(path, bytes);
  return readFrom(path, options);
}

export function idsOf(history: History): string[] {
  return Array.from({ length: history.size }, (_, index) => history.id(index));
}

/** Faults as `line rule`, in the order in which they are kept. */
export function faultsOf(history: History): string[] {
  return history.parts.faults.map((fault) => `${fault.line} ${fault.rule}`);
}

export function faultOf(history: History, rule: string): LineFault | undefined {
  return history.parts.faults.find((fault) => fault.rule === rule);
}

/** Everything about a history that a rule can see, as plain data. */
export function seen(history: History): unknown {
  const { faults, faultsOmitted, holes, duplicates, counts, run } = history.parts;
  const events = Array.from({ length: history.size }, (_, index) => [
    history.id(index),
    history.line(index),
    history.offset(index),
    history.kindName(index),
    history.actor(index),
    history.timeMs(index),
    history.causeId(index),
    history.lineage.place(index),
    history.tier(index),
    history.raw(index),
    [history.taskNumber(index), history.proposalNumber(index), history.planNumber(index)].map((number) =>
      history.text(number),
    ),
  ]);
  return { events, faults, faultsOmitted: [...faultsOmitted], holes, duplicates, counts, run };
}
