/**
 * What a crash left open: effects that may have happened, effects that did and whose call was never entered, and lines
 * that were cut. It reports and does nothing else: nobody but the operator can find out whether a mail was sent.
 */
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import type { EffectIntent, EffectOutcome } from './journal-lines.js';
import { recordOf } from './recorded-answer.js';
import type { RecordedRun } from './recorded.js';
import { readRequest } from './request.js';
import { readObject } from './struct.js';
import { unclaimedOutcomes } from './unclaimed.js';

/**
 * `may-have-happened`: announced, and no more is known. `likely-not-begun`: announced, and the one before it is not known
 * to have ended; effects run in order, so it was begun only if a power failure took that line. The others are known to
 * have ended so.
 */
export type OpenState = 'may-have-happened' | 'likely-not-begun' | 'ok' | 'failed' | 'denied';

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

/** A call that was begun and whose end the journal does not know. */
export interface OpenCall {
  readonly callId: string;
  readonly tool: string;
  readonly effects: readonly OpenEffect[];
  /** Its entry all the same, by index: the call is whole, and only the last line about it was lost. */
  readonly entryIndex?: number;
}

export interface Recovery {
  readonly calls: readonly OpenCall[];
  /** Entries of which no call is known, neither by the journal nor by what their records say. */
  readonly unpairedEntries: readonly number[];
  /** Files whose last line or record was cut. */
  readonly torn: readonly string[];
}

/** Looks at what a run has recorded. Changes nothing. */
export function recover(run: RecordedRun): Recovery {
  const entered = new Set<string>();
  const found = new Map(unclaimedOutcomes(run).map((outcome) => [outcome.callId, outcome]));
  const calls: OpenCall[] = [];
  for (const [callId, { intent, outcome, effects }] of run.calls) {
    if (outcome !== undefined) {
      entered.add(outcome.entryHash);
      continue;
    }
    const open = inOrder([...effects].map(([effectId, lines]) => openEffect(run, effectId, lines)));
    const entry = found.get(callId);
    if (entry !== undefined) entered.add(entry.entryHash);
    const tool = intent?.tool ?? 'unknown';
    if (entry === undefined) calls.push({ callId, tool, effects: open });
    else
      calls.push({
        callId,
        tool,
        effects: asEntered(run, open, entry.entryHash),
        entryIndex: entry.entryIndex,
      });
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

/** How effects ended by the record of their call, where the journal has lost it. */
function asEntered(run: RecordedRun, effects: readonly OpenEffect[], hash: Digest): OpenEffect[] {
  const entry = run.entryOf(hash);
  const record = entry && recordOf(run, entry);
  const links = record?.ok === true ? (record.value.world?.effects ?? []) : [];
  return effects.map((effect) => {
    const link = links.find(({ id }) => id === effect.effectId);
    return link === undefined ? effect : { ...effect, state: link.status };
  });
}

/** Effects of a call as they were announced, which is the order in which they are run. */
function inOrder(effects: readonly OpenEffect[]): OpenEffect[] {
  const first = effects.findIndex(({ state }) => state === 'may-have-happened');
  return effects.map((effect, at) =>
    at > first && effect.state === 'may-have-happened' ? { ...effect, state: 'likely-not-begun' } : effect,
  );
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
