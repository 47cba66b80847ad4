/** Records in encoding B: what is written reads back, and nothing else does. The real bytes of the public store do, too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, effectRequestBytes, interfaceHash } from '../../harness/core/digest.js';
import { entryBytes, readEntry, worldRow } from '../../harness/effects/entries.js';
import { epochOf, epochsBytes, genesisBytes } from '../../harness/effects/genesis.js';
import { journalBytes, readJournalLine } from '../../harness/effects/journal-lines.js';
import type { JournalLine } from '../../harness/effects/journal-lines.js';
import { KIND, kindOf, PROVENANCE } from '../../harness/effects/kinds.js';
import {
  effectRecordBytes,
  effectStatusOf,
  inputBytes,
  readEffectRecord,
  readInput,
  readRecord,
  recordBytes,
} from '../../harness/effects/objects.js';
import type { EffectRecord, InvocationRecord } from '../../harness/effects/objects.js';
import { readRequest } from '../../harness/effects/request.js';
import { normalised, sourceBytes } from '../../harness/effects/source.js';
import { describeWithData } from '../support/data.js';
import { addTool, getTool, swapTool } from '../support/effect-bed.js';

const D = digestOf(Buffer.from('d'));
const E = digestOf(Buffer.from('e'));

const RECORD: InvocationRecord = {
  invocationId: 'run_1:0',
  episodeId: 'run_1',
  skillId: 'fs.read',
  transitionFn: D,
  interpreter: D,
  semanticsEpoch: 1,
  input: D,
  output: E,
  world: { plan: D, effects: [{ id: 'e1', record: E, status: 'ok' }] },
};
const EFFECT: EffectRecord = {
  effect: 'A',
  scope: 'b<c>',
  cost: 1,
  budgetBefore: 3,
  budgetAfter: 2,
  allowed: true,
  failed: false,
  denial: '',
  requestRef: D,
  resultRef: E,
};
const LINES: readonly JournalLine[] = [
  { line: 'callIntent', callId: 'c', tool: 't', input: D, plan: E },
  {
    line: 'effectIntent',
    callId: 'c',
    effectId: 'e1',
    effect: 'A',
    scope: 'b',
    cost: 1,
    now: 5,
    purse: 'p',
    request: D,
  },
  {
    line: 'effectOutcome',
    callId: 'c',
    effectId: 'e1',
    status: 'failed',
    purse: 'p',
    record: D,
    evidence: E,
  },
  {
    line: 'effectOutcome',
    callId: 'c',
    effectId: 'e1',
    status: 'denied',
    purse: 'p',
    record: D,
    evidence: '',
  },
  { line: 'callOutcome', callId: 'c', input: D, entryIndex: 3, entryHash: D, output: E },
  { line: 'purse', purse: 'p', grants: ['A=b:1'] },
  {
    line: 'scalars',
    values: [
      { port: 'clock', value: 5 },
      { port: 'draw', value: 0.25 },
      { port: 'turn', value: 0 },
    ],
  },
];
const FIELDS = {
  entryIndex: 2,
  semanticsEpoch: 1,
  transitionFn: D,
  interpreter: D,
  prevEntryHash: E,
  writtenBy: 'a "<b>"',
  transitionRef: D,
};

const WRITTEN: readonly (readonly [
  string,
  Uint8Array,
  (bytes: Uint8Array) => { ok: boolean; value?: unknown },
])[] = [
  [
    'an input',
    inputBytes({ tool: 'fs.read', input: { path: 'é\u2028', list: [1, { b: null, a: true }] } }),
    readInput,
  ],
  ['a record', recordBytes(RECORD), readRecord],
  ['a record of a tool that only computes', recordBytes(withoutWorld(RECORD)), readRecord],
  ['an effect record', effectRecordBytes(EFFECT), readEffectRecord],
  ['an entry', entryBytes(FIELDS), readEntry],
  ...LINES.map((line) => [`a journal line (${line.line})`, journalBytes(line), readJournalLine] as const),
];

function withoutWorld({ world, ...record }: InvocationRecord): InvocationRecord {
  expect(world).toBeDefined();
  return record;
}

describe('records', () => {
  for (const [what, bytes, read] of WRITTEN) {
    it(`records: ${what} → reads back, and is written the same again`, () => {
      expect(read(bytes)).toMatchObject({ ok: true });
    });

    it(`records: ${what} with any byte changed → refused, or read as something else`, () => {
      const before = read(bytes);
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ 1;
        const found = read(changed);
        if (found.ok) expect(found.value, `byte ${at}`).not.toEqual(before.value);
      }
    });

    it(`records: ${what} with a member more, less, in another order, or with a space → refused`, () => {
      const text = Buffer.from(bytes).toString();
      const members = Object.entries(JSON.parse(text) as object);
      const variants = [
        JSON.stringify(Object.fromEntries([...members, ['more', 1]])),
        JSON.stringify(Object.fromEntries(members.slice(1))),
        JSON.stringify(Object.fromEntries([...members].reverse())),
        text.replace(':', ': '),
        `${text} `,
        `${text.slice(0, -1)},${text.slice(1)}`,
        '[]',
        'null',
        '',
      ];
      for (const variant of variants) expect(read(Buffer.from(variant)).ok, variant).toBe(false);
    });
  }

  it('records: what an effect record says → its status by the table of outcomes, or none where it contradicts itself', () => {
    const denied: Partial<EffectRecord> = {
      allowed: false,
      denial: 'denied:scope',
      resultRef: '',
      budgetAfter: 3,
    };
    const cases: readonly (readonly [Partial<EffectRecord>, string | undefined])[] = [
      [{}, 'ok'],
      [{ failed: true, resultRef: '' }, 'failed'],
      [denied, 'denied'],
      [{ failed: true }, undefined],
      [{ resultRef: '' }, undefined],
      [{ denial: 'denied:scope' }, undefined],
      [{ budgetAfter: 3 }, undefined],
      [{ cost: -1, budgetAfter: 4 }, undefined],
      [{ budgetBefore: 0, budgetAfter: -1 }, undefined],
      [{ ...denied, denial: '' }, undefined],
      [{ ...denied, resultRef: E }, undefined],
      [{ ...denied, budgetAfter: 2 }, undefined],
      [{ ...denied, failed: true }, undefined],
    ];
    for (const [over, status] of cases)
      expect(effectStatusOf({ ...EFFECT, ...over }), JSON.stringify(over)).toBe(status);
  });

  it('records: any request → reads back; any other bytes → none', () => {
    const requests = fc.record({
      effect: fc.string({ unit: 'binary' }).filter(isWellFormed),
      scope: fc.string({ unit: 'binary' }).filter(isWellFormed),
      cost: fc.maxSafeInteger(),
      now: fc.maxSafeInteger(),
      payload: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(requests, (request) => {
        expect(readRequest(effectRequestBytes(request))).toEqual(request);
      }),
    );
    for (const odd of [
      '',
      ':',
      '1:',
      '1:a',
      '1:a1:b',
      '1:a1:b1:',
      '01:a1:b1:1:',
      '9:a1:b1:1:',
      '-1:a1:b1:1:',
      '1:a1:b+1:1:',
      '1:a1:b1.0:1:',
      '1:a1:b1:-0:',
    ])
      expect(readRequest(Buffer.from(odd)), odd).toBeUndefined();
  });

  it('records: kinds → each with its name, who makes it, and a way back', () => {
    for (const name of Object.keys(KIND) as (keyof typeof KIND)[]) {
      expect(kindOf(KIND[name])).toBe(name);
      expect(PROVENANCE[name]).toMatch(/./);
    }
    expect(new Set(Object.values(KIND)).size).toBe(Object.keys(KIND).length);
    expect(kindOf('world/other/v1')).toBeUndefined();
  });

  it('records: a genesis → says cell, seed and registry, whatever the order they were given in', () => {
    const genesis = { runId: 'run_1', cell: { b: 1, a: 2 }, seed: 7 };
    const bytes = genesisBytes(genesis, digestOf(epochsBytes()));
    expect(bytes).toEqual(
      genesisBytes({ seed: 7, cell: { a: 2, b: 1 }, runId: 'run_1' }, digestOf(epochsBytes())),
    );
    expect(genesisBytes({ ...genesis, seed: 8 }, digestOf(epochsBytes()))).not.toEqual(bytes);
    expect(Buffer.from(bytes).toString()).toContain('"forkedFrom":null');
    expect(epochOf('0.1.0')).toBe(1);
  });

  it('records: the source of a tool → changes with any of its parts, and not with line ends', () => {
    const source = Buffer.from(sourceBytes(swapTool)).toString();
    expect(source.endsWith('\n') && !source.endsWith('\n\n')).toBe(true);
    const changed = [
      { ...swapTool, summary: 'Other.' },
      { ...swapTool, grants: [] },
      { ...swapTool, inputSchema: {} },
      { ...swapTool, plan: getTool.plan },
      { ...swapTool, finish: () => ({}) },
    ];
    for (const tool of changed) expect(Buffer.from(sourceBytes(tool)).toString()).not.toBe(source);
    expect(Buffer.from(sourceBytes(addTool)).toString()).toContain('number.add');
    expect(Buffer.from(normalised('a  \r\nb\rc\n\n\n')).toString()).toBe('a\nb\nc\n');
  });

  it('records: a row of the world → is that of index, output and entry', () => {
    const entry = { fields: FIELDS, hash: E };
    expect(worldRow(entry, D)).toMatchObject({ revision: 2, ref: expect.stringMatching(/^sha256:/) });
    expect(worldRow(entry, D)).not.toEqual(worldRow(entry, E));
  });
});

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

interface ExportedObject {
  readonly hash: string;
  readonly interfaceHash: string;
  readonly semanticId: string;
  readonly payload: string;
}

describeWithData('records of the public store', (data) => {
  const file = join(data, 'world', 'derived-entry1-objects.json');
  const { objects } = JSON.parse(readFileSync(file, 'utf8')) as { objects: ExportedObject[] };
  const byKind = new Map(objects.map((object) => [object.semanticId, object]));
  const bytesOf = (semanticId: string): Buffer => Buffer.from(byKind.get(semanticId)!.payload, 'base64');

  it('records: its real objects → have the digests and interface hashes that ours would have', () => {
    for (const { hash, interfaceHash: label, semanticId, payload } of objects) {
      expect(digestOf(Buffer.from(payload, 'base64'))).toBe(hash);
      expect(interfaceHash(semanticId)).toBe(label);
      expect(kindOf(semanticId)).toBeDefined();
    }
  });

  it('records: its real effect record and request → read, and written the same again', () => {
    const record = readEffectRecord(bytesOf(KIND.effectRecord));
    expect(record.ok && Buffer.compare(effectRecordBytes(record.value), bytesOf(KIND.effectRecord))).toBe(0);
    expect(record.ok && effectStatusOf(record.value)).toBe('ok');
    const request = readRequest(bytesOf(KIND.request));
    expect(request).toMatchObject({ effect: 'Workspace.Read', scope: 'worktree', cost: 1, now: 1791011016 });
    expect(effectRequestBytes(request!)).toEqual(bytesOf(KIND.request));
  });

  it('records: its real entries → read in its own spelling', () => {
    for (let index = 1; index <= 9; index += 1) {
      const text = readFileSync(join(data, 'world', `log-${index}.json`), 'utf8').trim();
      expect(readEntry(Buffer.from(text)), `log-${index}`).toMatchObject({
        ok: true,
        value: { fields: { entryIndex: index } },
      });
    }
  });
});
