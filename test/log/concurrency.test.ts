/**
 * Eight processes append 5,000 events each to one log, while they are killed at random, some of them in the middle of
 * a write, and started again. Every acknowledged event must be in the log, whole and once.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../harness/core/random.js';
import type { RandomPort } from '../../harness/core/ports.js';
import { readLog } from '../../harness/log/reader.js';
import { checkRun } from '../../harness/check/check-run.js';
import { resolveInputs, type RunInput } from '../../harness/check/inputs.js';
import { virtualClock } from '../../harness/core/clock.js';
import { sealRun } from '../../harness/log/seal.js';
import {
  goal,
  logOf,
  makeFolder,
  makeRun,
  open,
  RUN_ID,
  seeLog,
  START_MS,
  STARTED,
  tick,
} from '../support/log-bed.js';

const PROCESSES = 8;
const EVENTS_EACH = 5000;
/** Events after which a process is killed, at most. */
const LIFE_MAX = 1600;

/** One of the eight: its number, and what its processes have acknowledged so far, by event number. */
interface Slot {
  readonly name: string;
  readonly acknowledged: Map<number, string>;
  lives: number;
}

function bundleChild(): string {
  const outfile = join(makeFolder(), 'writer-child.mjs');
  const entry = fileURLToPath(new URL('../support/writer-child.ts', import.meta.url));
  // The generated validators are CommonJS inside, which needs a `require` in a module.
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } });
  return outfile;
}

/** One life of a process. Resolves when it has ended, by itself or killed. */
function live(child: string, runDir: string, slot: Slot, random: RandomPort): Promise<string> {
  const first = Math.max(0, ...slot.acknowledged.keys()) + 1;
  const lifetime = 1 + Math.floor(random.next() * LIFE_MAX);
  const diesWriting = random.next() < 0.3;
  const args = [child, runDir, slot.name, `${first}`, `${EVENTS_EACH}`, diesWriting ? `${lifetime}` : '0'];
  const process = spawn('node', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  slot.lives += 1;
  let rest = '';
  let complaints = '';
  process.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [n = '', id = ''] = line.split(' ');
      slot.acknowledged.set(Number(n), id);
    }
    if (!diesWriting && slot.acknowledged.size >= first - 1 + lifetime) process.kill('SIGKILL');
  });
  process.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  return new Promise((resolve) => {
    process.once('close', () => {
      resolve(complaints);
    });
  });
}

async function liveUntilDone(child: string, runDir: string, slot: Slot, random: RandomPort): Promise<void> {
  while (!slot.acknowledged.has(EVENTS_EACH)) {
    expect(await live(child, runDir, slot, random)).toBe('');
    expect(slot.lives).toBeLessThan(200);
  }
}

describe('concurrency', () => {
  test('concurrency: eight processes killed and restarted → every acknowledged event is there, whole and once', async () => {
    const child = bundleChild();
    const runDir = makeRun();
    const starter = open(runDir);
    const { id } = starter.append(STARTED);
    const slots = Array.from({ length: PROCESSES }, (_, n): Slot => ({
      name: `slot-${n}`,
      acknowledged: new Map(),
      lives: 0,
    }));
    await Promise.all(slots.map((slot, n) => liveUntilDone(child, runDir, slot, seededRandom(n))));
    starter.append(tick(id));
    starter.close();
    finish(runDir, id);

    const lines = seeLog(runDir);
    const byId = new Map<string, { slot: string; n: number; padding: string }>();
    let events = 0;
    for (const { event } of lines) {
      if (event === undefined) continue;
      events += 1;
      byId.set(event.id, event.data);
    }
    expect(byId.size).toBe(events);
    for (const { name, acknowledged } of slots) {
      expect([...acknowledged.keys()]).toEqual(Array.from({ length: EVENTS_EACH }, (_, n) => n + 1));
      const missing = [...acknowledged].filter(([n, id]) => {
        const data = byId.get(id);
        return data?.slot !== name || data.n !== n || Number(data.padding.replaceAll('.', '')) !== n;
      });
      expect(missing).toEqual([]);
    }
    expectRepaired(lines);
    expectChecked(runDir);
    expectReadable(runDir, { events, unreadable: lines.length - events });
    const lives = slots.reduce((sum, slot) => sum + slot.lives, 0);
    expect(lives).toBeGreaterThan(PROCESSES * 3);
  }, 120_000);
});

/** The judge's reader, which shares no code with the writer, sees the same log. */
function expectReadable(runDir: string, seen: { events: number; unreadable: number }): void {
  const log = readLog(logOf(runDir));
  try {
    expect(log.history.size).toBe(seen.events);
    // A fragment whose range is reported is accounted for, to the byte.
    const { holes, counts } = log.history.parts;
    expect(holes.length + counts.repaired).toBe(seen.unreadable);
    expect(counts.repaired).toBeGreaterThan(0);
    expect(log.history.parts.duplicates).toEqual([]);
    expect(log.history.run).toBe(RUN_ID);
  } finally {
    log.close();
  }
}

/** Ends the run as its next writer would, and seals it. */
function finish(runDir: string, startId: string): void {
  const writer = open(runDir);
  const { id } = writer.append(goal(startId));
  writer.append({ kind: 'run_aborted', data: { reason: 'the test is over' }, causedBy: id });
  writer.close();
  sealRun(runDir, { clock: virtualClock(START_MS), harness: { name: 'test', version: '0' } });
}

/** The log checks: nothing that the deaths left behind is a fault of the run. */
function expectChecked(runDir: string): void {
  const [input] = resolveInputs([runDir]).runs;
  const { verdict } = checkRun(input as RunInput, { profile: 'strict', live: false, violationsMax: 100 });
  expect(verdict.findings.filter((finding) => finding.severity === 'error')).toEqual([]);
  expect(verdict.verdict).toBe('pass');
  expect(verdict.counts.lost).toBe(0);
}

/** Every unreadable line was cut off by a death and is reported; what is reported about bytes of the log is true. */
function expectRepaired(lines: ReturnType<typeof seeLog>): void {
  const ranges = new Map(lines.map((line) => [line.offset, line]));
  const reports = lines.filter(({ event }) => event?.kind === 'log_repaired');
  for (const { event } of reports) {
    const line = ranges.get(event.data.offset);
    // A writer stopped for long inside its write is taken for dead: its line is whole all the same, its report one too many.
    if (line?.event === undefined) expect(line?.bytes).toBe(event.data.bytes);
    else expect(line.bytes).toBeGreaterThanOrEqual(event.data.bytes);
  }
  const unreadable = lines.filter(({ event }) => event === undefined);
  expect(unreadable.length).toBeGreaterThan(0);
  const reported = new Set(reports.map(({ event }) => event.data.offset));
  const silent = unreadable.filter(({ offset }) => !reported.has(offset));
  // Also those whose own report was torn: the next writer swept them up.
  expect(silent.map((line) => line.text.slice(0, 200))).toEqual([]);
}
