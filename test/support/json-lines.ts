/**
 * JSON texts as a log might hold them, and mutations that break them: what scanner, builder and schema are tested on.
 * Everything is drawn through fast-check, so that a seed gives the same texts again.
 */
import fc from 'fast-check';
import { ENVELOPE_KEYS } from '../../harness/core/event.js';
import { DATA_MEMBERS } from '../../harness/grammar/members.js';

/** Words that JSON.parse and a sloppy scanner could disagree on. */
export const ODD_NUMBERS = [
  '0',
  '-0',
  '01',
  '-01',
  '00',
  '1.',
  '.5',
  '-.5',
  '+1',
  '-',
  '1e',
  '1e+',
  '1E5',
  '1e-5',
  '1.5e+7',
  '1e400',
  '-1e400',
  '0e0',
  '0.0',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740991',
  '-9007199254740992',
  '1000000000000000',
  '12345678901234567890123456789',
  '9007199254740993.0',
  '1e16',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '-Infinity',
  '１',
] as const;

export const ODD_STRINGS = [
  '""',
  '"a"',
  '"\\""',
  '"\\\\"',
  '"\\/\\b\\f\\n\\r\\t"',
  '"\\u0041\\u00e9\\uFFFF"',
  '"\\ud83d\\ude00"',
  '"\\uD83D"',
  '"\\ude00"',
  '"\\ud83d\\ud83d\\ude00"',
  '"\\ud83d\\u0041"',
  '"\\ud83dx"',
  '"\\ud83d\\n"',
  '"\\u12"',
  '"\\u12g4"',
  '"\\ud83d\\u12"',
  '"\\ud83d\\u"',
  '"\\u"',
  '"\\"',
  '"\\x41"',
  '"\\v"',
  '"\\\'"',
  "'a'",
  '"\u0000"',
  '"\u001f"',
  '"\t"',
  '"\u007f\u0080\u2028\u2029\ufeff"',
  '"é😀"',
  '"open',
] as const;

const OTHER = [
  'true',
  'false',
  'null',
  'tru',
  'nul',
  'True',
  'undefined',
  '',
  '{}',
  '[]',
  '{',
  '[',
  '[1,]',
  '{"a":1,}',
];

const oddScalar = fc.constantFrom(...ODD_NUMBERS, ...ODD_STRINGS, ...OTHER);
const goodScalar = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('true', 'false', 'null', '"T2"', '"evt_1"', '"x"', '1', '0'),
);
const scalar = fc.oneof({ weight: 12, arbitrary: goodScalar }, { weight: 1, arbitrary: oddScalar });
const space = fc.constantFrom('', '', '', '', ' ', '\t', '\r', '  ');

/** The same name with some of its characters written as escapes. */
function spelt(name: string, escaped: readonly boolean[]): string {
  const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index));
  const words = units.map((unit, index) =>
    escaped[index % escaped.length] === true
      ? `\\u${unit.toString(16).padStart(4, '0')}`
      : JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
  );
  return `"${words.join('')}"`;
}

const escapes = fc.oneof(
  { weight: 9, arbitrary: fc.constant([false]) },
  { weight: 1, arbitrary: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }) },
);

function nameFrom(names: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...names), escapes).map(([name, escaped]) => spelt(name, escaped));
}

const FREE_NAMES = [
  'a',
  'b',
  'c',
  'd',
  '',
  '__proto__',
  'constructor',
  'toString',
  'é',
  'task',
  'x"y',
  'x\\y',
];
const anyName = nameFrom([...FREE_NAMES, ...DATA_MEMBERS]);

function objectOf(
  name: fc.Arbitrary<string>,
  value: fc.Arbitrary<string>,
  maxLength = 5,
): fc.Arbitrary<string> {
  const member = fc.tuple(space, name, space, space, value, space).map((parts) => {
    const [before, key, middle, after, item, end] = parts;
    return `${before}${key}${middle}:${after}${item}${end}`;
  });
  return fc.array(member, { maxLength }).map((members) => `{${members.join(',')}}`);
}

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    objectOf(anyName, tie('value')),
  ),
}));

const data = objectOf(nameFrom([...DATA_MEMBERS, ...FREE_NAMES]), value, 8);
const envelopeValue = fc.oneof({ weight: 3, arbitrary: value }, { weight: 2, arbitrary: data });

/** Mostly objects with the members of an event, mostly valid JSON. */
export const jsonLine: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(space, objectOf(nameFrom([...ENVELOPE_KEYS, ...FREE_NAMES]), envelopeValue, 9), space)
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: value },
);

const STRUCTURE = '{}[]:,"\\ \t\r0-+.eEtfnu/\u0000\u001f\u0080';
const INSERTED = fc.oneof(
  fc.constantFrom(...STRUCTURE.split('')).map((text) => Buffer.from(text, 'latin1')),
  fc
    .constantFrom(
      ...ODD_NUMBERS,
      ...ODD_STRINGS,
      '//x',
      '/*x*/',
      '\u2028',
      '\ufeff',
      '\u00a0',
      ',',
      ',,',
      ':',
    )
    .map((text) => Buffer.from(text)),
);

/** One way to damage a line. `at` and `length` are fractions of it. */
const mutation = fc.record({
  how: fc.constantFrom('flip', 'cut', 'drop', 'splice', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  other: fc.double({ min: 0, max: 1, noNaN: true }),
  bit: fc.integer({ min: 0, max: 7 }),
  inserted: INSERTED,
});
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

function mutate(line: Buffer, { how, at, other, bit, inserted }: Mutation): Buffer {
  const from = Math.floor(at * line.length);
  const to = Math.floor(other * line.length);
  switch (how) {
    case 'flip': {
      const flipped = Buffer.from(line);
      if (from < flipped.length) flipped[from] = (flipped[from] ?? 0) ^ (1 << bit);
      return flipped;
    }
    case 'cut':
      return line.subarray(0, from);
    case 'drop':
      return Buffer.concat([line.subarray(0, from), line.subarray(from + 1)]);
    case 'splice':
      return Buffer.concat([
        line.subarray(0, from),
        line.subarray(Math.min(from, to), Math.max(from, to)),
        line.subarray(from),
      ]);
    case 'insert':
      return Buffer.concat([line.subarray(0, from), inserted, line.subarray(from)]);
  }
}

/** Bytes of a line, damaged none to three times. They hold no LF, which would end the line. */
export const damagedLine: fc.Arbitrary<Buffer> = fc
  .tuple(jsonLine, fc.array(mutation, { maxLength: 3 }))
  .map(([text, mutations]) => {
    const bytes = mutations.reduce(mutate, Buffer.from(text));
    return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
  });
