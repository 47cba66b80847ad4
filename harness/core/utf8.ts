/**
 * What the UTF-16 strings of JavaScript hide about UTF-8: its byte order, halves of pairs, and where bytes go wrong.
 * Encoding and decoding themselves are left to the platform.
 */

/** True if the text holds half a surrogate pair, which has no UTF-8 and which encoders silently replace. */
export function hasLoneSurrogate(text: string): boolean {
  // The engine knows of most texts without looking; the library of types does not have the method yet.
  return !(text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Index of the first half of a surrogate pair without its other half, or -1. */
export function loneSurrogateAt(text: string): number {
  // In Unicode mode a pair is one code point, so only halves without a partner match.
  return text.search(/\p{Surrogate}/u);
}

/** Orders strings as their UTF-8 bytes do: like UTF-16 units, except that surrogates come after U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Offset of the first malformed sequence in bytes that are not UTF-8: where the first replacement character stands
 * that does not stand in the bytes.
 */
export function invalidUtf8Offset(bytes: Uint8Array): number {
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let from = 0;
  for (;;) {
    const at = lossy.indexOf('\ufffd', from);
    offset += Buffer.byteLength(lossy.slice(from, at));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return offset;
    offset += 3;
    from = at + 1;
  }
}
