/**
 * Where each object of a pack stands: about sixty bytes an object, in typed arrays, so that a run of millions of calls
 * can be walked. Digests are kept and compared whole. Rebuilt by scanning; nothing of it is on disk.
 */
import { parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { assert } from '../core/errors.js';
import type { Label } from './pack-layout.js';

const DIGEST_BYTES = 32;

/** Where an object's payload stands in the pack. */
export interface Place {
  readonly offset: number;
  readonly bytes: number;
}

export class PackIndex {
  private count = 0;
  private digests = new Uint8Array(64 * DIGEST_BYTES);
  private offsets = new Float64Array(64);
  private lengths = new Float64Array(64);
  private firstLabels = new Uint32Array(64);
  /** Numbers of objects + 1 by digest, open addressing; always at most half full. */
  private slots = new Uint32Array(128);
  private readonly labels: Label[] = [];
  private readonly labelNumbers = new Map<string, number>();
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
    this.digests.set(Buffer.from(hash.slice(7), 'hex'), number * DIGEST_BYTES);
    this.offsets[number] = place.offset;
    this.lengths[number] = place.bytes;
    this.firstLabels[number] = this.labelNumber(label);
    this.count += 1;
    this.place(number);
    return true;
  }

  /** Number of an object, from 0 in the order of the pack. */
  numberOf(hash: Digest): number | undefined {
    const digest = Buffer.from(hash.slice(7), 'hex');
    const mask = this.slots.length - 1;
    for (let slot = digest.readUInt32LE(0) & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot]! - 1;
      if (number < 0) return undefined;
      const at = number * DIGEST_BYTES;
      if (digest.compare(this.digests, at, at + DIGEST_BYTES) === 0) return number;
    }
  }

  placeOf(number: number): Place {
    return { offset: this.offsets[number]!, bytes: this.lengths[number]! };
  }

  hashOf(number: number): Digest {
    const at = number * DIGEST_BYTES;
    const hex = Buffer.from(this.digests.buffer, at, DIGEST_BYTES).toString('hex');
    const hash = parseDigest(`sha256:${hex}`);
    assert(hash !== undefined, `no digest at ${number}`);
    return hash;
  }

  /** All labels of an object, in the order of the pack. */
  labelsOf(number: number): readonly Label[] {
    const first = this.labels[this.firstLabels[number]!]!;
    const more = this.moreLabels.get(number);
    return more === undefined ? [first] : [first, ...more.map((label) => this.labels[label]!)];
  }

  private addLabel(number: number, label: Label): boolean {
    const code = this.labelNumber(label);
    const more = this.moreLabels.get(number);
    if (this.firstLabels[number] === code || more?.includes(code) === true) return false;
    if (more === undefined) this.moreLabels.set(number, [code]);
    else more.push(code);
    return true;
  }

  private labelNumber({ semanticId, provenance }: Label): number {
    const key = `${semanticId}\n${provenance}`;
    let number = this.labelNumbers.get(key);
    if (number === undefined) {
      number = this.labels.push({ semanticId, provenance }) - 1;
      this.labelNumbers.set(key, number);
    }
    return number;
  }

  private place(number: number): void {
    const mask = this.slots.length - 1;
    const at = number * DIGEST_BYTES;
    let slot = new DataView(this.digests.buffer).getUint32(at, true) & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = number + 1;
  }

  private grow(): void {
    if (this.count < this.offsets.length) return;
    const capacity = this.offsets.length * 2;
    this.digests = enlarged(this.digests, new Uint8Array(capacity * DIGEST_BYTES));
    this.offsets = enlarged(this.offsets, new Float64Array(capacity));
    this.lengths = enlarged(this.lengths, new Float64Array(capacity));
    this.firstLabels = enlarged(this.firstLabels, new Uint32Array(capacity));
    this.slots = new Uint32Array(capacity * 2);
    for (let number = 0; number < this.count; number += 1) this.place(number);
  }
}

function enlarged<T extends Uint8Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
