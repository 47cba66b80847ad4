/**
 * Where each object of a pack stands: about sixty bytes an object, in typed arrays, so that a run of millions of calls
 * can be walked. Digests are kept and compared whole. Rebuilt by scanning; nothing of it is on disk.
 */
import { parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { assert } from '../core/errors.js';
import type { Label } from './pack-layout.js';

/** A digest as 32-bit numbers, which are compared at once. */
const WORDS = 8;

/** Where an object's payload stands in the pack. */
export interface Place {
  readonly offset: number;
  readonly bytes: number;
}

export class PackIndex {
  private count = 0;
  private digests = new Int32Array(64 * WORDS);
  /** The digest that is looked for. */
  private readonly wanted = new Int32Array(WORDS);
  private offsets = new Float64Array(64);
  private lengths = new Float64Array(64);
  private firstLabels = new Uint32Array(64);
  /** Numbers of objects + 1 by digest, open addressing; always at most half full. */
  private slots = new Uint32Array(128);
  private readonly labels: Label[] = [];
  private readonly moreLabels = new Map<number, number[]>();

  /** Objects in it. */
  get size(): number {
    return this.count;
  }

  /** Adds an object, or a label to one that is there. @returns false when bytes and label are known already */
  add(hash: Digest, place: Place, label: Label): boolean {
    const found = this.numberOf(hash);
    if (found !== undefined) return this.addLabel(found, label);
    this.grow();
    const number = this.count;
    // Looking for it has left its words there.
    this.digests.set(this.wanted, number * WORDS);
    this.offsets[number] = place.offset;
    this.lengths[number] = place.bytes;
    this.firstLabels[number] = this.labelNumber(label);
    this.count += 1;
    this.place(number);
    return true;
  }

  /** Number of an object, from 0 in the order of the pack. */
  numberOf(hash: Digest): number | undefined {
    const { wanted, slots } = this;
    readWords(hash, wanted);
    const mask = slots.length - 1;
    for (let slot = wanted[0]! & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]! - 1;
      if (number < 0) return undefined;
      if (this.isWanted(number)) return number;
    }
  }

  placeOf(number: number): Place {
    return { offset: this.offsets[number]!, bytes: this.lengths[number]! };
  }

  hashOf(number: number): Digest {
    const words = this.digests.subarray(number * WORDS, (number + 1) * WORDS);
    const hex = Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0'));
    const hash = parseDigest(`sha256:${hex.join('')}`);
    assert(hash !== undefined, `no digest at ${number}`);
    return hash;
  }

  /** All labels of an object, in the order of the pack. */
  labelsOf(number: number): readonly Label[] {
    const first = this.labels[this.firstLabels[number]!]!;
    const more = this.moreLabels.get(number);
    return more === undefined ? [first] : [first, ...more.map((label) => this.labels[label]!)];
  }

  /** Whether one of an object's labels is of a kind. */
  hasKind(number: number, semanticId: string): boolean {
    if (this.labels[this.firstLabels[number]!]!.semanticId === semanticId) return true;
    return (
      this.moreLabels.get(number)?.some((label) => this.labels[label]!.semanticId === semanticId) === true
    );
  }

  private addLabel(number: number, label: Label): boolean {
    const code = this.labelNumber(label);
    const more = this.moreLabels.get(number);
    if (this.firstLabels[number] === code || more?.includes(code) === true) return false;
    if (more === undefined) this.moreLabels.set(number, [code]);
    else more.push(code);
    return true;
  }

  /** There are as many labels as kinds: a dozen. */
  private labelNumber({ semanticId, provenance }: Label): number {
    const { labels } = this;
    for (let at = 0; at < labels.length; at += 1) {
      const known = labels[at]!;
      if (known.semanticId === semanticId && known.provenance === provenance) return at;
    }
    return labels.push({ semanticId, provenance }) - 1;
  }

  private isWanted(number: number): boolean {
    const { wanted, digests } = this;
    for (let word = 0; word < WORDS; word += 1) {
      if (digests[number * WORDS + word] !== wanted[word]) return false;
    }
    return true;
  }

  private place(number: number): void {
    const mask = this.slots.length - 1;
    let slot = this.digests[number * WORDS]! & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = number + 1;
  }

  private grow(): void {
    if (this.count < this.offsets.length) return;
    const capacity = this.offsets.length * 2;
    this.digests = enlarged(this.digests, new Int32Array(capacity * WORDS));
    this.offsets = enlarged(this.offsets, new Float64Array(capacity));
    this.lengths = enlarged(this.lengths, new Float64Array(capacity));
    this.firstLabels = enlarged(this.firstLabels, new Uint32Array(capacity));
    this.slots = new Uint32Array(capacity * 2);
    for (let number = 0; number < this.count; number += 1) this.place(number);
  }
}

/** Value of a hex digit by its character code. */
const HEX = Uint8Array.from(
  { length: 128 },
  (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0,
);

/** Digits behind `sha256:`, eight a word. */
function readWords(hash: Digest, into: Int32Array): void {
  let at = 'sha256:'.length;
  for (let word = 0; word < WORDS; word += 1) {
    let value = 0;
    for (const end = at + 8; at < end; at += 1) value = (value << 4) | HEX[hash.charCodeAt(at)]!;
    into[word] = value;
  }
}

function enlarged<T extends Int32Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
