/**
 * Recognises records in encoding B by one pattern of their whole text: what a run holds by the hundred thousand.
 *
 * What a pattern accepts is what the strict reader (struct.ts) accepts, and what it gives is the same; most records hold
 * nothing but plain text. Of all others it says nothing, and the strict reader decides.
 */
import type { Digest } from '../core/digest.js';

/** What stands at a member: text, a digest, a digest or nothing, a whole number, a truth value, or always the same. */
export type Slot = 'text' | 'digest' | 'digestOrNone' | 'integer' | 'flag' | { readonly is: string };
export type Shape = readonly (readonly [name: string, slot: Slot])[];

/** Characters that encoding B writes as they are, in one byte each. */
const PLAIN = "[ !#-%'-;=?-\\[\\]-~]*";
const DIGEST = 'sha256:[0-9a-f]{64}';
const SOURCE: Readonly<Record<Extract<Slot, string>, string>> = {
  text: `"(${PLAIN})"`,
  digest: `"(${DIGEST})"`,
  digestOrNone: `"(${DIGEST}|)"`,
  // Fifteen digits are exact in a number; a longer one is left to the strict reader.
  integer: '(0|-?[1-9][0-9]{0,14})',
  flag: '(true|false)',
};

/** Source of a pattern for an object with these members in this order; each but `is` is captured. */
export function shapeSource(shape: Shape): string {
  const members = shape.map(([name, slot]) => {
    const source = typeof slot === 'string' ? SOURCE[slot] : `"${slot.is.replaceAll(/[./]/g, '\\$&')}"`;
    return `"${name}":${source}`;
  });
  return `\\{${members.join(',')}\\}`;
}

/** A pattern for bytes that are one object of a shape. */
export function shapePattern(shape: Shape): RegExp {
  return new RegExp(`^${shapeSource(shape)}$`);
}

/** Bytes as a text of one character each: a pattern takes none but ASCII. */
export function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** What a pattern took as digests, which is what `parseDigest` takes. */
export function asDigest(matched: string | undefined): Digest {
  return matched as Digest;
}

export function asDigestOrNone(matched: string | undefined): Digest | '' {
  return matched as Digest | '';
}
