/**
 * From bytes to lines: where a chunk ends must not matter, every event stands at its exact offset, and no line is held
 * beyond the limit. What becomes of a single bad line is in history.test.ts.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_READ_MAX_BYTES } from '../../harness/core/event.js';
import { HarnessError } from '../../harness/core/errors.js';
import { tokenTotals } from '../../harness/oracle/totals.js';
import { Case } from '../../harness/oracle/case.js';
import { bareEvidence } from '../../harness/log/folder-evidence.js';
import { readLog } from '../../harness/log/reader.js';
import { describeWithData } from '../support/data.js';
import { makeFolder } from '../support/log-bed.js';
import { faultOf, faultsOf, idsOf, line, logOf, read, readFrom, seen } from '../support/read-bed.js';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** A line of exactly so many bytes, without its LF. */
function lineOf(id: string, bytes: number): string {
  const bare = line(id, { data: { x: '' } });
  return line(id, { data: { x: 'x'.repeat(bytes - bare.length) } });
}

const MIXED = logOf(
  Buffer.concat([BOM, logOf(line('evt_0'))]),
  `${line('evt_1', { actor: 'é😀' })}\r`,
  '',
  ' \t\r',
  '{"id":"evt_2","taskId":"t"',
  Buffer.concat([BOM, logOf(line('evt_3'))]),
  Buffer.from([0, 0, 0, 0x0a]),
  'null',
  line('evt_1', { actor: 'é😀' }),
  line('evt_4', { runId: 'run_other' }),
  line('evt_5', { causedBy: 'evt_6' }),
  line('evt_6'),
  Buffer.from('{"id":"evt_7"'),
);

describe('reader: pieces', () => {
  test('reader: every chunk size from 1 byte to the whole file → the same history', () => {
    const whole = seen(read(MIXED));
    for (let chunkBytes = 1; chunkBytes <= MIXED.length + 1; chunkBytes++)
      expect(seen(read(MIXED, { chunkBytes })), `in pieces of ${chunkBytes}`).toEqual(whole);
  });

  test('reader: every prefix of a log → only its last line can be torn', () => {
    const log = logOf(line('evt_0'), line('evt_1'), `${line('evt_2')}\r`, '', line('evt_3', { actor: 'é' }));
    const ends = [...log].flatMap((byte, index) => (byte === 0x0a ? [index + 1] : []));
    for (let bytes = 0; bytes <= log.length; bytes++) {
      const history = read(log.subarray(0, bytes));
      const whole = ends.filter((end) => end <= bytes).length - (bytes >= (ends[3] ?? 0) ? 1 : 0);
      const tail = log
        .subarray(ends.findLast((end) => end <= bytes) ?? 0, bytes)
        .toString()
        .trim();
      const isWhole = tail.endsWith('}');
      expect(history.size, `${bytes} bytes`).toBe(whole + (isWhole ? 1 : 0));
      expect(faultsOf(history), `${bytes} bytes`).toEqual(
        tail === '' ? [] : [`${history.parts.counts.lines} torn-tail`],
      );
      expect(faultOf(history, 'torn-tail')?.facts['complete']).toBe(tail === '' ? undefined : isWhole);
    }
  });

  test('reader: random lines in random pieces → offsets are those of the bytes, counts add up', () => {
    const part = fc.constantFrom(
      line('evt_0'),
      '',
      '  ',
      '\r',
      'junk',
      line('evt_1', { data: { x: 'é' } }),
      '{"a":',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.integer({ min: 1, max: 64 }), (parts, chunkBytes) => {
        const numbered = parts.map((text, index) => text.replace(/evt_\d/, `evt_${index}`));
        const log = logOf(...numbered);
        const history = read(log, { chunkBytes });
        for (let index = 0; index < history.size; index++) {
          const text = log
            .subarray(history.offset(index), log.indexOf(0x0a, history.offset(index)))
            .toString();
          expect(JSON.parse(text)).toEqual(history.raw(index));
          expect(numbered[history.line(index) - 1]).toBe(text);
        }
        const { lines, blank, events, lost, bytes } = history.parts.counts;
        expect({ lines, all: blank + events + lost, bytes }).toEqual({
          lines: parts.length,
          all: parts.length,
          bytes: log.length,
        });
      }),
      { seed: 17, numRuns: 300 },
    );
  });

  test('reader: a log that grows and one that is cut while it is judged → what was there at the start, no stale bytes', () => {
    const path = join(makeFolder(), 'log.jsonl');
    writeFileSync(path, logOf(line('evt_0'), line('evt_1'), line('evt_2')));
    const history = readFrom(path, { maxBytes: logOf(line('evt_0'), line('evt_1')).length });
    expect(idsOf(history)).toEqual(['evt_0', 'evt_1']);
    expect(history.raw(0)['id']).toBe('evt_0');
    truncateSync(path, 20);
    const cut = readFrom(path);
    expect([cut.size, faultsOf(cut)]).toEqual([0, ['1 torn-tail']]);
  });
});

describe('reader: long lines', () => {
  test.each([
    ['terminated', '\n'],
    ['the last without newline', ''],
  ])('reader: exactly 1 MiB, %s → read; one byte more → refused unseen', (_, end) => {
    for (const chunkBytes of [1024 * 1024, 1000]) {
      const fits = read(Buffer.from(`${line('evt_0')}\n${lineOf('evt_1', LINE_READ_MAX_BYTES)}${end}`), {
        chunkBytes,
      });
      expect(idsOf(fits)).toEqual(['evt_0', 'evt_1']);
      const long = read(Buffer.from(`${line('evt_0')}\n${lineOf('evt_1', LINE_READ_MAX_BYTES + 1)}${end}`), {
        chunkBytes,
      });
      expect([idsOf(long), faultsOf(long)]).toEqual([['evt_0'], ['2 line-too-long']]);
      expect(faultOf(long, 'line-too-long')?.facts).toEqual({
        bytes: LINE_READ_MAX_BYTES + 1,
        maxBytes: LINE_READ_MAX_BYTES,
        idsSeen: ['evt_1'],
      });
    }
  });

  test('reader: a line of 64 MB between two events → not held, both events read, its length told', () => {
    const path = join(makeFolder(), 'log.jsonl');
    const file = openSync(path, 'w');
    const piece = Buffer.alloc(1024 * 1024, 'x');
    writeSync(file, logOf(line('evt_0')));
    writeSync(file, '{"id":"evt_long","data":"');
    for (let count = 0; count < 64; count++) writeSync(file, piece);
    writeSync(file, `"}\n${line('evt_1')}\n`);
    closeSync(file);
    const before = process.memoryUsage();
    const history = readFrom(path);
    const after = process.memoryUsage();
    const held =
      after.external +
      after.arrayBuffers +
      after.heapUsed -
      before.external -
      before.arrayBuffers -
      before.heapUsed;
    expect(idsOf(history)).toEqual(['evt_0', 'evt_1']);
    expect(faultOf(history, 'line-too-long')?.bytes).toBe(
      64 * 1024 * 1024 + '{"id":"evt_long","data":""}'.length,
    );
    // External memory is counted in `external` and in `arrayBuffers`: 32 MiB are 16 held.
    expect(held).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('reader: what cannot be read', () => {
  function refusal(act: () => unknown): string {
    try {
      act();
    } catch (error) {
      if (error instanceof HarnessError) return error.code;
      throw error;
    }
    return 'none';
  }

  test('reader: nothing, a folder, a pipe that nobody writes to → no input, and no waiting', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'dir'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('loop', join(folder, 'loop'));
    for (const name of ['none', 'dir', 'pipe', 'loop'])
      expect(
        refusal(() => readLog(join(folder, name))),
        name,
      ).toBe('no-input');
  });

  test('reader: an empty log → no event, no line, no fault', () => {
    const history = read(Buffer.alloc(0));
    expect([history.size, history.run, faultsOf(history)]).toEqual([0, null, []]);
    expect(history.parts.counts).toEqual({ bytes: 0, lines: 0, blank: 0, events: 0, lost: 0, repaired: 0 });
  });

  test('reader: a symlink to a log → that log', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'log'), logOf(line('evt_0')));
    symlinkSync('log', join(folder, 'link'));
    expect(idsOf(readFrom(join(folder, 'link')))).toEqual(['evt_0']);
  });
});

describeWithData('reader: public data', (dir) => {
  test('reader: 60 MB of heavy lines → events and tokens as its generator says', () => {
    const path = join(makeFolder(), 'huge.jsonl');
    const said = execFileSync(process.execPath, [join(dir, 'corruption/make_huge.mjs'), path, '60000000'], {
      encoding: 'utf8',
    });
    const expected = JSON.parse(said) as { bytes: number; events: number; expectedTokens: object };
    const history = readFrom(path);
    expect(history.parts.counts).toMatchObject({ bytes: expected.bytes, events: expected.events, lost: 0 });
    const c = new Case(history, bareEvidence(), { profile: 'strict', live: false });
    expect(tokenTotals(c)).toMatchObject(expected.expectedTokens);
  });

  test('reader: the worked example → 33 events, each at its place in the bytes', () => {
    const path = join(dir, 'roster/provenance.sample.jsonl');
    const bytes = readFileSync(path);
    const history = readFrom(path);
    expect(history.size).toBe(33);
    for (let index = 0; index < history.size; index++) {
      const end = bytes.indexOf(0x0a, history.offset(index));
      expect(JSON.parse(bytes.subarray(history.offset(index), end).toString())).toEqual(history.raw(index));
    }
  });
});
