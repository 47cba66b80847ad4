/**
 * The strict parser against tables, against `JSON.parse` on random texts, and against damaged public logs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, isDecimal } from '../../harness/core/decimal.js';
import { parseExact, toPlain } from '../../harness/core/json.js';
import type { ExactFailure, ExactJson } from '../../harness/core/json.js';
import { describeWithData } from '../support/data.js';

function accepted(text: string | Uint8Array): ExactJson {
  const result = parseExact(text);
  if (!result.ok) throw new Error(`${result.reason} at ${result.offset}: ${result.detail}`);
  return result.value;
}

function refused(text: string | Uint8Array): Pick<ExactFailure, 'reason' | 'offset'> {
  const result = parseExact(text);
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(toPlain(result.value))}`);
  return { reason: result.reason, offset: result.offset };
}

/** What `JSON.parse` makes of a text, or undefined. */
function lenient(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

describe('json: accepted texts', () => {
  it.each([
    ['null'],
    ['true'],
    ['false'],
    ['0'],
    ['-0'],
    ['-0.0e-0'],
    ['1E+2'],
    ['""'],
    [' \t\r\n[ ]\n'],
    ['{ "a" : [ 1 , { } ] }'],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9"'],
    ['"\\ud83d\\uDE00"'],
    ['"😀"'],
    ['"\u007f\u0085\u2028\u2029\ufeff\uffff"'],
    ['"\\u0000"'],
    ['{"":0,"a":1,"A":2}'],
    ['{"é":1,"e\u0301":2}'],
  ])('json: %s → what JSON.parse makes of it', (text) => {
    expect(toPlain(accepted(text))).toEqual(JSON.parse(text));
    expect(toPlain(accepted(Buffer.from(text)))).toEqual(JSON.parse(text));
  });

  it('json: numbers → their text is kept', () => {
    const texts = ['1e400', '0.1000', '12345678901234567890', '-0.0', '1E+2'];
    const numbers = accepted(`[${texts.join(',')}]`);
    expect(numbers).toEqual(texts.map((text) => decimal(text)));
  });

  it('json: members → their order is kept, numeric keys too', () => {
    const value = accepted('{"b":1,"10":2,"a":3,"9":4}');
    expect(value instanceof Map && [...value.keys()]).toEqual(['b', '10', 'a', '9']);
  });

  it('json: keys that name prototype members → plain own data', () => {
    const plain = toPlain(accepted('{"__proto__":{"polluted":true},"constructor":1,"toString":2}'));
    expect(Object.keys(plain as object)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(JSON.stringify(plain)).toBe('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
  });
});

describe('json: refused texts', () => {
  it.each([
    ['', 'invalid-json', 0],
    ['  ', 'invalid-json', 2],
    ['{', 'invalid-json', 1],
    ['[1,]', 'invalid-json', 3],
    ['[,1]', 'invalid-json', 1],
    ['[1 2]', 'invalid-json', 3],
    ['{"a":1,}', 'invalid-json', 7],
    ['{"a" 1}', 'invalid-json', 5],
    ['{a:1}', 'invalid-json', 1],
    ['{"a":}', 'invalid-json', 5],
    ["'a'", 'invalid-json', 0],
    ['01', 'invalid-json', 1],
    ['-', 'invalid-json', 0],
    ['+1', 'invalid-json', 0],
    ['.5', 'invalid-json', 0],
    ['1.', 'invalid-json', 1],
    ['1e', 'invalid-json', 1],
    ['0x10', 'invalid-json', 1],
    ['NaN', 'invalid-json', 0],
    ['-Infinity', 'invalid-json', 0],
    ['nul', 'invalid-json', 0],
    ['True', 'invalid-json', 0],
    ['"abc', 'invalid-json', 4],
    ['"a\nb"', 'invalid-json', 2],
    ['"a\u0000"', 'invalid-json', 2],
    ['"\\x41"', 'invalid-json', 1],
    ['"\\u12g4"', 'invalid-json', 1],
    ['"\\u123', 'invalid-json', 1],
    ['"\\', 'invalid-json', 1],
    ['{} {}', 'invalid-json', 3],
    ['1 // one', 'invalid-json', 2],
    ['[1]\u0000', 'invalid-json', 3],
    ['[\u00a01]', 'invalid-json', 1],
    ['\ufeff{}', 'invalid-json', 0],
    ['{"é":1,"é":2}', 'duplicate-key', 8],
    ['{"a":1,"\\u0061":2}', 'duplicate-key', 7],
    ['{"x":{"__proto__":1,"__proto__":2}}', 'duplicate-key', 20],
    ['"\\ud800"', 'lone-surrogate', 1],
    ['"é\\udc00"', 'lone-surrogate', 3],
    ['"\\ud800\\ud800"', 'lone-surrogate', 1],
    ['"\\ud83dx"', 'lone-surrogate', 1],
    ['{"\\udfff":1}', 'lone-surrogate', 2],
    ['"é\ud800"', 'lone-surrogate', 3],
    ['"\ud83d\\ude00"', 'lone-surrogate', 1],
  ])('json: %j → %s at byte %i', (text, reason, offset) => {
    expect(refused(text)).toEqual({ reason, offset });
  });

  it.each([
    [[0x22, 0xff, 0x22], 1],
    [[0xc0, 0x80], 0],
    [[0x22, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0x22], 3],
    [[0x22, 0xef, 0xbf, 0xbd, 0xe2, 0x82], 4],
    [[0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
    [[0xef, 0xbb, 0xbf, 0x80], 3],
  ])('json: bytes %j → invalid UTF-8 at byte %i', (bytes, offset) => {
    expect(refused(Uint8Array.from(bytes))).toEqual({ reason: 'invalid-utf8', offset });
  });

  it('json: a byte order mark in bytes → refused, not skipped', () => {
    expect(refused(Buffer.from('\ufeff{}'))).toEqual({ reason: 'invalid-json', offset: 0 });
  });

  it('json: depth 512 → accepted; 513 → too deep, however deep it goes on', () => {
    expect(accepted('['.repeat(512) + ']'.repeat(512))).toBeInstanceOf(Array);
    expect(refused('['.repeat(513) + ']'.repeat(513))).toEqual({ reason: 'too-deep', offset: 512 });
    expect(refused('[{"a":'.repeat(1_000_000))).toEqual({ reason: 'too-deep', offset: 256 * 6 });
    expect(accepted(`[${'[],'.repeat(2000)}{}]`)).toHaveLength(2001);
  });

  it('json: a megabyte of escapes, digits or zeros → parsed in linear time', () => {
    expect(accepted(`"${'\\n'.repeat(500_000)}"`)).toHaveLength(500_000);
    expect(isDecimal(accepted(`1${'0'.repeat(1_000_000)}1`))).toBe(true);
  });
});

describe('json: properties', () => {
  it('json: any text JSON.parse accepts without duplicate keys → the same value', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        expect(toPlain(accepted(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('json: a text with a few characters changed → refused, or the same value as JSON.parse', () => {
    const edits = fc.array(
      fc.tuple(
        fc.nat(400),
        fc.constantFrom('', '"', '\\', ',', ':', '}', ']', '{', '0', '.', 'e', '-', 'u', ' '),
      ),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.json(), edits, (original, changes) => {
        let text = original;
        for (const [place, char] of changes) {
          const at = place % text.length;
          text = text.slice(0, at) + char + text.slice(at + 1);
          if (text === '') text = ' ';
        }
        const result = parseExact(text);
        const reference = lenient(text);
        if (result.ok) expect({ value: toPlain(result.value) }).toEqual(reference);
        else if (reference !== undefined)
          expect(['duplicate-key', 'lone-surrogate']).toContain(result.reason);
      }),
      { numRuns: 2000 },
    );
  });

  it('json: any bytes → a result, never an exception, and an offset inside the text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const result = parseExact(bytes);
        if (!result.ok) expect(result.offset).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });
});

describeWithData('json: damaged public logs', (dir) => {
  function faults(file: string): string[] {
    const lines = readFileSync(join(dir, 'corruption', file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.flatMap((line) => {
      const result = parseExact(line);
      return result.ok ? [] : [result.reason];
    });
  }

  it.each([
    ['00-baseline.jsonl', []],
    ['31-lone-surrogate.jsonl', ['lone-surrogate']],
    ['32-duplicate-keys.jsonl', ['duplicate-key']],
    ['33-deep-nesting-5000.jsonl', ['too-deep']],
    ['35-proto-keys.jsonl', []],
  ])('json: %s → %j', (file, reasons) => {
    expect([...new Set(faults(file))]).toEqual(reasons);
  });
});
