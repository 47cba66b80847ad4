/**
 * A process that makes tool calls on a real world, a file that each effect adds a line to, until it has made all or is
 * killed. It prints a call's name only when it was answered, so that its parent knows what was acknowledged. Bundled and
 * started by kill.test.ts.
 *
 * Arguments: run folder, file that is the world, number of calls, calls at a time.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { digestOf } from '../../harness/core/digest.js';
import { isHarnessError } from '../../harness/core/errors.js';
import { toolbox } from '../../harness/core/tool.js';
import type { EffectTool } from '../../harness/core/tool.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { EffectHandler } from '../../harness/effects/ports.js';

const [runDir = '', world = '', count = '', atOnce = ''] = process.argv.slice(2);

const wanted = { effect: 'World.Append', scope: 'world', cost: 1 };
const tool: EffectTool = {
  name: 'world.append',
  summary: 'Adds two lines to the world.',
  inputSchema: { type: 'object' },
  grants: [wanted],
  plan: (input) => ({
    effects: ['e1', 'e2'].map((id) => ({ id, ...wanted, payload: { ...input, id } })),
    finish: true,
    result: null,
  }),
  finish: (_input, results) => ({ statuses: results.map(({ status }) => status) }),
};

const append: EffectHandler = ({ payload }) => {
  const { n, id } = payload as { n: number; id: string };
  appendFileSync(world, `${n} ${id}\n`);
  return Promise.resolve({ ok: true, value: { appended: true } });
};

const broker = openBroker(runDir, {
  genesis: { runId: 'run_killed', cell: {}, seed: 1 },
  toolbox: toolbox([tool]),
  handlers: new Map([['World.Append', append]]),
  clock: { nowMs: () => Date.now() },
  interpreter: { digest: digestOf(Buffer.from('child')), release: '0.1.0' },
  durable: true,
});
broker.grant('main', [{ effect: 'World.Append', scope: 'world', budget: 1_000_000 }]);

async function call(n: number): Promise<void> {
  const prepared = broker.prepare({ callId: `call_${n}`, tool: tool.name, input: { n }, caller: 'child' });
  try {
    const { entryHash } = await broker.execute(prepared, 'main');
    writeSync(1, `${n} ${entryHash}\n`);
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    writeSync(1, `${n} unknown\n`);
  }
}

writeSync(1, 'ready\n');
for (let first = 1; first <= Number(count); first += Number(atOnce)) {
  const batch = Array.from({ length: Number(atOnce) }, (_, at) => first + at);
  await Promise.all(batch.filter((n) => n <= Number(count)).map(call));
}
broker.close();
