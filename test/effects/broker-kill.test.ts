/**
 * A process makes 500 calls with effects on a real world and is killed with -9, again and again, some times in the middle
 * of a write; the next one sends all calls anew. Each effect is done at most once, and nothing answered is lost.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type { RandomPort } from '../../harness/core/ports.js';
import { seededRandom } from '../../harness/core/random.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { expectChain, seeRun } from '../support/see-effects.js';

const CALLS = 500;
/** New answers after which a process is killed, at most. */
const LIFE_MAX = 120;

interface Plan {
  readonly child: string;
  readonly runDir: string;
  readonly world: string;
  readonly parallel: number;
}

/** Answers by number of the call. */
type Told = Map<number, string>;

function bundleChild(): string {
  const outfile = join(makeRunFolder(), 'broker-child.mjs');
  const entry = fileURLToPath(new URL('../support/broker-child.ts', import.meta.url));
  // The validators are CommonJS inside, which needs a `require` in a module.
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } });
  return outfile;
}

/** One life. @returns what it complained of, and whether it came to its end */
async function live(plan: Plan, told: Told, random: RandomPort): Promise<{ done: boolean; said: string }> {
  const { child, runDir, world, parallel } = plan;
  const lifetime = 1 + Math.floor(random.next() * LIFE_MAX);
  // A call takes some nine writes; the first few open the run.
  const dieIn = random.next() < 0.5 ? 1 + Math.floor(random.next() * LIFE_MAX * 9) : 0;
  const process = spawn('node', [child, runDir, world, `${CALLS}`, `${parallel}`, `${dieIn}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let rest = '';
  let said = '';
  let fresh = 0;
  process.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [n = '', ...answer] = line.split(' ');
      const before = told.get(Number(n));
      // What was answered once is answered for ever, and what is not known stays so.
      if (before !== undefined && before !== answer.join(' '))
        said += `${n}: ${before}, then ${answer.join(' ')}\n`;
      if (before === undefined) fresh += 1;
      told.set(Number(n), answer.join(' '));
    }
    if (dieIn === 0 && fresh >= lifetime) process.kill('SIGKILL');
  });
  process.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise((resolve) => process.once('close', resolve));
  return { done: code === 0, said };
}

function expectHeld(plan: Plan, told: Told): void {
  const seen = seeRun(plan.runDir);
  expectChain(seen);
  const marks = readFileSync(plan.world, 'utf8').split('\n').slice(0, -1);
  expect(new Set(marks).size).toBe(marks.length);
  const of = (kind: string, callId: string): number =>
    seen.journal.filter((line) => line.kind === kind && line.callId === callId).length;
  const hashes = new Set(seen.entries.map(({ entryHash }) => entryHash));
  const done = new Set(marks);
  expect([...told.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_, n) => n));
  for (const [n, answer] of told) {
    const [status, hash] = answer.split(' ');
    const callId = `call_${n}`;
    if (status === 'unknown') {
      expect(of('world/journal-intent/v1', callId)).toBe(1);
      expect(of('world/journal-outcome/v1', callId)).toBe(0);
      continue;
    }
    expect(status).toBe('executed');
    expect(hashes.has(hash)).toBe(true);
    expect([...done].filter((line) => line.startsWith(`${callId} `))).toHaveLength(2);
  }
}

describe('broker kill', () => {
  test.each([
    [1, 1],
    [2, 8],
    [3, 50],
  ])(
    'broker kill: 500 calls, killed and sent again, seed %i, %i at a time → at most once each, nothing answered lost',
    async (seed, parallel) => {
      const runDir = makeRunFolder();
      const plan = { child: bundleChild(), runDir, world: join(runDir, 'world.txt'), parallel };
      writeFileSync(plan.world, '');
      const told: Told = new Map();
      const random = seededRandom(seed);
      let lives = 0;
      for (let isDone = false; !isDone; lives += 1) {
        const { done, said } = await live(plan, told, random);
        expect(said).toBe('');
        expect(lives).toBeLessThan(100);
        isDone = done;
      }
      expectHeld(plan, told);
      expect(lives).toBeGreaterThan(3);
    },
    120_000,
  );
});
