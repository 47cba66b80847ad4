/**
 * The compiled scanner held against the one in TypeScript, record by record, and against JSON.parse: on logs of ours, on
 * lines with every kind of damage, and on a log that arrives in pieces. COUNTERPROOF_FUZZ_LINES sets how many lines.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { plainLogScanner } from '../../harness/grammar/plain-log-scanner.js';
import { INPUT_BYTES, RECORDS_MAX, WORD, type LogScanner } from '../../harness/grammar/record.js';
import { wasmScanner } from '../../harness/grammar/wasm-scanner.js';
import { Chance, LineFuzzer } from '../support/fuzz-lines.js';
import { isPlain, objections, scanPieces } from '../support/record-bed.js';

const LINES = Number(process.env.COUNTERPROOF_FUZZ_LINES ?? 100_000);
/** Lines of one round: the scanners forget everything in between. */
const ROUND_LINES = 20_000;
/** Lines that the schema is asked about, which takes most of the time. */
const ASKED_ONCE_IN = LINES > 100_000 ? 10 : 4;

function compiled(seed = 1): LogScanner {
  const scanner = wasmScanner(seed);
  if (scanner === undefined) throw new Error('no WebAssembly with vectors here');
  return scanner;
}

function whole(): number {
  return 1 << 20;
}

function parses(line: Buffer): boolean {
  try {
    JSON.parse(line.toString());
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Fails with the first line on which two scanners differ. */
function expectSame(log: Buffer, one: readonly Int32Array[], other: readonly Int32Array[]): void {
  expect(one.length).toBe(other.length);
  for (const [index, record] of one.entries()) {
    const words = other[index]!;
    if (Buffer.compare(bytesOf(record), bytesOf(words)) === 0) continue;
    const start = record[WORD.start]!;
    const line = log.subarray(start, start + record[WORD.bytes]!).toString('latin1');
    expect([...record], line).toEqual([...words]);
  }
}

function bytesOf(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

describe('wasm: differential', () => {
  const fast = compiled();
  const plain = plainLogScanner();

  test('wasm: every example → the records of the plain scanner, nearly all of them plain', () => {
    for (const name of readdirSync('runs/examples')) {
      const log = readFileSync(`runs/examples/${name}/provenance.jsonl`);
      fast.reset();
      plain.reset();
      const records = scanPieces(fast, log, whole);
      expectSame(log, records, scanPieces(plain, log, whole));
      expect(records.filter(isPlain).length, name).toBeGreaterThanOrEqual(records.length - 3);
    }
  });

  test(
    `wasm: ${LINES} odd lines → the records of the plain scanner; plain lines say what JSON.parse reads`,
    () => {
      const fuzzer = new LineFuzzer(20261130);
      const chance = new Chance(7);
      let plainLines = 0;
      for (let done = 0; done < LINES; done += ROUND_LINES) {
        const lines = Array.from({ length: ROUND_LINES }, () => fuzzer.next());
        const log = Buffer.concat(lines.flatMap((line) => [line, Buffer.of(10)]));
        fast.reset();
        plain.reset();
        const records = scanPieces(fast, log, whole);
        expectSame(log, records, scanPieces(plain, log, whole));
        expect(records.length).toBe(ROUND_LINES);
        for (const [index, record] of records.entries()) {
          const line = lines[index]!;
          expect(record[WORD.bytes]).toBe(line.length);
          if (!isPlain(record)) continue;
          plainLines++;
          const found = chance.once(ASKED_ONCE_IN) ? objections(fast, line, record) : [];
          if (found.length > 0 || !parses(line)) expect(found, line.toString()).toBe(undefined);
        }
      }
      expect(plainLines).toBeGreaterThan(LINES / 5);
      expect(plainLines).toBeLessThan((LINES * 4) / 5);
      // A stuck machine, not a slow one, is what the limit is for.
    },
    60_000 + LINES,
  );

  test('wasm: a log in pieces of any size → the same records', () => {
    const fuzzer = new LineFuzzer(5);
    const chance = new Chance(11);
    const lines = Array.from({ length: 30_000 }, () => fuzzer.next());
    const log = Buffer.concat([
      ...lines.flatMap((line) => [line, Buffer.of(10)]),
      Buffer.from('{"id":"evt_torn'),
    ]);
    fast.reset();
    const expected = scanPieces(fast, log, whole);
    expect(expected.length).toBe(lines.length);
    for (const most of [50, 700, 5000, 900_000]) {
      const other = compiled(most);
      expectSame(
        log,
        scanPieces(other, log, () => 1 + chance.below(most)),
        expected,
      );
      expect(other.names.size).toBe(fast.names.size);
    }
  });
});

describe('wasm: places', () => {
  const scanner = compiled();
  const good = '{"id":"evt_1","runId":"r","t":"2026-01-05T08:00:00Z","kind":"task_started","actor":"a"}';
  const put = (text: string, at = 0): number => at + Buffer.from(text).copy(scanner.input(), at);

  test('wasm: a whole line behind the end of the piece → not read, and not changed', () => {
    scanner.input().fill(0x20);
    const to = put(good);
    put(`\n${good}\n`, to);
    expect(scanner.scan(0, to)).toBe(0);
    expect(scanner.scannedTo).toBe(0);
    expect(scanner.ids.size).toBe(1);
    expect(scanner.input()[to]).toBe(10);
    expect(scanner.scan(0, to + 1)).toBe(1);
    expect(scanner.records()[WORD.plain]).toBe(1);
  });

  test('wasm: more lines than records → as many as fit, then the rest', () => {
    const to = put('\n'.repeat(RECORDS_MAX + 5));
    expect(scanner.scan(0, to)).toBe(RECORDS_MAX);
    expect(scanner.scannedTo).toBe(RECORDS_MAX);
    expect(scanner.scan(scanner.scannedTo, to)).toBe(5);
    expect(scanner.scan(to, to)).toBe(0);
  });

  test('wasm: the room filled to its end with one string that never ends → no line', () => {
    scanner.input().fill(0x61);
    put('{"id":"');
    expect(scanner.scan(0, INPUT_BYTES - 64)).toBe(0);
    scanner.input()[INPUT_BYTES - 65] = 10;
    expect(scanner.scan(0, INPUT_BYTES - 64)).toBe(1);
    expect(scanner.records()[WORD.plain]).toBe(0);
  });

  test.each(['[', '{"a":', '{"data":{"a":[', '"\\\\', '\\ud83d', '1', ' ', '\x80', 'é'])(
    'wasm: a long line of %j → not plain, in no time',
    (piece) => {
      const bytes = Buffer.from(piece.repeat(Math.floor(1_000_000 / piece.length)), 'latin1');
      const line = Buffer.concat([
        Buffer.from(good.slice(0, -1)),
        Buffer.from(',"data":{"x":'),
        bytes,
        Buffer.of(10),
      ]);
      scanner.input().set(line);
      expect(scanner.scan(0, line.length)).toBe(1);
      expect(scanner.records()[WORD.plain]).toBe(0);
    },
  );
});
