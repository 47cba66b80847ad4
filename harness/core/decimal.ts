/**
 * JSON numbers as decimal text, so that no digit is lost on the way from a log line to a digest.
 *
 * There is no arithmetic here: a number is kept, compared by its canonical bytes, or turned into a double.
 */
import { assert } from './errors.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Most zeros an exponent may stand for: `1e400` can be written out, `1e999999999` would fill the memory. */
export const ZEROS_MAX = 1000;

const decimalBrand = Symbol('decimal');

/** A JSON number as it was written. Two decimals of equal value may differ in text; their canonical bytes do not. */
export interface Decimal {
  readonly [decimalBrand]: true;
  readonly text: string;
}

/** @throws when `text` is not a number by the grammar of RFC 8259, section 6 */
export function decimal(text: string): Decimal {
  assert(numberAt(text, 0) === text, `not a JSON number: ${text}`);
  return { [decimalBrand]: true, text };
}

export function isDecimal(value: unknown): value is Decimal {
  return typeof value === 'object' && value !== null && decimalBrand in value;
}

/** The longest JSON number that starts at `at`, if one does. */
export function numberAt(text: string, at: number): string | undefined {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0];
}

/**
 * A JSON or JavaScript number without exponent, needless zeros and minus zero: `1E+2` is `100`, `0.1000` is `0.1`.
 * `undefined` if that takes more than `ZEROS_MAX` added zeros.
 */
export function plainDecimal(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = whole + fraction;
  let first = 0;
  let last = digits.length;
  // Loops, since a pattern like /0+$/ takes quadratic time on a number with a long run of inner zeros.
  while (digits[first] === '0') first += 1;
  while (last > first && digits[last - 1] === '0') last -= 1;
  if (first === last) return '0';
  const significant = digits.slice(first, last);
  const point = whole.length - first + Number(exponent);
  if (Math.max(-point, point - significant.length) > ZEROS_MAX) return undefined;
  return sign + placePoint(significant, point);
}

function placePoint(digits: string, point: number): string {
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits + '0'.repeat(point - digits.length);
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
