/**
 * Reads a request object back: `<bytes>:<effect><bytes>:<scope><cost>:<now>:<payload>`, lengths in UTF-8 bytes.
 */
import { effectRequestBytes } from '../core/digest.js';
import type { EffectRequest } from '../core/digest.js';

const COLON = 0x3a;

/** The request some bytes are; `undefined` unless writing it again gives the same bytes. */
export function readRequest(bytes: Uint8Array): EffectRequest | undefined {
  const reader = new Reader(bytes);
  const effect = reader.counted();
  const scope = reader.counted();
  const cost = reader.number();
  const now = reader.number();
  if (effect === undefined || scope === undefined || cost === undefined || now === undefined)
    return undefined;
  const request = { effect, scope, cost, now, payload: reader.rest() };
  return Buffer.compare(effectRequestBytes(request), bytes) === 0 ? request : undefined;
}

class Reader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A whole number up to the next colon. */
  number(): number | undefined {
    const end = this.bytes.indexOf(COLON, this.at);
    if (end < 0 || end - this.at > 17) return undefined;
    const text = this.bytes.toString('latin1', this.at, end);
    this.at = end + 1;
    return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  }

  /** A text behind its length in bytes. */
  counted(): string | undefined {
    const length = this.number();
    if (length === undefined || length < 0 || this.at + length > this.bytes.length) return undefined;
    const text = this.bytes.toString('utf8', this.at, this.at + length);
    this.at += length;
    return text;
  }

  rest(): Uint8Array {
    return this.bytes.subarray(this.at);
  }
}
