/** A process that makes 500 calls is killed at chance moments, and the next one goes on: nothing twice, nothing lost. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../harness/core/random.js';
import { entryHash } from '../../harness/core/digest.js';
import { recover } from '../../harness/effects/recover.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { makeRunFolder, scanAll } from '../support/effect-bed.js';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';

const CALLS = 500;
let child = '';

beforeAll(async () => {
  // Calls are validated by a package that is not written as a module.
  child = join(mkdtempSync(join(tmpdir(), 'counterproof-child-')), 'caller-child.mjs');
  const entry = fileURLToPath(new URL('../support/caller-child.ts', import.meta.url));
  const banner = {
    js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);",
  };
  await build({
    entryPoints: [entry],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner,
    logLevel: 'error',
  });
});

interface Life {
  readonly acknowledged: Map<number, string>;
  readonly isDone: boolean;
}

/** Lets a process live until it has acknowledged so many calls, or to its end. */
function live(args: readonly string[], killAfter: number): Promise<Life> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.split('\n').length > killAfter) process_.kill('SIGKILL');
    });
    process_.once('error', reject);
    process_.once('close', (code) => {
      const lines = said
        .split('\n')
        .slice(0, -1)
        .filter((line) => line !== 'ready');
      const acknowledged = new Map(
        lines.map((line) => [Number(line.split(' ')[0]), line.split(' ')[1] ?? ''] as const),
      );
      resolve({ acknowledged, isDone: code === 0 });
    });
  });
}

describe('kill -9', () => {
  for (const atOnce of [1, 8]) {
    it(`kill -9: 500 calls, ${atOnce} at a time, killed at chance moments → no effect twice, no answer lost`, async () => {
      const random = seededRandom(`kill ${atOnce}`);
      const runDir = makeRunFolder();
      const world = join(makeRunFolder(), 'world.txt');
      const args = [runDir, world, String(CALLS), String(atOnce)];
      const answered = new Map<number, string>();
      let deaths = 0;
      for (let isDone = false; !isDone;) {
        // Calls that were answered before are answered again at once, so each life gets further than the last.
        const killAfter = deaths < 6 ? answered.size + 2 + Math.floor(random.next() * 120) : Infinity;
        const life = await live(args, killAfter);
        for (const [n, hash] of life.acknowledged) {
          // What was acknowledged once is acknowledged the same for ever.
          if (answered.has(n)) expect(hash, `call ${n}`).toBe(answered.get(n));
          answered.set(n, hash);
        }
        isDone = life.isDone;
        if (!isDone) deaths += 1;
      }
      expect(deaths).toBeGreaterThanOrEqual(3);

      const done = existsSync(world) ? readFileSync(world, 'utf8').trimEnd().split('\n') : [];
      expect(new Set(done).size, 'no effect twice').toBe(done.length);

      const run = RecordedRun.open(runDir);
      const hashes = new Set<string>(run.entries.map(({ hash }) => hash));
      for (const { fields, hash } of run.entries) expect(entryHash(fields)).toBe(hash);
      const unknown = [...answered].filter(([, hash]) => hash === 'unknown').map(([n]) => `call_${n}`);
      for (const [n, hash] of answered)
        if (hash !== 'unknown') expect(hashes.has(hash), `answer of ${n}`).toBe(true);
      // Calls whose outcome is unknown are just those that recover reports; all others did both their effects.
      expect(
        recover(run)
          .calls.map(({ callId }) => callId)
          .sort(),
      ).toEqual([...unknown].sort());
      const sure = [...answered.keys()].filter((n) => !unknown.includes(`call_${n}`));
      for (const n of sure) expect(done.filter((line) => line.startsWith(`${n} `))).toHaveLength(2);
      expect(answered.size).toBe(CALLS);
      run.close();

      // Beside what the deaths left open, everything holds.
      const holes = scanAll(runDir).filter(
        ({ type, field, reason }) =>
          type === 'hole' &&
          field !== 'outcome' &&
          field !== 'line' &&
          !reason.includes('no record') &&
          field !== 'journal',
      );
      expect(holes).toEqual([]);
    });
  }
});
