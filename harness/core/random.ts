/**
 * The seeded generator behind every random draw of a study: xoshiro128** (Blackman and Vigna, 2018).
 *
 * `Math.random` cannot be seeded; this one gives the same draws for the same seed on every machine, for ever, because
 * it uses 32-bit integers only. It is not for secrets: its state can be worked out from its output.
 */
import { createHash } from 'node:crypto';
import { assert } from './errors.js';
import type { RandomPort } from './ports.js';

/**
 * Uniform draws in [0, 1) with 53 random bits each. The state is the first 16 bytes of the SHA-256 of the seed's text,
 * so that close seeds give unrelated streams; `7` and `'7'` are the same seed.
 * @throws when a number that is not a safe integer is given
 */
export function seededRandom(seed: string | number): RandomPort {
  assert(
    typeof seed === 'string' || Number.isSafeInteger(seed),
    `a seed is a text or a safe integer: ${seed}`,
  );
  const hash = createHash('sha256').update(String(seed), 'utf8').digest();
  const nextUint32 = xoshiro128([0, 4, 8, 12].map((at) => hash.readUInt32BE(at)));
  return {
    next: () => {
      const high = nextUint32() >>> 5;
      const low = nextUint32() >>> 6;
      return (high * 0x4000000 + low) / 0x20000000000000;
    },
  };
}

/** The generator proper: unsigned 32-bit integers from a state of four, not all of them zero. */
function xoshiro128(state: readonly number[]): () => number {
  let [a = 0, b = 0, c = 0, d = 0] = state;
  return () => {
    const drawn = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return drawn;
  };
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
