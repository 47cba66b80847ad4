/**
 * Records a run of tool calls through the real broker, for the rows about effects: files are written, read, listed, and
 * some calls are refused, denied, or fail. Prints how long it took, how many syncs it asked for, and its peak memory.
 *
 *   node test/bench/calls.mjs <run folder> <calls>
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { virtualClock } from '../../dist/core/clock.js';
import { seededRandom } from '../../dist/core/random.js';
import { openBroker } from '../../dist/effects/broker.js';
import { measureInterpreter } from '../../dist/effects/interpreter.js';
import { nodeFileOps } from '../../dist/log/file-ops.js';
import { ALL_TOOLS } from '../../dist/study/live.js';
import { Testbed } from '../../dist/testbed/testbed.js';

const [runDir, count] = process.argv.slice(2);
const random = seededRandom('calls');
const testbed = Testbed.create({ files: { 'a.txt': 'a\n' } });
let syncs = 0;
const ops = {
  ...nodeFileOps,
  sync: (fd) => {
    syncs += 1;
    nodeFileOps.sync(fd);
  },
};
const interpreter = measureInterpreter({
  distDir: join(import.meta.dirname, '..', '..', 'dist'),
  nodeVersion: process.version,
  nodePath: process.execPath,
  release: '0.1.0',
});
const broker = openBroker(runDir, {
  genesis: { runId: 'run_bench', cell: { task: 'rt_bench' }, seed: 1 },
  toolbox: ALL_TOOLS,
  handlers: testbed.handlers(),
  clock: virtualClock(Date.UTC(2026, 0, 5), 7),
  interpreter,
  durable: true,
  ops,
});
const effects = ['Read', 'List', 'Write'].map((name) => `Workspace.${name}`);
broker.grant('task', effects.map((effect) => ({ effect, scope: 'worktree', budget: 1_000_000 })));
broker.grant('none', []);

function input(n) {
  const path = `dir-${n % 7}/file-${Math.floor(random.next() * 40)}.txt`;
  const what = random.next();
  if (what < 0.45) return { tool: 'fs.write', input: { path, content: `${n} ${'.'.repeat(Math.floor(random.next() * 600))}` } };
  if (what < 0.9) return { tool: 'fs.read', input: { path } };
  if (what < 0.95) return { tool: 'fs.list', input: { path: `dir-${n % 7}` } };
  return { tool: 'fs.read', input: { path: `/outside/${n}` } };
}

const started = process.hrtime.bigint();
for (let n = 0; n < Number(count); n += 1) {
  const prepared = broker.prepare({ callId: `call_${n}`, caller: 'coder', ...input(n) });
  if (n % 50 === 1) await broker.refuse(prepared, { by: 'principal', reason: 'not this one' });
  else await broker.execute(prepared, n % 50 === 2 ? 'none' : 'task');
}
const seconds = Number(process.hrtime.bigint() - started) / 1e9;
broker.close();
testbed.dispose();
// A log of its own makes the folder a run.
writeFileSync(join(runDir, 'provenance.jsonl'), '');
const peak = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ calls: Number(count), seconds, syncs, peakMb: peak })}\n`);
