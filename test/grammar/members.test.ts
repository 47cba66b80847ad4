/**
 * The scanner's table of `data` members against schemas/event.schema.json: every member typed there is in the table,
 * and a check that says "fits" is never weaker than the schema. The other direction only costs time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENVELOPE_KEYS, PATH_KEYS } from '../../harness/core/event.js';
import { validate } from '../../harness/core/schema.js';
import {
  DATA_MEMBER,
  DATA_MEMBER_CHECK,
  DATA_MEMBERS,
  fits,
  MEMBER_CHECKS,
  NameTable,
} from '../../harness/grammar/members.js';
import { MEMBER } from '../../harness/grammar/scan.js';
import { ODD_NUMBERS, ODD_STRINGS } from '../support/json-lines.js';
import { parsed } from '../support/scan-bed.js';
import { ROOT } from '../support/tidy/repository.js';

interface EventSchema {
  readonly properties: { readonly [name: string]: unknown };
  readonly $defs: { readonly data: { readonly properties: { readonly [name: string]: unknown } } };
}
const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/event.schema.json'), 'utf8')) as EventSchema;

const hex = 'a1'.repeat(32);
const VALUES = [
  ...ODD_NUMBERS,
  ...ODD_STRINGS,
  ...[
    '"T0"',
    '"T4"',
    '"T5"',
    '"t1"',
    '"T12"',
    '"X1"',
    '"T"',
    '"\\u00541"',
    'true',
    'false',
    'null',
    '{}',
    '[]',
  ],
  ...[
    '1',
    '9',
    '10',
    '1.0',
    '2e3',
    '0.5',
    '-1',
    '123456789012345',
    '1234567890123456',
    '["00"]',
    '["0"]',
    '[""]',
  ],
  ...[`"sha256:${hex}"`, `"sha256:${hex.toUpperCase()}"`, `"sha256:${hex.slice(1)}"`, `"sha256:${hex}a"`],
  ...[
    `"sha512:${hex}"`,
    `"sha256:${hex.slice(1)}g"`,
    `"sha256:\\u0061${hex.slice(6)}"`,
    '["tier"]',
    '"0"',
    '"é"',
  ],
].filter((text) => parsed(text).ok);

function isValid(name: string, value: string): boolean {
  const line = `{"id":"evt_1","runId":"r","t":"x","kind":"k","actor":"a","data":{${JSON.stringify(name)}:${value}}}`;
  return validate('event', JSON.parse(line)).ok;
}

describe('members: the table', () => {
  test('members: every member typed in the schema → in the table, and no other', () => {
    const typed = DATA_MEMBERS.filter((_, index) => DATA_MEMBER_CHECK[index] !== 'any');
    expect([...typed].sort()).toEqual(Object.keys(schema.$defs.data.properties).sort());
    expect(new Set(DATA_MEMBERS).size).toBe(DATA_MEMBERS.length);
  });

  test('members: envelope → the members of the schema, in the order of MEMBER', () => {
    expect([...ENVELOPE_KEYS].sort()).toEqual(Object.keys(schema.properties).sort());
    expect(Object.entries(MEMBER)).toEqual(ENVELOPE_KEYS.map((name, index) => [name, index]));
  });

  test('members: positions → those of the table', () => {
    const { firstPath, lastPath, firstClaim, firstDoubt, lastDoubt, ...columns } = DATA_MEMBER;
    for (const [name, index] of Object.entries(columns)) expect(DATA_MEMBERS[index]).toBe(name);
    expect(DATA_MEMBERS.slice(firstPath, lastPath + 1)).toEqual([...PATH_KEYS]);
    expect(DATA_MEMBERS.slice(firstClaim, firstDoubt)).toEqual(['recoverabilityState', 'backupVerified']);
    expect(DATA_MEMBERS.slice(firstDoubt, lastDoubt + 1)).toEqual([
      'verified',
      'rowCountMatches',
      'outcome',
      'restorable',
    ]);
  });

  test.each(DATA_MEMBERS.map((name, index) => [name, DATA_MEMBER_CHECK[index]] as const))(
    'members: data.%s by %s → whatever fits is valid by the schema',
    (name, check = 'any') => {
      const fitting = VALUES.filter((text) => {
        const bytes = Buffer.from(` ${text} `);
        return fits(check, bytes, { from: 1, to: bytes.length - 1 });
      });
      expect(fitting.filter((text) => !isValid(name, text))).toEqual([]);
      // The common case has to be settled without the validator.
      expect(fitting.length).toBeGreaterThan(0);
    },
  );

  test.each(MEMBER_CHECKS)('members: check %s → random values that fit are valid', (check) => {
    const names = DATA_MEMBERS.filter((_, index) => DATA_MEMBER_CHECK[index] === check);
    const value = fc.oneof(
      fc.json({ maxDepth: 1 }),
      fc.double().map((number) => JSON.stringify(number)),
      fc.bigInt().map(String),
      fc.stringMatching(/^sha256:[0-9a-f]{63,65}$/).map((text) => JSON.stringify(text)),
      fc.stringMatching(/^T[0-6]{1,2}$/).map((text) => JSON.stringify(text)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), value, (name, text) => {
        const bytes = Buffer.from(text);
        if (fits(check, bytes, { from: 0, to: bytes.length })) expect(isValid(name, text)).toBe(true);
      }),
      { seed: 3, numRuns: 3000 },
    );
  });
});

describe('members: looking names up', () => {
  const table = new NameTable(DATA_MEMBERS);
  const find = (name: string): number => {
    const bytes = Buffer.from(`"${name}"`);
    return table.find(bytes, 1, bytes.length - 1);
  };

  test('members: every name → its own index', () => {
    expect(DATA_MEMBERS.map(find)).toEqual(DATA_MEMBERS.map((_, index) => index));
  });

  test('members: names that are nearly one → not found', () => {
    const near = DATA_MEMBERS.flatMap((name) => [
      name.slice(1),
      name.slice(0, -1),
      `${name}x`,
      name.toUpperCase(),
      `${name.slice(0, -1)}é`,
      `é${name.slice(2)}`,
      String.fromCharCode(name.charCodeAt(0) | 0x80) + name.slice(1),
    ]).filter((name) => !DATA_MEMBERS.includes(name));
    expect(near.filter((name) => find(name) >= 0)).toEqual([]);
    expect(
      ['', '__proto__', 'constructor', 'x'.repeat(31), 'x'.repeat(32), 'taskId'.repeat(1000)].map(find),
    ).toEqual(Array(6).fill(-1));
  });

  test('members: a byte that differs in its high bit only → not found', () => {
    const bytes = Buffer.from('taskId', 'latin1');
    bytes[0] = (bytes[0] ?? 0) | 0x80;
    expect(table.find(bytes, 0, bytes.length)).toBe(-1);
  });
});
