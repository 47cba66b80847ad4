/**
 * Both encodings: tables for every law, properties on random values, and nothing that repeats the implementation.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, EncodeError, struct, structBytes, utf8 } from '../../harness/core/canonical.js';
import type { Encodable, StructFields } from '../../harness/core/canonical.js';
import { decimal } from '../../harness/core/decimal.js';
import { parseExact, toPlain } from '../../harness/core/json.js';
import type { ExactJson } from '../../harness/core/json.js';
import { compareUtf8 } from '../../harness/core/utf8.js';

const A = (value: Encodable): string => Buffer.from(canonicalBytes(value)).toString();
const B = (fields: StructFields): string => Buffer.from(structBytes(fields)).toString();

function exact(text: string): ExactJson {
  const result = parseExact(text);
  if (!result.ok) throw new Error(`${result.reason}: ${text}`);
  return result.value;
}

function refusal(encode: () => unknown): string {
  try {
    encode();
  } catch (error) {
    if (error instanceof EncodeError) return `${error.reason} ${error.pointer}`;
    throw error;
  }
  return 'encoded';
}

/** The number as `digits × 10^exponent` with no trailing zero in the digits: equal numbers, equal pairs. */
function scientific(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let digits = BigInt(whole + fraction);
  let power = Number(exponent) - fraction.length;
  while (digits !== 0n && digits % 10n === 0n) {
    digits /= 10n;
    power += 1;
  }
  const negative = digits === 0n ? '' : text.startsWith('-') && digits > 0n ? '-' : '';
  return digits === 0n ? '0' : `${negative}${digits}e${power}`;
}

function shuffled(value: unknown, random: (below: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, random)] as const);
  for (let at = entries.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [entries[at], entries[other]] = [entries[other]!, entries[at]!];
  }
  return new Map(entries);
}

const values = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<Encodable>;

describe('canonical: numbers', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['0e5', '0'],
    ['-0.000e-99999999999999999999', '0'],
    ['0.1000', '0.1'],
    ['1E+2', '100'],
    ['1.50e1', '15'],
    ['-1.5e-3', '-0.0015'],
    ['10', '10'],
    ['100e-2', '1'],
    ['123.456e2', '12345.6'],
    ['123.456e3', '123456'],
    ['0.00120e2', '0.12'],
    ['12345678901234567890', '12345678901234567890'],
    ['9007199254740993', '9007199254740993'],
    ['0.1234567890123456789012345678901234567890', '0.123456789012345678901234567890123456789'],
    ['1e400', `1${'0'.repeat(400)}`],
    ['25e-401', `0.${'0'.repeat(399)}25`],
  ])('canonical: the text %s → %s', (text, plain) => {
    expect(A(exact(text))).toBe(plain);
  });

  it.each([
    [0.1, '0.1'],
    [-0, '0'],
    [5e-7, '0.0000005'],
    [1e21, '1000000000000000000000'],
    [1.5e300, `15${'0'.repeat(299)}`],
    [Number.MIN_VALUE, `0.${'0'.repeat(323)}5`],
    [0.1 + 0.2, '0.30000000000000004'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('canonical: the double %d → %s', (value, plain) => {
    expect(A(value)).toBe(plain);
  });

  it('canonical: any double → a plain decimal equal to its shortest round-trip form', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const plain = A(value);
        expect(plain).toMatch(/^(0|-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?)$/);
        expect(scientific(plain)).toBe(scientific(String(value)));
      }),
    );
  });

  it('canonical: two spellings of one decimal → one encoding', () => {
    fc.assert(
      fc.property(
        fc.bigInt().filter((digits) => digits !== 0n),
        fc.integer({ min: -50, max: 50 }),
        fc.nat(20),
        (digits, power, zeros) => {
          const spelled = `${digits}${'0'.repeat(zeros)}e${power - zeros}`;
          expect(A(exact(spelled))).toBe(A(exact(`${digits}e${power}`)));
          expect(scientific(A(exact(spelled)))).toBe(scientific(`${digits}e${power}`));
        },
      ),
    );
  });

  it('canonical: an exponent that would fill the memory → refused', () => {
    expect(refusal(() => A(exact('[1e1000]')))).toBe('encoded');
    expect(refusal(() => A(exact('[1e1001]')))).toBe('number-too-wide /0');
    expect(refusal(() => A(exact('{"a":1e-999999999999999999999}')))).toBe('number-too-wide /a');
  });

  it('canonical: a megabyte of digits with zeros inside → encoded in linear time', () => {
    const digits = `1${'0'.repeat(1_000_000)}1`;
    expect(A(exact(digits))).toBe(digits);
  });
});

describe('canonical: strings and order', () => {
  it('canonical: control characters → short escapes or lower-case \\u00xx, nothing else escaped', () => {
    const below = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');
    expect(A(below)).toBe(
      '"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f' +
        '\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f"',
    );
    expect(A('"\\/')).toBe('"\\"\\\\/"');
    for (const char of ['\u007f', '\u0080', 'é', '\u2028', '\u2029', '\ufeff', '\uffff', '😀', '<', '&'])
      expect(A(char)).toBe(`"${char}"`);
  });

  it('canonical: keys beyond U+FFFF → after U+FF5E, as in UTF-8 and unlike UTF-16', () => {
    expect(['\uff5e', '\u{10000}'].sort()).toEqual(['\u{10000}', '\uff5e']);
    expect(A({ '\u{10000}': 1, '\uff5e': 2, '\ud7ff': 3, a: 4, '': 5 })).toBe(
      '{"":5,"a":4,"\ud7ff":3,"\uff5e":2,"\u{10000}":1}',
    );
    expect(B([['map', { '\u{10000}': 1, '\uff5e': 2 }]])).toBe('{"map":{"\uff5e":2,"\u{10000}":1}}');
  });

  it('canonical: any two strings → compared as their UTF-8 bytes', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it('canonical: integer-like keys → sorted as text', () => {
    expect(A({ 9: 1, 10: 2, '-1': 3 })).toBe('{"-1":3,"10":2,"9":1}');
  });

  it('canonical: a key __proto__ → data like any other', () => {
    expect(A(JSON.parse('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}');
    expect(A(Object.assign(Object.create(null), { b: 1 }))).toBe('{"b":1}');
  });
});

describe('canonical: properties', () => {
  it('canonical: encode, parse, encode → the same bytes', () => {
    fc.assert(
      fc.property(values, (value) => {
        const once = A(value);
        expect(A(exact(once))).toBe(once);
        expect(A(JSON.parse(once))).toBe(once);
      }),
    );
  });

  it('canonical: members in any order, plain or exact → the same bytes', () => {
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat()), (value, draws) => {
        const random = (below: number): number => draws.next().value % below;
        expect(A(shuffled(value, random) as Encodable)).toBe(A(value));
      }),
    );
  });

  it('canonical: what was encoded → the same value when parsed, but for minus zero', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.stringify(sortedByKey(JSON.parse(A(value))))).toBe(JSON.stringify(sortedByKey(value)));
      }),
    );
  });
});

function sortedByKey(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedByKey);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sortedByKey((value as Record<string, unknown>)[key])]);
}

describe('canonical: refusals', () => {
  const cyclic: Record<string, unknown> = { a: [1] };
  (cyclic['a'] as unknown[]).push(cyclic);
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

  it.each([
    ['a lone surrogate', { a: ['x', '\ud800'] }, 'lone-surrogate /a/1'],
    ['a lone surrogate in a key', { a: { '\udc00x': 1 } }, 'lone-surrogate /a'],
    ['NaN', { 'a/b~c': Number.NaN }, 'not-finite /a~1b~0c'],
    ['infinity', [Number.NEGATIVE_INFINITY], 'not-finite /0'],
    ['an undefined member', { a: undefined }, 'not-json /a'],
    ['a hole', Array(2), 'not-json /0'],
    ['undefined', undefined, 'not-json '],
    ['a function', { a: () => 1 }, 'not-json /a'],
    ['a bigint', [1n], 'not-json /0'],
    ['a date', { t: new Date(0) }, 'not-json /t'],
    ['bytes', { b: new Uint8Array(2) }, 'not-json /b'],
    ['a set', { s: new Set([1]) }, 'not-json /s'],
    ['a cycle', cyclic, 'cyclic /a/1'],
    ['513 levels', deep(513), `too-deep ${'/0'.repeat(512)}`],
    ['512 levels', deep(512), 'encoded'],
  ])('canonical: %s → %s', (_, value, outcome) => {
    expect(refusal(() => canonicalBytes(value as Encodable))).toBe(outcome);
  });

  it('canonical: a symbol → not-json', () => {
    expect(refusal(() => canonicalBytes([Symbol('s')] as never))).toBe('not-json /0');
  });

  it('canonical: one object in two places → no cycle', () => {
    const shared = { x: 1 };
    expect(A([shared, shared])).toBe('[{"x":1},{"x":1}]');
  });

  it('canonical: duplicate keys and lone surrogates in a text → never get as far as an encoding', () => {
    expect(parseExact('{"a":1,"a":1}')).toMatchObject({ ok: false, reason: 'duplicate-key' });
    expect(parseExact('["\\udead"]')).toMatchObject({ ok: false, reason: 'lone-surrogate' });
    expect(refusal(() => utf8('a\ud800'))).toBe('lone-surrogate ');
  });

  it('canonical: the message → names the place', () => {
    expect(() => canonicalBytes({ input: [Number.NaN] })).toThrow('cannot be encoded: NaN at /input/0');
    expect(() => canonicalBytes(Number.NaN)).toThrow('cannot be encoded: NaN at the root');
  });
});

describe('struct', () => {
  it('struct: fields → kept in the order given, maps inside sorted, nested structs kept', () => {
    const nested = struct([
      ['z', 1],
      [
        'a',
        {
          d: 1,
          c: [
            {
              f: 1,
              e: new Map([
                ['h', 1],
                ['g', 2],
              ]),
            },
          ],
        },
      ],
    ]);
    expect(
      B([
        ['b', nested],
        ['a', [nested]],
        ['empty', struct([])],
      ]),
    ).toBe(
      '{"b":{"z":1,"a":{"c":[{"e":{"g":2,"h":1},"f":1}],"d":1}},' +
        '"a":[{"z":1,"a":{"c":[{"e":{"g":2,"h":1},"f":1}],"d":1}}],"empty":{}}',
    );
  });

  it('struct: HTML characters and line separators → escaped in keys and values as Go does', () => {
    expect(B([['<k>', 'a<b>&c\u2028\u2029\u007f/é😀']])).toBe(
      '{"\\u003ck\\u003e":"a\\u003cb\\u003e\\u0026c\\u2028\\u2029\u007f/é😀"}',
    );
  });

  it('struct: U+0008 and U+000C → \\b and \\f, as Go writes them since 1.22', () => {
    expect(B([['s', '\b\f\u0001\n']])).toBe('{"s":"\\b\\f\\u0001\\n"}');
  });

  it('struct: a field twice → refused', () => {
    expect(
      refusal(() =>
        structBytes([
          ['a', 1],
          ['b', 2],
          ['a', 1],
        ]),
      ),
    ).toBe('duplicate-field ');
  });

  it('struct: any value → the value JSON.parse gives back from encoding A', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(B([['v', value]]))).toEqual({ v: JSON.parse(A(value)) });
      }),
    );
  });

  it('struct: toPlain of an exact value → the same bytes where doubles are exact', () => {
    fc.assert(
      fc.property(values, (value) => {
        const parsed = exact(A(value));
        expect(A(toPlain(parsed))).toBe(A(parsed));
      }),
    );
  });

  it('struct: a decimal of our own making → checked against the grammar', () => {
    expect(A(decimal('1e2'))).toBe('100');
    expect(() => decimal('01')).toThrow('not a JSON number');
    expect(() => decimal('1 ')).toThrow('not a JSON number');
  });
});
