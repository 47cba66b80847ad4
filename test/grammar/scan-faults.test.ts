/**
 * What the scanner refuses or notes beyond JSON: members that stand twice however they are spelt, nesting, half
 * surrogate pairs and integers that a double cannot hold.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEPTH_MAX } from '../../harness/core/event.js';
import { parseExact } from '../../harness/core/json.js';
import { repeatedName } from '../../harness/grammar/names.js';
import { jsonLine, ODD_NUMBERS, ODD_STRINGS } from '../support/json-lines.js';
import { parsed, scan, scanner, verdictOf } from '../support/scan-bed.js';

describe('scan: members that stand twice', () => {
  const wide = (count: number, last: string): string =>
    `{${Array.from({ length: count }, (_, index) => `"m${index}":${index}`).join(',')},${last}:0}`;
  test.each([
    ['at the top', '{"a":1,"a":1}', 'a'],
    ['in data', '{"data":{"tier":"T4","tier":"T0"}}', 'tier'],
    ['deep in a list', '{"a":[0,[{"b":[{"c":1,"d":2,"c":3}]}]]}', 'c'],
    ['the empty name', '{"":1,"":2}', ''],
    ['__proto__', '{"__proto__":{},"__proto__":1}', '__proto__'],
    ['one with an escape', '{"kind":"a","k\\u0069nd":"b"}', 'kind'],
    ['both with escapes', '{"\\u0061":1,"\\u0061":2}', 'a'],
    ['a simple escape', '{"a/b":1,"a\\/b":2}', 'a/b'],
    ['an escaped pair', '{"😀":1,"\\ud83d\\ude00":2}', '😀'],
    ['an escaped __proto__', '{"__proto__":1,"__pr\\u006fto__":2}', '__proto__'],
    ['behind half a pair', '{"x":"\\ud800","a":1,"\\u0061":2}', 'a'],
    ['half a pair itself', '{"\\ud800":1,"\\uD800":2}', '\ud800'],
    ['the 65th', wide(64, '"m3"'), 'm3'],
    ['the 500th', wide(499, '"m498"'), 'm498'],
    ['far apart with an escape', wide(100, '"m\\u0037"'), 'm7'],
  ])('scan: %s → found', (_, text, name) => {
    const line = Buffer.from(text);
    expect(verdictOf(line)).toBe('duplicate-key');
    const found = scanner.scan(line, 0, line.length);
    if (found.fault === undefined) expect(repeatedName(line)?.name).toBe(name);
    else expect(text.slice(found.faultAt)).toMatch(new RegExp(`^${name}"`));
  });

  test.each([
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '{"a":[{"a":1},{"a":1}],"b":"a"}',
    '{"a":"b","b":"a"}',
    '{"a":1,"A":2,"a ":3," a":4}',
    '{"\\ud800":1,"\\ud801":2}',
    '{"é":1,"e\u0301":2}',
    wide(200, '"m200"'),
    '{"x\\u0000":1,"x":2,"x\\u0000y":3}',
  ])('scan: %s → no repetition', (text) => {
    expect(verdictOf(Buffer.from(text))).toBe('accepted');
  });

  test('scan: names spelt in random ways → repetitions found exactly', () => {
    fc.assert(
      fc.property(jsonLine, (text) => {
        fc.pre(parsed(text).ok);
        const exact = parseExact(text.replace(/\\u[dD][89a-fA-F]/g, '\\uE0'));
        expect(repeatedName(Buffer.from(text)) !== undefined).toBe(
          !exact.ok && exact.reason === 'duplicate-key',
        );
      }),
      { seed: 11, numRuns: 5000 },
    );
  });
});

describe('scan: depth', () => {
  const nested = (open: string, close: string, depth: number): string =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;
  test.each([
    ['objects', '{"a":', '}', 1],
    ['lists', '[', ']', 1],
    ['both', '[{"a":', '}]', 2],
  ])('scan: %s at the limit → accepted; one more → too deep', (_, open, close, levels) => {
    const depth = (DEPTH_MAX - 1) / levels;
    const inside = (count: number): string => `{"x":${nested(open, close, count)}}`;
    expect(scan(inside(Math.floor(depth))).fault).toBeUndefined();
    expect(scan(inside(Math.floor(depth) + 1)).fault).toBe('too-deep');
  });

  test.each([5000, 500_000])('scan: %i levels, closed or not → too deep, no stack overflow', (depth) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(scan(nested(open, close, depth)).fault).toBe('too-deep');
      expect(scan(open.repeat(depth)).fault).toBe('too-deep');
    }
  });
});

describe('scan: half pairs and large integers', () => {
  /** The first escape that is half a pair, found by walking the escapes of the text. */
  function loneAt(text: string): number {
    const words = [...text.matchAll(/\\u([0-9a-fA-F]{4})|\\./g)];
    for (let index = 0; index < words.length; index++) {
      const unit = Number.parseInt(words[index]?.[1] ?? '0', 16);
      const next = words[index + 1];
      const low = next?.index === (words[index]?.index ?? 0) + 6 ? Number.parseInt(next[1] ?? '0', 16) : 0;
      if (unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000) index++;
      else if (unit >= 0xd800 && unit < 0xe000) return words[index]?.index ?? -1;
    }
    return -1;
  }

  function unsafeAt(text: string): number {
    const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, (word) => '_'.repeat(word.length));
    for (const { 0: word, index } of bare.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
      if (!/^-?\d+$/.test(word)) continue;
      if (BigInt(word) > BigInt(Number.MAX_SAFE_INTEGER) || BigInt(word) < BigInt(Number.MIN_SAFE_INTEGER))
        return index;
    }
    return -1;
  }

  test('scan: accepted lines → the first of each stands exactly where it is said to', () => {
    const latin = fc.array(fc.constantFrom(...ODD_NUMBERS, ...ODD_STRINGS), { maxLength: 6 });
    fc.assert(
      fc.property(latin, (words) => {
        const text = Buffer.from(`{"a":[${words.join(' , ')}]}`).toString('latin1');
        const line = Buffer.from(text, 'latin1');
        const found = scanner.scan(line, 0, line.length);
        fc.pre(found.fault === undefined);
        expect([found.loneSurrogateAt, found.unsafeIntegerAt]).toEqual([loneAt(text), unsafeAt(text)]);
      }),
      { seed: 13, numRuns: 20_000, maxSkipsPerRun: 1000 },
    );
  });

  test.each([
    ['9007199254740991', -1],
    ['9007199254740992', 5],
    ['-9007199254740991', -1],
    ['-9007199254740993', 5],
    ['9999999999999999', 5],
    ['1e400', -1],
    ['9007199254740993.5', -1],
  ])('scan: %s → unsafe integer at %i', (number, at) => {
    expect(scan(`{"a":${number}}`).unsafeIntegerAt).toBe(at);
  });
});
