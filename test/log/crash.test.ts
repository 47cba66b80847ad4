/**
 * A whole run in which the n-th file operation goes wrong, for every n until the run passes untouched. Whatever
 * happened: what was acknowledged is in the log, whole and once, and a fresh writer can go on.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HarnessError } from '../../harness/core/errors.js';
import type { EventDraft } from '../../harness/log/event-line.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { readHead } from '../../harness/log/head.js';
import { appendLedger, readLedger } from '../../harness/log/ledger.js';
import type { Appended } from '../../harness/log/recorder.js';
import { ledgerLineOf, sealRun } from '../../harness/log/seal.js';
import type { LogWriter } from '../../harness/log/writer.js';
import { FAULTS, faultyOps } from '../support/faulty-ops.js';
import {
  closeQuietly,
  completed,
  goal,
  makeFolder,
  makeRun,
  open,
  RUN_ID,
  seeLog,
  START_MS,
  STARTED,
  tick,
} from '../support/log-bed.js';

/** What somebody was told: this line is in the log, this file in the folder. */
interface Told {
  readonly acks: Appended[];
  readonly files: [path: string, content: string][];
}

/** Ends the run, going on wherever the one before was stopped. Every call that throws ends it. */
function runThrough(runDir: string, ops: FileOps, told: Told): void {
  let writer: LogWriter | undefined;
  const append = (draft: EventDraft): string => {
    const ack = writer!.append(draft);
    told.acks.push(ack);
    return ack.id;
  };
  const file = (path: string, content: string): void => {
    writer!.writeArtifact(path, content);
    told.files.push([path, content]);
  };
  try {
    writer = open(runDir, { ops, durability: 'commit' });
    const head = readHead(runDir, ops);
    const id = head.state === 'started' ? head.id : append(STARTED);
    file('goal.md', 'Make it so.\n');
    append(goal(id));
    file('results/deep/t1.json', '{"status":"success"}');
    append(tick(id, 1, 5000));
    append(tick(id, 2));
    append(completed(id));
    writer.flush();
  } finally {
    if (writer !== undefined) writer.close();
  }
}

function expectKept(runDir: string, told: Told): void {
  const lines = existsSync(join(runDir, 'provenance.jsonl')) ? seeLog(runDir) : [];
  for (const { id, line } of told.acks) {
    expect(lines.filter(({ text }) => text === line)).toHaveLength(1);
    expect(lines.filter(({ event }) => event?.id === id)).toHaveLength(1);
  }
  const ids = lines.flatMap(({ event }) => (event === undefined ? [] : [event.id]));
  expect(new Set(ids).size).toBe(ids.length);
  for (const [path, content] of told.files) expect(readFileSync(join(runDir, path), 'utf8')).toBe(content);
}

describe('crash', () => {
  test.each(FAULTS)(
    'crash: the n-th operation of a run, for every n (%s) → nothing acknowledged is lost',
    (fault) => {
      let untouched = false;
      let stopped = 0;
      for (let n = 1; !untouched; n += 1) {
        const runDir = makeRun();
        const told: Told = { acks: [], files: [] };
        const faulty = faultyOps(n, fault);
        try {
          runThrough(runDir, faulty.ops, told);
        } catch (error) {
          // Every failed operation reaches the caller as something to act on.
          expect(error).toBeInstanceOf(HarnessError);
          stopped += 1;
        }
        untouched = faulty.count() < n;
        expectKept(runDir, told);
        // The process that died held lane and lock.
        runThrough(runDir, { ...nodeFileOps, pause: () => undefined, isProcessAlive: () => false }, told);
        expectKept(runDir, told);
        expect(seeLog(runDir).filter(({ event }) => event?.kind === 'run_started')).toHaveLength(1);
        expect(n).toBeLessThan(2000);
      }
      expect(stopped).toBeGreaterThan(fault === 'tear' || fault === 'tear-crash' ? 5 : 50);
    },
  );

  test.each(FAULTS)(
    'crash: the n-th operation of sealing, for every n (%s) → sealed once, or not at all',
    (fault) => {
      const clock = { nowMs: () => START_MS };
      const harness = { name: 'counterproof', version: '0.0.0' };
      let untouched = false;
      for (let n = 1; !untouched; n += 1) {
        const studyDir = makeFolder();
        const runDir = join(studyDir, RUN_ID);
        nodeFileOps.makeFolder(runDir);
        writeFileSync(join(runDir, 'goal.md'), 'Make it so.\n');
        runThrough(runDir, nodeFileOps, { acks: [], files: [] });
        const faulty = faultyOps(n, fault);
        try {
          appendLedger(studyDir, sealRun(runDir, { clock, harness, ops: faulty.ops }).ledgerLine, faulty.ops);
        } catch (error) {
          expect(error).toBeInstanceOf(HarnessError);
        }
        untouched = faulty.count() < n;
        if (existsSync(join(runDir, 'seal.json')))
          JSON.parse(readFileSync(join(runDir, 'seal.json'), 'utf8'));
        const line = ledgerLineOf(runDir) ?? sealRun(runDir, { clock, harness }).ledgerLine;
        appendLedger(studyDir, line);
        expect(existsSync(join(runDir, 'seal.2.json'))).toBe(false);
        expect(readLedger(studyDir).lines).toEqual([line]);
      }
    },
  );

  test('crash: a writer whose close fails → what it acknowledged stays, and another can go on', () => {
    const runDir = makeRun();
    const writer = open(runDir, { durability: 'none' });
    const ack = writer.append(STARTED);
    closeQuietly(writer);
    expectKept(runDir, { acks: [ack], files: [] });
  });
});

/** Mounts a small file system in memory; `undefined` where that is not allowed. */
function mountSmall(bytes: number): string | undefined {
  const folder = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

describe('crash: a disk that is really full', () => {
  test('crash: no space left in the middle of a run → disk-full, and it goes on when there is space', (context) => {
    const disk = mountSmall(64 * 1024);
    if (disk === undefined) return context.skip('mounting a file system is not allowed here');
    const runDir = makeRun(disk);
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(16 * 1024));
    const told: Told = { acks: [], files: [] };
    const writer = open(runDir);
    told.acks.push(writer.append(STARTED));
    const { id } = told.acks[0]!;
    const fill = (): void => {
      for (let n = 0; n < 100; n += 1) told.acks.push(writer.append(tick(id, n, 1000)));
    };
    expect(fill).toThrow(expect.objectContaining({ code: 'disk-full' }));
    // And again: the repair of the torn line finds no space either.
    expect(fill).toThrow(expect.objectContaining({ code: 'disk-full' }));
    expect(() => writer.writeArtifact('artifacts/x', 'x'.repeat(9000))).toThrow(
      expect.objectContaining({ code: 'disk-full' }),
    );
    expect(told.acks.length).toBeGreaterThan(10);
    expectKept(runDir, told);
    nodeFileOps.remove(join(disk, 'ballast'));
    told.acks.push(writer.append(tick(id)));
    writer.close();
    told.acks.push(open(runDir).append(tick(id)));
    expectKept(runDir, told);
    expect(seeLog(runDir).filter(({ event }) => event?.kind === 'log_repaired')).toHaveLength(1);
  });
});
