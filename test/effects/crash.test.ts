/**
 * A call with two effects, with the n-th file operation going wrong, for every n and in every way. What is on the disk is
 * read by other code than that under test. What syncs it costs when nothing goes wrong is in durable.test.ts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../harness/core/errors.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { Broker } from '../../harness/effects/broker.js';
import type { CallAnswer } from '../../harness/effects/ports.js';
import { recover } from '../../harness/effects/recover.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import {
  brokerOptions,
  effectBed,
  GRANTS,
  makeRunFolder,
  replayAll,
  scanAll,
  Shelf,
} from '../support/effect-bed.js';
import { FAULTS, faultyOps } from '../support/faulty-ops.js';
import type { Fault } from '../support/faulty-ops.js';

const CALL = { callId: 'note', tool: 'number.note', input: { name: 'a', note: 1 }, caller: 'coder' };

interface Attempt {
  readonly runDir: string;
  readonly shelf: Shelf;
  readonly answer: CallAnswer | undefined;
  readonly operations: number;
}

/** Opens a run and makes one call, with a fault somewhere on the way. */
async function attempt(at: number, fault: Fault): Promise<Attempt> {
  const runDir = makeRunFolder();
  const shelf = new Shelf();
  const { ops, count } = faultyOps(at, fault);
  let broker: Broker | undefined;
  let answer: CallAnswer | undefined;
  try {
    broker = openBroker(runDir, brokerOptions(shelf, { ops, durable: true }));
    broker.grant('main', GRANTS);
    answer = await broker.execute(broker.prepare(CALL), 'main');
  } catch (error) {
    expect(isExpected(error), String(error)).toBe(true);
  }
  const operations = count();
  try {
    broker?.close();
  } catch (error) {
    expect(isExpected(error), String(error)).toBe(true);
  }
  return { runDir, shelf, answer, operations };
}

/** A clear sentence, or the failed system call itself. Never an assertion of ours. */
function isExpected(error: unknown): boolean {
  return error instanceof HarnessError || (error instanceof Error && 'code' in error);
}

/** Lines of a file that are whole JSON objects, read with nothing of ours. */
function linesOf(runDir: string, name: string): { [member: string]: unknown }[] {
  const path = join(runDir, name);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as { [member: string]: unknown }];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

function holdsTruth({ runDir, shelf, answer }: Attempt): void {
  const journal = linesOf(runDir, 'journal.jsonl');
  const entries = linesOf(runDir, 'invocations.jsonl');
  const intents = journal
    .filter(({ kind }) => kind === 'world/effect-intent/v1')
    .map(({ effectId }) => effectId);
  // What ran was announced, and nothing ran twice.
  expect(new Set(shelf.done).size).toBe(shelf.done.length);
  if (shelf.done.includes('get a')) expect(intents).toContain('read');
  if (shelf.done.includes('set note')) expect(intents).toContain('write');
  // What was acknowledged is there.
  expect(entries.length).toBeLessThanOrEqual(1);
  if (answer !== undefined) {
    expect(entries.map(({ entryHash }) => entryHash)).toEqual([answer.entryHash]);
    expect(replayAll(runDir).map(({ mismatch }) => mismatch)).toEqual([undefined]);
  }
}

/** What recover says is open: every effect that may have run, and none that cannot have. */
function recoversTruth({ runDir, shelf, answer }: Attempt): void {
  const run = RecordedRun.open(runDir);
  const found = recover(run);
  run.close();
  const open = found.calls.flatMap(({ effects }) => effects);
  if (answer !== undefined) expect(found.calls).toEqual([]);
  const isEntered = linesOf(runDir, 'invocations.jsonl').length > 0;
  const mayHave = open.map(({ effectId }) => effectId);
  if (!isEntered && shelf.done.includes('get a')) expect(mayHave).toContain('read');
  if (!isEntered && shelf.done.includes('set note')) expect(mayHave).toContain('write');
  for (const { effectId, state } of open) {
    const did = effectId === 'read' ? 'get a' : 'set note';
    if (state === 'ok') expect(shelf.done).toContain(did);
    // A process that died cannot have hidden it; only a power failure could.
    if (state === 'likely-not-begun') expect(shelf.done).not.toContain(did);
  }
}

/** The same call once more, by the next process. */
async function sendAgain(before: Attempt): Promise<void> {
  const { runDir, shelf } = before;
  const done = [...shelf.done];
  const broker = openBroker(runDir, brokerOptions(shelf, { durable: true }));
  broker.grant('main', GRANTS);
  let again: CallAnswer | undefined;
  try {
    again = await broker.execute(broker.prepare(CALL), 'main');
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid-input' });
  }
  broker.close();
  if (before.answer !== undefined) expect(again).toEqual(before.answer);
  // Either it had never begun, or nothing runs again.
  if (done.length > 0) expect(shelf.done).toEqual(done);
  expect(new Set(shelf.done).size).toBe(shelf.done.length);
  if (again !== undefined) {
    expect(replayAll(runDir).map(({ mismatch }) => mismatch)).toEqual([undefined]);
    const holes = scanAll(runDir).filter(
      ({ type, field, table }) =>
        type === 'hole' &&
        field !== 'pack' &&
        !(table === 'journal' && field === 'line') &&
        field !== 'journal',
    );
    expect(holes).toEqual([]);
  }
}

describe('crash', () => {
  for (const fault of FAULTS) {
    it(`crash: the n-th file operation of a call with two effects goes wrong (${fault}) → nothing twice, nothing lost`, async () => {
      let reached = 0;
      for (let at = 1; ; at += 1) {
        const attempted = await attempt(at, fault);
        holdsTruth(attempted);
        recoversTruth(attempted);
        await sendAgain(attempted);
        if (attempted.operations < at) break;
        reached = at;
      }
      // Opening three files, writing them and reading back: there is something to go wrong.
      expect(reached).toBeGreaterThan(40);
    });
  }

  it('crash: after a write has failed → every later call says so, and nothing more is written', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    const broken = new Shelf();
    let isBroken = false;
    const ops: FileOps = {
      ...nodeFileOps,
      write: (fd, bytes) => {
        if (isBroken) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return nodeFileOps.write(fd, bytes);
      },
    };
    bed.broker.close();
    const broker = openBroker(bed.runDir, brokerOptions(broken, { ops }));
    broker.grant('main', GRANTS);
    const call = (callId: string): Promise<CallAnswer> =>
      broker.execute(broker.prepare({ ...CALL, callId }), 'main');
    isBroken = true;
    await expect(call('x')).rejects.toMatchObject({ code: 'io-failed' });
    isBroken = false;
    await expect(call('y')).rejects.toMatchObject({ code: 'io-failed' });
    expect(broken.done).toEqual([]);
    broker.close();
  });
});
