/**
 * `npm run bench`: how fast the commands are, as ratios, on generated logs. Prints a table and asserts no times: a slow or
 * shared machine decides nothing. That the command ends as it should is asserted.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { readArguments, refuse } from './arguments.mjs';
import { Data } from './data.mjs';
import { hasTaskset, ROOT } from './measure.mjs';
import { ROWS } from './rows.mjs';

const HELP = `How fast counterproof is, in ratios to plain loops. Some minutes and up to 5 GB of temporary files.

  npm run bench                       all rows
  npm run bench -- --quick            rows 1, 2, 3, 7, 10 and 11 on smaller logs, a minute or so
  npm run bench -- --only 4,8         these rows
  npm run bench -- --json out.json    the numbers as well

What the rows and ratios mean stands in test/bench/README.md.`;
const MEGA = 1e6;
const FULL = {
  rounds: 5,
  startRounds: 21,
  runs: 200,
  eventsPerRun: 2450,
  events: 490_000,
  eventsOfLarge: 2_000_000,
  runsOfStudy: 2000,
  calls: 20_000,
  durableCalls: 1000,
  growth: [2_000_000, 5_000_000, 10_000_000],
  /** Sets of logs larger than this are removed after their row. */
  keepBytes: 500 * MEGA,
};
const QUICK = {
  ...FULL,
  rounds: 3,
  startRounds: 9,
  runs: 40,
  events: 98_000,
  eventsOfLarge: 300_000,
  runsOfStudy: 120,
  calls: 2000,
  durableCalls: 200,
  growth: [100_000, 200_000, 400_000],
};

function say(text) {
  process.stdout.write(`${text}\n`);
}

function chosen({ quick, only }) {
  if (only !== undefined) {
    const rows = only.split(',').map((row) => row.trim());
    const unknown = rows.filter((row) => ROWS[row] === undefined);
    if (unknown.length > 0) refuse(`no row ${unknown.join(', ')}: there are ${Object.keys(ROWS).join(', ')}`);
    return rows;
  }
  return Object.keys(ROWS).filter((row) => quick !== true || ROWS[row].quick === true);
}

/** The lines of a row. The first contender is the measure of the others. */
function show({ set, results = [], notes = [], parts = [] }) {
  if (set !== undefined)
    say(`     ${set.files.length} file(s), ${set.events} events, ${(set.bytes / MEGA).toFixed(0)} MB`);
  for (const [index, { name, seconds, speed }] of results.entries()) {
    const rate = set === undefined ? '' : `${(set.events / seconds / MEGA).toFixed(2)} M events/s`;
    const times =
      index === 0
        ? 'is 1'
        : `${speed.median.toFixed(2)} × as fast (${speed.least.toFixed(2)} to ${speed.most.toFixed(2)})`;
    say(`     ${name.padEnd(20)} ${seconds.toFixed(3).padStart(8)} s  ${rate.padStart(16)}  ${times}`);
  }
  for (const note of notes) say(`     ${note}`);
  for (const part of parts) show(part);
}

/** What goes into the file: no paths, which are gone by then. */
function plain({ set, parts, ...numbers }) {
  const { events, bytes } = set ?? {};
  return {
    ...numbers,
    ...(set === undefined ? {} : { files: set.files.length, events, bytes }),
    ...(parts === undefined ? {} : { parts: parts.map(plain) }),
  };
}

const values = readArguments(
  { quick: { type: 'boolean' }, only: { type: 'string' }, json: { type: 'string' } },
  HELP,
);
if (!existsSync(join(ROOT, 'dist', 'cli', 'main.js'))) refuse('dist/ is missing: npm run build makes it');
const wanted = chosen(values);
const size = values.quick === true ? QUICK : FULL;
const machine = {
  node: process.version,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  pinned: hasTaskset,
};
say(`Node ${machine.node}, ${machine.cores} core(s) of ${machine.cpu}`);
say(hasTaskset ? 'Held on one core by taskset.' : 'No taskset here: nothing is held on one core.');
say(`Cold processes in turn, median of ${size.rounds} rounds; a ratio is taken within each round.\n`);

const data = new Data();
const rows = {};
for (const row of wanted) {
  say(`${row.padStart(3)}  ${ROWS[row].title}`);
  const result = await ROWS[row].run(size, data);
  show(result);
  say('');
  rows[row] = { title: ROWS[row].title, ...plain(result) };
  data.trim(size.keepBytes);
}
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine, size, rows }, undefined, 2)}\n`);
