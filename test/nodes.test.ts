/**
 * The built command on other versions of Node: same words, same verdicts, same bytes as on this one.
 * Where such a Node cannot be had the tests are skipped and say so; in CI that is a failure.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestContext } from 'vitest';
import { fetchNode, OTHER_NODES } from './support/nodes.js';
import type { FetchedNode } from './support/nodes.js';
import { runProgram } from './support/spawn.js';
import type { Outcome } from './support/spawn.js';
import { ROOT } from './support/tidy/repository.js';

const FETCH_MAX_MS = 600_000;
const COMMAND = join('dist', 'cli', 'main.js');
const EXAMPLES = 'runs/examples';

const examples = readdirSync(join(ROOT, EXAMPLES), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() || entry.name.endsWith('.jsonl'))
  .map(({ name }) => `${EXAMPLES}/${name}`)
  .sort();

function on(node: string, ...args: readonly string[]): Promise<Outcome> {
  return runProgram(node, [COMMAND, ...args], ROOT);
}

/** Path of the fetched Node, or the end of the test: a failure in CI, a skip with its reason elsewhere. */
function required(node: FetchedNode | undefined, context: TestContext): string {
  if (node?.found === true) return node.path;
  const why = node?.why ?? 'not fetched';
  if (process.env['CI']) throw new Error(`CI must run this test: ${why}`);
  return context.skip(why);
}

describe.each(OTHER_NODES)('nodes: Node %s', (version) => {
  let node: FetchedNode | undefined;

  beforeAll(async () => {
    if (!existsSync(join(ROOT, COMMAND))) throw new Error('dist/ is missing: npm run build');
    node = await fetchNode(version);
  }, FETCH_MAX_MS);

  test('it is the version that was asked for', async (context) => {
    const { stdout } = await runProgram(required(node, context), ['--version'], ROOT);
    expect(stdout.trim()).toBe(`v${version}`);
  });

  test('--help → the same words as here', async (context) => {
    const there = await on(required(node, context), '--help');
    expect(there).toEqual(await on(process.execPath, '--help'));
    expect(there.code).toBe(0);
  });

  test('--version → the version of package.json', async (context) => {
    const { code, stdout } = await on(required(node, context), '--version');
    const { version: ours } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect({ code, said: stdout.trim() }).toEqual({ code: 0, said: ours });
  });

  test('check on every example → the same verdict, byte for byte, passes and failures alike', async (context) => {
    const path = required(node, context);
    const codes = new Set<number | null>();
    for (const example of examples) {
      const args = ['check', example, '--format', 'json'];
      const there = await on(path, ...args);
      expect(there, example).toEqual(await on(process.execPath, ...args));
      codes.add(there.code);
    }
    expect([...codes].sort()).toEqual(expect.arrayContaining([0, 1]));
  });
});
