/**
 * The quick path is conclusive: a line is kept without a fault of its shape exactly where the event schema accepts it.
 * Lines are built from values that fit, nearly fit and do not fit, in every member the schema types.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENVELOPE_KEYS, KINDS } from '../../harness/core/event.js';
import { validate } from '../../harness/core/schema.js';
import { HistoryBuilder } from '../../harness/log/history-builder.js';
import { plainLogScanner } from '../../harness/grammar/plain-log-scanner.js';
import { DATA_MEMBER_CHECK, DATA_MEMBERS, type MemberCheck } from '../../harness/grammar/members.js';
import { describeWithData } from '../support/data.js';

/** Rules that one line breaks when it is the only one of its log. */
function rulesOf(line: Uint8Array): { rules: string[]; kept: number } {
  const builder = new HistoryBuilder(plainLogScanner(), { read: () => line });
  builder.addLine(line, { line: 1, offset: 0, terminated: true });
  const history = builder.finish(line.length);
  return { rules: history.parts.faults.map((fault) => fault.rule), kept: history.size };
}

/** Holds the quick path against the validator. */
function expectAgreement(text: string): boolean {
  const { rules, kept } = rulesOf(Buffer.from(text));
  const { ok } = validate('event', JSON.parse(text));
  expect({ isKept: kept === 1 && !rules.includes('schema') }, text).toEqual({ isKept: ok });
  return ok;
}

const hex = '0f'.repeat(32);
const EDGES = [
  ...['', 'x', 'T0', 'T4', 'T5', 'T', 'evt_a', 'evt_', 'evt_a.b', 'evt_é', `sha256:${hex}`, `sha256:${hex}0`],
  ...[
    `sha256:${hex.toUpperCase()}`,
    '00',
    '0',
    'none',
    'plan_gate',
    'correction',
    'run_started',
    '\u2028',
    '😀',
    '"',
    '\\',
  ],
  ...[0, -0, 1, -1, 1.5, 1e3, 1e21, 123456789012345, 1234567890123456, true, false, null, 2 ** 53],
  ...[
    {},
    [],
    [''],
    ['00'],
    ['0', '11'],
    [1],
    ['tier'],
    { a: 1 },
    { input: 1 },
    { input: -1 },
    { input: 1, x: 1 },
  ],
  ...[
    { preventedBy: 'none' },
    { preventedBy: 'luck' },
    { predictedRiskTier: 'T9' },
    { taskId: '' },
    { tier: 'T1' },
  ],
];
const value = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...EDGES).map((edge) => (Object.is(edge, -0) ? '-0' : JSON.stringify(edge))),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '1e400',
      '1.0',
      '10E-1',
      '"\\u0054\\u0031"',
      '"\\u0065vt_a"',
      '"\\ud800"',
      '0e5',
    ),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
);

const GOOD: { readonly [name: string]: string } = {
  id: '"evt_a"',
  runId: '"run_r"',
  t: '"2026-05-28T15:00:00Z"',
  kind: '"action_executed"',
  actor: '"coder"',
};
/** A value that passes each check. */
const FITTING: { readonly [Check in MemberCheck]: string } = {
  text: '"x"',
  string: '""',
  tier: '"T3"',
  boolean: 'true',
  digest: `"sha256:${hex}"`,
  count: '0',
  ordinal: '7',
  texts: '["tier"]',
  pairs: '["00"]',
  any: '7',
};
const fitting = (member: string): string =>
  FITTING[DATA_MEMBER_CHECK[DATA_MEMBERS.indexOf(member)] ?? 'string'];
const name = fc.constantFrom(...DATA_MEMBERS, ...ENVELOPE_KEYS, 'free', '__proto__', 'constructor');

/** A name, now and then with its first letter as an escape. */
function key(text: string, isEscaped: boolean): string {
  return isEscaped
    ? `"\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${text.slice(1)}"`
    : JSON.stringify(text);
}

const escaped = fc.integer({ min: 0, max: 19 }).map((number) => number === 0);
const member = fc
  .tuple(name, value, escaped, fc.constantFrom(true, false, false, false))
  .map(([text, item, isEscaped, isOdd]) => [text, isOdd ? item : fitting(text), isEscaped] as const);
const pairs = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .uniqueArray(member, { maxLength, selector: ([text]) => text })
    .map(
      (members) =>
        `{${members.map(([text, item, isEscaped]) => `${key(text, isEscaped)}:${item}`).join(',')}}`,
    );

/** An event line whose members are good but for a few. */
const eventLine = fc
  .record({
    changes: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.uniqueArray(fc.tuple(fc.constantFrom(...ENVELOPE_KEYS, 'extra'), value, escaped), {
          maxLength: 2,
          selector: ([text]) => text,
        }),
      },
    ),
    data: fc.option(pairs(3), { freq: 3 }),
    kind: fc.option(fc.constantFrom(...KINDS, 'other').map((kind) => JSON.stringify(kind))),
    left: fc.oneof(
      { weight: 8, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...Object.keys(GOOD)) },
    ),
  })
  .map(({ changes, data, kind, left }) => {
    const members = new Map<string, readonly [string, string, boolean]>();
    for (const [text, item] of Object.entries(GOOD)) members.set(text, [text, item, false]);
    if (kind !== null) members.set('kind', ['kind', kind, false]);
    if (data !== null) members.set('data', ['data', data, false]);
    for (const change of changes) members.set(change[0], change);
    if (left !== null) members.delete(left);
    return `{${[...members.values()].map(([text, item, isEscaped]) => `${key(text, isEscaped)}:${item}`).join(',')}}`;
  });

describe('line parts: the quick path', () => {
  test('line parts: 20,000 random event lines → kept without a schema fault exactly where the schema accepts', () => {
    let good = 0;
    let bad = 0;
    fc.assert(
      fc.property(eventLine, (text) => {
        if (expectAgreement(text)) good++;
        else bad++;
      }),
      { seed: 29, numRuns: 20_000 },
    );
    expect([good > 2000, bad > 2000]).toEqual([true, true]);
  });

  test('line parts: every member of data with every edge value, in any kind and in a correction → as the schema', () => {
    for (const member of [...DATA_MEMBERS, '__proto__']) {
      for (const edge of [
        ...EDGES.map((item) => JSON.stringify(item)),
        '-0',
        '1e400',
        '0.0',
        '"\\u0054\\u0031"',
      ]) {
        for (const kind of ['"action_executed"', '"correction"', '"c\\u006frrection"'])
          expectAgreement(
            `{"id":"evt_a","runId":"r","t":"x","kind":${kind},"actor":"a","data":{"${member}":${edge}}}`,
          );
      }
    }
  });

  test('line parts: every member of the envelope with every edge value → as the schema', () => {
    for (const member of ENVELOPE_KEYS) {
      for (const edge of EDGES) {
        const event = {
          ...Object.fromEntries(
            Object.entries(GOOD).map(([text, item]) => [text, JSON.parse(item) as unknown]),
          ),
          [member]: edge,
        };
        expectAgreement(JSON.stringify(event));
      }
    }
  });

  test('line parts: a problem of the schema → told with its pointer, value as written', () => {
    const { rules } = rulesOf(
      Buffer.from('{"id":"evt_a","runId":"r","t":"x","kind":"k","actor":"a","data":{"v\\u0065rsion":1e400}}'),
    );
    expect(rules).toEqual(['schema', 'invalid-time']);
  });
});

describeWithData('line parts: public data', (dir) => {
  test.each([
    'roster/provenance.sample.jsonl',
    'corruption/29-token-types.jsonl',
    'corruption/35-proto-keys.jsonl',
  ])('line parts: %s → every line as the schema', (file) => {
    const lines = readFileSync(join(dir, file), 'utf8')
      .split('\n')
      .filter((text) => text !== '');
    expect(lines.length).toBeGreaterThan(5);
    for (const text of lines) expectAgreement(text);
  });
});
