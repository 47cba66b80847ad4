/**
 * A process that appends events to a run until it has done its share or dies. It prints the id of an event only after
 * `append` has returned, so that its parent knows what was acknowledged. Bundled and started by concurrency.test.ts.
 *
 * Arguments: run folder, name of the slot, first number, last number, and the write (from 1) in which it kills itself
 * half-way; 0 for never.
 */
import { writeSync } from 'node:fs';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { readHead } from '../../harness/log/head.js';
import { openWriter } from '../../harness/log/writer.js';

const [runDir = '', slot = '', first = '', last = '', dieIn = ''] = process.argv.slice(2);

let writes = 0;
const write: FileOps['write'] = (fd, bytes) => {
  // Claims and locks are small and have a file of their own.
  if (bytes.length > 100) writes += 1;
  if (writes !== Number(dieIn) || bytes.length <= 100) return nodeFileOps.write(fd, bytes);
  nodeFileOps.write(fd, bytes.subarray(0, Math.floor(bytes.length / 2)));
  process.kill(process.pid, 'SIGKILL');
  return 0;
};

const ops: FileOps = { ...nodeFileOps, write };
const head = readHead(runDir, nodeFileOps);
if (head.state !== 'started') throw new Error(`${runDir} has not started`);
const clock = { nowMs: () => Date.now() };
const writer = openWriter(runDir, { runId: head.runId, clock, durability: 'none', actor: slot, ops });

for (let n = Number(first); n <= Number(last); n += 1) {
  // Most lines are short; every 16th is longer than a page, so that a kill can tear it in the kernel.
  const padding = String(n).padStart(n % 16 === 0 ? 9000 : 40, '.');
  const { id } = writer.append({ kind: 'test.tick', causedBy: head.id, data: { slot, n, padding } });
  writeSync(1, `${n} ${id}\n`);
}
writer.close();
