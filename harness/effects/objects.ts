/**
 * The records a run's store holds, as fields in encoding B and back. One pair of functions per kind.
 *
 * Plans, outputs, refusals and genesis are in encoding A and are made where they belong (plan.ts, output.ts,
 * genesis.ts); requests are bytes of their own layout (core/digest.ts); results are what a handler returned.
 */
import { struct, structBytes } from '../core/canonical.js';
import type { StructFields } from '../core/canonical.js';
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import { DENIALS } from '../core/tool.js';
import type { Denial } from '../core/tool.js';
import { asDigest, asDigestOrNone, shapePattern, shapeSource, textOfBytes } from './pattern.js';
import type { Shape } from './pattern.js';
import { mismatch, readStruct } from './struct.js';
import type { Members, Read } from './struct.js';

/** What a caller asked for. */
export interface InvocationInput {
  readonly tool: string;
  readonly input: JsonObject;
}

export function inputBytes({ tool, input }: InvocationInput): Uint8Array {
  return structBytes(inputFields({ tool, input }));
}

export function readInput(bytes: Uint8Array): Read<InvocationInput> {
  const take = (m: Members): InvocationInput => ({ tool: m.text('tool'), input: m.object('input') });
  return readStruct(bytes, take, inputFields);
}

function inputFields({ tool, input }: InvocationInput): StructFields {
  return [
    ['tool', tool],
    ['input', input],
  ];
}

export const STATUSES = ['ok', 'failed', 'denied'] as const;
export type EffectStatus = (typeof STATUSES)[number];

/** An effect as an invocation's record and its output name it. */
export interface EffectLink {
  readonly id: string;
  readonly record: Digest;
  readonly status: EffectStatus;
}

/** One tool call. `plan` and `effects` are absent for a pure tool, whose record is of an older kind. */
export interface InvocationRecord {
  /** `<runId>:<entryIndex>`. */
  readonly invocationId: string;
  /** The run. */
  readonly episodeId: string;
  /** The tool. */
  readonly skillId: string;
  readonly transitionFn: Digest;
  readonly interpreter: Digest;
  readonly semanticsEpoch: number;
  readonly input: Digest;
  readonly output: Digest;
  readonly world?: { readonly plan: Digest; readonly effects: readonly EffectLink[] };
}

export function recordBytes(record: InvocationRecord): Uint8Array {
  return structBytes(recordFields(record));
}

const BASE: Shape = [
  ['invocationId', 'text'],
  ['episodeId', 'text'],
  ['skillId', 'text'],
  ['transitionFn', 'digest'],
  ['interpreter', 'digest'],
  ['semanticsEpoch', 'integer'],
  ['input', 'digest'],
  ['output', 'digest'],
];
const LINK_SOURCE = '\\{"id":"([a-z0-9]+)","record":"(sha256:[0-9a-f]{64})","status":"(ok|failed|denied)"\\}';
const LINK_UNCAUGHT = LINK_SOURCE.replaceAll(/\((?!\?)/g, '(?:');
const RECORD = new RegExp(
  `^${shapeSource([...BASE, ['plan', 'digest']]).slice(0, -2)},"effects":\\[((?:${LINK_UNCAUGHT}(?:,${LINK_UNCAUGHT})*)?)\\]\\}$`,
);

/** The record of a call with plain text in it; `undefined` where only the strict reader can tell. */
function plainRecord(bytes: Uint8Array): InvocationRecord | undefined {
  const found = RECORD.exec(textOfBytes(bytes));
  if (found === null) return undefined;
  const effects = [...found[10]!.matchAll(new RegExp(LINK_SOURCE, 'g'))].map((link) => ({
    id: link[1]!,
    record: asDigest(link[2]),
    status: link[3] as EffectStatus,
  }));
  return {
    invocationId: found[1]!,
    episodeId: found[2]!,
    skillId: found[3]!,
    transitionFn: asDigest(found[4]),
    interpreter: asDigest(found[5]),
    semanticsEpoch: Number(found[6]),
    input: asDigest(found[7]),
    output: asDigest(found[8]),
    world: { plan: asDigest(found[9]), effects },
  };
}

export function readRecord(bytes: Uint8Array): Read<InvocationRecord> {
  const plain = plainRecord(bytes);
  if (plain !== undefined) return { ok: true, value: plain };
  const take = (m: Members): InvocationRecord => ({
    invocationId: m.text('invocationId'),
    episodeId: m.text('episodeId'),
    skillId: m.text('skillId'),
    transitionFn: m.digest('transitionFn'),
    interpreter: m.digest('interpreter'),
    semanticsEpoch: m.integer('semanticsEpoch'),
    input: m.digest('input'),
    output: m.digest('output'),
    ...(m.has('plan') ? { world: { plan: m.digest('plan'), effects: m.list('effects', takeLink) } } : {}),
  });
  return readStruct(bytes, take, recordFields);
}

export function takeLink(m: Members): EffectLink {
  const status = m.text('status');
  if (!isStatus(status)) return mismatch(`no status in "status"`);
  return { id: m.text('id'), record: m.digest('record'), status };
}

function isStatus(text: string): text is EffectStatus {
  return (STATUSES as readonly string[]).includes(text);
}

function recordFields(record: InvocationRecord): StructFields {
  const { world } = record;
  const base: StructFields = [
    ['invocationId', record.invocationId],
    ['episodeId', record.episodeId],
    ['skillId', record.skillId],
    ['transitionFn', record.transitionFn],
    ['interpreter', record.interpreter],
    ['semanticsEpoch', record.semanticsEpoch],
    ['input', record.input],
    ['output', record.output],
  ];
  if (world === undefined) return base;
  const effects = world.effects.map(({ id, record: ref, status }) =>
    struct([
      ['id', id],
      ['record', ref],
      ['status', status],
    ]),
  );
  return [...base, ['plan', world.plan], ['effects', effects]];
}

/** What the broker did about one effect. */
export interface EffectRecord {
  readonly effect: string;
  readonly scope: string;
  readonly cost: number;
  readonly budgetBefore: number;
  readonly budgetAfter: number;
  readonly allowed: boolean;
  readonly failed: boolean;
  readonly denial: Denial | '';
  readonly requestRef: Digest;
  /** Empty unless the effect was allowed and did not fail. */
  readonly resultRef: Digest | '';
}

export function effectRecordBytes(record: EffectRecord): Uint8Array {
  return structBytes(effectRecordFields(record));
}

const EFFECT_RECORD = shapePattern([
  ['effect', 'text'],
  ['scope', 'text'],
  ['cost', 'integer'],
  ['budgetBefore', 'integer'],
  ['budgetAfter', 'integer'],
  ['allowed', 'flag'],
  ['failed', 'flag'],
  ['denial', 'text'],
  ['requestRef', 'digest'],
  ['resultRef', 'digestOrNone'],
]);

function plainEffectRecord(bytes: Uint8Array): EffectRecord | undefined {
  const found = EFFECT_RECORD.exec(textOfBytes(bytes));
  const denial = found?.[8];
  if (found === null || denial === undefined || !isDenialOrNone(denial)) return undefined;
  return {
    effect: found[1]!,
    scope: found[2]!,
    cost: Number(found[3]),
    budgetBefore: Number(found[4]),
    budgetAfter: Number(found[5]),
    allowed: found[6] === 'true',
    failed: found[7] === 'true',
    denial,
    requestRef: asDigest(found[9]),
    resultRef: asDigestOrNone(found[10]),
  };
}

export function readEffectRecord(bytes: Uint8Array): Read<EffectRecord> {
  const plain = plainEffectRecord(bytes);
  if (plain !== undefined) return { ok: true, value: plain };
  const take = (m: Members): EffectRecord => {
    const denial = m.text('denial');
    if (!isDenialOrNone(denial)) return mismatch('no label in "denial"');
    return {
      effect: m.text('effect'),
      scope: m.text('scope'),
      cost: m.integer('cost'),
      budgetBefore: m.integer('budgetBefore'),
      budgetAfter: m.integer('budgetAfter'),
      allowed: m.flag('allowed'),
      failed: m.flag('failed'),
      denial,
      requestRef: m.digest('requestRef'),
      resultRef: m.digestOrNone('resultRef'),
    };
  };
  return readStruct(bytes, take, effectRecordFields);
}

/** Whether what a record says agrees with itself: the rows of the outcome table in README.md. */
export function effectStatusOf(record: EffectRecord): EffectStatus | undefined {
  const { allowed, failed, denial, cost, budgetBefore, budgetAfter, resultRef } = record;
  if (!allowed) {
    const isDenied = !failed && denial !== '' && resultRef === '' && budgetAfter === budgetBefore;
    return isDenied ? 'denied' : undefined;
  }
  if (denial !== '' || budgetAfter !== budgetBefore - cost || cost < 0 || budgetAfter < 0) return undefined;
  if (failed) return resultRef === '' ? 'failed' : undefined;
  return resultRef === '' ? undefined : 'ok';
}

function isDenialOrNone(text: string): text is Denial | '' {
  return text === '' || (DENIALS as readonly string[]).includes(text);
}

function effectRecordFields(record: EffectRecord): StructFields {
  return [
    ['effect', record.effect],
    ['scope', record.scope],
    ['cost', record.cost],
    ['budgetBefore', record.budgetBefore],
    ['budgetAfter', record.budgetAfter],
    ['allowed', record.allowed],
    ['failed', record.failed],
    ['denial', record.denial],
    ['requestRef', record.requestRef],
    ['resultRef', record.resultRef],
  ];
}
