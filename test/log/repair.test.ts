/** Torn last lines: closed, reported, never truncated; by one writer, by two, and beside one that is still writing. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { withRepairLock } from '../../harness/log/repair.js';
import { logOf, makeRun, open, seeKinds, seeLog, STARTED, tick } from '../support/log-bed.js';

/** A run of two events whose writer has gone, with `tail` behind them. */
function torn(tail: string | Buffer) {
  const runDir = makeRun();
  const writer = open(runDir);
  const { id } = writer.append(STARTED);
  writer.append(tick(id));
  writer.close();
  const before = readFileSync(logOf(runDir));
  appendFileSync(logOf(runDir), tail);
  return { runDir, id, before, offset: before.length, bytes: Buffer.byteLength(tail) };
}

const LF = 0x0a;
const WHOLE =
  '{"id":"evt_whole","runId":"run_test","t":"2026-05-28T15:00:00Z","kind":"test.whole","actor":"x"}';

describe('repair', () => {
  test.each([
    ['a cut line', WHOLE.slice(0, 40), 'torn-line'],
    ['one brace', '{', 'torn-line'],
    ['a cut character', Buffer.from('{"id":"evt_ä').subarray(0, -1), 'torn-line'],
    ['NUL bytes', Buffer.alloc(700), 'torn-line'],
    ['text longer than what is looked at at once', 'x'.repeat(200_000), 'torn-line'],
    ['JSON that is no object', '[1]', 'torn-line'],
    ['a whole event without its LF', WHOLE, 'missing-newline'],
  ])('repair: the log ends in %s → closed and reported on opening', (_what, tail, reason) => {
    const { runDir, id, before, offset, bytes } = torn(tail);
    const writer = open(runDir, { actor: 'repairer' });
    const after = readFileSync(logOf(runDir));
    expect(after.subarray(0, offset + bytes + 1)).toEqual(
      Buffer.concat([before, Buffer.from(tail), Buffer.from('\n')]),
    );
    const lines = seeLog(runDir)
      .slice(2)
      .filter(({ event }) => event?.kind !== 'test.whole');
    const [joined, repaired] = lines.slice(-2).map(({ event }) => event);
    expect(joined).toMatchObject({
      kind: 'writer_joined',
      causedBy: id,
      data: { lane: '00' },
      actor: 'repairer',
    });
    expect(repaired).toMatchObject({ kind: 'log_repaired', causedBy: id, data: { offset, bytes, reason } });
    writer.append(tick(id));
    expect(seeKinds(runDir).slice(-3)).toEqual(['writer_joined', 'log_repaired', 'test.tick']);
  });

  test('repair: a log in order → nothing is written on opening', () => {
    const { runDir, before } = torn('');
    open(runDir);
    expect(readFileSync(logOf(runDir))).toEqual(before);
  });

  test('repair: another writer tore its line while this one was open → closed before the next event', () => {
    const runDir = makeRun();
    const writer = open(runDir);
    const { id } = writer.append(STARTED);
    appendFileSync(logOf(runDir), '{"id":');
    writer.append(tick(id));
    expect(seeKinds(runDir)).toEqual(['run_started', '?', 'log_repaired', 'test.tick']);
  });

  test('repair: nothing but a fragment → the run starts behind it, then it is reported', () => {
    const runDir = makeRun();
    writeFileSync(logOf(runDir), '{"id":"evt_0');
    const writer = open(runDir);
    expect(readFileSync(logOf(runDir), 'utf8')).toBe('{"id":"evt_0');
    const { id, line } = writer.append(STARTED);
    const lines = seeLog(runDir);
    expect(lines.map(({ event }) => event?.kind)).toEqual([undefined, 'run_started', 'log_repaired']);
    expect(lines[1]!.text).toBe(line);
    expect(lines[2]!.event).toMatchObject({
      causedBy: id,
      data: { offset: 0, bytes: 12, reason: 'torn-line' },
    });
  });

  test('repair: a start that only lacks its LF → it is the start; nobody starts the run again', () => {
    const runDir = makeRun();
    const first = open(runDir);
    const { id, line } = first.append(STARTED);
    first.close();
    writeFileSync(logOf(runDir), line);
    const writer = open(runDir);
    expect(() => writer.append(STARTED)).toThrow('run_started already');
    writer.append(tick(id));
    expect(seeKinds(runDir)).toEqual(['run_started', 'writer_joined', 'log_repaired', 'test.tick']);
  });

  test('repair: a line of another writer is in flight → waited for, nothing to report', () => {
    const { runDir, id } = torn(WHOLE.slice(0, 30));
    let pauses = 0;
    const pause = (): void => {
      pauses += 1;
      if (pauses === 2) appendFileSync(logOf(runDir), WHOLE.slice(30, 60));
    };
    const writer = open(runDir, { ops: { ...nodeFileOps, pause } });
    // Grown at the second look, so it took a third to see it unchanged.
    expect(pauses).toBe(3);
    writer.close();
    expect(seeKinds(runDir)).toContain('log_repaired');

    const late = torn(WHOLE.slice(0, 30));
    const complete = (): void => {
      if (!readFileSync(logOf(late.runDir), 'utf8').endsWith('\n')) {
        appendFileSync(logOf(late.runDir), `${WHOLE.slice(30)}\n`);
      }
    };
    open(late.runDir, { ops: { ...nodeFileOps, pause: complete } }).append(tick(id));
    expect(seeKinds(late.runDir)).toEqual([
      'run_started',
      'test.tick',
      'test.whole',
      'writer_joined',
      'test.tick',
    ]);
  });

  test('repair: the line in flight arrives after all → no byte is lost, no line fuses', () => {
    const { runDir } = torn('');
    const half = WHOLE.length / 2;
    appendFileSync(logOf(runDir), WHOLE.slice(0, half));
    let rest: string | undefined = `${WHOLE.slice(half)}\n`;
    const write: FileOps['write'] = (fd, bytes) => {
      // Just before the repairer writes to the log, the stopped writer goes on.
      if (rest !== undefined && bytes[0] === 0x0a) {
        appendFileSync(logOf(runDir), rest);
        rest = undefined;
      }
      return nodeFileOps.write(fd, bytes);
    };
    open(runDir, { ops: { ...nodeFileOps, write } });
    expect(seeKinds(runDir)).toEqual([
      'run_started',
      'test.tick',
      'test.whole',
      'writer_joined',
      'log_repaired',
    ]);
  });

  test('repair: the repair itself is torn → the next writer closes that as well, and reports both', () => {
    const { runDir, id } = torn('{"id":');
    const write: FileOps['write'] = (fd, bytes) =>
      nodeFileOps.write(fd, bytes[0] === 0x0a ? bytes.subarray(0, 30) : bytes);
    expect(() => open(runDir, { ops: { ...nodeFileOps, write } })).toThrow('30 of');
    open(runDir).append(tick(id));
    expect(seeKinds(runDir)).toEqual([
      'run_started',
      'test.tick',
      '?',
      '?',
      'writer_joined',
      'log_repaired',
      'log_repaired',
      'test.tick',
    ]);
  });

  test('repair: the repair is torn at any byte of its report → the next writer reports the fragment all the same', () => {
    const unreported: number[] = [];
    let cuts = 0;
    let joinedBytes = 0;
    let repairBytes = Infinity;
    // Nobody else writes, so there is nothing to wait for.
    const ops: FileOps = { ...nodeFileOps, pause: () => undefined };
    for (let keep = 2; keep < repairBytes; keep += 1) {
      const { runDir, id, offset } = torn('{"id":');
      const write: FileOps['write'] = (fd, bytes) => {
        if (bytes[0] !== LF) return nodeFileOps.write(fd, bytes);
        joinedBytes = bytes.indexOf(LF, 1) + 1;
        repairBytes = bytes.length;
        return nodeFileOps.write(fd, bytes.subarray(0, keep));
      };
      expect(() => open(runDir, { ops: { ...ops, write } })).toThrow(`${keep} of`);
      open(runDir, { ops }).append(tick(id));
      cuts += 1;
      const reports = seeLog(runDir).flatMap(({ event }) =>
        event?.kind === 'log_repaired' ? event.data : [],
      );
      if (!reports.some((report: { offset: number }) => report.offset === offset)) unreported.push(keep);
    }
    expect(cuts).toBeGreaterThan(200);
    // Cut between its two lines, nothing is left that would tell a repair from a writer that has joined.
    expect(unreported).toEqual([joinedBytes]);
  });

  test('repair: two writers see the same fragment → one closes it, the other finds it closed', () => {
    const { runDir, id } = torn('{"id":');
    let inside = false;
    const pause: FileOps['pause'] = () => {
      // While the first waits for the fragment to settle, it holds the lock; a second one may only look.
      if (inside || !existsSync(join(runDir, 'writers/repair'))) return;
      inside = true;
      const lock = readFileSync(join(runDir, 'writers/repair'), 'utf8');
      expect(lock).toBe(`${process.pid} 00\n`);
      expect(() => open(runDir, { ops: { ...nodeFileOps, pause: giveUp } })).toThrow('waited');
    };
    const giveUp = (): never => {
      throw new Error('waited');
    };
    open(runDir, { ops: { ...nodeFileOps, pause } }).append(tick(id));
    expect(seeKinds(runDir).filter((kind) => kind === 'log_repaired')).toHaveLength(1);
    expect(existsSync(join(runDir, 'writers/repair'))).toBe(false);
  });
});

describe('repair: the lock', () => {
  const lockOf = (runDir: string): string => join(runDir, 'writers/repair');
  const heldBy = (token: string): string => {
    const runDir = makeRun();
    mkdirSync(join(runDir, 'writers'));
    writeFileSync(lockOf(runDir), token);
    return runDir;
  };
  /** Runs under the lock; says how often that had to wait. */
  function waits(runDir: string, ops: Partial<FileOps>): number {
    let pauses = 0;
    const pause = (ms: number): void => {
      pauses += 1;
      ops.pause?.(ms);
    };
    const seen = withRepairLock(runDir, { ops: { ...nodeFileOps, ...ops, pause }, lane: '05' }, () =>
      readFileSync(lockOf(runDir), 'utf8'),
    );
    expect(seen).toBe(`${process.pid} 05\n`);
    expect(existsSync(lockOf(runDir))).toBe(false);
    expect(existsSync(join(runDir, 'writers/05.draft'))).toBe(false);
    return pauses;
  }

  test('repair: its holder is dead → taken over at once', () => {
    expect(waits(heldBy('4242 00\n'), { isProcessAlive: () => false })).toBe(0);
  });

  test('repair: its holder lives → waited for', () => {
    const runDir = heldBy(`${process.pid} 00\n`);
    let left = 3;
    const pause = (): void => {
      left -= 1;
      if (left === 0) nodeFileOps.remove(lockOf(runDir));
    };
    expect(waits(runDir, { pause })).toBe(3);
  });

  test.each([`${process.pid} 00\n`, '', 'rubbish'])(
    'repair: held beyond all reason by %j → taken over',
    (token) => {
      expect(waits(heldBy(token), { pause: () => undefined })).toBe(200);
    },
  );

  test('repair: somebody else takes a dead lock first → theirs is put back, and waited for', () => {
    const runDir = heldBy('4242 00\n');
    let theirs = 2;
    const rename: FileOps['rename'] = (from, to) => {
      if (theirs === 2) writeFileSync(lockOf(runDir), `${process.pid} 09\n`);
      nodeFileOps.rename(from, to);
    };
    const pause = (): void => {
      theirs -= 1;
      expect(readFileSync(lockOf(runDir), 'utf8')).toBe(`${process.pid} 09\n`);
      if (theirs === 0) nodeFileOps.remove(lockOf(runDir));
    };
    expect(waits(runDir, { rename, pause, isProcessAlive: (pid) => pid === process.pid })).toBe(2);
  });

  test('repair: the work fails → the lock is given back', () => {
    const runDir = heldBy('4242 00\n');
    const ops = { ...nodeFileOps, isProcessAlive: () => false };
    const fail = (): never => {
      throw new Error('work failed');
    };
    expect(() => withRepairLock(runDir, { ops, lane: '05' }, fail)).toThrow('work failed');
    expect(existsSync(lockOf(runDir))).toBe(false);
  });

  test('repair: the lock was taken over from us → the new holder keeps it', () => {
    const runDir = heldBy('4242 00\n');
    const ops = { ...nodeFileOps, isProcessAlive: () => false };
    withRepairLock(runDir, { ops, lane: '05' }, () => {
      writeFileSync(lockOf(runDir), '4243 06\n');
    });
    expect(readFileSync(lockOf(runDir), 'utf8')).toBe('4243 06\n');
  });

  test('repair: processes → alive or not', () => {
    expect(nodeFileOps.isProcessAlive(process.pid)).toBe(true);
    expect(nodeFileOps.isProcessAlive(2 ** 22 + 1)).toBe(false);
  });
});
