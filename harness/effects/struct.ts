/**
 * Reading encoding B back: a record is accepted only if writing it again gives the very same bytes.
 *
 * So order, spelling and the set of members are all checked by one comparison, and an unknown member is refused rather
 * than skipped: a reader that skipped it would vouch for something it had not understood.
 */
import { isUtf8 } from 'node:buffer';
import { EncodeError, structText } from '../core/canonical.js';
import type { StructFields } from '../core/canonical.js';
import { parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { DEPTH_MAX } from '../core/event.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import { parseExact, toPlain } from '../core/json.js';

/** What was read, or one phrase that says what is wrong, such as `no digest in "plan"`. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Thrown while a record is taken apart, and turned into a `Read` at once. */
class Mismatch extends Error {}

/** Takes the members of one parsed object, each of the type that its place asks for. */
export class Members {
  private readonly value: JsonObject;

  constructor(value: JsonObject) {
    this.value = value;
  }

  text(name: string): string {
    const value = this.value[name];
    return typeof value === 'string' ? value : mismatch(`no text in "${name}"`);
  }

  integer(name: string): number {
    const value = this.value[name];
    return Number.isSafeInteger(value) ? (value as number) : mismatch(`no whole number in "${name}"`);
  }

  number(name: string): number {
    const value = this.value[name];
    return typeof value === 'number' ? value : mismatch(`no number in "${name}"`);
  }

  flag(name: string): boolean {
    const value = this.value[name];
    return typeof value === 'boolean' ? value : mismatch(`no truth value in "${name}"`);
  }

  digest(name: string): Digest {
    return parseDigest(this.text(name)) ?? mismatch(`no digest in "${name}"`);
  }

  /** A digest, or the empty text where there is none. */
  digestOrNone(name: string): Digest | '' {
    return this.text(name) === '' ? '' : this.digest(name);
  }

  object(name: string): JsonObject {
    return asObject(this.value[name]) ?? mismatch(`no object in "${name}"`);
  }

  texts(name: string): string[] {
    const value = this.value[name];
    if (!Array.isArray(value)) return mismatch(`no list in "${name}"`);
    return value.map((item) => (typeof item === 'string' ? item : mismatch(`no text in "${name}"`)));
  }

  list<T>(name: string, read: (members: Members) => T): T[] {
    const value = this.value[name];
    if (!Array.isArray(value)) return mismatch(`no list in "${name}"`);
    return value.map((item) => read(new Members(asObject(item) ?? mismatch(`no object in "${name}"`))));
  }

  has(name: string): boolean {
    return name in this.value;
  }
}

/** @throws Mismatch always; `readStruct` catches it */
export function mismatch(why: string): never {
  throw new Mismatch(why);
}

/**
 * Reads bytes in encoding B.
 * @param take takes the members; what it returns must, through `write`, give the same bytes again
 */
export function readStruct<T>(
  bytes: Uint8Array,
  take: (members: Members) => T,
  write: (value: T) => StructFields,
): Read<T> {
  // A lenient parse is enough: what it would gloss over does not come out the same when it is written again.
  const text = isUtf8(bytes) ? textOf(bytes) : '';
  try {
    const value = take(new Members(objectIn(text)));
    if (structText(write(value)) === text) return { ok: true, value };
    return { ok: false, why: whyNot(bytes, 'not written as we write it') };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, why: whyNot(bytes, error.message) };
    if (error instanceof EncodeError) return { ok: false, why: whyNot(bytes, error.message) };
    throw error;
  }
}

/** A text that is no strict JSON is refused for that; one that is, for what it says. */
function whyNot(bytes: Uint8Array, why: string): string {
  const parsed = parseExact(bytes);
  return parsed.ok ? why : `no JSON: ${parsed.reason} at byte ${parsed.offset}`;
}

/** @throws Mismatch for a text that is no object */
function objectIn(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text) as JsonValue) ?? mismatch('no JSON object');
  } catch (error) {
    if (error instanceof SyntaxError) return mismatch('no JSON');
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Takes the members of an object in any spelling, such as one in a file of others. */
export function readMembers<T>(value: JsonObject, take: (members: Members) => T): Read<T> {
  try {
    return { ok: true, value: take(new Members(value)) };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, why: error.message };
    throw error;
  }
}

/** Reads bytes that are one JSON object, whatever its members: strictly, as whatever is hashed or judged. */
export function readObject(bytes: Uint8Array): Read<JsonObject> {
  const quick = quickObject(bytes);
  if (quick !== undefined) return { ok: true, value: quick };
  const parsed = parseExact(bytes);
  if (!parsed.ok) return { ok: false, why: `no JSON: ${parsed.reason} at byte ${parsed.offset}` };
  const value = asObject(toPlain(parsed.value));
  return value === undefined ? { ok: false, why: 'no JSON object' } : { ok: true, value };
}

/**
 * What a lenient parser reads and writes back as the very same text had no member twice and no number that was rounded.
 * Escapes could be of half a character, and are left to the strict parser, like all that is not compact.
 */
function quickObject(bytes: Uint8Array): JsonObject | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = textOf(bytes);
  if (text.includes('\\u') || text.includes('__proto__')) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return JSON.stringify(value) === text && isShallow(text) ? asObject(value) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Fewer brackets in all than levels are allowed. */
function isShallow(text: string): boolean {
  let levels = 0;
  for (let at = 0; at < text.length && levels < DEPTH_MAX; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x5b || char === 0x7b) levels += 1;
  }
  return levels < DEPTH_MAX;
}

export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
