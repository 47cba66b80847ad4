/**
 * The line scanner held against JSON.parse: the same texts accepted and refused, but for what the protocol refuses
 * on top (members twice, more than 512 levels, no object), and every span what JSON.parse finds there.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEPTH_MAX, ENVELOPE_KEYS } from '../../harness/core/event.js';
import { parseExact } from '../../harness/core/json.js';
import { DATA_MEMBERS } from '../../harness/grammar/members.js';
import { damagedLine, ODD_NUMBERS, ODD_STRINGS } from '../support/json-lines.js';
import { parsed, scan, scanner, verdictOf } from '../support/scan-bed.js';

/** Deepest nesting of a text, whether or not it is JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (word === '{' || word === '[') deepest = Math.max(deepest, ++depth);
    if (word === '}' || word === ']') depth--;
  }
  return deepest;
}

/** Verdicts that are right for a text. */
function allowed(text: string): string[] {
  const { ok, value } = parsed(text);
  if (depthOf(text) > DEPTH_MAX)
    return ok ? ['too-deep', 'duplicate-key'] : ['too-deep', 'duplicate-key', 'invalid-json'];
  // A member that stands twice is seen before the text goes wrong.
  if (!ok)
    return [...text.matchAll(/"\s*:/g)].length > 1 ? ['invalid-json', 'duplicate-key'] : ['invalid-json'];
  const exact = parseExact(text.replace(/\\u[dD][89a-fA-F]/g, '\\uE0'));
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!exact.ok) return isObject ? [exact.reason] : [exact.reason, 'not-an-object'];
  return [isObject ? 'accepted' : 'not-an-object'];
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Every span that the scan found, as JSON.parse reads it. */
function spansOf(
  line: Uint8Array,
  names: readonly string[],
  spans: { start: Int32Array; end: Int32Array },
): [string, unknown][] {
  return names.flatMap((name, index): [string, unknown][] => {
    const start = spans.start[index] as number;
    return start < 0 ? [] : [[name, JSON.parse(decode(line.subarray(start, spans.end[index])))]];
  });
}

function ownMembers(value: unknown, names: readonly string[]): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return names.flatMap((name): [string, unknown][] =>
    Object.hasOwn(value, name) ? [[name, (value as Record<string, unknown>)[name]]] : [],
  );
}

function expectSpans(line: Uint8Array): void {
  const found = scanner.scan(line, 0, line.length);
  const event = JSON.parse(decode(line)) as { data?: unknown };
  expect(spansOf(line, ENVELOPE_KEYS, found)).toEqual(ownMembers(event, ENVELOPE_KEYS));
  const data = { start: found.dataStart, end: found.dataEnd };
  const inData = Object.hasOwn(event, 'data') ? event.data : undefined;
  expect(spansOf(line, DATA_MEMBERS, data)).toEqual(ownMembers(inData, DATA_MEMBERS));
}

describe('scan: differential', () => {
  test('scan: 20,000 damaged lines → accepted and refused as JSON.parse does, but for what the protocol adds', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(damagedLine, (line) => {
        const verdict = verdictOf(line);
        seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
        expect(allowed(decode(line))).toContain(verdict);
        if (verdict === 'accepted') expectSpans(line);
      }),
      { seed: 20260528, numRuns: 20_000 },
    );
    for (const verdict of ['accepted', 'invalid-json', 'duplicate-key', 'not-an-object'])
      expect(seen.get(verdict) ?? 0, verdict).toBeGreaterThan(100);
  });

  const places = [
    '%',
    '{"a":%}',
    '{"a":[%]}',
    '{"data":{"taskId":%,"b":1}}',
    '[1,%]',
    '{%:1}',
    '{"id":"a"%}',
  ];
  test('scan: every odd number and string in every place → as JSON.parse', () => {
    for (const odd of [...ODD_NUMBERS, ...ODD_STRINGS]) {
      for (const place of places) {
        const text = place.replace('%', () => odd);
        expect(allowed(text), text).toContain(verdictOf(Buffer.from(text)));
      }
    }
  });

  test.each([
    '{"a":1,}',
    '{,"a":1}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":1}{"b":2}',
    '{"a":1}}',
    '{"a":1}]',
    '[1}',
    '{"a":[1,2}',
    '{"a":1}//x',
    '/*x*/{"a":1}',
    '{"a":1}\u2028',
    '\u00a0{"a":1}',
    '\ufeff{"a":1}',
    "{'a':1}",
    '{a:1}',
    '{"a":NaN}',
    '{"a":tru}',
    '{"a":truee}',
    '{"a":nul',
    '{"a":"x',
    '{"a":"x\\',
    '{"a":"x\\u00',
    '{',
    '',
    '   ',
    '{"a":1}\u000c',
  ])('scan: %j → invalid, as for JSON.parse', (text) => {
    expect(parsed(text).ok).toBe(false);
    expect(scan(text).fault).toBe('invalid-json');
  });

  test.each(['null', '42', '"x"', '[]', '[{"a":1}]', ' true '])('scan: %j → no object', (text) => {
    expect(scan(text).fault).toBe('not-an-object');
  });
});

describe('scan: stays inside its range', () => {
  /** Lets nothing outside [from, to) be read. */
  function guarded(bytes: Uint8Array, from: number, to: number): Uint8Array {
    return new Proxy(bytes, {
      get(target, key): unknown {
        const index = typeof key === 'string' && /^-?\d+$/.test(key) ? Number(key) : undefined;
        if (index !== undefined && (index < from || index >= to))
          throw new Error(`read at ${index} of ${from}..${to}`);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
  const garbage = [
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '9',
    'u',
    'dc00',
    '"}',
    '\\udc00"}',
    'e5',
    'rue',
  ];

  test('scan: a line between structural garbage → the same result, shifted, and not a byte read beyond', () => {
    const surroundings = fc.tuple(fc.constantFrom(...garbage), fc.constantFrom(...garbage));
    fc.assert(
      fc.property(damagedLine, surroundings, (line, [before, after]) => {
        const { fault, faultAt, loneSurrogateAt, unsafeIntegerAt, start, end, needsNameCheck, needsSchema } =
          scan(line);
        const plain = { fault, faultAt, loneSurrogateAt, unsafeIntegerAt, start: [...start], end: [...end] };
        const from = before.length;
        const whole = Buffer.concat([Buffer.from(before), line, Buffer.from(after)]);
        const found = scanner.scan(guarded(whole, from, from + line.length), from, from + line.length);
        const back = (at: number): number => (at < 0 ? at : at - from);
        expect(found).toMatchObject({ fault, needsNameCheck, needsSchema, faultAt: faultAt + from });
        expect([back(found.loneSurrogateAt), back(found.unsafeIntegerAt)]).toEqual([
          plain.loneSurrogateAt,
          plain.unsafeIntegerAt,
        ]);
        expect([...found.start].map(back)).toEqual(plain.start);
      }),
      { seed: 7, numRuns: 3000 },
    );
  });
});
