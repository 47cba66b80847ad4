/**
 * The storage under a history: numbers come back as they went in, and every distinct string has a number of its own,
 * also where somebody has made strings that collide.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteColumn, FloatColumn, IntColumn, StringTable } from '../../harness/core/columns.js';

describe('columns: numbers', () => {
  test('columns: 100,000 values → every one at its index, through all growth', () => {
    const ints = new IntColumn();
    const floats = new FloatColumn();
    const bytes = new ByteColumn();
    for (let index = 0; index < 100_000; index++) {
      ints.push(index * 3 - 50_000);
      floats.push(index * 1e12 + 0.5);
      bytes.push(index % 256);
    }
    ints.set(777, -1);
    expect([ints.size, floats.size, bytes.size]).toEqual([100_000, 100_000, 100_000]);
    for (let index = 0; index < 100_000; index++) {
      const wanted = [index === 777 ? -1 : index * 3 - 50_000, index * 1e12 + 0.5, index % 256];
      if (ints.at(index) !== wanted[0] || floats.at(index) !== wanted[1] || bytes.at(index) !== wanted[2])
        expect([ints.at(index), floats.at(index), bytes.at(index)], `at ${index}`).toEqual(wanted);
    }
  });

  test('columns: bytes appended in pieces of any size → one run of bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 }), (pieces) => {
        const column = new ByteColumn();
        for (const piece of pieces) column.append(piece, 0, piece.length);
        expect(Buffer.from(column.slice(0, column.size)).equals(Buffer.concat(pieces))).toBe(true);
      }),
      { seed: 1, numRuns: 50 },
    );
  });
});

/** FNV-1a, the published hash that the table starts from: what an attacker can compute. */
function fnv(bytes: Uint8Array, from = 0x811c9dc5): number {
  return bytes.reduce((state, byte) => Math.imul(state ^ byte, 0x01000193), from);
}

/** Two texts of four characters that take the hash from `state` to the same state, found by brute force. */
function collision(state: number): { pair: [string, string]; state: number } {
  const seen = new Map<number, string>();
  for (let number = 0; ; number++) {
    const text = number.toString(36).padStart(4, '0');
    const next = fnv(Buffer.from(text), state);
    const other = seen.get(next);
    if (other !== undefined) return { pair: [other, text], state: next };
    seen.set(next, text);
  }
}

/** 2^steps texts with one and the same hash (Joux 2004): each step doubles them. */
function collidingTexts(steps: number): string[] {
  let texts = [''];
  let state = 0x811c9dc5;
  for (let step = 0; step < steps; step++) {
    const found = collision(state);
    texts = texts.flatMap((text) => found.pair.map((part) => text + part));
    state = found.state;
  }
  return texts;
}

function internAll(table: StringTable, texts: readonly string[]): number[] {
  return texts.map((text) => table.internText(text));
}

describe('columns: strings', () => {
  test('columns: strings in random order with repeats → numbered by first appearance, found again, exact', () => {
    const words = fc.oneof(
      fc.constantFrom('', '__proto__', 'constructor', '\ufeff', '\ufeffx', '0', '00'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 200 }), (texts) => {
        const table = new StringTable();
        const numbers = internAll(table, texts);
        const distinct = [...new Set(texts)];
        expect(numbers).toEqual(texts.map((text) => distinct.indexOf(text) + 1));
        expect(distinct.map((text) => table.numberOf(text))).toEqual(distinct.map((_, index) => index + 1));
        expect(distinct.map((_, index) => table.text(index + 1))).toEqual(distinct);
        expect(table.size).toBe(distinct.length + 1);
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test('columns: 300,000 ids → all kept apart, unknown ones not found, "none" is the empty text', () => {
    const table = new StringTable();
    const ids = Array.from(
      { length: 300_000 },
      (_, index) => `evt_1ksqhq0b${index.toString(32).padStart(5, '0')}`,
    );
    const numbers = internAll(table, ids);
    expect(numbers.every((number, index) => number === index + 1)).toBe(true);
    expect(internAll(table, ids).every((number, index) => number === index + 1)).toBe(true);
    expect(['evt_', 'evt_1ksqhq0b', '', `${ids[0] ?? ''} `].map((text) => table.numberOf(text))).toEqual([
      0, 0, 0, 0,
    ]);
    expect([table.text(0), table.text(1), table.text(300_000)]).toEqual(['', ids[0], ids[299_999]]);
  });

  test('columns: a part of a larger array → the same as the text itself', () => {
    const table = new StringTable();
    const bytes = Buffer.from('"evt_a","evt_b","evt_a"');
    const at = (from: number): number => table.intern(bytes, from, from + 5);
    expect([at(1), at(9), at(17), table.numberOf('evt_b')]).toEqual([1, 2, 1, 2]);
  });

  test('columns: bytes that are no text → kept apart by their bytes', () => {
    const table = new StringTable();
    const numbers = [[0xff], [0xfe], [0xef, 0xbf, 0xbd]].map((bytes) =>
      table.intern(Uint8Array.from(bytes), 0, bytes.length),
    );
    expect(numbers).toEqual([1, 2, 3]);
  });

  test('columns: 4,096 strings of one hash → exact, and found without comparing each with each', () => {
    const texts = collidingTexts(12);
    expect(new Set(texts.map((text) => fnv(Buffer.from(text)))).size).toBe(1);
    expect(new Set(texts).size).toBe(4096);
    const table = new StringTable();
    table.internText('before');
    expect(internAll(table, texts)).toEqual(texts.map((_, index) => index + 2));
    expect(texts.map((text) => table.numberOf(text))).toEqual(texts.map((_, index) => index + 2));
    expect([table.numberOf('before'), table.numberOf(`${texts[0] ?? ''}x`)]).toEqual([1, 0]);
    expect(table.text(2500)).toBe(texts[2498]);
  });

  test('columns: tables with few slots → every pair that falls into one slot is kept apart', () => {
    const table = new StringTable();
    const groups = new Map<number, string[]>();
    for (let number = 0; number < 20_000; number++) {
      const text = `t${number}`;
      const group = groups.get(fnv(Buffer.from(text)) & 0xff) ?? [];
      groups.set(fnv(Buffer.from(text)) & 0xff, [...group, text]);
    }
    const texts = [...groups.values()].flat();
    expect(internAll(table, texts)).toEqual(texts.map((_, index) => index + 1));
    expect(texts.map((_, index) => table.text(index + 1))).toEqual(texts);
  });
});
