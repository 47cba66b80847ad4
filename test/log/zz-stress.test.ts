/**
 * Eight processes append 5,000 events each to one log, while they are killed at random, some of them in the middle of
 * a write, and started again. Every acknowledged event must be in the log, whole and once.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../harness/core/random.js';
import type { RandomPort } from '../../harness/core/ports.js';
import { makeFolder, makeRun, open, seeLog, STARTED, tick } from '../support/log-bed.js';

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
    await Promise.all(slots.map((slot, n) => liveUntilDone(child, runDir, slot, seededRandom(Number(process.env.SEED)*100+n))));
    starter.append(tick(id));

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
    console.log(JSON.stringify({unread: lines.filter(l=>!l.event).length, joined: lines.filter(l=>l.event?.kind==='writer_joined').length, rep: lines.filter(l=>l.event?.kind==='log_repaired').reduce((a,l)=>({...a,[l.event.data.reason]:(a[l.event.data.reason]??0)+1}),{}), dup: (()=>{const o=lines.filter(l=>l.event?.kind==='log_repaired').map(l=>l.event.data.offset); return o.length-new Set(o).size})()}));
    const lives = slots.reduce((sum, slot) => sum + slot.lives, 0);
    expect(lives).toBeGreaterThan(PROCESSES * 3);
    // What is left in writers/ are the claims of the dead, what was remembered of the others, and no lock.
    expect(readdirSync(join(runDir, 'writers'))).not.toContain('repair');
  }, 120_000);
});

/** Every unreadable line was cut off by a death; what is reported about bytes of the log is true. */
function expectRepaired(lines: ReturnType<typeof seeLog>): void {
  const ranges = new Map(lines.map((line) => [line.offset, line]));
  const reports = lines.filter(({ event }) => event?.kind === 'log_repaired');
  for (const { event } of reports) expect(ranges.get(event.data.offset)?.bytes).toBe(event.data.bytes);
  const unreadable = lines.filter(({ event }) => event === undefined);
  expect(unreadable.length).toBeGreaterThan(0);
  const reported = new Set(reports.map(({ event }) => event.data.offset));
  const silent = unreadable.filter(({ offset }) => !reported.has(offset));
  // Only a repair that was itself torn leaves the fragment before it without a report.
  for (const line of silent) expect(lines[lines.indexOf(line) + 1]?.event).toBeUndefined();
}
