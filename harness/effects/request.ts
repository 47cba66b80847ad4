/**
 * Reads a request object back: `<bytes>:<effect><bytes>:<scope><cost>:<now>:<payload>`, lengths in UTF-8 bytes.
 */
import { effectRequestBytes } from '../core/digest.js';
import type { EffectRequest } from '../core/digest.js';

const COLON = 0x3a;

/** The request some bytes are; `undefined` unless writing it again gives the same bytes. */
export function readRequest(bytes: Uint8Array): EffectRequest | undefined {
  return plainRequest(bytes) ?? strictRequest(bytes);
}

/** Bytes that hold the names, the cost and the time of nearly all requests. */
const HEAD_BYTES = 256;
const AMOUNTS = /^(0|-?[1-9]\d{0,14}):(0|-?[1-9]\d{0,14}):/;

/** A request whose names are ASCII; `undefined` where only the strict reader can tell. */
function plainRequest(bytes: Uint8Array): EffectRequest | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString(
    'latin1',
  );
  const effect = countedAt(head, 0);
  const scope = effect && countedAt(head, effect.end);
  if (effect === undefined || scope === undefined) return undefined;
  const amounts = AMOUNTS.exec(head.slice(scope.end));
  if (amounts === null) return undefined;
  const [{ length }, cost, now] = [amounts[0], Number(amounts[1]), Number(amounts[2])];
  return { effect: effect.text, scope: scope.text, cost, now, payload: bytes.subarray(scope.end + length) };
}

function countedAt(head: string, at: number): { readonly text: string; readonly end: number } | undefined {
  const colon = head.indexOf(':', at);
  const digits = head.slice(at, colon);
  const end = colon + 1 + Number(digits);
  if (colon < 0 || !/^(?:0|[1-9]\d{0,2})$/.test(digits) || end > head.length) return undefined;
  const text = head.slice(colon + 1, end);
  return /^[ -~]*$/.test(text) ? { text, end } : undefined;
}

function strictRequest(bytes: Uint8Array): EffectRequest | undefined {
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
