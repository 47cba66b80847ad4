/** What was recorded is changed: single bytes of every kind, and forgeries that fit. Each is found, and named. */
import { cpSync } from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../harness/core/random.js';
import type { Stage } from '../../harness/effects/divergence.js';
import type { KindName } from '../../harness/effects/kinds.js';
import type { InvocationRecord } from '../../harness/effects/objects.js';
import type { Digest } from '../../harness/core/digest.js';
import { makeRunFolder, replayAll, scanAll } from '../support/effect-bed.js';
import { flip, forge, packedObjects, sealedRun } from '../support/tampering.js';

function copyOf(runDir: string): string {
  const copy = makeRunFolder();
  cpSync(runDir, copy, { recursive: true });
  return copy;
}

/** Stages at which a replay finds a changed payload of a kind; empty for what a replay does not read. */
const STAGES_OF: Readonly<Record<KindName, readonly Stage[]>> = {
  input: ['plan'],
  plan: ['plan'],
  output: ['output'],
  pureRecord: ['record'],
  record: ['record'],
  request: ['request'],
  effectRecord: ['effects'],
  result: ['result'],
  refusal: ['result'],
  genesis: ['receipt'],
  // Evidence, sources and the registry are not executed: the scan verifies them.
  evidence: [],
  source: [],
  epochs: [],
};

describe('tampering: one byte of an object', () => {
  it('tampering: a byte of any object, of every kind → the scan finds it, and a replay names its stage', async () => {
    const runDir = await sealedRun();
    const random = seededRandom('tamper');
    const kinds = new Set<KindName>();
    const objects = packedObjects(runDir);
    for (const { kind, payload } of objects) {
      if (kind === undefined || payload.to === payload.from) continue;
      kinds.add(kind);
      for (let n = 0; n < 3; n += 1) {
        const copy = copyOf(runDir);
        const at = payload.from + Math.floor(random.next() * (payload.to - payload.from));
        flip(join(copy, 'objects.pack'), at, 1 << Math.floor(random.next() * 7));
        expect(scanAll(copy), `${kind} at ${at}`).toContainEqual(
          expect.objectContaining({ type: 'hole', table: 'objects', field: 'payload', reason: 'hash' }),
        );
        const stages = replayAll(copy).flatMap(({ mismatch }) =>
          mismatch === undefined ? [] : [mismatch.stage],
        );
        if (STAGES_OF[kind].length === 0) expect(stages).toEqual([]);
        else expect([...new Set(stages)], `${kind} at ${at}`).toEqual(STAGES_OF[kind]);
      }
    }
    expect([...kinds].sort()).toEqual(Object.keys(STAGES_OF).sort());
  });

  it('tampering: any byte of a header, the index of the pack → the scan finds it', async () => {
    const runDir = await sealedRun();
    const random = seededRandom('headers');
    for (const { header } of packedObjects(runDir)) {
      const copy = copyOf(runDir);
      const at = header.from + Math.floor(random.next() * (header.to - header.from + 1));
      flip(join(copy, 'objects.pack'), at, 1 << Math.floor(random.next() * 7));
      const holes = scanAll(copy).filter(({ type, table }) => type === 'hole' && table !== 'files');
      expect(holes, `byte ${at}`).not.toEqual([]);
    }
  });
});

describe('tampering: one byte of a line', () => {
  it('tampering: any byte of an entry → replay names receipt or record, and the scan finds it', async () => {
    const runDir = await sealedRun();
    const random = seededRandom('entries');
    const size = readFileSync(join(runDir, 'invocations.jsonl')).length;
    for (let n = 0; n < 80; n += 1) {
      const copy = copyOf(runDir);
      const at = Math.floor(random.next() * size);
      flip(join(copy, 'invocations.jsonl'), at);
      const holes = scanAll(copy).filter(({ type, table }) => type === 'hole' && table !== 'files');
      expect(holes, `byte ${at}`).not.toEqual([]);
      // A line that cannot be read is no entry any more: the journal knows of one that is missing.
      const stages = replayAll(copy).flatMap(({ mismatch }) =>
        mismatch === undefined ? [] : [mismatch.stage],
      );
      expect(
        stages.some((stage) => stage === 'receipt' || stage === 'record'),
        `byte ${at}`,
      ).toBe(true);
    }
  });

  it('tampering: any byte of the journal → the scan finds it, by its lines or by the seal', async () => {
    const runDir = await sealedRun();
    const random = seededRandom('journal');
    const text = readFileSync(join(runDir, 'journal.jsonl'), 'utf8');
    for (let n = 0; n < 120; n += 1) {
      const copy = copyOf(runDir);
      const at = Math.floor(random.next() * text.length);
      flip(join(copy, 'journal.jsonl'), at);
      const holes = scanAll(copy).filter(({ type }) => type === 'hole');
      expect(holes).toContainEqual(
        expect.objectContaining({ table: 'files', file: 'journal.jsonl', field: 'sha256' }),
      );
      const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, text.indexOf('\n', at) + 1);
      // A reading of the clock is bound by nothing else; a tool's name in an intent stands in the record as well.
      const isFree = /"(clock|tool)":/.test(line) || /"callId":/.test(line);
      if (!isFree)
        expect(
          holes.some(({ table }) => table === 'journal' || table === 'entries'),
          `byte ${at}: ${line}`,
        ).toBe(true);
    }
  });

  it('tampering: any byte of the seal → the scan finds it', async () => {
    const runDir = await sealedRun();
    const random = seededRandom('seal');
    const seal = readFileSync(join(runDir, 'seal.json'), 'utf8');
    const values = [...seal.matchAll(/[0-9a-f]{64}|"logBytes": \d+|"path": "[^"]+"/g)];
    for (const found of values) {
      const copy = copyOf(runDir);
      const at =
        found.index + found[0].length - 1 - Math.floor(random.next() * 3) - (found[0].endsWith('"') ? 1 : 0);
      flip(join(copy, 'seal.json'), at);
      expect(
        scanAll(copy).filter(({ type }) => type === 'hole'),
        `byte ${at}: ${found[0]}`,
      ).not.toEqual([]);
    }
  });
});

type Change = (
  record: InvocationRecord,
  read: (ref: Digest) => string,
  put: (kind: KindName, text: string) => Digest,
) => InvocationRecord;

/** Changes the only effect of a record: its record, and what that one names. */
function effect(
  change: (
    record: string,
    read: (ref: Digest) => string,
    put: (kind: KindName, text: string) => Digest,
  ) => string,
): Change {
  return (record, read, put) => {
    const [link] = record.world!.effects;
    const ref = put('effectRecord', change(read(link!.record), read, put));
    return { ...record, world: { ...record.world!, effects: [{ ...link!, record: ref }] } };
  };
}

const refIn = (record: string, name: string): Digest =>
  /"(sha256:[0-9a-f]{64})"/.exec(record.slice(record.indexOf(`"${name}"`)))![1] as Digest;

/** Forgeries of a call of number.set (the second of the run) in which every hash fits, and the stage that tells. */
const FORGERIES: readonly (readonly [string, Stage, Change])[] = [
  [
    'another input',
    'plan',
    (record, read, put) => ({
      ...record,
      input: put('input', read(record.input).replace('"value":7', '"value":8')),
    }),
  ],
  [
    'another plan',
    'plan',
    (record, read, put) => ({
      ...record,
      world: {
        ...record.world!,
        plan: put('plan', read(record.world!.plan).replace('"value":7', '"value":8')),
      },
    }),
  ],
  [
    'another payload in the request',
    'request',
    effect((record, read, put) => {
      const ref = refIn(record, 'requestRef');
      return record.replace(ref, put('request', read(ref).replace('"value":7', '"value":8')));
    }),
  ],
  [
    'another cost',
    'request',
    effect((record) =>
      record
        .replace('"cost":1', '"cost":2')
        .replace(/"budgetAfter":(\d+)/, (_, left: string) => `"budgetAfter":${Number(left) - 1}`),
    ),
  ],
  ['another scope', 'request', effect((record) => record.replace('"scope":"shelf"', '"scope":"drawer"'))],
  [
    'a denial that was none',
    'effects',
    effect((record) =>
      record
        .replace('"allowed":true', '"allowed":false')
        .replace('"denial":""', '"denial":"denied:scope"')
        .replace(/"resultRef":"[^"]*"/, '"resultRef":""')
        .replace(/"budgetBefore":\d+/, '"budgetBefore":0')
        .replace(/"budgetAfter":\d+/, '"budgetAfter":0'),
    ),
  ],
  [
    'another result',
    'output',
    effect((record, read, put) => {
      const ref = refIn(record, 'resultRef');
      return record.replace(ref, put('result', read(ref).replace('true', 'false')));
    }),
  ],
  [
    'a result that is none',
    'result',
    effect((record, _read, put) => record.replace(refIn(record, 'resultRef'), put('result', '["a list"]'))),
  ],
  [
    'another output',
    'output',
    (record, read, put) => ({
      ...record,
      output: put('output', read(record.output).replace('true', 'false')),
    }),
  ],
  ['an effect left out', 'effects', (record) => ({ ...record, world: { ...record.world!, effects: [] } })],
  [
    'an effect added',
    'effects',
    (record) => ({
      ...record,
      world: {
        ...record.world!,
        effects: [...record.world!.effects, { ...record.world!.effects[0]!, id: 'e2' }],
      },
    }),
  ],
  [
    'another id of the effect',
    'effects',
    (record) => ({
      ...record,
      world: { ...record.world!, effects: [{ ...record.world!.effects[0]!, id: 'e2' }] },
    }),
  ],
  ['the record of another call', 'record', (record) => ({ ...record, invocationId: 'run_effects:9' })],
  ['another tool', 'interpreter', (record) => ({ ...record, skillId: 'number.get' })],
  ['another interpreter in the record', 'record', (record) => ({ ...record, interpreter: record.input })],
];

describe('tampering: forgeries in which every hash fits', () => {
  for (const [what, stage, change] of FORGERIES) {
    it(`tampering: ${what}, and all hashes made to fit → replay names ${stage}`, async () => {
      const runDir = await sealedRun();
      forge(runDir, 1, change);
      const mismatches = replayAll(runDir).flatMap(({ mismatch }) =>
        mismatch === undefined ? [] : [mismatch],
      );
      // An effect left out with nothing in its place looks like a plan that says no: then the plan itself tells.
      const expected = what === 'an effect left out' ? ['output', 'effects'] : [stage];
      expect(mismatches.map((found) => found.stage)).toHaveLength(1);
      expect(expected).toContain(mismatches[0]!.stage);
      // The chain was built anew, so that only the journal and the seal still know how it was.
      expect(scanAll(runDir).filter(({ type }) => type === 'hole')).not.toEqual([]);
    });
  }

  it('tampering: two effects in the other order → replay names effects', async () => {
    const runDir = await sealedRun();
    forge(runDir, 2, (record) => ({
      ...record,
      world: { ...record.world!, effects: [...record.world!.effects].reverse() },
    }));
    expect(replayAll(runDir).flatMap(({ mismatch }) => mismatch?.stage ?? [])).toEqual(['effects']);
  });

  it('tampering: a time that is not that of the journal → the scan names the request', async () => {
    const runDir = await sealedRun();
    const journal = join(runDir, 'journal.jsonl');
    writeFileSync(
      journal,
      readFileSync(journal, 'utf8').replace(/"now":(\d+)/, (_, now: string) => `"now":${Number(now) + 1}`),
    );
    expect(scanAll(runDir)).toContainEqual(expect.objectContaining({ table: 'journal', field: 'request' }));
  });

  it('tampering: an object removed → a gap that names it, and no call of the world', async () => {
    const runDir = await sealedRun();
    const pack = join(runDir, 'objects.pack');
    const bytes = readFileSync(pack);
    const gone = packedObjects(runDir).find(({ kind }) => kind === 'result')!;
    writeFileSync(
      pack,
      Buffer.concat([bytes.subarray(0, gone.header.from), bytes.subarray(gone.payload.to + 1)]),
    );
    const mismatches = replayAll(runDir).flatMap(({ mismatch }) =>
      mismatch === undefined ? [] : [mismatch],
    );
    expect(mismatches).toContainEqual(
      expect.objectContaining({ type: 'gap', stage: 'result', missing: expect.stringMatching(/^sha256:/) }),
    );
    expect(scanAll(runDir)).toContainEqual(
      expect.objectContaining({ type: 'hole', table: 'entries', reason: 'missing' }),
    );
  });

  it('tampering: an entry removed, and the lines closed up → replay names receipt', async () => {
    const runDir = await sealedRun();
    const log = join(runDir, 'invocations.jsonl');
    const lines = readFileSync(log, 'utf8').split('\n');
    lines.splice(3, 1);
    writeFileSync(log, lines.join('\n'));
    expect(replayAll(runDir).flatMap(({ mismatch }) => mismatch ?? [])).toMatchObject([
      { type: 'divergence', stage: 'receipt', expected: '3', found: '4' },
      { type: 'gap', stage: 'receipt', what: 'the entry of call_4' },
    ]);
    expect(scanAll(runDir)).toContainEqual(
      expect.objectContaining({ table: 'entries', field: 'entryIndex' }),
    );
  });
});
