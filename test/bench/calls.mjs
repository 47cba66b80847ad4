/**
 * The rows about recorded tool calls: what recording costs, and what `scan` and `replay` take for the same run, held
 * against plain loops that only hash its objects. A command that is not there yet is left out, and said.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, race, ROOT, runOnce } from './measure.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const LF = 0x0a;

/** A run of so many calls, made when it is first asked for. */
function recorded(data, calls) {
  return data.keep(`calls-${calls}`, (path) => {
    const { status, stderr } = spawnSync(process.execPath, recordArguments(path, calls));
    if (status !== 0) throw new Error(`recording ended with ${status}: ${stderr}`);
    const bytes = ['objects.pack', 'journal.jsonl', 'invocations.jsonl'].reduce(
      (sum, name) => sum + statSync(join(path, name)).size,
      0,
    );
    return { calls, bytes };
  });
}

function recordArguments(path, calls, ...more) {
  return [join(HERE, 'record-calls.mjs'), '--out', path, '--calls', String(calls), ...more];
}

/** The objects of a run as one file each. */
function loose(data, set) {
  return data.keep(`loose-${set.calls}`, (path) => {
    const pack = readFileSync(join(set.path, 'objects.pack'));
    let objects = 0;
    for (let at = 0; at < pack.length;) {
      const from = pack.indexOf(LF, at) + 1;
      const { hash, bytes } = JSON.parse(pack.toString('latin1', at, from));
      at = bytes === undefined ? from : from + bytes + 1;
      if (bytes === undefined) continue;
      const folder = join(path, hash.slice(7, 9));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, hash.slice(9)), pack.subarray(from, from + bytes));
      objects += 1;
    }
    return { objects, bytes: pack.length };
  });
}

/** What a process that records says of itself. @param more arguments, such as `--durable` */
function record(data, name, [calls, ...more]) {
  const { path } = data.keep(`record-${name}`, () => ({ bytes: Infinity }));
  const argv = [process.execPath, ...recordArguments(path, calls, ...more)];
  return runOnce({ name, argv }).then(({ stdout }) => JSON.parse(stdout));
}

/** What recording costs: time, operations on files, memory. */
export async function recordRow(size, data) {
  const { calls, durableCalls } = size;
  const few = Math.ceil(calls / 4);
  const ways = {
    'one at a time': await record(data, 'one', [calls]),
    'ten at a time': await record(data, 'ten', [calls, '--parallel', '10']),
    'one at a time, durable': await record(data, 'one-durable', [durableCalls, '--durable']),
    'ten at a time, durable': await record(data, 'ten-durable', [
      durableCalls,
      '--durable',
      '--parallel',
      '10',
    ]),
  };
  const small = await record(data, 'few', [few]);
  const notes = Object.entries(ways).map(([name, { seconds, calls: made, operations }]) => {
    const each = ((seconds * 1e3) / made).toFixed(2);
    const syncs = (operations.sync / made).toFixed(1);
    return `${name}: ${made} calls, ${each} ms and ${syncs} syncs a call, ${operations.write / made} writes`;
  });
  const peaks = { [few]: small.peakBytes, [calls]: ways['one at a time'].peakBytes };
  notes.push(peakNote('recording', peaks));
  return { notes, ways, peaks };
}

function peakNote(what, peaks) {
  const points = Object.entries(peaks).map(
    ([calls, bytes]) => `${(bytes / 1e6).toFixed(0)} MB at ${calls} calls`,
  );
  return `peak of memory, ${what}: ${points.join(', ')}`;
}

/** The commands that judge a recorded run, as far as this build has them. */
function commands(path) {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'dist', 'cli', 'main.js'), '--help']);
  const wanted = {
    scan: [path],
    // The functions of the tools are spelled otherwise in the bundled command than in what recorded them here.
    replay: [path, '--allow-interpreter'],
  };
  const isThere = (name) => stdout.toString().includes(`counterproof ${name} `);
  return Object.entries(wanted).map(([name, args]) =>
    isThere(name) ? command(name, args) : { name, isMissing: true },
  );
}

/** `scan` and `replay` against loops that only hash. */
export async function replayRow(size, data) {
  const set = recorded(data, size.calls);
  const { path: folder, objects } = loose(data, set);
  const loop = join(HERE, 'hash-loop.mjs');
  const floors = [
    { name: 'hash loop, pack', argv: [process.execPath, loop, join(set.path, 'objects.pack')] },
    { name: 'hash loop, files', argv: [process.execPath, loop, folder] },
  ];
  for (const floor of floors) {
    const sound = Number((await runOnce(floor)).stdout);
    if (sound !== objects) throw new Error(`${floor.name}: ${sound} of ${objects} objects are sound`);
  }
  const known = commands(set.path);
  const there = known.filter(({ isMissing }) => isMissing !== true);
  const results = await race([...floors, ...there], size.rounds);
  const notes = [`${set.calls} calls, ${objects} objects, ${(set.bytes / 1e6).toFixed(0)} MB`];
  for (const { name, isMissing } of known) {
    if (isMissing === true) notes.push(`${name}: no such command in this build`);
  }
  for (const { name, seconds } of results.slice(floors.length)) {
    const [pack, files] = results.map((floor) => (seconds / floor.seconds).toFixed(2));
    notes.push(
      `${name} takes ${pack} times as long as hashing the pack, ${files} times as long as hashing files`,
    );
  }
  const few = recorded(data, Math.ceil(size.calls / 4));
  const peaks = {};
  for (const { name } of there) {
    peaks[name] = await peaksOf(name, [few, set], data);
    notes.push(peakNote(name, peaks[name]));
  }
  return { results, notes, objects, peaks };
}

async function peaksOf(name, sets, data) {
  const peaks = {};
  for (const { path, calls } of sets) {
    const contender = commands(path).find((known) => known.name === name);
    peaks[calls] = (await runOnce(contender, { measuresPeak: true, folder: data.folder })).peakBytes;
  }
  return peaks;
}
