/**
 * RFC 3339 times as plain lines have them: in UTC with `Z`, no leap second, at most milliseconds. Most lines are of the
 * same minute as the line before, so that only their seconds are read.
 */
import { LAST_MINUTE } from './memory';

/** Milliseconds since the epoch of the time read last. */
export let timeMs: f64 = 0;
let minuteMs: f64 = 0;
/** Days of 400 years: counted from so long before, no year is negative. */
const ERA_DAYS = 146097;
const MONTH_DAYS: u32 = 0b1010_1101_0101;

/** No minute is known yet. */
export function openTime(): void {
  v128.store(LAST_MINUTE, i8x16.splat(0));
}

/** Place of the closing quote of a time whose first digit is given, or 0. */
export function readTime(at: usize): usize {
  const minute = v128.load(at);
  if (v128.any_true(v128.xor(minute, v128.load(LAST_MINUTE)))) {
    if (!readMinute(at)) return 0;
    v128.store(LAST_MINUTE, minute);
  }
  if (load<u8>(at + 16) != 0x3a) return 0;
  const second = pair(at + 17);
  if (second > 59) return 0;
  at += 19;
  let fraction: u32 = 0;
  if (load<u8>(at) == 0x2e) {
    const from = ++at;
    for (let unit: u32 = 100; unit > 0; unit /= 10) {
      const digit = <u32>load<u8>(at) - 0x30;
      if (digit > 9) break;
      fraction += digit * unit;
      at++;
    }
    if (at == from) return 0;
  }
  if (load<u16>(at) != 0x225a) return 0;
  timeMs = minuteMs + <f64>(second * 1000 + fraction);
  return at + 1;
}

/** Value of two digits; large where one is none. */
@inline
function pair(at: usize): u32 {
  const tens = <u32>load<u8>(at) - 0x30;
  const ones = <u32>load<u8>(at + 1) - 0x30;
  return tens > 9 || ones > 9 ? 1000 : tens * 10 + ones;
}

/** `YYYY-MM-DDTHH:MM`, its calendar checked. */
function readMinute(at: usize): bool {
  const century = pair(at);
  const ofCentury = pair(at + 2);
  const month = pair(at + 5);
  const day = pair(at + 8);
  const hour = pair(at + 11);
  const minute = pair(at + 14);
  if (load<u8>(at + 4) != 0x2d || load<u8>(at + 7) != 0x2d) return false;
  if ((load<u8>(at + 10) | 0x20) != 0x74 || load<u8>(at + 13) != 0x3a) return false;
  if (century > 99 || ofCentury > 99 || month - 1 > 11 || hour > 23 || minute > 59) return false;
  const year = century * 100 + ofCentury;
  if (day - 1 >= monthDays(year, month)) return false;
  minuteMs = <f64>dayNumber(year, month, day) * 86400000 + <f64>(hour * 60 + minute) * 60000;
  return true;
}

function monthDays(year: u32, month: u32): u32 {
  if (month != 2) return 30 + ((MONTH_DAYS >> (month - 1)) & 1);
  const isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return isLeap ? 29 : 28;
}

/** Days since 1970-01-01; years begin in March, so that the leap day is the last. */
function dayNumber(year: u32, month: u32, day: u32): i32 {
  const marchYear = (month > 2 ? year : year - 1) + 400;
  const dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  const leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400;
  return <i32>(marchYear * 365 + leapDays + dayOfYear) - 719468 - ERA_DAYS;
}
