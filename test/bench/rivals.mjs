/**
 * What people would use instead: SQL in DuckDB and a join in jq, each timed beside `check` on the same log where it is
 * installed. Both cover a few of the rules; which ones is said with the numbers.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, race, ROOT, runOnce } from './measure.mjs';

const LIMIT_MS = 300_000;
const DUCK = fileURLToPath(new URL('duck.mjs', import.meta.url));
/** All ids of the log in one object, then every cause looked up in it. */
const JQ_JOIN =
  '[inputs | {id, causedBy}] | (reduce .[] as $e ({}; .[$e.id] = 1)) as $ids | ' +
  '{duplicate: (length - ($ids | length)), ' +
  'dangling: [.[] | select(.causedBy != null and $ids[.causedBy] == null)] | length}';

export async function duckRow(size, set) {
  const require = createRequire(join(ROOT, 'test', 'tools', 'package.json'));
  let api;
  try {
    api = require.resolve('@duckdb/node-api');
  } catch {
    return { notes: ['DuckDB: not installed (npm install --prefix test/tools)'] };
  }
  const argv = [process.execPath, DUCK, api, ...set.files];
  return rivalRow(size, set, { name: 'DuckDB', argv, limitMs: LIMIT_MS });
}

export async function jqRow(size, set) {
  if (spawnSync('jq', ['--version']).status !== 0) return { notes: ['jq: not installed'] };
  const covered = 'causal/duplicate-id, causal/dangling-cause';
  const argv = ['jq', '-nc', JQ_JOIN, ...set.files];
  return rivalRow({ ...size, rounds: 1 }, set, { name: 'jq', argv, covered, limitMs: LIMIT_MS });
}

/** Tried once first: what does not end in time is said, not raced. */
async function rivalRow({ rounds }, set, rival) {
  const once = await runOnce(rival);
  if (once.seconds === undefined)
    return { set, notes: [`${rival.name}: not done after ${LIMIT_MS / 1000} s`] };
  const results = await race([rival, check('check, all rules', set.files)], rounds);
  const covered = rival.covered ?? Object.keys(JSON.parse(once.stdout)).join(', ');
  return { set, results, notes: [`${rival.name} covers: ${covered}`], said: once.stdout.trim() };
}
