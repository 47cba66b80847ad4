/**
 * The string tables of the compiled scanner, held against a Map: every string gets its number once, whatever its length,
 * however many there are, and after a reset the first one is 1 again.
 */
import { describe, expect, test } from 'vitest';
import type { Strings } from '../../harness/core/columns.js';
import type { LogScanner } from '../../harness/grammar/record.js';
import { wasmScanner } from '../../harness/grammar/wasm-scanner.js';
import { Chance } from '../support/fuzz-lines.js';

function compiled(seed: number): LogScanner {
  const scanner = wasmScanner(seed);
  if (scanner === undefined) throw new Error('no WebAssembly with vectors here');
  return scanner;
}

/** Random texts, many of them alike, most of them short. */
function someText(chance: Chance): string {
  const length = chance.once(50) ? chance.below(600) : chance.below(24);
  const letters = chance.once(3) ? ['a', 'b'] : ['a', 'b', 'c', 'd', 'é', '日', '\u0000', '😀'];
  return Array.from({ length }, () => chance.pick(letters)).join('');
}

function intern(strings: Strings, text: string): number {
  const bytes = Buffer.from(`<${text}>`);
  return strings.intern(bytes, 1, bytes.length - 1);
}

describe('wasm strings', () => {
  test('strings: thousands of random texts in three tables → numbers in order, texts again, none that was not given', () => {
    const scanner = compiled(3);
    const chance = new Chance(17);
    for (const strings of [scanner.ids, scanner.names, scanner.calls]) {
      const numbers = new Map<string, number>();
      for (let n = 0; n < 8000; n++) {
        const text = someText(chance);
        if (!numbers.has(text)) expect(strings.numberOf(text)).toBe(0);
        const number = numbers.get(text) ?? numbers.size + 1;
        numbers.set(text, number);
        expect(intern(strings, text)).toBe(number);
      }
      expect(strings.size).toBe(numbers.size + 1);
      for (const [text, number] of numbers) {
        expect(strings.text(number)).toBe(text);
        expect(strings.numberOf(text)).toBe(number);
      }
    }
    expect(scanner.ids.text(0)).toBe('');
    expect(scanner.ids.text(scanner.ids.size)).toBe('');
  });

  test('strings: every length around the edges of prefix, vector and block → the same text again', () => {
    const { names } = compiled(4);
    const lengths = [
      0,
      1,
      7,
      8,
      9,
      15,
      16,
      17,
      31,
      32,
      33,
      240,
      253,
      254,
      255,
      256,
      257,
      300,
      271,
      70 * 1024,
    ];
    const long = [262_138, 262_139, 262_140, (1 << 20) - 5, 1 << 20, (1 << 20) + 1, 3_000_000];
    const texts = [...lengths, ...long].flatMap((length) => ['x'.repeat(length), `${'x'.repeat(length)}y`]);
    const distinct = [...new Set(texts)];
    for (const [index, text] of distinct.entries()) expect(intern(names, text)).toBe(index + 1);
    for (const [index, text] of distinct.entries()) {
      expect(names.text(index + 1) === text, String(text.length)).toBe(true);
      expect(names.numberOf(text)).toBe(index + 1);
    }
  });

  test('strings: 300,000 ids with any seed → every number and text right while the tables grow', () => {
    for (const seed of [0, 1, 0xffff_ffff]) {
      const { ids } = compiled(seed);
      for (let n = 1; n <= 300_000; n++) {
        if (intern(ids, `evt_${n.toString(36).padStart(13, '0')}`) !== n) expect.fail(`${seed} ${n}`);
      }
      for (let n = 1; n <= 300_000; n += 101) {
        expect(ids.text(n)).toBe(`evt_${n.toString(36).padStart(13, '0')}`);
        expect(ids.numberOf(ids.text(n))).toBe(n);
        expect(ids.numberOf(`evt_${n}`)).toBe(0);
      }
      expect(ids.size).toBe(300_001);
    }
  });

  test('strings: reset → nothing is known, numbers begin again, memory is used again', () => {
    const scanner = compiled(9);
    const room = (): number => scanner.input().buffer.byteLength;
    let before = 0;
    for (let round = 0; round < 6; round++) {
      for (let n = 1; n <= 50_000; n++) {
        const number = intern(scanner.ids, `evt_${round}${n}`);
        if (number !== n) expect.fail(`${round} ${n}: ${number}`);
      }
      expect(intern(scanner.names, 'a')).toBe(1);
      if (round === 0) before = room();
      expect(room()).toBe(before);
      scanner.reset();
      expect(scanner.ids.size).toBe(1);
      expect(scanner.names.numberOf('a')).toBe(0);
      expect(scanner.ids.numberOf(`evt_${round}1`)).toBe(0);
    }
  });

  test('strings: half a million ids of 17 bytes → about 30 bytes each', () => {
    const scanner = compiled(2);
    const before = scanner.input().buffer.byteLength;
    for (let n = 1; n <= 500_000; n++) intern(scanner.ids, `evt_${n.toString(32).padStart(13, '0')}`);
    const bytes = (scanner.input().buffer.byteLength - before) / 500_000;
    expect(bytes).toBeLessThan(60);
  });
});
