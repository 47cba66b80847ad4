/**
 * Replays a whole run: the agents, the gate and the protocol are executed again, with every port answering from the
 * records, and the log that comes out must be the recorded one, byte for byte.
 *
 * Nothing is touched but a folder of its own, which is thrown away: no testbed, no model, no handler.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import type { JsonObject } from '../core/event.js';
import { parseExact, toPlain } from '../core/json.js';
import type { ClockPort } from '../core/ports.js';
import { validate } from '../core/schema.js';
import type { SchemaName, SchemaTypes } from '../core/types.js';
import { divergence, gap, ReplayStopped } from '../effects/divergence.js';
import type { Mismatch } from '../effects/divergence.js';
import { RecordedRun } from '../effects/recorded.js';
import { ReplayPort } from '../effects/replay-port.js';
import type { ReplayOptions } from '../effects/replay.js';
import { RUN } from '../log/run-dir.js';
import { readTask } from '../suite/load.js';
import { TOOLBOX } from '../testbed/tools.js';
import { runCell } from './cell.js';
import type { Cell } from './cell-ports.js';
import { ALL_TOOLS } from './live.js';

export interface WholeReplay {
  /** Calls that were answered from the record, of those that it has. */
  readonly answered: number;
  readonly recorded: number;
  /** Lines of the log that came out the same, from the first. */
  readonly lines: number;
  /** Where the replay left the record; `undefined` when the log is the same byte for byte. */
  readonly mismatch: (Mismatch & { readonly at: string }) | undefined;
}

export type WholeOptions = Pick<ReplayOptions, 'interpreter' | 'allowInterpreter'>;

/** @throws HarnessError `no-input` or `invalid-input` when the folder lacks what a replay starts from */
export async function replayWhole(runDir: string, options: WholeOptions): Promise<WholeReplay> {
  const recordedLog = readText(join(runDir, RUN.log));
  const cell = cellOf(runDir, recordedLog);
  const run = RecordedRun.open(runDir);
  const again = mkdtempSync(join(tmpdir(), 'counterproof-replay-'));
  try {
    const calls = new ReplayPort(run, { ...options, toolbox: ALL_TOOLS });
    const clock = recordedClock(run);
    const stopped = await attemptCell(cell, { again, calls, clock });
    const lines = compareLines(recordedLog, readText(join(again, RUN.log)));
    const left = calls.unasked[0];
    const mismatch =
      stopped ??
      lines.mismatch ??
      (left === undefined
        ? undefined
        : { ...gap('event', 'a call that was not made again', left), at: left });
    return { answered: calls.answered, recorded: run.entries.length, lines: lines.same, mismatch };
  } finally {
    run.close();
    rmSync(again, { recursive: true, force: true });
  }
}

async function attemptCell(
  cell: Cell,
  { again, calls, clock }: { again: string; calls: ReplayPort; clock: ClockPort },
): Promise<WholeReplay['mismatch']> {
  const ports = {
    runDir: again,
    calls,
    clock,
    pass: () => undefined,
    tools: [...TOOLBOX.values()],
    durable: false,
  };
  try {
    await runCell(cell, ports);
    return undefined;
  } catch (error) {
    if (error instanceof ReplayStopped) return { ...error.mismatch, at: error.invocation };
    throw error;
  }
}

/** The readings that were taken, in their order. */
function recordedClock(run: RecordedRun): ClockPort {
  const readings = run.scalars.filter(({ port }) => port === 'clock');
  let at = 0;
  return {
    nowMs: () => {
      const reading = readings[at++];
      if (reading === undefined)
        throw new ReplayStopped('clock', gap('event', 'a reading of the clock', `number ${at}`));
      return reading.value;
    },
  };
}

function compareLines(
  recorded: string,
  again: string,
): { readonly same: number; readonly mismatch: WholeReplay['mismatch'] } {
  if (recorded === again) return { same: recorded.split('\n').length - 1, mismatch: undefined };
  const [expected, found] = [again.split('\n'), recorded.split('\n')];
  const same = expected.findIndex((line, at) => line !== found[at]);
  const at = same < 0 ? expected.length : same;
  const values = { expected: expected[at] ?? 'the end of the log', found: found[at] ?? 'the end of the log' };
  return {
    same: at,
    mismatch: { ...divergence('event', `line ${at + 1} of the log`, values), at: `line ${at + 1}` },
  };
}

/** The cell a run was of, from its own folder. */
function cellOf(runDir: string, log: string): Cell {
  const start = parseExact(log.slice(0, Math.max(0, log.indexOf('\n'))));
  const event = start.ok ? toPlain(start.value) : undefined;
  const { runId, data } = (event ?? {}) as { runId?: unknown; data?: JsonObject };
  const { studyId, model, seed, simulation } = data ?? {};
  if (
    typeof runId !== 'string' ||
    typeof studyId !== 'string' ||
    typeof model !== 'string' ||
    !isSeed(seed)
  ) {
    const hint = 'runs of other runtimes are replayed call by call: leave --whole out';
    throw new HarnessError('invalid-input', `${join(runDir, RUN.log)} does not begin as a run of ours`, hint);
  }
  const conditionText = readText(join(runDir, RUN.condition));
  const policyText = readText(join(runDir, RUN.gatePolicy));
  const taskPath = join(runDir, RUN.task);
  return {
    studyId,
    runId,
    task: readTask(taskPath, readText(taskPath)),
    condition: checked('condition', join(runDir, RUN.condition), conditionText),
    conditionText,
    policy: checked('gate-policy', join(runDir, RUN.gatePolicy), policyText),
    policyText,
    model,
    seed,
    simulation: simulation === true,
  };
}

function isSeed(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function checked<Name extends SchemaName>(name: Name, path: string, text: string): SchemaTypes[Name] {
  const parsed = parseExact(text);
  const found = parsed.ok ? validate(name, toPlain(parsed.value)) : undefined;
  if (found?.ok === true) return found.value;
  throw new HarnessError('invalid-input', `${path} is no ${name}`, `see schemas/${name}.schema.json`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const hint = 'give the folder of a run that this harness has made';
    throw new HarnessError('no-input', `cannot read ${path}: ${(cause as Error).message}`, { hint, cause });
  }
}
