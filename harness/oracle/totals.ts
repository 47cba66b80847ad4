/**
 * Token totals of a run as a check shows them: every call once, blocks without a call id once each.
 */
import { kindCode } from '../core/event.js';
import type { TokenTotals } from '../core/verdict.js';
import type { Case } from './case.js';

const MODEL_CALLED = kindCode('model_called');

export function tokenTotals(c: Case): TokenTotals {
  const { history } = c;
  const { sums } = history.parts;
  if (sums.usage !== undefined) {
    const { blocks, input, output, thinking, unknownThinking } = sums.usage;
    return { blocks, calls: sums.kinds[MODEL_CALLED] ?? 0, input, output, thinking, unknownThinking };
  }
  const { usage } = c;
  const repeats = new Set(
    history.parts.duplicates.flatMap((duplicate) => duplicate.repeats.map((repeat) => repeat.event)),
  );
  const counted = new Uint8Array(usage.callCount);
  const totals = { blocks: 0, calls: 0, input: 0, output: 0, thinking: 0, unknownThinking: 0 };
  for (let event = 0; event < history.size; event++)
    if (history.kindCode(event) === MODEL_CALLED) totals.calls++;
  for (let block = 0; block < usage.size; block++) {
    const call = usage.callAt(block);
    if (repeats.has(usage.eventAt(block)) || (call !== 0 && counted[call] === 1)) continue;
    counted[call] = 1;
    totals.blocks++;
    totals.input += usage.count(block, 'input') ?? 0;
    totals.output += usage.count(block, 'output') ?? 0;
    const thinking = usage.count(block, 'thinking');
    if (thinking === undefined) totals.unknownThinking++;
    else totals.thinking += thinking;
  }
  return totals;
}
