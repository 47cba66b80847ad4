/**
 * A process that puts objects of its own into a pack, while another does the same. Bundled and started by
 * pack-scan.test.ts. Arguments: run folder, its name, number of objects.
 */
import { PackWriter } from '../../harness/effects/pack-writer.js';
import { ObjectStore } from '../../harness/effects/store.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';

const [runDir = '', name = '', count = ''] = process.argv.slice(2);
const store = ObjectStore.open(runDir);
const writer = PackWriter.open(runDir, nodeFileOps, store);
store.close();
for (let n = 0; n < Number(count); n += 1)
  writer.put([{ kind: 'result', bytes: Buffer.from(`${name} ${n} ${'x'.repeat(n)}`) }]);
writer.close();
