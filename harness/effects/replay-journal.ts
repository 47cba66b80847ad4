/**
 * Holds a call that has replayed against what the journal said while it happened.
 *
 * A replay shows that the records of a call fit each other; a forger who rewrites all of them makes them fit. The journal
 * was written before and beside them, so it still has the effects, the input and the output that there were. A line that
 * is not there says nothing: a power failure may take it, and `scan` and `recover` look for those.
 */
import { divergence } from './divergence.js';
import type { Mismatch } from './divergence.js';
import type { InvocationRecord } from './objects.js';
import type { JournalledCall } from './recorded.js';

/** @returns where record and journal differ first; `undefined` where they do not, or where there is no journal */
export function journalFault(
  { input, output, world }: InvocationRecord,
  journal: JournalledCall | undefined,
): Mismatch | undefined {
  if (journal === undefined) return undefined;
  const { effects, outcome } = journal;
  if (outcome !== undefined && outcome.input !== input)
    return divergence('plan', 'the input in the journal', { expected: outcome.input, found: input });
  const links = new Map((world?.effects ?? []).map((link, at) => [link.id, { ...link, at }] as const));
  for (const [id, { outcome: ended }] of effects) {
    const link = links.get(id);
    if (link === undefined)
      return divergence('effects', `effect ${id} in the journal`, { expected: id, found: 'no such effect' });
    if (ended !== undefined && ended.record !== link.record) {
      const values = { expected: ended.record, found: link.record };
      return { ...divergence('effects', `the record of ${id} in the journal`, values), effect: link.at };
    }
  }
  if (outcome !== undefined && outcome.output !== output)
    return divergence('output', 'the output in the journal', { expected: outcome.output, found: output });
  return undefined;
}
