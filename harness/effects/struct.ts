/**
 * Reading encoding B back: a record is accepted only if writing it again gives the very same bytes.
 *
 * So order, spelling and the set of members are all checked by one comparison, and an unknown member is refused rather
 * than skipped: a reader that skipped it would vouch for something it had not understood.
 */
import { EncodeError, structBytes, structText } from '../core/canonical.js';
import type { StructFields } from '../core/canonical.js';
import { parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
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
  const plain = readPlain(bytes, take, write);
  if (plain !== undefined) return { ok: true, value: plain };
  const parsed = readObject(bytes);
  if (!parsed.ok) return parsed;
  try {
    const value = take(new Members(parsed.value));
    const again = structBytes(write(value));
    if (Buffer.compare(again, bytes) !== 0) return { ok: false, why: 'not written as we write it' };
    return { ok: true, value };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, why: error.message };
    throw error;
  }
}

/** Printable ASCII, and no escape: what is left of strictness is then told by writing the record again. */
const PLAIN = /^[ -[\]-~]*$/;
/** Records are far shorter; what is longer is left to the strict reader. */
const PLAIN_MAX = 4096;

/**
 * Reads the records that nearly all are, with the parser of the platform. `undefined` says nothing about the bytes.
 * Members that stand twice, numbers that were rounded and white space are all lost in writing again, so they show.
 */
function readPlain<T>(
  bytes: Uint8Array,
  take: (members: Members) => T,
  write: (value: T) => StructFields,
): T | undefined {
  if (bytes.length > PLAIN_MAX) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!PLAIN.test(text)) return undefined;
  try {
    const value = asObject(JSON.parse(text) as JsonValue);
    if (value === undefined) return undefined;
    const read = take(new Members(value));
    return structText(write(read)) === text ? read : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Mismatch || error instanceof EncodeError)
      return undefined;
    throw error;
  }
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

/** Reads bytes that are one JSON object, whatever its members. */
export function readObject(bytes: Uint8Array): Read<JsonObject> {
  const parsed = parseExact(bytes);
  if (!parsed.ok) return { ok: false, why: `no JSON: ${parsed.reason} at byte ${parsed.offset}` };
  const value = asObject(toPlain(parsed.value));
  return value === undefined ? { ok: false, why: 'no JSON object' } : { ok: true, value };
}

export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
