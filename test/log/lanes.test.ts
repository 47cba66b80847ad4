/** Writer lanes: who gets which, and that no id is given twice when a lane changes hands. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';
import { LANES_MAX, laneName, parseOwnId } from '../../harness/core/ids.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import { claimLane, releaseLane } from '../../harness/log/lanes.js';
import { errno } from '../support/faulty-ops.js';
import { makeRun, open, seeLog, START_MS, STARTED, tick } from '../support/log-bed.js';

const claim = (runDir: string) => claimLane(runDir, nodeFileOps);
const release = (runDir: string, lane: ReturnType<typeof claim>, lastId?: string) =>
  releaseLane(runDir, lane, { ops: nodeFileOps, lastId });

describe('lanes', () => {
  test('lanes: several writers → the lowest free lane each', () => {
    const runDir = makeRun();
    const lanes = [claim(runDir), claim(runDir), claim(runDir)];
    expect(lanes.map(({ name }) => name)).toEqual(['00', '01', '02']);
    release(runDir, lanes[1]!);
    expect(claim(runDir).name).toBe('01');
    expect(claim(runDir).name).toBe('03');
  });

  test('lanes: a claim → says who holds it', () => {
    const runDir = makeRun();
    claim(runDir);
    expect(JSON.parse(readFileSync(join(runDir, 'writers/00'), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('lanes: all claimed → a clear error', () => {
    const runDir = makeRun();
    nodeFileOps.makeFolder(join(runDir, 'writers'));
    for (let lane = 0; lane < LANES_MAX; lane += 1)
      writeFileSync(join(runDir, 'writers', laneName(lane)), '');
    expect(() => open(runDir)).toThrow(expect.objectContaining({ code: 'lanes-exhausted' }));
    rmSync(join(runDir, 'writers/zz'));
    expect(open(runDir).lane).toBe('zz');
  });

  test('lanes: a closed writer → its lane is free, and its last id remembered', () => {
    const runDir = makeRun();
    const writer = open(runDir);
    const { id } = writer.append(STARTED);
    writer.close();
    expect(readdirSync(join(runDir, 'writers'))).toEqual(['00.last']);
    expect(readFileSync(join(runDir, 'writers/00.last'), 'utf8')).toBe(`${id}\n`);
  });

  test('lanes: the clock stepped back between two writers of a lane → ids go on increasing', () => {
    const runDir = makeRun();
    const first = open(runDir, { clock: virtualClock(START_MS + 60_000) });
    const started = first.append(STARTED);
    first.close();
    const second = open(runDir, { clock: virtualClock(START_MS) });
    const later = second.append(tick(started.id));
    expect(second.lane).toBe('00');
    expect(later.t < started.t).toBe(true);
    expect(later.id > started.id).toBe(true);
  });

  test.each(['memory lost', 'memory cut', 'claim removed by hand'])(
    'lanes: %s → the log itself says which ids were given',
    (what) => {
      const runDir = makeRun();
      const first = open(runDir, { clock: virtualClock(START_MS + 60_000) });
      const started = first.append(STARTED);
      const last = first.append(tick(started.id));
      if (what === 'claim removed by hand') {
        rmSync(join(runDir, 'writers/00'));
      } else {
        first.close();
        if (what === 'memory lost') rmSync(join(runDir, 'writers'), { recursive: true });
        else writeFileSync(join(runDir, 'writers/00.last'), started.id);
      }
      const second = open(runDir, { clock: virtualClock(START_MS) });
      const next = second.append(tick(started.id));
      expect(next.id > last.id).toBe(true);
    },
  );

  test('lanes: a writer that gave no id → the next one looks at what the lane gave before', () => {
    const runDir = makeRun();
    const first = open(runDir, { clock: virtualClock(START_MS + 60_000) });
    const started = first.append(STARTED);
    first.close();
    open(runDir).close();
    const third = open(runDir, { clock: virtualClock(START_MS) });
    expect(third.append(tick(started.id)).id > started.id).toBe(true);
  });

  test('lanes: the run folder was replaced meanwhile → the claim of the new run is not touched', () => {
    const runDir = makeRun();
    const old = open(runDir);
    renameSync(join(runDir, 'writers'), join(runDir, 'set-aside'));
    const fresh = open(runDir);
    old.close();
    expect(fresh.lane).toBe('00');
    expect(readdirSync(join(runDir, 'writers'))).toEqual(['00']);
  });

  test('lanes: an id of the year 3084 in a line of data → does not count', () => {
    const runDir = makeRun();
    const first = open(runDir);
    const started = first.append(STARTED);
    first.append({ kind: 'test.tick', causedBy: started.id, data: { '{"id"': 'evt_zzzzzzzzz00zz' } });
    rmSync(join(runDir, 'writers'), { recursive: true });
    const second = open(runDir);
    expect(parseOwnId(second.append(tick(started.id)).id)!.ms).toBeLessThan(START_MS + 60_000);
  });

  test('lanes: the past of a lane cannot be read → an error, and the lane is free again', () => {
    const runDir = makeRun();
    writeFileSync(join(runDir, 'provenance.jsonl'), '');
    const ops = {
      ...nodeFileOps,
      read: () => {
        throw errno('EIO');
      },
      factsOf: () => {
        throw errno('EIO');
      },
    };
    expect(() => claimLane(runDir, ops)).toThrow(expect.objectContaining({ code: 'io-failed' }));
    expect(existsSync(join(runDir, 'writers/00'))).toBe(false);
  });

  test('lanes: the same steps under a virtual clock → the same bytes', () => {
    const logs = [makeRun(), makeRun()].map((runDir) => {
      const one = open(runDir);
      const { id } = one.append(STARTED);
      const two = open(runDir);
      two.append(tick(id));
      one.close();
      open(runDir).append(tick(id));
      return seeLog(runDir).map(({ text }) => text);
    });
    expect(logs[0]).toEqual(logs[1]);
    expect(logs[0]).toHaveLength(5);
  });
});
