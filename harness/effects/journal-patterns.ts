/**
 * Patterns of the journal's lines that there are four of for every call (pattern.ts says what a pattern is).
 */
import { LINE } from '../core/journal.js';
import type { CallIntent, CallOutcome, EffectIntent, EffectOutcome } from './journal-lines.js';
import type { EffectStatus } from './objects.js';
import { asDigest, asDigestOrNone, shapePattern, textOfBytes } from './pattern.js';

const CALL_INTENT = shapePattern([
  ['kind', { is: LINE.callIntent }],
  ['callId', 'text'],
  ['tool', 'text'],
  ['input', 'digest'],
  ['plan', 'digest'],
]);
const EFFECT_INTENT = shapePattern([
  ['kind', { is: LINE.effectIntent }],
  ['callId', 'text'],
  ['effectId', 'text'],
  ['effect', 'text'],
  ['scope', 'text'],
  ['cost', 'integer'],
  ['now', 'integer'],
  ['purse', 'text'],
  ['request', 'digest'],
]);
const EFFECT_OUTCOME = shapePattern([
  ['kind', { is: LINE.effectOutcome }],
  ['callId', 'text'],
  ['effectId', 'text'],
  ['status', 'text'],
  ['purse', 'text'],
  ['record', 'digest'],
  ['evidence', 'digestOrNone'],
]);
const CALL_OUTCOME = shapePattern([
  ['kind', { is: LINE.callOutcome }],
  ['callId', 'text'],
  ['input', 'digest'],
  ['entryIndex', 'integer'],
  ['entryHash', 'digest'],
  ['output', 'digest'],
]);

/** Where the kinds of the four differ: `world/journal-i…`, `world/journal-o…`, `world/effect-i…`, `world/effect-o…`. */
const KIND_AT = '{"kind":"world/'.length;

/** A line about a call with plain text in it; `undefined` where only the strict reader can tell. */
export function plainLine(
  bytes: Uint8Array,
): CallIntent | EffectIntent | EffectOutcome | CallOutcome | undefined {
  const text = textOfBytes(bytes);
  if (text.startsWith('journal-i', KIND_AT)) return callIntent(CALL_INTENT.exec(text));
  if (text.startsWith('effect-i', KIND_AT)) return effectIntent(EFFECT_INTENT.exec(text));
  if (text.startsWith('effect-o', KIND_AT)) return effectOutcome(EFFECT_OUTCOME.exec(text));
  if (text.startsWith('journal-o', KIND_AT)) return callOutcome(CALL_OUTCOME.exec(text));
  return undefined;
}

function callIntent(found: RegExpExecArray | null): CallIntent | undefined {
  if (found === null) return undefined;
  const [, callId = '', tool = '', input, plan] = found;
  return { line: 'callIntent', callId, tool, input: asDigest(input), plan: asDigest(plan) };
}

function effectIntent(found: RegExpExecArray | null): EffectIntent | undefined {
  if (found === null) return undefined;
  return {
    line: 'effectIntent',
    callId: found[1]!,
    effectId: found[2]!,
    effect: found[3]!,
    scope: found[4]!,
    cost: Number(found[5]),
    now: Number(found[6]),
    purse: found[7]!,
    request: asDigest(found[8]),
  };
}

function effectOutcome(found: RegExpExecArray | null): EffectOutcome | undefined {
  const status = found?.[3];
  if (found === null || !isStatus(status)) return undefined;
  return {
    line: 'effectOutcome',
    callId: found[1]!,
    effectId: found[2]!,
    status,
    purse: found[4]!,
    record: asDigest(found[5]),
    evidence: asDigestOrNone(found[6]),
  };
}

function isStatus(text: string | undefined): text is EffectStatus {
  return text === 'ok' || text === 'failed' || text === 'denied';
}

function callOutcome(found: RegExpExecArray | null): CallOutcome | undefined {
  if (found === null) return undefined;
  return {
    line: 'callOutcome',
    callId: found[1]!,
    input: asDigest(found[2]),
    entryIndex: Number(found[3]),
    entryHash: asDigest(found[4]),
    output: asDigest(found[5]),
  };
}
