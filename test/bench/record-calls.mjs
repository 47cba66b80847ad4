/**
 * Records tool calls with the real broker, for the bench and for whoever needs a run of a given size. Handlers answer at
 * once and touch nothing, so that what is measured is what recording costs.
 *
 * Prints one line of JSON: seconds, calls, how many file operations of each kind, peak of memory.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { virtualClock } from '../../dist/core/clock.js';
import { openBroker } from '../../dist/effects/broker.js';
import { measureInterpreter } from '../../dist/effects/interpreter.js';
import { nodeFileOps } from '../../dist/log/file-ops.js';
import { ALL_TOOLS } from '../../dist/study/live.js';
import { readArguments, refuse } from './arguments.mjs';
import { Random } from './random.mjs';

const HELP = `Records tool calls with the real broker into a new folder.

  node test/bench/record-calls.mjs --out /tmp/run --calls 20000 [--seed 1] [--parallel 10] [--durable]

--parallel: calls that are under way at the same time, default 1. --durable: as for a run that must survive a power failure.`;

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const STARTS_MS = Date.UTC(2026, 0, 5, 9);
const KINDS = ['write', 'read', 'sync', 'facts', 'factsOf'];

/** File operations that count themselves. */
function countedOps() {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  const ops = { ...nodeFileOps };
  for (const kind of KINDS) {
    ops[kind] = (...given) => {
      counts[kind] += 1;
      return nodeFileOps[kind](...given);
    };
  }
  return { ops, counts };
}

/** Answers of a world that is not there. */
function handlers(random) {
  const answer = (value) => () => Promise.resolve({ ok: true, value: value() });
  return new Map([
    ['Workspace.Read', answer(() => ({ content: random.text(random.int(200, 3000)), found: true }))],
    ['Workspace.List', answer(() => ({ names: random.text(random.int(20, 300)).split(' ') }))],
    ['Workspace.Write', answer(() => ({ written: true }))],
    ['Workspace.Delete', answer(() => ({ deleted: true }))],
  ]);
}

/** Half reads, a third writes, some lists and deletions. */
function callOf(n, random) {
  const path = `src/${random.text(12).replaceAll(' ', '/')}.ts`;
  const roll = random.int(0, 99);
  const call = { callId: `call_${n}`, caller: 'coder' };
  if (roll < 50) return { ...call, tool: 'fs.read', input: { path } };
  if (roll < 85)
    return { ...call, tool: 'fs.write', input: { path, content: random.text(random.int(200, 3000)) } };
  if (roll < 95) return { ...call, tool: 'fs.list', input: { path } };
  return { ...call, tool: 'fs.delete', input: { path } };
}

async function record({ out, calls, seed, parallel, durable }) {
  const random = new Random(seed);
  const { ops, counts } = countedOps();
  const clock = virtualClock(STARTS_MS, 1000);
  const release = '0.1.0';
  const broker = openBroker(out, {
    genesis: { runId: 'run_bench', cell: { task: 'bench' }, seed },
    toolbox: ALL_TOOLS,
    handlers: handlers(random),
    clock,
    interpreter: measureInterpreter({
      distDir: DIST,
      nodeVersion: process.version,
      nodePath: process.execPath,
      release,
    }),
    durable,
    ops,
  });
  const effects = ['Workspace.Read', 'Workspace.List', 'Workspace.Write', 'Workspace.Delete'];
  broker.grant(
    'coder',
    effects.map((effect) => ({ effect, scope: 'worktree', budget: 1e9 })),
  );
  for (const kind of KINDS) counts[kind] = 0;
  const started = process.hrtime.bigint();
  for (let n = 0; n < calls; n += parallel) {
    const group = Array.from({ length: Math.min(parallel, calls - n) }, (_, at) => callOf(n + at, random));
    const answers = await Promise.all(group.map((call) => broker.execute(broker.prepare(call), 'coder')));
    for (const { callId, status } of answers)
      if (status !== 'executed') throw new Error(`${callId} was ${status}`);
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  broker.close();
  return { seconds, calls, operations: counts, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

const values = readArguments(
  {
    out: { type: 'string' },
    calls: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '1' },
    durable: { type: 'boolean', default: false },
  },
  HELP,
);
const [calls, seed, parallel] = [values.calls, values.seed, values.parallel].map(Number);
if (values.out === undefined) refuse('--out names the folder to make');
if (![calls, seed, parallel].every((number) => Number.isSafeInteger(number) && number > 0))
  refuse('--calls, --seed and --parallel are whole numbers from 1');
mkdirSync(values.out, { recursive: true });
if (readdirSync(values.out).length > 0) refuse(`${join(values.out)} is not empty`);
process.stdout.write(`${JSON.stringify(await record({ ...values, calls, seed, parallel }))}\n`);
