/**
 * JSON, checked in full: white space, strings in UTF-8 with their escapes, numbers, and values of any depth allowed.
 *
 * A function takes the place of the first byte and returns the place behind the last one, or 0 where the line is not
 * plain. No ends are checked: a line feed stands behind every line, and nothing but a value's end goes past it.
 */
import { DEPTH_MAX, DIGITS_MAX } from './contract';
import { dropNames, openNames, rememberName } from './members';

export const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** Counts escapes: a string has some where the count is another one behind it. */
export let escapes: u32 = 0;

/** White space but for the line feed, which ends the line. */
@inline
export function skipSpace(at: usize): usize {
  let byte = <u32>load<u8>(at);
  while (byte == 0x20 || byte == 0x09 || byte == 0x0d) byte = <u32>load<u8>(++at);
  return at;
}

/** Place behind the colon and its white space, given the place behind a name; 0 without colon. */
@inline
export function skipColon(at: usize): usize {
  if (load<u8>(at) != 0x3a) {
    at = skipSpace(at);
    if (load<u8>(at) != 0x3a) return 0;
  }
  return skipSpace(at + 1);
}

/** Bits of the bytes where plain text ends: quote, backslash, control characters, and all beyond ASCII. */
@inline
function stops(at: usize): i32 {
  const bytes = v128.load(at);
  const odd = i8x16.lt_s(bytes, i8x16.splat(0x20));
  const ends = v128.or(i8x16.eq(bytes, i8x16.splat(0x22)), i8x16.eq(bytes, i8x16.splat(0x5c)));
  return i8x16.bitmask(v128.or(odd, ends));
}

/** Place of the closing quote of a string whose first letter, behind the opening quote, is given. */
@inline
export function stringEnd(at: usize): usize {
  let found = stops(at);
  while (found == 0) {
    at += 16;
    found = stops(at);
  }
  at += ctz<i32>(found);
  return load<u8>(at) == QUOTE ? at : oddStringEnd(at);
}

/** The same from a byte on that is not plain text. */
function oddStringEnd(at: usize): usize {
  for (;;) {
    const byte = <u32>load<u8>(at);
    if (byte == QUOTE) return at;
    if (byte == BACKSLASH) at = skipEscape(at);
    else if (byte >= 0x80) at = skipCharacter(at, byte);
    else return 0;
    if (at == 0) return 0;
    let found = stops(at);
    while (found == 0) {
      at += 16;
      found = stops(at);
    }
    at += ctz<i32>(found);
  }
  return 0;
}

@inline
function isBetween(at: usize, least: u32, most: u32): bool {
  return <u32>load<u8>(at) - least <= most - least;
}

/** A character of two to four bytes: Table 3-7 of the Unicode Standard. */
function skipCharacter(at: usize, first: u32): usize {
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return isBetween(at + 1, 0x80, 0xbf) ? at + 2 : 0;
  if (first < 0xf0) {
    const least: u32 = first == 0xe0 ? 0xa0 : 0x80;
    const most: u32 = first == 0xed ? 0x9f : 0xbf;
    return isBetween(at + 1, least, most) && isBetween(at + 2, 0x80, 0xbf) ? at + 3 : 0;
  }
  const least: u32 = first == 0xf0 ? 0x90 : 0x80;
  const most: u32 = first == 0xf4 ? 0x8f : 0xbf;
  if (!isBetween(at + 1, least, most)) return 0;
  return isBetween(at + 2, 0x80, 0xbf) && isBetween(at + 3, 0x80, 0xbf) ? at + 4 : 0;
}

/** An escape; surrogates go in pairs only. */
function skipEscape(at: usize): usize {
  escapes++;
  const byte = <u32>load<u8>(at + 1);
  if (byte != 0x75) {
    const isSimple =
      byte == QUOTE || byte == BACKSLASH || byte == 0x2f || byte == 0x62 || byte == 0x66 ||
      byte == 0x6e || byte == 0x72 || byte == 0x74;
    return isSimple ? at + 2 : 0;
  }
  const unit = codeUnit(at + 2);
  if (unit < 0) return 0;
  if ((unit & 0xf800) != 0xd800) return at + 6;
  if (unit >= 0xdc00 || load<u16>(at + 6) != 0x755c) return 0;
  return (codeUnit(at + 8) & ~0x3ff) == 0xdc00 ? at + 12 : 0;
}

/** Value of four hexadecimal digits; below 0 where one is none. */
function codeUnit(at: usize): i32 {
  let unit = 0;
  for (let end = at + 4; at < end; at++) {
    const byte = <u32>load<u8>(at);
    const letter = (byte | 0x20) - 0x61;
    if (byte - 0x30 <= 9) unit = (unit << 4) | (byte - 0x30);
    else if (letter <= 5) unit = (unit << 4) | (letter + 10);
    else return -1;
  }
  return unit;
}

@inline
export function isDigit(byte: u32): bool {
  return byte - 0x30 <= 9;
}

function skipDigits(at: usize): usize {
  if (!isDigit(load<u8>(at))) return 0;
  do at++;
  while (isDigit(load<u8>(at)));
  return at;
}

function skipNumber(at: usize): usize {
  if (load<u8>(at) == 0x2d) at++;
  const from = at;
  at = skipDigits(at);
  if (at == 0 || at - from > DIGITS_MAX || (load<u8>(from) == 0x30 && at > from + 1)) return 0;
  let byte = <u32>load<u8>(at);
  if (byte == 0x2e) {
    at = skipDigits(at + 1);
    if (at == 0) return 0;
    byte = <u32>load<u8>(at);
  }
  if ((byte | 0x20) != 0x65) return at;
  byte = <u32>load<u8>(at + 1);
  return skipDigits(byte == 0x2b || byte == 0x2d ? at + 2 : at + 1);
}

/** Any value inside a container of a depth; the line itself has depth 1. */
export function skipValue(at: usize, depth: u32): usize {
  const byte = <u32>load<u8>(at);
  if (byte == QUOTE) {
    const end = stringEnd(at + 1);
    return end == 0 ? 0 : end + 1;
  }
  if (byte == 0x7b) return skipObject(at, depth + 1);
  if (byte == 0x5b) return skipArray(at, depth + 1);
  if (byte == 0x74) return load<u32>(at) == 0x65757274 ? at + 4 : 0;
  if (byte == 0x66) return load<u32>(at + 1) == 0x65736c61 ? at + 5 : 0;
  if (byte == 0x6e) return load<u32>(at) == 0x6c6c756e ? at + 4 : 0;
  return skipNumber(at);
}

function skipArray(at: usize, depth: u32): usize {
  if (depth > DEPTH_MAX) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x5d) return at + 1;
  for (;;) {
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

function skipObject(at: usize, depth: u32): usize {
  if (depth > DEPTH_MAX) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  const names = openNames();
  for (;;) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    at = nameEnd(name);
    if (at == 0 || !rememberName(names, name, at - name)) return 0;
    at = skipColon(at + 1);
    if (at == 0) return 0;
    at = skipValue(at, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte == 0x7d) break;
    if (byte != 0x2c) return 0;
    at = skipSpace(at + 1);
  }
  dropNames(names);
  return at + 1;
}

/** Place of the closing quote of a name, which has no escapes. */
@inline
export function nameEnd(at: usize): usize {
  const before = escapes;
  const end = stringEnd(at);
  return escapes == before ? end : 0;
}
