/** Reading a pack: what is sound is found whatever stands around it, and what is not is reported to the byte. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { PackWriter } from '../../harness/effects/pack-writer.js';
import { packed } from '../../harness/effects/pack-layout.js';
import { ObjectStore } from '../../harness/effects/store.js';
import type { PackFault } from '../../harness/effects/store.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { run } from '../support/command.js';

const LABEL = { semanticId: 'world/effect-result/v1', provenance: 'host/handler' };

function record(payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload as string);
  return Buffer.concat(packed({ bytes, ...LABEL }).parts);
}

function label(payload: string, semanticId: string): string {
  const hash = digestOf(Buffer.from(payload));
  return `{"hash":"${hash}","semanticId":"${semanticId}","provenance":"tool"}\n`;
}

/** Opens a pack of these bytes. */
function opened(pack: Uint8Array): {
  has: (payload: string) => boolean;
  faults: readonly PackFault[];
  size: number;
} {
  const runDir = makeRunFolder();
  writeFileSync(join(runDir, 'objects.pack'), pack);
  const store = ObjectStore.open(runDir);
  const found = new Map<string, boolean>();
  for (let number = 0; number < store.index.size; number += 1) {
    const hash = store.index.hashOf(number);
    found.set(hash, store.read(hash).ok);
  }
  store.close();
  return {
    has: (payload) => found.get(digestOf(Buffer.from(payload))) === true,
    faults: store.faults,
    size: store.index.size,
  };
}

/** Opens the folder, puts one object in, as the next process would. */
function goOn(runDir: string, payload: string): void {
  const store = ObjectStore.open(runDir);
  const writer = PackWriter.open(runDir, nodeFileOps, store);
  store.close();
  writer.put([{ kind: 'result', bytes: Buffer.from(payload) }]);
  writer.close();
}

describe('pack scan', () => {
  it('pack scan: no pack, and an empty one → nothing, and no fault', () => {
    expect(opened(Buffer.alloc(0))).toMatchObject({ size: 0, faults: [] });
    const store = ObjectStore.open(makeRunFolder());
    expect(store.read(digestOf(Buffer.from('x')))).toEqual({ ok: false, fault: 'missing' });
    store.close();
  });

  it('pack scan: cut anywhere → all records before are there, the rest is one torn tail', () => {
    const whole = [record('first'), record('second'), record('')];
    const pack = Buffer.concat(whole);
    const starts = [0, whole[0]!.length, whole[0]!.length + whole[1]!.length, pack.length];
    for (let end = 0; end <= pack.length; end += 1) {
      const { size, faults } = opened(pack.subarray(0, end));
      const complete = starts.filter((start) => start > 0 && start <= end).length;
      const from = starts[complete]!;
      expect(size).toBe(complete);
      expect(faults).toEqual(from === end ? [] : [{ at: from, bytes: end - from, reason: 'torn-tail' }]);
    }
  });

  it('pack scan: cut anywhere and gone on with → what stood before and what came is there', () => {
    const pack = Buffer.concat([record('first'), record('second\nline')]);
    // The line feed that closes the torn tail may be all that was missing.
    const first = record('first').length - 1;
    for (let end = 0; end <= pack.length; end += 1) {
      const runDir = makeRunFolder();
      writeFileSync(join(runDir, 'objects.pack'), pack.subarray(0, end));
      goOn(runDir, 'third');
      goOn(runDir, 'fourth');
      const { has } = opened(readFileSync(join(runDir, 'objects.pack')));
      expect([has('third'), has('fourth'), has('first')]).toEqual([true, true, end >= first]);
    }
  });

  it('pack scan: a torn record whose length ends where a later record does → the records behind it are not hidden', () => {
    const later = record('later');
    // Its payload never came; the next one is exactly as long as what is missing.
    const torn = record('x'.repeat(later.length)).subarray(0, -(later.length + 1));
    for (const more of [Buffer.alloc(0), record('last')]) {
      const { has, faults } = opened(Buffer.concat([torn, Buffer.from('\n'), later, more]));
      expect(has('later')).toBe(true);
      expect(faults).toEqual([{ at: 0, bytes: torn.length + 1, reason: 'torn' }]);
    }
  });

  it('pack scan: a byte of a payload changed → that object is damaged, all others are there', () => {
    const whole = [record('first'), record('second'), record('third')];
    const at = whole[0]!.length + whole[1]!.length - 3;
    const pack = Buffer.concat(whole);
    pack[at]! ^= 1;
    const { has, faults, size } = opened(pack);
    expect([has('first'), has('second'), has('third'), size]).toEqual([true, false, true, 2]);
    expect(faults).toEqual([
      {
        at: whole[0]!.length + whole[1]!.length - 'second'.length - 1,
        bytes: 6,
        reason: 'damaged',
        hash: digestOf(Buffer.from('second')),
      },
    ]);
  });

  it('pack scan: any one byte changed → no other object is lost, and what is hit is reported', () => {
    const payloads = ['first', 'second', 'third'];
    const pack = Buffer.concat(payloads.map(record));
    for (let at = 0; at < pack.length; at += 1) {
      const spoilt = Buffer.from(pack);
      spoilt[at]! ^= 4;
      const { has, faults } = opened(spoilt);
      const lost = payloads.filter((payload) => !has(payload));
      expect(lost.length).toBeLessThan(2);
      // A changed label leaves the object sound: that a kind is another is for whoever asks for the kind.
      if (lost.length > 0) expect(faults).toHaveLength(1);
    }
  });

  it('pack scan: a payload that spells records → it is one object, and nothing in it counts', () => {
    const inner = record('inner');
    const forged = Buffer.concat([
      Buffer.from('\n'),
      inner,
      Buffer.from(label('first', 'world/effect-plan/v1')),
    ]);
    const { size, faults, has } = opened(Buffer.concat([record('first'), record(forged), record('last')]));
    expect({ size, faults }).toEqual({ size: 3, faults: [] });
    expect([has('inner'), has('first'), has('last')]).toEqual([false, true, true]);
  });

  it('pack scan: a fake header that claims all that follows → nothing behind it is hidden', () => {
    const last = record('last');
    const fake = `{"hash":"${digestOf(Buffer.from('other'))}","bytes":${last.length - 1},"semanticId":"a","provenance":"b"}\n`;
    const { has } = opened(Buffer.concat([record('first'), Buffer.from(fake), last]));
    expect([has('first'), has('last')]).toEqual([true, true]);
  });

  it('pack scan: labels of one object → all kept; of bytes that are not there → none', () => {
    const runDir = makeRunFolder();
    const labels = label('x', 'world/effect-plan/v1') + label('y', 'world/effect-plan/v1');
    writeFileSync(join(runDir, 'objects.pack'), Buffer.concat([record('x'), Buffer.from(labels + labels)]));
    const store = ObjectStore.open(runDir);
    const ref = digestOf(Buffer.from('x'));
    expect(store.read(ref, 'plan')).toMatchObject({
      ok: true,
      labels: [LABEL, { semanticId: 'world/effect-plan/v1', provenance: 'tool' }],
    });
    expect(store.read(ref, 'output')).toEqual({ ok: false, fault: 'mislabelled' });
    expect(store.read(digestOf(Buffer.from('y')))).toEqual({ ok: false, fault: 'missing' });
    expect(store.index.size).toBe(1);
    store.close();
  });

  it('pack scan: changed or cut under an open store → the first read sees it', () => {
    const zeros = Buffer.alloc(9);
    const spoilt = record(zeros);
    spoilt[spoilt.length - 2]! ^= 1;
    // A payload of zeros, of which the file holds fewer by now: what is missing is not taken for zeros.
    for (const now of [spoilt, record(zeros).subarray(0, -3), Buffer.alloc(0)]) {
      const runDir = makeRunFolder();
      const path = join(runDir, 'objects.pack');
      writeFileSync(path, record(zeros));
      const store = ObjectStore.open(runDir);
      writeFileSync(path, now);
      expect(store.read(digestOf(zeros))).toEqual({ ok: false, fault: 'damaged' });
      store.close();
    }
  });

  it('pack scan: objects read in any order, small and large → always the right bytes', () => {
    const payloads = Array.from({ length: 60 }, (_, n) => `${n} ${'x'.repeat((n * n * 997) % 90_000)}`);
    const runDir = makeRunFolder();
    writeFileSync(join(runDir, 'objects.pack'), Buffer.concat(payloads.map(record)));
    const orders = fc.array(fc.integer({ min: 0, max: payloads.length - 1 }), { maxLength: 40 });
    fc.assert(
      fc.property(orders, (order) => {
        const store = ObjectStore.open(runDir);
        for (const n of order) {
          const bytes = Buffer.from(payloads[n]!);
          const read = store.read(digestOf(bytes));
          expect(read.ok && bytes.equals(read.bytes)).toBe(true);
        }
        store.close();
      }),
      { numRuns: 20 },
    );
  });

  it('pack scan: objects larger than what is read at once → found, those behind them too', () => {
    const large = Buffer.alloc(3 * 1024 * 1024, '\n{"hash":"sha256:');
    const { faults, has, size } = opened(Buffer.concat([record(large), record('last')]));
    expect({ faults, size, last: has('last') }).toEqual({ faults: [], size: 2, last: true });
    // Torn, and so searched from end to end.
    const torn = Buffer.concat([record(large).subarray(1), record('last')]);
    expect(opened(torn)).toMatchObject({ size: 1, faults: [{ at: 0, reason: 'torn' }] });
  });

  it('pack scan: sound records with anything between them → every one is found', () => {
    const junk = fc.uint8Array({ maxLength: 60 });
    const payload = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(junk, payload), { maxLength: 6 }), (parts) => {
        const pieces = parts.flatMap(([bytes, text]) => [bytes, Buffer.from('\n'), record(text)]);
        const { has } = opened(Buffer.concat(pieces));
        for (const [, text] of parts) expect(has(text)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('pack writer', () => {
  it('pack writer: put twice, in one call and in two processes → stands there once', () => {
    const runDir = makeRunFolder();
    goOn(runDir, 'x');
    const once = readFileSync(join(runDir, 'objects.pack'));
    goOn(runDir, 'x');
    expect(readFileSync(join(runDir, 'objects.pack'))).toEqual(once);
    const store = ObjectStore.open(runDir);
    const writer = PackWriter.open(runDir, nodeFileOps, store);
    store.close();
    const bytes = Buffer.from('x');
    expect(
      writer.put([
        { kind: 'result', bytes },
        { kind: 'plan', bytes },
        { kind: 'plan', bytes },
      ]),
    ).toEqual([digestOf(bytes), digestOf(bytes), digestOf(bytes)]);
    writer.close();
    const added = readFileSync(join(runDir, 'objects.pack')).subarray(once.length).toString();
    expect(added).toBe(label('x', 'world/effect-plan/v1'));
  });

  it('pack writer: another writer tears its record in front of ours → ours is written again on a line of its own', () => {
    const runDir = makeRunFolder();
    goOn(runDir, 'first');
    const store = ObjectStore.open(runDir);
    let isTorn = false;
    const write: typeof nodeFileOps.write = (fd, bytes) => {
      // The other one dies half-way, between our look at the file and our write.
      if (!isTorn) appendFileSync(join(runDir, 'objects.pack'), record('other').subarray(0, 40));
      isTorn = true;
      return nodeFileOps.write(fd, bytes);
    };
    const writer = PackWriter.open(runDir, { ...nodeFileOps, write }, store);
    store.close();
    writer.put([{ kind: 'result', bytes: Buffer.from('ours') }]);
    writer.close();
    const { has } = opened(readFileSync(join(runDir, 'objects.pack')));
    expect([has('first'), has('ours')]).toEqual([true, true]);
  });

  it('pack writer: two processes at the same time → every object of both is there', async () => {
    const runDir = makeRunFolder();
    const child = fileURLToPath(new URL('../support/pack-child.ts', import.meta.url));
    const outfile = join(makeRunFolder(), 'pack-child.mjs');
    buildSync({ entryPoints: [child], outfile, bundle: true, platform: 'node', format: 'esm' });
    const ended = await Promise.all(['a', 'b'].map((name) => run('node', [outfile, runDir, name, '400'])));
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const { has, faults } = opened(readFileSync(join(runDir, 'objects.pack')));
    expect(faults).toEqual([]);
    for (const name of ['a', 'b']) {
      for (let n = 0; n < 400; n += 1) expect(has(`${name} ${n} ${'x'.repeat(n)}`)).toBe(true);
    }
  });
});
