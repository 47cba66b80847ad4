/**
 * `npm run mutate`: installs what lies beside this file where it is missing, then has Stryker mutate the oracle.
 * What follows `--` goes to Stryker, as in `npm run mutate -- --mutate harness/oracle/fold.ts`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const stryker = `${folder}node_modules/@stryker-mutator/core/bin/stryker.js`;

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(stryker)) run('npm', ['ci', '--no-audit', '--no-fund'], folder);
run(process.execPath, [stryker, 'run', `${folder}stryker.config.mjs`, ...process.argv.slice(2)], root);
