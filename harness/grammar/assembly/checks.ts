/**
 * The checks of typed members, one for each of `MEMBER_CHECKS` in members.ts: like `fits` there, but they read the
 * value as they check it. Each returns the place behind the value, or 0 where the line is not plain.
 */
import {
  CHECK_ANY,
  CHECK_BOOLEAN,
  CHECK_COUNT,
  CHECK_DIGEST,
  CHECK_ORDINAL,
  CHECK_PAIRS,
  CHECK_STRING,
  CHECK_TEXT,
  CHECK_TEXTS,
  CHECK_TIER,
  COUNT_MAX,
  DIGITS_MAX,
} from './contract';
import { QUOTE, escapes, isDigit, skipSpace, skipValue, stringEnd } from './json';
import { keepSpan, markEscaped } from './spans';

/** `"sha256:` without its last letter. */
const DIGEST_START: u64 = 0x36353261687322;
/** Quotes, `sha256:` and 64 hexadecimal digits. */
const DIGEST_BYTES: usize = 73;

/** Value of the number or word read last: a tier from 1, a boolean as 1 and 2, a count. */
export let lastValue: u64 = 0;

/** Checks a value of a member that has a type and is no text. `depth` is that of the object around it. */
export function checkValue(check: u32, at: usize, depth: u32): usize {
  if (check == CHECK_TIER) return readTier(at);
  if (check == CHECK_BOOLEAN) return readBoolean(at);
  if (check == CHECK_COUNT) return readCount(at);
  if (check == CHECK_ORDINAL) return load<u8>(at) == 0x30 ? 0 : readCount(at);
  if (check == CHECK_DIGEST) return readDigest(at);
  if (check == CHECK_TEXTS) return readTexts(at, depth + 1, false);
  if (check == CHECK_PAIRS) return readTexts(at, depth + 1, true);
  if (check == CHECK_ANY) return skipValue(at, depth);
  return 0;
}

@inline
export function isTextCheck(check: u32): bool {
  return check == CHECK_TEXT || check == CHECK_STRING;
}

/** Reads a string and keeps its span, by a number or by 0 for none. */
@inline
export function readText(at: usize, check: u32, keep: u32): usize {
  if (load<u8>(at) != QUOTE) return 0;
  const from = at + 1;
  const before = escapes;
  const end = stringEnd(from);
  if (end == 0 || (check == CHECK_TEXT && end == from)) return 0;
  if (keep != 0) {
    keepSpan(keep, from, end);
    if (escapes != before) markEscaped(keep);
  }
  return end + 1;
}

/** `"T0"` to `"T4"`. */
function readTier(at: usize): usize {
  const rank = <u32>load<u8>(at + 2) - 0x30;
  if (load<u16>(at) != 0x5422 || rank > 4 || load<u8>(at + 3) != QUOTE) return 0;
  lastValue = rank + 1;
  return at + 4;
}

function readBoolean(at: usize): usize {
  lastValue = load<u8>(at) == 0x74 ? 2 : 1;
  if (lastValue == 2) return load<u32>(at) == 0x65757274 ? at + 4 : 0;
  return load<u8>(at) == 0x66 && load<u32>(at + 1) == 0x65736c61 ? at + 5 : 0;
}

/** Plain digits; what follows them is looked at by whoever asks. */
@inline
export function readCount(at: usize): usize {
  const from = at;
  let value: u64 = 0;
  let digit = <u32>load<u8>(at);
  while (isDigit(digit) && at - from <= DIGITS_MAX) {
    value = value * 10 + (digit - 0x30);
    digit = <u32>load<u8>(++at);
  }
  if (at == from || at - from > DIGITS_MAX || (at - from > 1 && load<u8>(from) == 0x30)) return 0;
  lastValue = value;
  return at;
}

@inline
export function isLarge(count: u64): bool {
  return count > <u64>COUNT_MAX;
}

function readDigest(at: usize): usize {
  if ((load<u64>(at) & 0x00ff_ffff_ffff_ffff) != DIGEST_START || load<u8>(at + 7) != 0x3a) return 0;
  for (let digits = at + 8; digits < at + 72; digits += 16) {
    const bytes = v128.load(digits);
    const isNumber = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
    const isLetter = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x61)), i8x16.splat(6));
    if (!i8x16.all_true(v128.or(isNumber, isLetter))) return 0;
  }
  return load<u8>(at + 72) == QUOTE ? at + DIGEST_BYTES : 0;
}

/** A list of strings, none of them empty; all of two letters of ASCII where `arePairs`. */
function readTexts(at: usize, depth: u32, arePairs: bool): usize {
  if (load<u8>(at) != 0x5b) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x5d) return at + 1;
  for (;;) {
    if (load<u8>(at) != QUOTE || load<u8>(at + 1) == QUOTE) return 0;
    if (arePairs && !isPair(at + 1)) return 0;
    at = skipValue(at, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte == 0x5d) return at + 1;
    if (byte != 0x2c) return 0;
    at = skipSpace(at + 1);
  }
  return 0;
}

function isPair(at: usize): bool {
  const one = <u32>load<u8>(at);
  const other = <u32>load<u8>(at + 1);
  const isPlain = one < 0x80 && other < 0x80 && one != 0x5c && other != 0x5c && other != QUOTE;
  return isPlain && load<u8>(at + 2) == QUOTE;
}
