/**
 * RFC 3339 times: a table of what is one and what only looks like one, and `Date` as the reference for valid dates.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTime, parseTime } from '../../harness/core/time.js';
import { describeWithData } from '../support/data.js';

/** From the list of IERS Bulletin C, written out a second time on purpose. */
const LEAP_SECOND_DAYS = `
  1972-06-30 1972-12-31 1973-12-31 1974-12-31 1975-12-31 1976-12-31 1977-12-31 1978-12-31 1979-12-31
  1981-06-30 1982-06-30 1983-06-30 1985-06-30 1987-12-31 1989-12-31 1990-12-31 1992-06-30 1993-06-30
  1994-06-30 1995-12-31 1997-06-30 1998-12-31 2005-12-31 2008-12-31 2012-06-30 2015-06-30 2016-12-31`
  .trim()
  .split(/\s+/);

function msOf(text: string): number {
  const time = parseTime(text);
  if (!time.ok) throw new Error(`${text}: ${time.reason}`);
  return time.ms;
}

describe('time: valid', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0, true],
    ['2026-05-28T15:02:14.120Z', 1779980534120, true],
    ['2026-05-28t15:02:14.120z', 1779980534120, true],
    ['2026-05-28T15:02:14Z', 1779980534000, true],
    ['2026-05-28T15:02:14.1Z', 1779980534100, true],
    ['2026-05-28T15:02:14.1200000000000000000000000000Z', 1779980534120, true],
    ['2026-05-28T15:02:14.5005Z', 1779980534500.5, true],
    ['2026-05-28T17:02:14.120+02:00', 1779980534120, false],
    ['2026-05-28T09:32:14.120-05:30', 1779980534120, false],
    ['2026-05-28T15:02:14.120+00:00', 1779980534120, false],
    ['2026-05-28T15:02:14.120-00:00', 1779980534120, false],
    ['2026-05-29T15:01:14.120+23:59', 1779980534120, false],
    ['1969-12-31T23:59:59.250Z', -750, true],
    ['0000-01-01T00:00:00Z', -62167219200000, true],
    ['0000-02-29T12:00:00Z', -62162078400000, true],
    ['0000-01-01T00:00:00+01:00', -62167222800000, false],
    ['9999-12-31T23:59:59.999Z', 253402300799999, true],
    ['2000-02-29T00:00:00Z', 951782400000, true],
    ['2024-02-29T00:00:00Z', 1709164800000, true],
    ['2016-12-31T23:59:60Z', 1483228800000, true],
    ['2016-12-31T23:59:60.5Z', 1483228800500, true],
    ['2017-01-01T00:59:60+01:00', 1483228800000, false],
    ['2016-12-31T18:29:60-05:30', 1483228800000, false],
    ['1990-12-31T15:59:60-08:00', 662688000000, false],
  ])('time: %s → %d', (text, ms, utc) => {
    expect(parseTime(text)).toEqual({ ok: true, ms, utc });
  });

  it('time: every leap second → the number of the second after it', () => {
    expect(LEAP_SECOND_DAYS).toHaveLength(27);
    for (const day of LEAP_SECOND_DAYS)
      expect(msOf(`${day}T23:59:60Z`)).toBe(Date.parse(`${day}T23:59:59Z`) + 1000);
  });
});

describe('time: invalid', () => {
  it.each([
    ['', 'no date'],
    ['2026', 'no date'],
    ['1780066816000', 'no date'],
    ['2026-05-28', 'no T'],
    ['20260528T150015.5Z', 'no date'],
    ['2026-5-28T15:02:14Z', 'no date'],
    ['26-05-28T15:02:14Z', 'no date'],
    ['+02026-05-28T15:02:14Z', 'no date'],
    ['-026-05-28T15:02:14Z', 'no date'],
    ['12026-05-28T15:02:14Z', 'no date'],
    ['2026/05/28T15:02:14Z', 'no date'],
    ['２026-05-28T15:02:14Z', 'no date'],
    ['2026-05-28 15:02:14Z', 'no T'],
    ['2026-05-28_15:02:14Z', 'no T'],
    ['2026-05-28T15:02Z', 'no time'],
    ['2026-05-28T15Z', 'no time'],
    ['2026-05-28T1:02:14Z', 'no time'],
    ['2026-05-28T15.02.14Z', 'no time'],
    ['2026-05-28T15:02:1', 'no time'],
    ['2026-05-28T15:02:14', 'no zone'],
    ['2026-05-28T15:02:14.123', 'no zone'],
    ['2026-05-28T15:02:14 Z', 'no zone'],
    ['2026-05-28T15:02:14Z ', 'no zone'],
    [' 2026-05-28T15:02:14Z', 'no date'],
    ['2026-05-28T15:02:14ZZ', 'no zone'],
    ['2026-05-28T15:02:14Z\n', 'no zone'],
    ['2026-05-28T15:02:14+0200', 'no zone'],
    ['2026-05-28T15:02:14+02', 'no zone'],
    ['2026-05-28T15:02:14+2:00', 'no zone'],
    ['2026-05-28T15:02:14+24:00', 'no zone'],
    ['2026-05-28T15:02:14+02:60', 'no zone'],
    ['2026-05-28T15:02:14\u221202:00', 'no zone'],
    ['2026-05-28T15:02:14+02:00Z', 'no zone'],
    ['2026-05-28T15:02:14 GMT', 'no zone'],
    ['2026-05-28T15:02:14.Z', 'no digits'],
    ['2026-05-28T15:02:14.+02:00', 'no digits'],
    ['2026-05-28T15:02:14,5Z', 'no zone'],
    ['2026-05-28T15:02:14.-5Z', 'no digits'],
    ['2026-00-28T15:02:14Z', 'no month 0'],
    ['2026-13-28T15:02:14Z', 'no month 13'],
    ['2026-02-30T00:00:00Z', 'no such day: 2026-02-30'],
    ['2026-02-29T00:00:00Z', 'no such day'],
    ['1900-02-29T00:00:00Z', 'no such day'],
    ['2100-02-29T00:00:00Z', 'no such day'],
    ['2026-04-31T00:00:00Z', 'no such day'],
    ['2026-01-00T00:00:00Z', 'no such day'],
    ['2026-01-32T00:00:00Z', 'no such day'],
    ['2026-05-28T24:00:00Z', 'no such time of day: 24:00:00'],
    ['2026-05-28T15:60:00Z', 'no such time of day'],
    ['2016-12-31T23:59:61Z', 'no such time of day'],
    ['2026-05-28T15:02:60Z', 'second 60'],
    ['2026-12-31T23:59:60Z', 'second 60'],
    ['2016-06-30T23:59:60Z', 'second 60'],
    ['2016-12-30T23:59:60Z', 'second 60'],
    ['2016-12-31T22:59:60Z', 'second 60'],
    ['2016-12-31T23:58:60Z', 'second 60'],
    ['2016-12-31T23:59:60+01:00', 'second 60'],
    ['2017-01-01T00:59:60Z', 'second 60'],
  ])('time: %j → %s', (text, reason) => {
    expect(parseTime(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});

describe('time: properties', () => {
  const fourDigitYears = {
    min: new Date(-62167219200000),
    max: new Date(253402300799999),
    noInvalidDate: true,
  };

  it('time: any date of four-digit year → parsed as Date does, and formatted back', () => {
    fc.assert(
      fc.property(fc.date(fourDigitYears), (date) => {
        const text = date.toISOString();
        expect(parseTime(text)).toEqual({ ok: true, ms: date.getTime(), utc: true });
        expect(formatTime(date.getTime())).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('time: every day of four centuries → one day after the one before', () => {
    let expected = Date.parse('1800-01-01T00:00:00Z');
    for (; expected < Date.parse('2200-01-01T00:00:00Z'); expected += 86_400_000) {
      const text = new Date(expected).toISOString();
      if (msOf(text) !== expected) throw new Error(text);
    }
    expect(formatTime(expected)).toBe('2200-01-01T00:00:00.000Z');
  });

  it('time: any offset and fraction → parsed as Date does', () => {
    const two = (value: number): string => String(value).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        fc.constantFrom('+', '-'),
        fc.nat(23),
        fc.nat(59),
        fc.stringMatching(/^(\.[0-9]{1,6})?$/),
        (date, sign, hours, minutes, fraction) => {
          const text = `${date.toISOString().slice(0, 19)}${fraction}${sign}${two(hours)}:${two(minutes)}`;
          expect(Math.floor(msOf(text))).toBe(Date.parse(text));
        },
      ),
    );
  });

  it('time: day and month at random → valid exactly when the calendar has them', () => {
    const two = (value: number): string => String(value).padStart(2, '0');
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(99), fc.nat(99), (year, month, day) => {
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T00:00:00Z`;
        expect(parseTime(text).ok).toBe(real && date.getUTCFullYear() === year);
      }),
      { numRuns: 5000 },
    );
  });

  it('time: any text → a result, never an exception', () => {
    const near = fc.string({ unit: fc.constantFrom(...'0 1 2 3 4 5 6 7 8 9 - : T Z t z + . é'.split(' ')) });
    fc.assert(
      fc.property(near, (text) => {
        const time = parseTime(text);
        if (time.ok) expect(time.ms).not.toBeNaN();
        else expect(time.reason).not.toBe('');
      }),
    );
  });
});

describe('time: formatting', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [1779980534120.9, '2026-05-28T15:02:14.120Z'],
    [-0.25, '1969-12-31T23:59:59.999Z'],
    [-62167219200000, '0000-01-01T00:00:00.000Z'],
    [253402300799999.9, '9999-12-31T23:59:59.999Z'],
  ])('time: %d → %s', (ms, text) => {
    expect(formatTime(ms)).toBe(text);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 253402300800000, -62167219200001])(
    'time: %d → refused',
    (ms) => {
      expect(() => formatTime(ms)).toThrow('four-digit year');
    },
  );
});

describeWithData('time: public logs with odd times', (dir) => {
  function outcomes(file: string): string[] {
    const lines = readFileSync(join(dir, 'corruption', file), 'utf8')
      .trimEnd()
      .split('\n');
    return lines.map((line) => {
      const time = parseTime(JSON.parse(line).t);
      return time.ok ? (time.utc ? 'utc' : 'offset') : 'invalid';
    });
  }

  it('time: dialects → one offset, four that are no times', () => {
    expect(outcomes('23-timestamp-dialects.jsonl').slice(6, 12)).toEqual([
      'offset',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
      'utc',
    ]);
  });

  it('time: nanoseconds and 30 February → only the latter invalid', () => {
    expect(
      outcomes('25-nanoseconds-and-feb30.jsonl').map((outcome, index) => `${index + 1} ${outcome}`),
    ).toEqual([...Array.from({ length: 11 }, (_, index) => `${index + 1} utc`), '12 invalid']);
  });
});
