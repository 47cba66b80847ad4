/**
 * The rows of the bench: what is run against what. Each gives lines of a table and the numbers behind them; what a
 * ratio means stands in README.md of this folder.
 */
import { availableParallelism } from 'node:os';
import { recordRow, replayRow } from './calls.mjs';
import { check, hasTaskset, parseLoop, race, runOnce } from './measure.mjs';
import { duckRow, jqRow } from './rivals.mjs';

const PLAIN = { COUNTERPROOF_SCANNER: 'plain' };

/** Checks against the floor, on the same files. */
async function againstFloor({ rounds }, set, more = {}) {
  const contenders = [parseLoop(set.files), check('check', set.files, more)];
  return { set, results: await race(contenders, rounds) };
}

function manyRuns(size) {
  return { runs: size.runs, events: size.eventsPerRun };
}

/** One core against two, on the same files. */
async function coresRow(size, set) {
  const one = check('check, one core', set.files, hasTaskset ? {} : { options: ['--jobs', '1'] });
  const two = check('check, two cores', set.files, { cores: '0,1' });
  return { set, results: await race([one, two], Math.min(3, size.rounds)) };
}

async function defectsRow(size, data) {
  const set = data.logs({ events: size.events, defects: 50 });
  const timed = await againstFloor(size, set, { exit: 1 });
  const judged = check('check', set.files, { exit: 1, options: ['--format', 'json'] });
  const { runs } = JSON.parse((await runOnce(judged)).stdout);
  const errors = runs.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'error');
  const roots = errors.filter(({ consequenceOf }) => consequenceOf === undefined);
  const isFound = ({ rule, line }) =>
    roots.some((root) => root.rule === rule && root.events.some((event) => event.line === line));
  const found = set.truth.filter(isFound).length;
  const notes = [
    `${found} of ${set.truth.length} defects found by the rule named at the line named`,
    `${roots.length} reports in all, ${errors.length - roots.length} more folded under them`,
  ];
  return { ...timed, notes, found, injected: set.truth.length, reports: roots.length };
}

async function startRow(size, data) {
  const bare = { name: 'node -e 0', argv: [process.execPath, '-e', '0'] };
  const started = check('check, five events', [data.fiveEvents()]);
  const results = await race([bare, started], size.startRounds);
  const times = 1 / results[1].speed.median;
  return { results, notes: [`check takes ${times.toFixed(2)} times as long as bare node`], times };
}

async function memoryRow(size, data) {
  const options = { measuresPeak: true, folder: data.folder };
  const many = data.logs(manyRuns(size));
  const flat = (await runOnce(check('check', many.files), options)).peakBytes;
  const points = [];
  for (const events of size.growth) {
    const set = data.logs({ events });
    const { peakBytes } = await runOnce(check('check', set.files), options);
    points.push({ events, peakBytes });
    data.trim(size.keepBytes);
  }
  const slope = slopeOf(points);
  const [first] = points;
  const projected = first.peakBytes + slope * (1e8 - first.events);
  const notes = [
    `${many.files.length} runs, ${many.events} events: peak ${mega(flat)} MB`,
    ...points.map(
      ({ events, peakBytes }) => `one run of ${events / 1e6} million events: peak ${mega(peakBytes)} MB`,
    ),
    `slope: ${slope.toFixed(1)} bytes an event; projected for 100 million in one run: ${(projected / 1e9).toFixed(1)} GB`,
  ];
  return { notes, manyRunsPeakBytes: flat, points, bytesPerEvent: slope, projectedBytes: projected };
}

/** Least squares through all points. */
function slopeOf(points) {
  const meanOf = (value) => points.reduce((sum, point) => sum + value(point), 0) / points.length;
  const x = meanOf(({ events }) => events);
  const y = meanOf(({ peakBytes }) => peakBytes);
  const rise = points.reduce((sum, { events, peakBytes }) => sum + (events - x) * (peakBytes - y), 0);
  return rise / points.reduce((sum, { events }) => sum + (events - x) ** 2, 0);
}

function mega(bytes) {
  return (bytes / 1e6).toFixed(0);
}

/** Row → title, and what is done for it. `quick` rows are done by --quick. */
export const ROWS = {
  1: {
    title: 'many runs, one core',
    quick: true,
    run: (size, data) => againstFloor(size, data.logs(manyRuns(size))),
  },
  2: {
    title: 'the same number of events in one run, one core',
    quick: true,
    run: (size, data) => againstFloor(size, data.logs({ events: size.events })),
  },
  3: {
    title: 'row 1 with the scanner in plain JavaScript, where WebAssembly may not be had',
    quick: true,
    run: (size, data) => againstFloor(size, data.logs(manyRuns(size)), { env: PLAIN }),
  },
  4: {
    title: 'one large run, one core',
    run: (size, data) => againstFloor(size, data.logs({ events: size.eventsOfLarge })),
  },
  5: {
    title: 'a large study and a large run, one core and two',
    async run(size, data) {
      if (availableParallelism() < 2) return { notes: ['this machine has one core'] };
      const study = await coresRow(size, data.logs({ runs: size.runsOfStudy, events: size.eventsPerRun }));
      data.trim(size.keepBytes);
      return { parts: [study, await coresRow(size, data.logs({ events: size.eventsOfLarge }))] };
    },
  },
  6: { title: 'one run with 50 defects, one core', run: defectsRow },
  7: { title: 'start-up', quick: true, run: startRow },
  8: { title: 'memory', run: memoryRow },
  9: {
    title: 'other tools on the log of row 2, one core, a part of the rules each',
    async run(size, data) {
      const set = data.logs({ events: size.events });
      return { parts: [await duckRow(size, set), await jqRow(size, set)] };
    },
  },
  10: { title: 'recording tool calls, one core', quick: true, run: recordRow },
  11: { title: 'scan and replay of recorded calls, one core', quick: true, run: replayRow },
};
