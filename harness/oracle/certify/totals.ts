/**
 * Certificates that the sums of a history give without a look at its events: token blocks, kinds, clocks, paths.
 */
import { kindCode } from '../../core/event.js';
import type { Case } from '../case.js';
import { FLAG } from '../../core/facts.js';
import { isBeforeCause, isLeap } from '../skew.js';

const MODEL_CALLED = kindCode('model_called');

export function proveBySums(c: Case, add: (rule: string, applied: number) => void): void {
  const { history } = c;
  const { sums } = history.parts;
  const known = sums.kinds.reduce((sum, count) => sum + count, 0);
  if (known === history.size) add('log/unknown-kind', history.size);
  if ((sums.anyFacts & FLAG.bigData) === 0) add('reference/payload-inline', history.size);
  // In a run folder a name may be a link that leads out.
  if ((sums.anyFacts & FLAG.oddPaths) === 0 && !c.evidence.isFolder)
    add('reference/path-escapes-run', sums.paths);
  const { compared, leastMs, mostMs } = sums.clocks;
  if (!isBeforeCause(leastMs)) add('causal/time-before-cause', compared);
  if (!isLeap(mostMs)) add('causal/time-leap', compared);
  const { usage } = sums;
  if (usage !== undefined) {
    add('tokens/call-conflict', usage.calls);
    add('tokens/model-missing', usage.blocks);
    if (usage.calledBlocks === sums.kinds[MODEL_CALLED]) add('tokens/block-missing', usage.calledBlocks);
  }
}
