/**
 * Token totals of a run as a check shows them: every call once, blocks without a call id once each.
 * Not the token ledger: no roles, prices or normalisation, only what the log says.
 */
import { FLAG } from '../core/history.js';
import type { TokenTotals } from '../core/verdict.js';
import type { Case } from './case.js';
import { textOf } from './documents.js';

export function tokenTotals(c: Case): TokenTotals {
  const repeats = new Set(
    c.history.parts.duplicates.flatMap((duplicate) => duplicate.repeats.map((repeat) => repeat.event)),
  );
  const calls = new Set<string>();
  const totals = { blocks: 0, calls: 0, input: 0, output: 0, thinking: 0, unknownThinking: 0 };
  for (let event = 0; event < c.history.size; event++) {
    if (c.history.kind(event) === 'model_called') totals.calls++;
    if (!c.history.has(event, FLAG.tokens) || repeats.has(event)) continue;
    const tokens = c.history.tokens(event) ?? {};
    const callId = textOf(tokens, 'callId');
    if (callId !== undefined && calls.has(callId)) continue;
    if (callId !== undefined) calls.add(callId);
    totals.blocks++;
    totals.input += count(tokens['input']) ?? 0;
    totals.output += count(tokens['output']) ?? 0;
    totals.thinking += count(tokens['thinking']) ?? 0;
    if (count(tokens['thinking']) === undefined) totals.unknownThinking++;
  }
  return totals;
}

/** A count that is one: a safe whole number that is not negative. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
