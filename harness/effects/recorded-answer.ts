/**
 * The answer that a call got, put together from its records: for a call that is sent again, and for a replay.
 */
import type { Digest } from '../core/digest.js';
import type { PlacedEntry, RecordedRun } from './recorded.js';
import { readRecord } from './objects.js';
import type { EffectStatus, InvocationRecord } from './objects.js';
import type { CallAnswer, CallStatus } from './ports.js';
import { readObject } from './struct.js';
import type { Read } from './struct.js';

/** The record that an entry names: of either kind. */
export function recordOf(run: Pick<RecordedRun, 'store'>, entry: PlacedEntry): Read<InvocationRecord> {
  const found = run.store.read(entry.fields.transitionRef);
  if (!found.ok) return { ok: false, why: `the record is ${found.fault}` };
  return readRecord(found.bytes);
}

/** The recorded answer of a call; what is wrong where there is none. */
export function recordedAnswer(run: RecordedRun, callId: string): Read<CallAnswer> {
  const call = run.calls.get(callId);
  const entry = call?.outcome && run.entryOf(call.outcome.entryHash);
  if (call?.outcome === undefined || entry === undefined) return { ok: false, why: 'the call has no entry' };
  const record = recordOf(run, entry);
  if (!record.ok) return record;
  const output = objectAt(run, record.value.output);
  if (!output.ok) return output;
  const effects = record.value.world?.effects ?? [];
  const evidence: { id: string; value: CallAnswer['output'] }[] = [];
  for (const { id } of effects) {
    const ref = call.effects.get(id)?.outcome?.evidence ?? '';
    const value = ref === '' ? undefined : objectAt(run, ref);
    if (value?.ok === false) return value;
    if (value !== undefined) evidence.push({ id, value: value.value });
  }
  const { invocationId } = record.value;
  const status =
    record.value.world === undefined ? 'executed' : callStatus(effects.map((effect) => effect.status));
  return {
    ok: true,
    value: { callId, invocationId, entryHash: entry.hash, status, output: output.value, effects, evidence },
  };
}

/**
 * How a call with a plan ended, from how its effects did: refused when there are none. A failure outweighs a denial, as
 * the world was touched.
 */
export function callStatus(effects: readonly EffectStatus[]): CallStatus {
  if (effects.length === 0) return 'refused';
  if (effects.includes('failed')) return 'failed';
  return effects.includes('denied') ? 'denied' : 'executed';
}

function objectAt(run: RecordedRun, ref: Digest): Read<CallAnswer['output']> {
  const found = run.store.read(ref);
  return found.ok ? readObject(found.bytes) : { ok: false, why: `${ref} is ${found.fault}` };
}
