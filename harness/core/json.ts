/**
 * A strict JSON parser for values that are hashed or judged: numbers keep their decimal text, members their order.
 *
 * `JSON.parse` rounds big numbers, lets the last of two equal keys win and accepts half a surrogate pair; each of
 * these would let two different texts pass for the same evidence. Grammar: RFC 8259, refusing what it merely advises
 * against. It is not the log reader: that one scans bytes and is built for speed.
 */
import { isUtf8 } from 'node:buffer';
import { isDecimal } from './decimal.js';
import type { Decimal } from './decimal.js';
import type { JsonObject, JsonValue } from './event.js';
import { FAILED, JsonParser } from './json-parser.js';
import { invalidUtf8Offset } from './utf8.js';

/** A JSON value without loss. Objects are maps, so that no key can reach a prototype. */
export type ExactJson = null | boolean | string | Decimal | ExactJson[] | ExactObject;
export type ExactObject = Map<string, ExactJson>;

export type ExactFault = 'duplicate-key' | 'lone-surrogate' | 'invalid-json' | 'too-deep' | 'invalid-utf8';

/** Where a text stops being acceptable. `offset` counts UTF-8 bytes from 0, also when a string was given. */
export interface ExactFailure {
  readonly ok: false;
  readonly reason: ExactFault;
  readonly offset: number;
  readonly detail: string;
}

export type ExactResult = { readonly ok: true; readonly value: ExactJson } | ExactFailure;

/**
 * Parses one JSON text, white space around it allowed.
 *
 * Refuses, naming the first fault in the text: duplicate keys (compared after unescaping), lone surrogates (escaped
 * or raw), invalid UTF-8, a byte order mark, anything after the value, more than `DEPTH_MAX` levels of nesting.
 */
export function parseExact(text: string | Uint8Array): ExactResult {
  if (typeof text === 'string') return parseText(text);
  if (!isUtf8(text)) {
    return { ok: false, reason: 'invalid-utf8', offset: invalidUtf8Offset(text), detail: 'not UTF-8' };
  }
  return parseText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text));
}

/** The same value as plain JavaScript: what `JSON.parse` returns, rounding included; `__proto__` becomes own data. */
export function toPlain(value: ExactJson): JsonValue {
  if (isDecimal(value)) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!(value instanceof Map)) return value;
  const plain: JsonObject = {};
  for (const [key, member] of value) {
    // Assigning to `__proto__` would set the prototype, a definition does not.
    if (key === '__proto__') {
      Object.defineProperty(plain, key, {
        value: toPlain(member),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else {
      plain[key] = toPlain(member);
    }
  }
  return plain;
}

function parseText(text: string): ExactResult {
  const parser = new JsonParser(text);
  const value = parser.document();
  if (value !== FAILED) return { ok: true, value };
  const { reason, at, detail } = parser.fault;
  return { ok: false, reason, offset: Buffer.byteLength(text.slice(0, at)), detail };
}
