/**
 * RFC 3339 times, exactly: what `Date.parse` takes for a time (30 February, a missing zone, a space for `T`) is refused.
 *
 * Written by hand because every log line has a time: no pattern, no allocation on the way of a valid text. Nothing
 * here knows what day it is; leap seconds come from a closed list, so that a verdict never changes with the calendar.
 */
import { assert } from './errors.js';

/**
 * A moment. `ms` counts from the Unix epoch, with fractions below a millisecond as far as a double holds them (about a
 * quarter of a microsecond today). `utc` is true for `Z` only: an offset, even `+00:00`, says the writer did not
 * write UTC as the protocol asks.
 */
export type ParsedTime =
  | { readonly ok: true; readonly ms: number; readonly utc: boolean }
  | { readonly ok: false; readonly reason: string };

// Character codes: comparing numbers keeps the parser free of one-character strings.
const ZERO = 0x30;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const PLUS = 0x2b;
const POINT = 0x2e;
const UPPER_T = 0x54;
const LOWER_T = 0x74;
const UPPER_Z = 0x5a;
const LOWER_Z = 0x7a;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Months whose last day ended in a leap second at 23:59:60 UTC: all 27 (IERS Bulletin C); none came after 2016. */
const LEAP_SECOND_MONTHS =
  '1972-06 1972-12 1973-12 1974-12 1975-12 1976-12 1977-12 1978-12 1979-12 1981-06 1982-06 1983-06 1985-06 1987-12 ' +
  '1989-12 1990-12 1992-06 1993-06 1994-06 1995-12 1997-06 1998-12 2005-12 2008-12 2012-06 2015-06 2016-12';

/** Days since the Unix epoch that begin right after a leap second. */
const LEAP_SECOND_ENDS: ReadonlySet<number> = new Set(
  LEAP_SECOND_MONTHS.split(' ').map((text) => {
    const year = pair(text, 0) * 100 + pair(text, 2);
    const month = pair(text, 5);
    return dayNumber(year, month, monthDays(year, month)) + 1;
  }),
);

/**
 * Parses `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM)`; `t` and `z` may be small (RFC 3339, section 5.6).
 *
 * The calendar is checked, hour 24 refused, second 60 accepted only where a leap second was. A leap second has the
 * number of the second after it, as in POSIX time.
 */
export function parseTime(text: string): ParsedTime {
  const year = pair(text, 0) * 100 + pair(text, 2);
  const month = pair(text, 5);
  const day = pair(text, 8);
  if (!(year + month + day >= 0 && is(text, 4, HYPHEN) && is(text, 7, HYPHEN)))
    return no('no date YYYY-MM-DD');
  if (!is(text, 10, UPPER_T) && !is(text, 10, LOWER_T)) return no('no T between date and time');
  const hour = pair(text, 11);
  const minute = pair(text, 14);
  const second = pair(text, 17);
  if (!(hour + minute + second >= 0 && is(text, 13, COLON) && is(text, 16, COLON)))
    return no('no time HH:MM:SS');
  if (month < 1 || month > 12) return no(`no month ${month}`);
  if (day < 1 || day > monthDays(year, month)) return no(`no such day: ${text.slice(0, 10)}`);
  if (hour > 23 || minute > 59 || second > 60) return no(`no such time of day: ${text.slice(11, 19)}`);

  let zoneAt = 19;
  if (is(text, 19, POINT)) {
    zoneAt = digitsEnd(text, 20);
    if (zoneAt === 20) return no('no digits after the point');
  }
  const utc = isUtcZone(text, zoneAt);
  const offset = utc ? 0 : offsetMinutes(text, zoneAt);
  if (Number.isNaN(offset)) return no(zoneFault(text, zoneAt));

  const minuteMs = dayNumber(year, month, day) * DAY_MS + (hour * 60 + minute - offset) * MINUTE_MS;
  if (second === 60 && !endsInLeapSecond(minuteMs)) return no('second 60 where no leap second was');
  return { ok: true, ms: minuteMs + second * 1000 + fractionMs(text, 20, zoneAt), utc };
}

/**
 * `YYYY-MM-DDTHH:MM:SS.mmmZ`, rounded down to the millisecond.
 * @throws when `ms` lies outside the years 0000 to 9999 or is not a number
 */
export function formatTime(ms: number): string {
  assert(ms >= -62_167_219_200_000 && ms < 253_402_300_800_000, `no time of four-digit year: ${ms}`);
  return new Date(Math.floor(ms)).toISOString();
}

function no(reason: string): ParsedTime {
  return { ok: false, reason };
}

function is(text: string, at: number, code: number): boolean {
  return text.charCodeAt(at) === code;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** The value of two digits, or NaN, which makes everything computed from it fail its check. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
}

function digitsEnd(text: string, at: number): number {
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Milliseconds of the fraction in `[from, to)`. Digits past the 12th are beyond what a double can show in our time. */
function fractionMs(text: string, from: number, to: number): number {
  let value = 0;
  let divisor = 1;
  for (let at = from; at < Math.min(to, from + 12); at += 1) {
    value = value * 10 + text.charCodeAt(at) - ZERO;
    divisor *= 10;
  }
  return (value * 1000) / divisor;
}

function isUtcZone(text: string, at: number): boolean {
  return text.length === at + 1 && (is(text, at, UPPER_Z) || is(text, at, LOWER_Z));
}

/** Minutes east of UTC, or NaN if `±HH:MM` does not stand from `at` to the end. */
function offsetMinutes(text: string, at: number): number {
  const hours = pair(text, at + 1);
  const minutes = pair(text, at + 4);
  const wellFormed = text.length === at + 6 && is(text, at + 3, COLON) && hours < 24 && minutes < 60;
  if (!wellFormed || !(is(text, at, PLUS) || is(text, at, HYPHEN))) return Number.NaN;
  return (is(text, at, PLUS) ? 1 : -1) * (hours * 60 + minutes);
}

function zoneFault(text: string, at: number): string {
  return text.length === at ? 'no zone' : 'no zone Z or ±HH:MM at the end';
}

function monthDays(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (MONTH_DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Whether the minute that begins at `minuteMs` is the last of a day with a leap second. */
function endsInLeapSecond(minuteMs: number): boolean {
  return LEAP_SECOND_ENDS.has((minuteMs + MINUTE_MS) / DAY_MS);
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar, for years from 0. */
function dayNumber(year: number, month: number, day: number): number {
  // Years counted from March, so that the leap day is the last of its year.
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}
