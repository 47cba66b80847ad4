/**
 * How an object stands in the pack: a header line, the bytes, a line feed. A header without `bytes` is one more label
 * of bytes that stand earlier.
 *
 * Headers have one spelling, so that any change of a byte in one is seen: there is no white space and no escape.
 */
import { digestOf } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { assert } from '../core/errors.js';
import { asDigest } from './pattern.js';

/** What some bytes are, and who made them. The same bytes can have several. */
export interface Label {
  readonly semanticId: string;
  readonly provenance: string;
}

/** An object to be stored. */
export interface StoredObject extends Label {
  readonly bytes: Uint8Array;
}

export interface Header extends Label {
  readonly hash: Digest;
  /** Length of the payload; `undefined` for a header that only adds a label. */
  readonly bytes: number | undefined;
}

/** Longest header line, without its LF. */
export const HEADER_BYTES_MAX = 512;
/** Largest object: above what a plan, a result or an output may have. */
export const OBJECT_BYTES_MAX = 64 * 1024 * 1024;
/** What every header begins with; a torn pack is searched for it. */
export const HEADER_START = Buffer.from('{"hash":"sha256:');

const LF = Buffer.from('\n');
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,160}$/;
const HEADER =
  /^\{"hash":"(sha256:[0-9a-f]{64})",(?:"bytes":(0|[1-9]\d{0,9}),)?"semanticId":"([\x20\x21\x23-\x5b\x5d-\x7e]{1,160})","provenance":"([\x20\x21\x23-\x5b\x5d-\x7e]{1,160})"\}$/;

/** The header of a line's text; `undefined` for any other line. */
export function parseHeader(line: string): Header | undefined {
  const found = HEADER.exec(line);
  if (found === null) return undefined;
  const [, hash, bytes, semanticId = '', provenance = ''] = found;
  const length = bytes === undefined ? undefined : Number(bytes);
  if (length !== undefined && length > OBJECT_BYTES_MAX) return undefined;
  return { hash: asDigest(hash), bytes: length, semanticId, provenance };
}

/** The header line of an object or label, with its LF. */
export function headerLine({ hash, bytes, semanticId, provenance }: Header): Buffer {
  assert(
    PLAIN.test(semanticId) && PLAIN.test(provenance),
    `a label is plain text: ${semanticId}, ${provenance}`,
  );
  const length = bytes === undefined ? '' : `"bytes":${bytes},`;
  return Buffer.from(
    `{"hash":"${hash}",${length}"semanticId":"${semanticId}","provenance":"${provenance}"}\n`,
  );
}

/** An object as it is appended, and its digest. @param known the digest, where the caller has it already */
export function packed(
  object: StoredObject,
  known?: Digest,
): { readonly hash: Digest; readonly parts: readonly Uint8Array[] } {
  const { bytes, semanticId, provenance } = object;
  assert(bytes.length <= OBJECT_BYTES_MAX, `an object of ${bytes.length} bytes is too large for the pack`);
  const hash = known ?? digestOf(bytes);
  return { hash, parts: [headerLine({ hash, bytes: bytes.length, semanticId, provenance }), bytes, LF] };
}
