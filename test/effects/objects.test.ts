/** Records as bytes and back, and the real objects of the public store behind its entry 1. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { canonicalBytes } from '../../harness/core/canonical.js';
import { digestOf } from '../../harness/core/digest.js';
import {
  effectRecordBytes,
  effectStatusOf,
  inputBytes,
  readEffectRecord,
  readInput,
  readRecord,
  recordBytes,
} from '../../harness/effects/objects.js';
import type { EffectRecord, InvocationRecord } from '../../harness/effects/objects.js';
import { readRequest } from '../../harness/effects/request.js';
import { effectRequestBytes } from '../../harness/core/digest.js';
import { readObject } from '../../harness/effects/struct.js';
import { describeWithData } from '../support/data.js';

const A = digestOf(Buffer.from('a'));
const B = digestOf(Buffer.from('b'));

const OK: EffectRecord = {
  effect: 'Workspace.Read',
  scope: 'worktree',
  cost: 2,
  budgetBefore: 5,
  budgetAfter: 3,
  allowed: true,
  failed: false,
  denial: '',
  requestRef: A,
  resultRef: B,
};
const DENIED: EffectRecord = {
  ...OK,
  allowed: false,
  denial: 'denied:budget',
  budgetAfter: 5,
  resultRef: '',
};
const PURE: InvocationRecord = {
  invocationId: 'run_1:0',
  episodeId: 'run_1',
  skillId: 'number.add',
  transitionFn: A,
  interpreter: B,
  semanticsEpoch: 1,
  input: A,
  output: B,
};
const WITH_PLAN: InvocationRecord = {
  ...PURE,
  world: { plan: A, effects: [{ id: 'e1', record: B, status: 'ok' }] },
};

/** Every kind of record: its bytes, and whether bytes are read as the same. */
const KINDS: readonly (readonly [string, Uint8Array, (bytes: Uint8Array) => { ok: boolean }, unknown])[] = [
  ['an effect record', effectRecordBytes(OK), readEffectRecord, OK],
  ['a denied effect', effectRecordBytes(DENIED), readEffectRecord, DENIED],
  ['a pure record', recordBytes(PURE), readRecord, PURE],
  ['a record with a plan', recordBytes(WITH_PLAN), readRecord, WITH_PLAN],
  [
    'an input',
    inputBytes({ tool: 'fs.write', input: { path: 'ä<b', n: [1, null] } }),
    readInput,
    { tool: 'fs.write', input: { path: 'ä<b', n: [1, null] } },
  ],
];

describe('objects', () => {
  test.each(KINDS)('objects: %s → read back as it was', (_name, bytes, read, value) => {
    expect(read(bytes)).toEqual({ ok: true, value });
  });

  test.each(KINDS)(
    'objects: %s with a byte changed, or cut → refused, or another',
    (_name, bytes, read, value) => {
      for (let at = 0; at < bytes.length; at += 1) {
        const other = Buffer.from(bytes);
        other[at]! ^= 1;
        expect(read(other)).not.toEqual({ ok: true, value });
        expect(read(bytes.subarray(0, at)).ok).toBe(false);
      }
    },
  );

  test.each(KINDS)(
    'objects: %s with an unknown member, blanks or two equal keys → refused',
    (_name, bytes, read) => {
      const text = Buffer.from(bytes).toString();
      const first = /^\{("\w+"):/.exec(text)?.[1] ?? '';
      for (const other of [
        text.replace(/\}$/, ',"more":null}'),
        text.replace('{', '{"more":null,'),
        text.replace(',', ', '),
        `${text}\n`,
        text.replace(/\}$/, `,${first}:1}`),
      ])
        expect(read(Buffer.from(other)).ok).toBe(false);
    },
  );

  it('objects: the input of a tool with members in another order → refused, for it has one spelling', () => {
    expect(readInput(Buffer.from('{"tool":"x","input":{"a":1,"b":2}}')).ok).toBe(true);
    expect(readInput(Buffer.from('{"tool":"x","input":{"b":2,"a":1}}')).ok).toBe(false);
  });

  test.each<[string, EffectRecord, ReturnType<typeof effectStatusOf>]>([
    ['done', OK, 'ok'],
    ['denied', DENIED, 'denied'],
    ['failed', { ...OK, failed: true, resultRef: '' }, 'failed'],
    ['failed with a result', { ...OK, failed: true }, undefined],
    ['done without a result', { ...OK, resultRef: '' }, undefined],
    ['done and denied', { ...OK, denial: 'denied:scope' }, undefined],
    ['denied and paid', { ...DENIED, budgetAfter: 3 }, undefined],
    ['denied without a label', { ...DENIED, denial: '' }, undefined],
    ['denied and failed', { ...DENIED, failed: true }, undefined],
    ['not paid', { ...OK, budgetAfter: 5 }, undefined],
    ['paid from nothing', { ...OK, budgetBefore: 1, budgetAfter: -1 }, undefined],
    ['a gain', { ...OK, cost: -2, budgetAfter: 7 }, undefined],
  ])('objects: an effect that is %s → its status, or none', (_what, record, status) => {
    expect(effectStatusOf(record)).toBe(status);
  });
});

interface Stored {
  readonly hash: string;
  readonly semanticId: string;
  readonly payload: string;
}

describeWithData('objects: the public store', (data) => {
  const { objects } = JSON.parse(
    readFileSync(join(data, 'world', 'derived-entry1-objects.json'), 'utf8'),
  ) as {
    objects: readonly Stored[];
  };
  const payloadOf = (kind: string): Buffer => {
    const found = objects.filter(({ semanticId }) => semanticId === kind);
    expect(found).toHaveLength(1);
    const bytes = Buffer.from(found[0]!.payload, 'base64');
    expect(digestOf(bytes)).toBe(found[0]!.hash);
    return bytes;
  };

  it('objects: its effect record → read, found done, and written again byte for byte', () => {
    const bytes = payloadOf('world/effect-record/v1');
    const read = readEffectRecord(bytes);
    if (!read.ok) throw new Error(read.why);
    expect(effectStatusOf(read.value)).toBe('ok');
    expect(Buffer.from(effectRecordBytes(read.value))).toEqual(bytes);
  });

  it('objects: its request → read, and written again byte for byte', () => {
    const bytes = payloadOf('world/effect-request/v1');
    const request = readRequest(bytes);
    expect(request).toMatchObject({ effect: 'Workspace.Read', scope: 'worktree', cost: 1 });
    expect(effectRequestBytes(request!)).toEqual(bytes);
    const record = readEffectRecord(payloadOf('world/effect-record/v1'));
    expect(record).toMatchObject({ ok: true, value: { requestRef: digestOf(bytes) } });
  });

  test.each(['world/effect-plan/v1', 'world/invocation-output/v1'])(
    'objects: its %s → read, and written again byte for byte',
    (kind) => {
      const bytes = payloadOf(kind);
      const read = readObject(bytes);
      if (!read.ok) throw new Error(read.why);
      expect(Buffer.from(canonicalBytes(read.value))).toEqual(bytes);
    },
  );
});
