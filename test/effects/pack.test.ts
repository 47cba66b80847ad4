/** The pack: what is put comes back, whatever tore it, whoever else wrote, and whatever a payload pretends to be. */
import { appendFileSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import type { Digest } from '../../harness/core/digest.js';
import { KIND } from '../../harness/effects/kinds.js';
import { headerLine, packed, parseHeader } from '../../harness/effects/pack-layout.js';
import { PackIndex } from '../../harness/effects/pack-index.js';
import { PackWriter } from '../../harness/effects/pack-writer.js';
import type { Storable } from '../../harness/effects/pack-writer.js';
import { ObjectStore } from '../../harness/effects/store.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { flip } from '../support/tampering.js';

const text = (content: string): Storable => ({ kind: 'result', bytes: Buffer.from(content) });

function writer(runDir: string): PackWriter {
  const store = ObjectStore.open(runDir);
  store.close();
  return PackWriter.open(runDir, nodeFileOps, store);
}

function put(runDir: string, ...objects: Storable[]): Digest[] {
  const pack = writer(runDir);
  const digests = pack.put(objects);
  pack.close();
  return digests;
}

/** What a store has of some digests, as text. */
function get(runDir: string, digests: readonly Digest[]): (string | undefined)[] {
  const store = ObjectStore.open(runDir);
  const found = digests.map((digest) => {
    const object = store.read(digest);
    return object.ok ? Buffer.from(object.bytes).toString() : undefined;
  });
  store.close();
  return found;
}

const packOf = (runDir: string): string => join(runDir, 'objects.pack');

describe('pack: layout', () => {
  it('pack: an object → a header line, its bytes, a line feed', () => {
    const { hash, parts } = packed({ bytes: Buffer.from('x\n'), semanticId: 'a/b/v1', provenance: 'p' });
    expect(Buffer.concat(parts).toString()).toBe(
      `{"hash":"${hash}","bytes":2,"semanticId":"a/b/v1","provenance":"p"}\nx\n\n`,
    );
  });

  it('pack: a header, and one with any byte changed → read, and refused or another', () => {
    const header = {
      hash: digestOf(Buffer.from('x')),
      bytes: 12,
      semanticId: 'world/effect-plan/v1',
      provenance: 'tool',
    };
    const line = headerLine(header).toString().slice(0, -1);
    expect(parseHeader(line)).toEqual(header);
    expect(
      parseHeader(
        headerLine({ ...header, bytes: undefined })
          .toString()
          .slice(0, -1),
      ),
    ).toEqual({ ...header, bytes: undefined });
    for (let at = 0; at < line.length; at += 1) {
      const changed = `${line.slice(0, at)}${String.fromCharCode(line.charCodeAt(at) ^ 1)}${line.slice(at + 1)}`;
      expect(parseHeader(changed), `byte ${at}`).not.toEqual(header);
    }
    for (const odd of [
      '',
      '{}',
      `${line} `,
      ` ${line}`,
      line.replace('12', '012'),
      line.replace('12', '99999999999'),
      line.replace('tool', 'a"b'),
    ])
      expect(parseHeader(odd)).toBeUndefined();
  });
});

describe('pack: index', () => {
  it('pack index: any objects and labels → the same answers as a plain map', () => {
    const label = fc.constantFrom('a', 'b', 'c').map((semanticId) => ({ semanticId, provenance: 'p' }));
    const added = fc.array(fc.tuple(fc.nat(300), label), { maxLength: 600 });
    fc.assert(
      fc.property(added, (items) => {
        const index = new PackIndex();
        const map = new Map<Digest, { place: number; labels: string[] }>();
        for (const [n, given] of items) {
          const hash = digestOf(Buffer.from(`object ${n}`));
          const known = map.get(hash);
          const isNew = known === undefined || !known.labels.includes(given.semanticId);
          expect(index.add(hash, { offset: n, bytes: n }, given)).toBe(isNew);
          if (known === undefined) map.set(hash, { place: n, labels: [given.semanticId] });
          else if (isNew) known.labels.push(given.semanticId);
        }
        expect(index.size).toBe(map.size);
        for (const [at, [hash, { place, labels }]] of [...map].entries()) {
          expect(index.numberOf(hash)).toBe(at);
          expect(index.hashOf(at)).toBe(hash);
          expect(index.placeOf(at)).toEqual({ offset: place, bytes: place });
          expect(index.labelsOf(at).map(({ semanticId }) => semanticId)).toEqual(labels);
        }
        expect(index.numberOf(digestOf(Buffer.from('nothing')))).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });
});

describe('pack: writing and reading', () => {
  it('pack: objects of any bytes, in several goes → each comes back', () => {
    const bytes = fc.uint8Array({ maxLength: 3000 });
    fc.assert(
      fc.property(fc.array(fc.array(bytes, { maxLength: 6 }), { maxLength: 5 }), (goes) => {
        const runDir = makeRunFolder();
        const digests = goes.flatMap((go) =>
          put(runDir, ...go.map((content): Storable => ({ kind: 'result', bytes: content }))),
        );
        const store = ObjectStore.open(runDir);
        expect(store.faults).toEqual([]);
        for (const [at, content] of goes.flat().entries()) {
          const found = store.read(digests[at]!, 'result');
          expect(found.ok && Buffer.compare(found.bytes, content)).toBe(0);
        }
        store.close();
      }),
      { numRuns: 30 },
    );
  });

  it('pack: the same bytes again → written once; as another kind → one more label, and both are kept', () => {
    const runDir = makeRunFolder();
    const [hash] = put(runDir, text('same'));
    const size = readFileSync(packOf(runDir)).length;
    put(runDir, text('same'), text('same'));
    expect(readFileSync(packOf(runDir))).toHaveLength(size);
    put(runDir, { kind: 'evidence', bytes: Buffer.from('same') });
    const store = ObjectStore.open(runDir);
    const found = store.read(hash!);
    expect(found.ok && found.labels.map(({ semanticId }) => semanticId)).toEqual([
      KIND.result,
      KIND.evidence,
    ]);
    expect(store.read(hash!, 'plan')).toEqual({ ok: false, fault: 'mislabelled' });
    store.close();
  });

  it('pack: a run without one → an empty store', () => {
    const store = ObjectStore.open(makeRunFolder());
    expect(store.read(digestOf(Buffer.from('x')))).toEqual({ ok: false, fault: 'missing' });
    store.close();
  });

  it('pack: larger than what is read at once → comes back', () => {
    const runDir = makeRunFolder();
    const large = 'l'.repeat(3 * 1024 * 1024);
    const digests = put(runDir, text('before'), text(large), text('after'));
    expect(get(runDir, digests)).toEqual(['before', large, 'after']);
  });
});

describe('pack: torn and damaged', () => {
  it('pack: cut anywhere in its last object → all before it are there, the cut is said, and writing goes on behind it', () => {
    const whole = makeRunFolder();
    const first = put(whole, text('one'), text('two'));
    const size = readFileSync(packOf(whole)).length;
    put(whole, text('{"three":\n"lines\n"}'));
    const bytes = readFileSync(packOf(whole));
    for (let cut = size + 1; cut < bytes.length; cut += 1) {
      const runDir = makeRunFolder();
      writeFileSync(packOf(runDir), bytes.subarray(0, cut));
      const store = ObjectStore.open(runDir);
      expect(store.faults.map(({ reason }) => reason)).toEqual(['torn-tail']);
      store.close();
      const later = put(runDir, text('four'));
      expect(get(runDir, [...first, ...later]), `cut at ${cut}`).toEqual(['one', 'two', 'four']);
      // An object that only lacked its LF is whole once there is one.
      const isWhole = cut === bytes.length - 1;
      expect(ObjectStore.open(runDir).faults.map(({ reason }) => reason)).toEqual(isWhole ? [] : ['torn']);
    }
  });

  it('pack: a byte of a payload changed → that object is damaged, and every other is there', () => {
    const runDir = makeRunFolder();
    const digests = put(runDir, text('one'), text('two'), text('three'));
    flip(packOf(runDir), readFileSync(packOf(runDir)).indexOf('two'));
    const store = ObjectStore.open(runDir);
    expect(
      digests.map((digest) => store.read(digest)).map((found) => (found.ok ? 'ok' : found.fault)),
    ).toEqual(['ok', 'damaged', 'ok']);
    store.close();
  });

  it('pack: a payload changed after it was read → the next read says so', () => {
    const runDir = makeRunFolder();
    const [digest] = put(runDir, text('content'));
    const store = ObjectStore.open(runDir);
    expect(store.read(digest!).ok).toBe(true);
    flip(packOf(runDir), readFileSync(packOf(runDir)).indexOf('content'));
    expect(store.read(digest!)).toEqual({ ok: false, fault: 'damaged' });
    truncateSync(packOf(runDir), 10);
    expect(store.read(digest!)).toEqual({ ok: false, fault: 'damaged' });
    store.close();
  });

  it('pack: a payload that holds a whole record → is one object, and the record in it is none', () => {
    const runDir = makeRunFolder();
    const inner = Buffer.concat(
      packed({ bytes: Buffer.from('inner'), semanticId: KIND.plan, provenance: 'tool' }).parts,
    );
    const [outer] = put(runDir, { kind: 'result', bytes: Buffer.concat([Buffer.from('\n'), inner]) });
    const store = ObjectStore.open(runDir);
    expect(store.index.size).toBe(1);
    expect(store.read(outer!).ok).toBe(true);
    expect(store.read(digestOf(Buffer.from('inner')))).toEqual({ ok: false, fault: 'missing' });
    store.close();
  });

  it('pack: a label of bytes that are not there → no object', () => {
    const runDir = makeRunFolder();
    const hash = digestOf(Buffer.from('nowhere'));
    appendFileSync(
      packOf(runDir),
      headerLine({ hash, bytes: undefined, semanticId: KIND.plan, provenance: 'tool' }),
    );
    const store = ObjectStore.open(runDir);
    expect(store.read(hash)).toEqual({ ok: false, fault: 'missing' });
    store.close();
  });

  it('pack: two writers in turn, neither of which knows the other → all objects of both', () => {
    const runDir = makeRunFolder();
    const [a, b] = [writer(runDir), writer(runDir)];
    const digests: Digest[] = [];
    for (let n = 0; n < 20; n += 1)
      digests.push(...a.put([text(`a ${n}`), text('both')]), ...b.put([text(`b ${n}`), text('both')]));
    a.close();
    b.close();
    expect(get(runDir, digests)).not.toContain(undefined);
    expect(ObjectStore.open(runDir).faults).toEqual([]);
  });

  it('pack: a writer behind another that tore its record → writes again on a line of its own', () => {
    const runDir = makeRunFolder();
    const pack = writer(runDir);
    appendFileSync(packOf(runDir), '{"hash":"sha256:torn');
    const digests = pack.put([text('mine')]);
    pack.close();
    expect(get(runDir, digests)).toEqual(['mine']);
  });

  it('pack: a link where the pack should be → not read, and not written through', () => {
    const runDir = makeRunFolder();
    const elsewhere = join(makeRunFolder(), 'elsewhere');
    writeFileSync(elsewhere, '');
    symlinkSync(elsewhere, packOf(runDir));
    expect(ObjectStore.open(runDir).index.size).toBe(0);
    expect(() => put(runDir, text('x'))).toThrow(/is a symlink/);
    expect(readFileSync(elsewhere, 'utf8')).toBe('');
  });
});
