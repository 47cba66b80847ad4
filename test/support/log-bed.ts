/**
 * Run folders to write into, drafts of events that pass the schema, and a reading of a log that shares no code with
 * the writer.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';
import type { ErrorCode } from '../../harness/core/errors.js';
import type { EventDraft } from '../../harness/log/event-line.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { openWriter } from '../../harness/log/writer.js';
import type { LogWriter, WriterOptions } from '../../harness/log/writer.js';

export const RUN_ID = 'run_test';
export const START_MS = Date.parse('2026-05-28T15:00:00.000Z');

/** A fresh folder under `parent`, removed when the test is over. */
export function makeFolder(parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'counterproof-log-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A run folder with a goal in it. */
export function makeRun(parent?: string): string {
  const runDir = makeFolder(parent);
  writeFileSync(join(runDir, 'goal.md'), 'Make it so.\n');
  return runDir;
}

/** Opens a writer with a clock of its own that steps by 1 ms, closed when the test is over. */
export function open(runDir: string, options: Partial<WriterOptions> = {}): LogWriter {
  const clock = virtualClock(START_MS, 1);
  const writer = openWriter(runDir, { runId: RUN_ID, clock, durability: 'none', ...options });
  onTestFinished(() => {
    closeQuietly(writer);
  });
  return writer;
}

export function closeQuietly(writer: LogWriter): void {
  try {
    writer.close();
  } catch (error) {
    // What close has to say is tested where it matters.
    if (!(error instanceof Error)) throw error;
  }
}

export const STARTED: EventDraft = { kind: 'run_started', data: { formatVersion: 1 } };

export function goal(causedBy: string): EventDraft {
  return { kind: 'goal_received', actor: 'principal', data: { goalPath: 'goal.md' }, causedBy };
}

/** An event without protocol meaning, as heavy as wanted. */
export function tick(causedBy: string, n = 0, padding = 0): EventDraft {
  return { kind: 'test.tick', data: { n, padding: '.'.repeat(padding) }, causedBy };
}

export function completed(causedBy: string): EventDraft {
  return { kind: 'run_completed', data: { summary: 'done' }, causedBy };
}

/** A writer on a run that has started. */
export function started(ops?: FileOps): { runDir: string; writer: LogWriter; id: string } {
  const runDir = makeRun();
  const writer = open(runDir, ops === undefined ? {} : { ops });
  return { runDir, writer, id: writer.append(STARTED).id };
}

export const logOf = (runDir: string): string => join(runDir, 'provenance.jsonl');

/** Matches a HarnessError that says what, and what to do. */
export function refuses(code: ErrorCode, message: RegExp): unknown {
  return expect.objectContaining({
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/./),
  });
}

/** One line of a log: its text without LF, and the event on it if it is one. */
export interface SeenLine {
  readonly text: string;
  readonly offset: number;
  readonly bytes: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into events of any shape
  readonly event: any;
}

/** Every line of the log that is not empty. */
export function seeLog(runDir: string): SeenLine[] {
  const content = readFileSync(logOf(runDir));
  const lines: SeenLine[] = [];
  for (let offset = 0; offset < content.length;) {
    const lf = content.indexOf(0x0a, offset);
    const end = lf < 0 ? content.length : lf;
    const text = content.toString('utf8', offset, end);
    if (text.trim() !== '') lines.push({ text, offset, bytes: end - offset, event: eventOf(text) });
    offset = end + 1;
  }
  return lines;
}

/** Kinds of the readable events in order; what is unreadable shows as `?`. */
export function seeKinds(runDir: string): string[] {
  return seeLog(runDir).map(({ event }) => event?.kind ?? '?');
}

function eventOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
