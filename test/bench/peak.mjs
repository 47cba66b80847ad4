/**
 * Loaded before a program that is measured: leaves its peak of resident memory, in bytes, in the file that
 * COUNTERPROOF_PEAK names. Worker threads belong to the same process and are counted with it.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.COUNTERPROOF_PEAK;
if (isMainThread && file !== undefined) {
  process.on('exit', () => {
    writeFileSync(file, String(process.resourceUsage().maxRSS * 1024));
  });
}
