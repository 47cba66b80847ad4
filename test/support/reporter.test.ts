/** The tally that ends a test run, held against real runs of small suites that go wrong in every way. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runProgram } from './spawn.js';
import { ROOT } from './tidy/repository.js';

const CONFIG = `
import { TallyReporter } from ${JSON.stringify(join(ROOT, 'test', 'support', 'reporter.ts'))};
export default { test: { reporters: ['default', new TallyReporter()] } };
`;
const IMPORT = "import { beforeAll, describe, expect, test } from 'vitest';\n";

let folder = '';

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function lastLine(
  files: Readonly<Record<string, string>>,
): Promise<{ code: number | null; last: string }> {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-tally-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'vitest.config.ts'), CONFIG);
  for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), IMPORT + body);
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const { code, stdout } = await runProgram(process.execPath, [vitest, 'run', '--root', folder], folder);
  expect(stdout.endsWith('\n')).toBe(true);
  return { code, last: stdout.trimEnd().split('\n').at(-1) ?? '' };
}

const passing = "test('a', () => { expect(1).toBe(1); }); test('b', () => {});";

test('tally: all well → passed and failed only, exit 0', async () => {
  expect(await lastLine({ 'a.test.ts': passing })).toEqual({ code: 0, last: '2 passed, 0 failed' });
});
test('tally: a failure and a skip → counted, exit 1', async () => {
  const body = `${passing} test('c', () => { expect(1).toBe(2); }); test.skip('d', () => {});`;
  expect(await lastLine({ 'a.test.ts': body })).toEqual({ code: 1, last: '2 passed, 1 failed, 1 skipped' });
});
test('tally: a file that cannot be loaded, a hook that throws → failed', async () => {
  const files = {
    'a.test.ts': passing,
    'b.test.ts': "import './gone.js';",
    'c.test.ts': "describe('s', () => { beforeAll(() => { throw new Error('x'); }); test('t', () => {}); });",
  };
  expect(await lastLine(files)).toEqual({ code: 1, last: '2 passed, 2 failed, 1 skipped' });
});
test('tally: an error outside every test → failed', async () => {
  const body = `${passing} setTimeout(() => { throw new Error('late'); }); test('c', () => new Promise((go) => setTimeout(go, 50)));`;
  expect(await lastLine({ 'a.test.ts': body })).toEqual({ code: 1, last: '3 passed, 1 failed' });
});
test('tally: no tests at all → failed', async () => {
  expect(await lastLine({})).toEqual({ code: 1, last: '0 passed, 1 failed' });
});
