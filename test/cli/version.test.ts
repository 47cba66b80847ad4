/** What an installation says about itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { counterproof } from '../support/command.js';
import { ROOT } from '../support/tidy/repository.js';

const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

it('version: --version → the release alone', async () => {
  const { code, stdout } = await counterproof(['--version']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
});

it('version: --version --json, in any order → release, epoch, and what its records carry', async () => {
  const [one, other] = await Promise.all([
    counterproof(['--version', '--json']),
    counterproof(['--json', '--version']),
  ]);
  expect(one.code).toBe(0);
  expect(other.stdout).toBe(one.stdout);
  expect(JSON.parse(one.stdout)).toEqual({
    name,
    version,
    interpreter: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    node: { version: process.version, digest: digestOf(readFileSync(process.execPath)) },
    semanticsEpoch: 1,
  });
});
