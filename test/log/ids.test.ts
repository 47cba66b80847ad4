/** Event ids of our writers: unique and increasing, whatever the clock does. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatOwnId, IdSource, laneName, LANES_MAX, parseOwnId } from '../../harness/core/ids.js';

const MS_MAX = 32 ** 9 - 1;
const partsOfId = fc.record({
  ms: fc.integer({ min: 0, max: MS_MAX }),
  lane: fc.integer({ min: 0, max: LANES_MAX - 1 }),
  seq: fc.integer({ min: 0, max: 1023 }),
});

describe('ids', () => {
  test('ids: the parts of the protocol → its example', () => {
    const id = parseOwnId('evt_1ksqhq0b80a04');
    expect(id).toMatchObject({ lane: 10, seq: 4 });
    expect(formatOwnId(id!)).toBe('evt_1ksqhq0b80a04');
  });

  test('ids: any parts → written and read back', () => {
    fc.assert(
      fc.property(partsOfId, (id) => {
        const text = formatOwnId(id);
        expect(text).toMatch(/^evt_[0-9a-z]{13}$/);
        expect(parseOwnId(text)).toEqual(id);
      }),
    );
  });

  test('ids: two ids of a lane → ordered as text like their times', () => {
    fc.assert(
      fc.property(partsOfId, partsOfId, (a, b) => {
        const [first, second] = [a, { ...b, lane: a.lane }].map(formatOwnId) as [string, string];
        const later = a.ms !== b.ms ? a.ms - b.ms : a.seq - b.seq;
        expect(Math.sign(later)).toBe(first < second ? -1 : first > second ? 1 : 0);
      }),
    );
  });

  test('ids: any clock, also one that steps back → strictly increasing, none twice', () => {
    // Readings in a narrow range, so that the clock stands still and steps back most of the time.
    const readings = fc.array(fc.integer({ min: 1_000_000, max: 1_000_003 }), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(readings, fc.option(partsOfId), (clock, before) => {
        const after = before === null ? undefined : { ms: before.ms % 2_000_000, lane: 7, seq: before.seq };
        const source = new IdSource(7, after);
        let last = after === undefined ? '' : formatOwnId(after);
        for (const nowMs of clock) {
          const id = source.next(nowMs);
          expect(id > last).toBe(true);
          expect(source.last).toBe(id);
          last = id;
        }
      }),
    );
  });

  test('ids: more than 1,024 in a millisecond → the next millisecond is borrowed', () => {
    const source = new IdSource(0);
    const ids = Array.from({ length: 3000 }, () => source.next(5));
    expect(new Set(ids).size).toBe(3000);
    expect([...ids].sort()).toEqual(ids);
    expect(parseOwnId(ids[1023]!)).toEqual({ ms: 5, lane: 0, seq: 1023 });
    expect(parseOwnId(ids[1024]!)).toEqual({ ms: 6, lane: 0, seq: 0 });
    expect(parseOwnId(ids[2999]!)).toEqual({ ms: 7, lane: 0, seq: 951 });
    expect(parseOwnId(source.next(6))).toEqual({ ms: 7, lane: 0, seq: 952 });
  });

  test('ids: two lanes at the same time → never the same id', () => {
    const [one, two] = [new IdSource(1), new IdSource(2)];
    const ids = Array.from({ length: 2000 }, (_, n) => (n % 2 === 0 ? one : two).next(9));
    expect(new Set(ids).size).toBe(2000);
  });

  test('ids: nothing given yet → no last id', () => {
    expect(new IdSource(3).last).toBeUndefined();
    expect(new IdSource(3, { ms: 1, lane: 3, seq: 2 }).last).toBe(formatOwnId({ ms: 1, lane: 3, seq: 2 }));
  });

  test('ids: the last id there is → a clear error, not a repetition', () => {
    const source = new IdSource(0, { ms: MS_MAX, lane: 0, seq: 1023 });
    expect(() => source.next(1)).toThrow(/lane 00 .* last possible event id/);
  });

  test.each(['evt_1ksqhq0b80a0', 'evt_1ksqhq0b80a044', 'evt_1KSQHQ0B80A04', 'evt_1ksqhq0b80a0u', 'evt_', ''])(
    'ids: foreign id %j → not one of ours',
    (text) => {
      expect(parseOwnId(text)).toBeUndefined();
    },
  );

  test('ids: lane names → two characters, ordered', () => {
    expect([laneName(0), laneName(31), laneName(32), laneName(1023)]).toEqual(['00', '0z', '10', 'zz']);
    expect(() => laneName(1024)).toThrow('counterproof bug');
  });

  test.each([Number.NaN, -1, 1.5])('ids: a clock that shows %d → our own fault', (nowMs) => {
    expect(() => new IdSource(0).next(nowMs === -1 ? -5 : nowMs)).toThrow('counterproof bug');
  });
});
