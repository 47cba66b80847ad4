/**
 * Bytes compared and hashed, many at a time.
 *
 * The hash is keyed (NH with a mix at the end: for any two strings, few keys make them collide), so that nobody can make
 * a log whose ids all collide. No number depends on it.
 */
import { KEYS } from './memory';

const KEY_COUNT: usize = 32;
const KEY_LAST: usize = KEYS + KEY_COUNT * 8;
const LENGTH_FACTOR: u64 = 0xff51afd7ed558ccd;
const MIX_FACTOR: u64 = 0x9fb21c651e98df25;

/** Sets the keys of the hash: splitmix64. */
export function openHash(seed: u64): void {
  for (let key = KEYS; key <= KEY_LAST; key += 8) {
    seed += 0x9e3779b97f4a7c15;
    let word = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    store<u64>(key, word ^ (word >> 31));
  }
}

/** The low `length` bytes of a word, all of them from 8 on. */
@inline
export function lowBytes(length: usize): u64 {
  return length >= 8 ? <u64>-1 : (<u64>1 << (<u64>length << 3)) - 1;
}

/** Whether two texts of a length are the same. Reads up to 16 bytes past a short one. */
@inline
export function isSame(one: usize, other: usize, length: usize): bool {
  if (length > 16) return isSameLong(one, other, length);
  if (length < 8) return ((load<u64>(one) ^ load<u64>(other)) & lowBytes(length)) == 0;
  const last = length - 8;
  return (
    ((load<u64>(one) ^ load<u64>(other)) | (load<u64>(one + last) ^ load<u64>(other + last))) == 0
  );
}

export function isSameLong(one: usize, other: usize, length: usize): bool {
  const last = length - 16;
  for (let at: usize = 0; at < last; at += 16) {
    if (v128.any_true(v128.xor(v128.load(one + at), v128.load(other + at)))) return false;
  }
  return !v128.any_true(v128.xor(v128.load(one + last), v128.load(other + last)));
}

@inline
function product(word: u64, key: u64): u64 {
  return <u64>(<u32>word + <u32>key) * <u64>(<u32>(word >> 32) + <u32>(key >> 32));
}

@inline
function mixed(hash: u64): u64 {
  hash = (hash ^ (hash >> 32)) * MIX_FACTOR;
  return hash ^ (hash >> 29);
}

/** Word by word with a key each; the last word overlaps the one before. */
export function hashOf(from: usize, length: usize): u32 {
  let hash: u64 = <u64>length * LENGTH_FACTOR;
  if (length <= 8) {
    hash += product(load<u64>(from) & lowBytes(length), load<u64>(KEY_LAST));
    return <u32>(mixed(hash) >> 32);
  }
  const last = from + length - 8;
  let key = KEYS;
  for (let at = from; at < last; at += 8) {
    hash += product(load<u64>(at), load<u64>(key));
    key += 8;
    if (key == KEY_LAST) {
      hash = mixed(hash);
      key = KEYS;
    }
  }
  hash += product(load<u64>(last), load<u64>(KEY_LAST));
  return <u32>(mixed(hash) >> 32);
}
