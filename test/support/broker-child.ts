/**
 * A process that makes calls with two effects each until it has made all or dies. What became of a call is printed only
 * after the broker has answered. Bundled and started by broker-kill.test.ts.
 *
 * Arguments: run folder, file that stands for the world, number of calls, calls at the same time, and the write (from 1)
 * in which it kills itself half-way; 0 for never.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { virtualClock } from '../../harness/core/clock.js';
import { digestOf } from '../../harness/core/digest.js';
import { HarnessError } from '../../harness/core/errors.js';
import { toolbox } from '../../harness/core/tool.js';
import type { EffectTool } from '../../harness/core/tool.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { EffectHandler } from '../../harness/effects/ports.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';

const [runDir = '', world = '', calls = '', parallel = '', dieIn = ''] = process.argv.slice(2);

let writes = 0;
const write: FileOps['write'] = (fd, bytes) => {
  writes += 1;
  if (writes !== Number(dieIn)) return nodeFileOps.write(fd, bytes);
  nodeFileOps.write(fd, bytes.subarray(0, Math.floor(bytes.length / 2)));
  process.kill(process.pid, 'SIGKILL');
  return 0;
};

const NAMES = ['Mark.First', 'Mark.Second'] as const;
const declared = NAMES.map((effect) => ({ effect, scope: 'world', cost: 1 }));
const markTool: EffectTool = {
  name: 'mark',
  summary: 'Leaves two marks in the world.',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false },
  grants: declared,
  plan: ({ n = 0 }) => ({
    effects: declared.map((effect, at) => ({ id: `e${at}`, ...effect, payload: { n, at } })),
    finish: false,
    result: null,
  }),
};

const mark: EffectHandler = ({ callId, effect, payload }) => {
  appendFileSync(world, `${callId} ${effect}\n`);
  // Sizes differ, so that parallel calls do not all come to an end together.
  return Promise.resolve({ ok: true, value: { text: 'x'.repeat((Number(payload['n']) * 37) % 4000) } });
};

const broker = openBroker(runDir, {
  genesis: { runId: 'run_killed', cell: { task: 'rt_marks' }, seed: 1 },
  toolbox: toolbox([markTool]),
  handlers: new Map(NAMES.map((name) => [name, mark])),
  clock: virtualClock(Date.UTC(2026, 0, 5), 1000),
  interpreter: { digest: digestOf(Buffer.from('interpreter of the child')), release: '0.1.0' },
  durable: false,
  ops: { ...nodeFileOps, write },
});
broker.grant(
  'main',
  NAMES.map((effect) => ({ effect, scope: 'world', budget: 1e6 })),
);

async function send(n: number): Promise<void> {
  const call = { callId: `call_${n}`, tool: markTool.name, input: { n }, caller: 'child' };
  try {
    const { entryHash, status } = await broker.execute(broker.prepare(call), 'main');
    writeSync(1, `${n} ${status} ${entryHash}\n`);
  } catch (error) {
    if (!(error instanceof HarnessError && error.message.includes('took effect is not known'))) throw error;
    writeSync(1, `${n} unknown\n`);
  }
}

for (let from = 0; from < Number(calls); from += Number(parallel)) {
  const count = Math.min(Number(parallel), Number(calls) - from);
  await Promise.all(Array.from({ length: count }, (_, at) => send(from + at)));
}
broker.close();
