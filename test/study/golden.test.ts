/**
 * Runs recorded in each epoch, replayed by what is here now: every call, and each whole run to the same log. A run that
 * rightly replays no more stays, and a new epoch begins (harness/effects/genesis.ts).
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { replayRun } from '../../harness/effects/replay.js';
import { scanRun } from '../../harness/effects/scan.js';
import type { ScanItem } from '../../harness/effects/scan-items.js';
import { ALL_TOOLS } from '../../harness/study/live.js';
import { replayWhole } from '../../harness/study/replay-whole.js';
import { INTERPRETER } from '../support/effect-bed.js';
import { ROOT } from '../support/tidy/repository.js';

const GOLDEN = join(ROOT, 'test', 'fixtures', 'recorded');

describe('golden runs', () => {
  const epochs = readdirSync(GOLDEN).filter((name) => name.startsWith('epoch-'));
  const runs = epochs.flatMap((epoch) => readdirSync(join(GOLDEN, epoch)).map((name) => join(epoch, name)));

  it('golden runs: the epoch of today → has some', () => {
    expect(epochs).toContain('epoch-1');
    expect(runs.length).toBeGreaterThanOrEqual(2);
  });

  for (const name of runs) {
    const runDir = join(GOLDEN, name);

    it(`golden runs: ${name}, every call → replays, whatever recorded it`, () => {
      const run = RecordedRun.open(runDir);
      const options = { toolbox: ALL_TOOLS, interpreter: INTERPRETER, allowInterpreter: true };
      const replayed = [...replayRun(run, options)];
      expect(replayed.length).toBeGreaterThan(5);
      expect(replayed.flatMap(({ mismatch }) => mismatch ?? [])).toEqual([]);
      run.close();
    });

    it(`golden runs: ${name}, as a whole → the same log, byte for byte`, async () => {
      const replay = await replayWhole(runDir, { interpreter: INTERPRETER, allowInterpreter: true });
      expect(replay).toMatchObject({ answered: replay.recorded, mismatch: undefined });
    });

    it(`golden runs: ${name} → a scan finds nothing`, () => {
      const items: ScanItem[] = [];
      scanRun(runDir, { budget: { clock: virtualClock(0) }, onItem: (item) => items.push(item) });
      expect(items).toEqual([]);
    });
  }
});
