/**
 * Finds out whose entry it is when the journal does not say: the line that says so needs no sync, and a power failure
 * may take it from a call that was answered. What the entry's records say must fit one call, and no other.
 *
 * Calls without an effect that was allowed leave no intent, so theirs are not looked for: nothing can happen twice.
 */
import type { CallOutcome } from './journal-lines.js';
import { readEffectRecord } from './objects.js';
import type { EffectLink, InvocationRecord } from './objects.js';
import { recordOf } from './recorded-answer.js';
import type { JournalledCall, PlacedEntry, RecordedRun } from './recorded.js';

/** Outcomes that the journal lacks although the call has its entry. */
export function unclaimedOutcomes(run: RecordedRun): CallOutcome[] {
  const open = [...run.calls].filter(([, call]) => call.intent !== undefined && call.outcome === undefined);
  if (open.length === 0) return [];
  const claimed = new Set([...run.calls.values()].map(({ outcome }) => outcome?.entryHash));
  const claims = run.entries
    .filter(({ hash }) => !claimed.has(hash))
    .flatMap((entry) => claimsOn(run, entry, open));
  const isOnly = ({ callId, entryHash }: CallOutcome): boolean =>
    claims.filter((other) => other.callId === callId || other.entryHash === entryHash).length === 1;
  return claims.filter(isOnly);
}

/** Every call that the entry may be of. */
function claimsOn(
  run: RecordedRun,
  entry: PlacedEntry,
  open: readonly (readonly [callId: string, call: JournalledCall])[],
): CallOutcome[] {
  const record = recordOf(run, entry);
  if (!record.ok) return [];
  const { input, output } = record.value;
  const { entryIndex } = entry.fields;
  return open
    .filter(([, call]) => isOf(run, record.value, call))
    .map(([callId]) => ({ line: 'callOutcome', callId, input, entryIndex, entryHash: entry.hash, output }));
}

function isOf(run: RecordedRun, { input, world }: InvocationRecord, call: JournalledCall): boolean {
  if (world === undefined || call.intent?.input !== input || call.intent.plan !== world.plan) return false;
  const intents = [...call.effects.values()].filter(({ intent }) => intent !== undefined).length;
  const allowed = world.effects.filter(({ status }) => status !== 'denied').length;
  return intents === allowed && world.effects.every((link) => isEffectOf(run, link, call));
}

function isEffectOf(
  run: RecordedRun,
  { id, record: ref, status }: EffectLink,
  call: JournalledCall,
): boolean {
  const found = run.store.read(ref);
  const record = found.ok ? readEffectRecord(found.bytes) : undefined;
  if (record?.ok !== true) return false;
  const { intent, outcome } = call.effects.get(id) ?? {};
  if (outcome !== undefined && outcome.record !== ref) return false;
  if (status === 'denied') return intent === undefined;
  // What a failed effect left to say stands in its outcome only: without it the answer would not be the same.
  return intent?.request === record.value.requestRef && (status === 'ok' || outcome !== undefined);
}
