/** What the writer does when a disk, a folder or another writer lets it down; and what reaches stable storage. */
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { openWriter } from '../../harness/log/writer.js';
import { errno } from '../support/faulty-ops.js';
import {
  completed,
  goal,
  logOf,
  makeFolder,
  makeRun,
  open,
  refuses,
  RUN_ID,
  seeKinds,
  seeLog,
  START_MS,
  started,
  STARTED,
  tick,
} from '../support/log-bed.js';

describe('writer: stable storage', () => {
  const syncsOf = (durability: 'none' | 'commit' | 'event'): string[] => {
    const seen: string[] = [];
    const runDir = makeRun();
    const sync: FileOps['sync'] = (fd) => {
      seen.push('sync');
      nodeFileOps.sync(fd);
    };
    const writer = open(runDir, { durability, ops: { ...nodeFileOps, sync } });
    const step = (name: string, act: () => { id: string } | undefined) => {
      const before = seen.length;
      const result = act();
      const count = seen.length - before;
      if (count > 0) seen.splice(before, count, `${name} ${count}`);
      return result?.id ?? '';
    };
    const id = step('start', () => writer.append(STARTED));
    step('goal', () => writer.append(goal(id)));
    step('artifact', () => (writer.writeArtifact('artifacts/new/x', 'x'), undefined));
    step('tick', () => writer.append(tick(id)));
    step('end', () => writer.append(completed(id)));
    step('flush', () => (writer.flush(), undefined));
    step('close', () => (writer.close(), undefined));
    return seen;
  };

  test('writer: durability none → only a flush reaches the disk', () => {
    expect(syncsOf('none')).toEqual(['flush 1']);
  });

  test('writer: durability commit → start, end and files do, with the folders they are new in', () => {
    expect(syncsOf('commit')).toEqual(['start 2', 'artifact 4', 'end 1', 'flush 1', 'close 1']);
  });

  test('writer: durability event → every event does', () => {
    expect(syncsOf('event')).toEqual([
      'start 2',
      'goal 1',
      'artifact 4',
      'tick 1',
      'end 1',
      'flush 1',
      'close 1',
    ]);
  });

  test('writer: a sync fails → not acknowledged, and the writer is done', () => {
    const runDir = makeRun();
    let broken = false;
    const sync: FileOps['sync'] = (fd) => {
      if (broken) throw errno('EIO');
      nodeFileOps.sync(fd);
    };
    const writer = open(runDir, { durability: 'event', ops: { ...nodeFileOps, sync } });
    const { id } = writer.append(STARTED);
    broken = true;
    expect(() => writer.append(tick(id))).toThrow(refuses('io-failed', /stable storage failed: EIO/));
    broken = false;
    expect(() => writer.append(tick(id))).toThrow(refuses('io-failed', /stable storage failed: EIO/));
    writer.close();
    open(runDir).append(tick(id));
  });
});

describe('writer: when writing goes wrong', () => {
  /** Writes go wrong while `fault` is set. */
  function faulty() {
    const state: { fault: ((fd: number, bytes: Uint8Array) => number) | undefined } = { fault: undefined };
    const ops: FileOps = {
      ...nodeFileOps,
      write: (fd, bytes) => (state.fault ?? nodeFileOps.write)(fd, bytes),
    };
    return { state, ...started(ops) };
  }

  test('writer: no space at all → disk-full, nothing written, and it goes on when there is space', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = () => {
      throw errno('ENOSPC');
    };
    expect(() => writer.append(tick(id))).toThrow(refuses('disk-full', /no space left/));
    state.fault = undefined;
    writer.append(tick(id));
    expect(seeKinds(runDir)).toEqual(['run_started', 'test.tick']);
  });

  test.each([1, 40, -2, -1])(
    'writer: only part of a line is taken (%d bytes) → not acknowledged, closed and reported by the next',
    (part) => {
      const { state, runDir, writer, id } = faulty();
      state.fault = (fd, bytes) =>
        nodeFileOps.write(fd, bytes.subarray(0, part < 0 ? bytes.length + part : part));
      const size = readFileSync(logOf(runDir)).length;
      expect(() => writer.append(tick(id, 1))).toThrow(refuses('io-failed', /bytes were taken/));
      state.fault = undefined;
      const torn = readFileSync(logOf(runDir)).length - size;
      const ack = writer.append(tick(id, 2));
      const lines = seeLog(runDir);
      expect(lines.at(-1)!.text).toBe(ack.line);
      expect(lines.at(-2)!.event).toMatchObject({
        kind: 'log_repaired',
        causedBy: id,
        data: { offset: size, bytes: torn, reason: part === -1 ? 'missing-newline' : 'torn-line' },
      });
      expect(lines).toHaveLength(4);
      expect(lines[1]!.event === undefined).toBe(part !== -1);
    },
  );

  test('writer: part of a line on a full disk → disk-full', () => {
    const runDir = makeRun();
    const state = { full: false };
    const writer = open(runDir, {
      ops: {
        ...nodeFileOps,
        write: (fd, bytes) => nodeFileOps.write(fd, state.full ? bytes.subarray(0, 9) : bytes),
        freeBytes: () => (state.full ? 0 : 1e9),
      },
    });
    const { id } = writer.append(STARTED);
    state.full = true;
    expect(() => writer.append(tick(id))).toThrow(refuses('disk-full', /no space left/));
  });

  test.each(['deleted', 'renamed', 'replaced', 'log deleted'])(
    'writer: run folder %s → run-removed',
    (what) => {
      const { runDir, writer, id } = started();
      if (what === 'deleted') rmSync(runDir, { recursive: true });
      if (what === 'log deleted') rmSync(logOf(runDir));
      if (what === 'renamed') renameSync(runDir, join(makeFolder(), 'elsewhere'));
      if (what === 'replaced') {
        const copy = readFileSync(logOf(runDir));
        rmSync(logOf(runDir));
        writeFileSync(`${runDir}/other`, '');
        writeFileSync(logOf(runDir), copy);
      }
      expect(() => writer.append(tick(id))).toThrow(refuses('run-removed', /no longer there/));
      expect(() => writer.flush()).toThrow(refuses('run-removed', /no longer there/));
    },
  );

  test('writer: the log is deleted in the middle of a write → not acknowledged', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = (fd, bytes) => {
      rmSync(logOf(runDir));
      return nodeFileOps.write(fd, bytes);
    };
    expect(() => writer.append(tick(id))).toThrow(refuses('run-removed', /no longer there/));
  });

  test('writer: the log is cut in the middle of a write → not acknowledged', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = (fd, bytes) => {
      const taken = nodeFileOps.write(fd, bytes);
      truncateSync(logOf(runDir), 10);
      return taken;
    };
    expect(() => writer.append(tick(id))).toThrow(refuses('io-failed', /rewritten by something else/));
  });

  test('writer: another writer tears its line just before the write → written again, on a line of its own', () => {
    const { state, runDir, writer, id } = faulty();
    const fragment = '{"id":"evt_other","runId":"run_t';
    const size = readFileSync(logOf(runDir)).length;
    state.fault = (fd, bytes) => {
      state.fault = undefined;
      appendFileSync(logOf(runDir), fragment);
      return nodeFileOps.write(fd, bytes);
    };
    const ack = writer.append(tick(id, 7));
    const lines = seeLog(runDir);
    expect(lines.map(({ event }) => event?.kind)).toEqual([
      'run_started',
      undefined,
      'log_repaired',
      'test.tick',
    ]);
    expect(lines[1]).toMatchObject({ offset: size, text: expect.stringContaining(fragment) });
    expect(lines[1]!.text).not.toContain(ack.id);
    expect(lines[2]!.event.data).toEqual({ offset: size, bytes: lines[1]!.bytes, reason: 'fused-line' });
    expect(lines[3]!.text).toBe(ack.line);
  });

  test('writer: others append between the write and the look → found all the same', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = (fd, bytes) => {
      const other =
        '{"id":"evt_other","runId":"run_test","t":"2026-05-28T15:00:00Z","kind":"x","actor":"x"}\n';
      appendFileSync(logOf(runDir), other);
      const taken = nodeFileOps.write(fd, bytes);
      appendFileSync(logOf(runDir), other.repeat(50));
      return taken;
    };
    const { line } = writer.append(tick(id));
    expect(seeLog(runDir).filter(({ text }) => text === line)).toHaveLength(1);
  });

  test('writer: the log cannot be opened → says which file and why', () => {
    const runDir = makeRun();
    const openFile: FileOps['open'] = (path, flags) => {
      if (path.endsWith('provenance.jsonl')) throw errno('EACCES');
      return nodeFileOps.open(path, flags);
    };
    const writer = openWriter(runDir, {
      runId: RUN_ID,
      clock: { nowMs: () => START_MS },
      durability: 'none',
      ops: { ...nodeFileOps, open: openFile },
    });
    expect(() => writer.append(STARTED)).toThrow(refuses('io-failed', /provenance\.jsonl failed: EACCES/));
    writer.close();
  });
});
