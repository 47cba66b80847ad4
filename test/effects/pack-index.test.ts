/** The index of a pack against a plain map. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import type { Digest } from '../../harness/core/digest.js';
import { PackIndex } from '../../harness/effects/pack-index.js';
import type { Label } from '../../harness/effects/pack-layout.js';

const hashOf = (n: number): Digest => digestOf(Buffer.from(String(n)));

describe('pack index', () => {
  it('pack index: any additions → what a map would say', () => {
    const addition = fc.record({
      n: fc.integer({ min: 0, max: 300 }),
      place: fc.record({ offset: fc.maxSafeNat(), bytes: fc.nat() }),
      label: fc.record({ semanticId: fc.constantFrom('a', 'b', 'c'), provenance: fc.constantFrom('x', 'y') }),
    });
    fc.assert(
      fc.property(fc.array(addition, { maxLength: 600 }), (additions) => {
        const index = new PackIndex();
        const map = new Map<number, { place: object; labels: Label[] }>();
        for (const { n, place, label } of additions) {
          const known = map.get(n);
          const isNew = !known?.labels.some((one) => JSON.stringify(one) === JSON.stringify(label));
          expect(index.add(hashOf(n), place, label)).toBe(isNew);
          if (known === undefined) map.set(n, { place, labels: [label] });
          else if (isNew) known.labels.push(label);
        }
        expect(index.size).toBe(map.size);
        for (const [at, [n, { place, labels }]] of [...map].entries()) {
          expect(index.numberOf(hashOf(n))).toBe(at);
          expect(index.hashOf(at)).toBe(hashOf(n));
          expect(index.placeOf(at)).toEqual(place);
          expect(index.labelsOf(at)).toEqual(labels);
        }
        expect(index.numberOf(hashOf(-1))).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  it('pack index: digests that begin alike → kept apart', () => {
    const index = new PackIndex();
    const digests = Array.from(
      { length: 200 },
      (_, n) => `sha256:00000000${n.toString(16).padStart(56, '0')}` as Digest,
    );
    for (const [offset, digest] of digests.entries())
      index.add(digest, { offset, bytes: 1 }, { semanticId: 'a', provenance: 'b' });
    expect(digests.map((digest) => index.numberOf(digest))).toEqual(digests.map((_, n) => n));
  });
});
