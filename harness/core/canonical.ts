/**
 * The two encodings whose bytes are hashed. Both are compact UTF-8 and write a value in exactly one way.
 *
 * A *canonical*: members sorted, for what people and agents hand in. B *struct*: fields in a fixed order, for our own
 * records, with the HTML escapes of Go's encoding/json, since the public store we share records with is written in Go.
 *
 * A is not RFC 8785 (JCS): that sorts by UTF-16 units and rounds numbers to doubles; here the order is that of the
 * UTF-8 bytes and every digit counts. Nothing here hashes; see digest.ts.
 */
import { isDecimal, plainDecimal } from './decimal.js';
import type { Decimal } from './decimal.js';
import { DEPTH_MAX } from './event.js';
import { compareUtf8, hasLoneSurrogate } from './utf8.js';

/** What can be encoded: plain JSON values, exact ones, and mixtures of both. */
export type Encodable =
  | null
  | boolean
  | number
  | string
  | Decimal
  | readonly Encodable[]
  | ReadonlyMap<string, Encodable>
  | { readonly [key: string]: Encodable };

/** Fields of encoding B, in the order in which they are written. */
export type StructFields = readonly (readonly [name: string, value: StructValue])[];
export type StructValue = Encodable | Struct | readonly StructValue[];

const structBrand = Symbol('struct');

/** A value inside encoding B whose fields keep their order; every other object there is a map and gets sorted. */
export interface Struct {
  readonly [structBrand]: true;
  readonly fields: StructFields;
}

export function struct(fields: StructFields): Struct {
  return { [structBrand]: true, fields };
}

function isStruct(value: object): value is Struct {
  return structBrand in value;
}

const UTF8 = new TextEncoder();

export type EncodeFault =
  | 'lone-surrogate'
  | 'not-finite'
  | 'not-integer'
  | 'number-too-wide'
  | 'not-json'
  | 'cyclic'
  | 'too-deep'
  | 'duplicate-field';

/** A value that has no bytes. `pointer` is the JSON pointer (RFC 6901) of the culprit inside the value. */
export class EncodeError extends Error {
  readonly reason: EncodeFault;
  readonly pointer: string;

  constructor(reason: EncodeFault, pointer: string, detail: string) {
    super(`cannot be encoded: ${detail} at ${pointer === '' ? 'the root' : pointer}`);
    this.name = 'EncodeError';
    this.reason = reason;
    this.pointer = pointer;
  }
}

/**
 * Encoding A. Members sorted by the UTF-8 bytes of their keys; in strings only `"` `\` and what is below U+0020 is
 * escaped (`\b \t \n \f \r`, else `\u00xx` in lower case); numbers as plain decimals without exponent or needless
 * zeros, `-0` as `0`. A double is written with the digits of its shortest round-trip form, a `Decimal` with all its own.
 *
 * @throws EncodeError for lone surrogates, NaN and infinities, `undefined` and everything else that is not JSON,
 *   cycles, more than `DEPTH_MAX` levels, and exponents that would take more than `ZEROS_MAX` zeros to write out
 */
export function canonicalBytes(value: Encodable): Uint8Array {
  return UTF8.encode(quickText(value, quoteCanonical, 0) ?? new Encoder(quoteCanonical).write(value));
}

/**
 * Encoding B. Fields as given, maps inside them sorted as in A, numbers as in A, strings as in A and besides
 * `<` `>` `&` U+2028 U+2029 as `\u003c` `\u003e` `\u0026` `\u2028` `\u2029`. Go writes U+0008 and U+000C as `\b` and
 * `\f` since 1.22, and so do we. Go differs for doubles from 1e21 up or below 1e-6, which no field of ours holds.
 *
 * @throws EncodeError as `canonicalBytes`, and for a field that stands twice
 */
export function structBytes(fields: StructFields): Uint8Array {
  return UTF8.encode(structText(fields));
}

/** The same as a text. */
export function structText(fields: StructFields): string {
  return quickFields(fields, 0) ?? new Encoder(quoteStruct).write(struct(fields));
}

/** UTF-8 of a text. @throws EncodeError for a lone surrogate, which an encoder would silently replace */
export function utf8(text: string): Uint8Array {
  if (hasLoneSurrogate(text)) throw new EncodeError('lone-surrogate', '', 'a lone surrogate');
  return UTF8.encode(text);
}

/** `JSON.stringify` of a well-formed string makes exactly the escapes of encoding A (ECMA-262, QuoteJSONString). */
function quoteCanonical(text: string): string {
  return JSON.stringify(text);
}

function quoteStruct(text: string): string {
  // Names and digests, which most texts are, have nothing to escape.
  if (NOTHING_TO_ESCAPE.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const NOTHING_TO_ESCAPE = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/;

const QUICK_DEPTH_MAX = 64;

/**
 * Most of what is encoded is small and plain, and this writes it several times as fast as the encoder below. It gives up
 * (`undefined`) on whatever is not, faults included, so that these are found and named in one place.
 */
function quickText(value: unknown, quote: (text: string) => string, depth: number): string | undefined {
  if (typeof value === 'string') return quickString(value, quote);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || depth === QUICK_DEPTH_MAX) return undefined;
  if (Array.isArray(value)) return quickList(value, quote, depth);
  if (Object.getPrototypeOf(value) !== Object.prototype || isStruct(value) || isDecimal(value))
    return undefined;
  const keys = Object.keys(value).sort();
  let written = '';
  for (const key of keys) {
    // Up to U+D7FF the order of UTF-16 units is that of UTF-8 bytes.
    const name = BASIC.test(key) ? quickString(key, quote) : undefined;
    const member = quickText((value as { readonly [key: string]: unknown })[key], quote, depth + 1);
    if (name === undefined || member === undefined) return undefined;
    written += `${written === '' ? '' : ','}${name}:${member}`;
  }
  return `{${written}}`;
}

const BASIC = /^[\0-\ud7ff]*$/;

function quickList(
  items: readonly unknown[],
  quote: (text: string) => string,
  depth: number,
): string | undefined {
  let written = '';
  for (let at = 0; at < items.length; at += 1) {
    const item = quickText(items[at], quote, depth + 1);
    if (item === undefined) return undefined;
    written += at === 0 ? item : `,${item}`;
  }
  return `[${written}]`;
}

/** A lone surrogate would be escaped, which nothing else is that begins with `\ud`. */
function quickString(text: string, quote: (text: string) => string): string | undefined {
  const quoted = quote(text);
  return quoted.includes('\\ud') ? undefined : quoted;
}

function quickFields(fields: StructFields, depth: number): string | undefined {
  let written = '';
  for (let at = 0; at < fields.length; at += 1) {
    const [name, value] = fields[at]!;
    for (let before = 0; before < at; before += 1) if (fields[before]![0] === name) return undefined;
    const member = quickStruct(value, depth + 1);
    if (member === undefined) return undefined;
    written += `${at === 0 ? '' : ','}${quoteStruct(name)}:${member}`;
  }
  return `{${written}}`;
}

function quickStruct(value: StructValue, depth: number): string | undefined {
  if (typeof value === 'object' && value !== null && depth < QUICK_DEPTH_MAX) {
    if (isStruct(value)) return quickFields(value.fields, depth);
    if (Array.isArray(value)) return quickStructList(value as readonly StructValue[], depth);
  }
  return quickText(value, quoteStruct, depth);
}

function quickStructList(items: readonly StructValue[], depth: number): string | undefined {
  const written = items.map((item) => quickStruct(item, depth + 1));
  return written.includes(undefined) ? undefined : `[${written.join(',')}]`;
}

type Member = readonly [key: string, value: unknown];

/** Writes one value. Takes `unknown`, because what reaches it at run time has often only been cast to a JSON type. */
class Encoder {
  private readonly quote: (text: string) => string;
  private readonly path: (string | number)[] = [];
  private readonly open = new Set<object>();

  constructor(quote: (text: string) => string) {
    this.quote = quote;
  }

  write(value: unknown): string {
    if (value === null || typeof value === 'boolean') return String(value);
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.double(value);
    if (isDecimal(value)) return this.decimal(value.text);
    if (typeof value !== 'object') return this.fail('not-json', `a value of type ${typeof value}`);
    return this.container(value);
  }

  private container(value: object): string {
    if (this.open.has(value)) return this.fail('cyclic', 'a value that contains itself');
    if (this.open.size === DEPTH_MAX) return this.fail('too-deep', `more than ${DEPTH_MAX} levels`);
    this.open.add(value);
    const written = Array.isArray(value) ? this.list(value) : this.object(value);
    this.open.delete(value);
    return written;
  }

  private list(items: readonly unknown[]): string {
    // Array.from visits the holes of a sparse array, map would skip them.
    return `[${Array.from(items, (item, index) => this.below(index, item)).join(',')}]`;
  }

  private object(value: object): string {
    return `{${this.members(value)
      .map(([key, member]) => `${this.text(key)}:${this.below(key, member)}`)
      .join(',')}}`;
  }

  private members(value: object): readonly Member[] {
    if (isStruct(value)) return this.fields(value);
    if (value instanceof Map) return this.sorted([...(value as ReadonlyMap<string, unknown>)]);
    if (isPlain(value)) return this.sorted(Object.entries(value));
    return this.fail('not-json', `an object of class ${value.constructor.name}`);
  }

  private fields(value: Struct): readonly Member[] {
    const twice = value.fields.find(([name], at) => value.fields.findIndex(([other]) => other === name) < at);
    if (twice !== undefined) this.fail('duplicate-field', `field ${JSON.stringify(twice[0])} twice`);
    return value.fields;
  }

  private sorted(members: Member[]): readonly Member[] {
    return members.sort(([a], [b]) => compareUtf8(a, b));
  }

  private below(step: string | number, value: unknown): string {
    this.path.push(step);
    const written = this.write(value);
    this.path.pop();
    return written;
  }

  private text(text: string): string {
    // Most texts are keys, digests and names.
    if (NOTHING_TO_ESCAPE.test(text)) return `"${text}"`;
    return hasLoneSurrogate(text) ? this.fail('lone-surrogate', 'a lone surrogate') : this.quote(text);
  }

  private double(value: number): string {
    return Number.isFinite(value) ? this.decimal(String(value)) : this.fail('not-finite', String(value));
  }

  private decimal(text: string): string {
    return plainDecimal(text) ?? this.fail('number-too-wide', `${text.slice(0, 40)} as a plain decimal`);
  }

  private fail(reason: EncodeFault, detail: string): never {
    const steps = this.path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`);
    throw new EncodeError(reason, steps.join(''), detail);
  }
}

/** True for object literals, `JSON.parse` results and null-prototype objects, of whatever realm; false for classes. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
