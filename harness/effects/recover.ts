/**
 * What a crash left open: effects that may have happened, effects that did and whose call was never entered, and lines
 * that were cut. It reports and does nothing else: nobody but the operator can find out whether a mail was sent.
 */
import type { JsonObject } from '../core/event.js';
import type { EffectIntent, EffectOutcome } from './journal-lines.js';
import type { RecordedRun } from './recorded.js';
import { readRequest } from './request.js';
import { readObject } from './struct.js';

/** `may-have-happened`: said to be about to happen, and no more is known. The others are known to have ended so. */
export type OpenState = 'may-have-happened' | 'ok' | 'failed' | 'denied';

export interface OpenEffect {
  readonly effectId: string;
  readonly state: OpenState;
  readonly effect: string;
  readonly scope: string;
  /** Whole Unix seconds; absent where nothing recorded it. */
  readonly now?: number;
  /** What was asked; absent where the request is lost. */
  readonly payload?: JsonObject;
}

/** A call that was begun and has no entry. */
export interface OpenCall {
  readonly callId: string;
  readonly tool: string;
  readonly effects: readonly OpenEffect[];
}

export interface Recovery {
  readonly calls: readonly OpenCall[];
  /** Entries whose call the journal does not know the end of: they are whole, only the last line of it was lost. */
  readonly unpairedEntries: readonly number[];
  /** Files whose last line or record was cut. */
  readonly torn: readonly string[];
}

/** Looks at what a run has recorded. Changes nothing. */
export function recover(run: RecordedRun): Recovery {
  const entered = new Set<string>();
  const calls: OpenCall[] = [];
  for (const [callId, { intent, outcome, effects }] of run.calls) {
    if (outcome !== undefined) {
      entered.add(outcome.entryHash);
      continue;
    }
    const open = [...effects].map(([effectId, found]) => openEffect(run, effectId, found));
    calls.push({ callId, tool: intent?.tool ?? 'unknown', effects: open });
  }
  const unpairedEntries = run.entries
    .filter(({ hash }) => !entered.has(hash))
    .map(({ fields }) => fields.entryIndex);
  const torn = [
    ...run.badLines.filter(({ isTail }) => isTail).map(({ file }) => `${file}.jsonl`),
    ...(run.store.faults.some(({ reason }) => reason === 'torn-tail') ? ['objects.pack'] : []),
  ];
  return { calls, unpairedEntries, torn };
}

/** Whether nothing is open. */
export function isSettled({ calls, unpairedEntries, torn }: Recovery): boolean {
  return calls.length === 0 && unpairedEntries.length === 0 && torn.length === 0;
}

function openEffect(
  run: RecordedRun,
  effectId: string,
  { intent, outcome }: { readonly intent?: EffectIntent; readonly outcome?: EffectOutcome },
): OpenEffect {
  const state = outcome?.status ?? 'may-have-happened';
  if (intent === undefined) return { effectId, state, effect: 'unknown', scope: 'unknown' };
  const { effect, scope, now } = intent;
  const found = run.store.read(intent.request);
  const request = found.ok ? readRequest(found.bytes) : undefined;
  const payload = request && readObject(request.payload);
  return { effectId, state, effect, scope, now, ...(payload?.ok === true ? { payload: payload.value } : {}) };
}
