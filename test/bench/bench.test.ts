/**
 * The bench runs and gives its numbers. How large they are decides nothing here: that is for an idle machine.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../support/command.js';
import { ROOT } from '../support/tidy/repository.js';

const BENCH = join(ROOT, 'test', 'bench', 'bench.mjs');

test('--only 7 --json → a table for people, the same numbers in the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-bench-test-'));
  const file = join(folder, 'bench.json');
  const { code, stdout } = await run(process.execPath, [BENCH, '--quick', '--only', '7', '--json', file]);
  const { rows } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(stdout).toContain(`check takes ${rows[7].times.toFixed(2)} times as long as bare node`);
  expect(rows[7].results).toMatchObject([{ speed: { median: 1 } }, { name: 'check, five events' }]);
});

test('a row that is not there → said, nothing is run', async () => {
  const { code, stderr } = await run(process.execPath, [BENCH, '--only', '7,12']);
  expect(code).toBe(1);
  expect(stderr).toContain('no row 12');
});

test('--only 10,11 → time and syncs of recording, and commands held against the loops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-bench-test-'));
  const file = join(folder, 'bench.json');
  const { code, stdout } = await run(process.execPath, [BENCH, '--quick', '--only', '10,11', '--json', file]);
  const { rows } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(stdout).toContain('one at a time, durable: 200 calls');
  const { ways } = rows[10];
  expect(ways['one at a time'].operations.sync).toBe(0);
  expect(ways['one at a time, durable'].operations.sync).toBe(600);
  expect(ways['ten at a time, durable'].operations.sync).toBeLessThan(200);
  expect(rows[11].results.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['hash loop, pack', 'hash loop, files', 'replay']),
  );
  expect(rows[11].peaks.replay).toEqual({ 500: expect.any(Number), 2000: expect.any(Number) });
}, 120_000);
