/**
 * What was met on the line being read, until its end is reached and it is known to be plain: texts by what is kept of
 * them, facts, and which of them have escapes. Nothing is interned before.
 */
import { KEEP_ID } from './contract';
import { SPANS } from './memory';

/** Bits of the texts that are there, by `KEEP_…`, and of those among them that have escapes. */
export let there: u32 = 0;
export let escaped: u32 = 0;
/** Hashes of the ids, known as soon as they are read. */
export let idHash: u32 = 0;
export let causeHash: u32 = 0;
/** See core/facts.ts. */
export let facts: u32 = 0;
/** Members of `data` that name a file. */
export let paths: u32 = 0;

export function clearSpans(): void {
  there = 0;
  escaped = 0;
  facts = 0;
  paths = 0;
}

@inline
export function addFacts(bits: u32): void {
  facts |= bits;
}

@inline
export function countPath(): void {
  paths++;
}

/** Notes a text, given without its quotes. */
@inline
export function keepSpan(keep: u32, from: usize, to: usize): void {
  there |= 1 << keep;
  store<usize>(SPANS + (<usize>keep << 3), from);
  store<usize>(SPANS + (<usize>keep << 3), to, 4);
}

/** Notes an id or a cause, and its hash. */
@inline
export function keepId(keep: u32, from: usize, to: usize, hash: u32): void {
  keepSpan(keep, from, to);
  if (keep == KEEP_ID) idHash = hash;
  else causeHash = hash;
}

@inline
export function markEscaped(keep: u32): void {
  escaped |= 1 << keep;
}

@inline
export function isThere(keep: u32): bool {
  return (there & (1 << keep)) != 0;
}

@inline
export function isEscaped(keep: u32): bool {
  return (escaped & (1 << keep)) != 0;
}

@inline
export function spanFrom(keep: u32): usize {
  return load<usize>(SPANS + (<usize>keep << 3));
}

@inline
export function spanTo(keep: u32): usize {
  return load<usize>(SPANS + (<usize>keep << 3), 4);
}
