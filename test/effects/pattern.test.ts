/** Patterns that recognise plain records: whatever they take is what the strict reader takes, to the byte. */
import { describe, expect, it } from 'vitest';
import { digestOf, effectRequestBytes } from '../../harness/core/digest.js';
import { entryBytes, readEntry } from '../../harness/effects/entries.js';
import { journalBytes, readJournalLine } from '../../harness/effects/journal-lines.js';
import type { JournalLine } from '../../harness/effects/journal-lines.js';
import {
  effectRecordBytes,
  inputBytes,
  readEffectRecord,
  readInput,
  readRecord,
  recordBytes,
} from '../../harness/effects/objects.js';
import type { EffectRecord, InvocationRecord } from '../../harness/effects/objects.js';
import { PackIndex } from '../../harness/effects/pack-index.js';
import { readRequest } from '../../harness/effects/request.js';

const d = (text: string) => digestOf(Buffer.from(text));

const LINES: readonly JournalLine[] = [
  { line: 'callIntent', callId: 'c1', tool: 'fs.write', input: d('i'), plan: d('p') },
  {
    line: 'effectIntent',
    callId: 'c1',
    effectId: 'e1',
    effect: 'File.Write',
    scope: 'repo',
    cost: 1,
    now: 17,
    purse: 'main',
    request: d('r'),
  },
  {
    line: 'effectOutcome',
    callId: 'c1',
    effectId: 'e1',
    status: 'ok',
    purse: 'main',
    record: d('x'),
    evidence: '',
  },
  {
    line: 'effectOutcome',
    callId: 'c1',
    effectId: 'e1',
    status: 'failed',
    purse: 'main',
    record: d('x'),
    evidence: d('v'),
  },
  {
    line: 'callOutcome',
    callId: 'c1',
    input: d('i'),
    entryIndex: 12,
    entryHash: d('e'),
    output: d('o'),
  },
];

const BASE: InvocationRecord = {
  invocationId: 'run_1:0',
  episodeId: 'run_1',
  skillId: 'fs.write',
  transitionFn: d('t'),
  interpreter: d('n'),
  semanticsEpoch: 1,
  input: d('i'),
  output: d('o'),
};
const link = (id: string) => ({ id, record: d(id), status: 'ok' as const });
const RECORDS: readonly InvocationRecord[] = [
  BASE,
  { ...BASE, world: { plan: d('p'), effects: [] } },
  { ...BASE, world: { plan: d('p'), effects: [link('e1')] } },
  { ...BASE, world: { plan: d('p'), effects: [link('a'), link('b'), link('c')] } },
  // What no pattern takes: another id than the plan's law allows, and text that is escaped.
  { ...BASE, skillId: 'é<&"\\', world: { plan: d('p'), effects: [link('E 1')] } },
];

const EFFECT: EffectRecord = {
  effect: 'File.Write',
  scope: 'repo',
  cost: 1,
  budgetBefore: 10,
  budgetAfter: 9,
  allowed: true,
  failed: false,
  denial: '',
  requestRef: d('r'),
  resultRef: d('v'),
};

const ENTRY = {
  entryIndex: 3,
  semanticsEpoch: 1,
  transitionFn: d('t'),
  interpreter: d('n'),
  prevEntryHash: d('b'),
  writtenBy: 'coder',
  transitionRef: d('r'),
};

interface Kind {
  readonly name: string;
  readonly all: readonly Uint8Array[];
  /** Reads bytes and writes what was read; `undefined` where they are refused. */
  readonly again: (bytes: Uint8Array) => Uint8Array | undefined;
}

const KINDS: readonly Kind[] = [
  {
    name: 'journal lines',
    all: LINES.map(journalBytes),
    again: (bytes) => {
      const read = readJournalLine(bytes);
      return read.ok ? journalBytes(read.value) : undefined;
    },
  },
  {
    name: 'records',
    all: RECORDS.map(recordBytes),
    again: (bytes) => {
      const read = readRecord(bytes);
      return read.ok ? recordBytes(read.value) : undefined;
    },
  },
  {
    name: 'effect records',
    all: [EFFECT, { ...EFFECT, allowed: false, denial: 'denied:scope', resultRef: '' } as const].map(
      effectRecordBytes,
    ),
    again: (bytes) => {
      const read = readEffectRecord(bytes);
      return read.ok ? effectRecordBytes(read.value) : undefined;
    },
  },
  {
    name: 'entries',
    all: [entryBytes(ENTRY)],
    again: (bytes) => {
      const read = readEntry(bytes);
      // An entry may say another hash than its own; that is found elsewhere.
      if (!read.ok) return undefined;
      const text = Buffer.from(entryBytes(read.value.fields)).toString();
      return Buffer.from(text.replace(/"entryHash":"[^"]*"/, `"entryHash":"${read.value.hash}"`));
    },
  },
  {
    name: 'inputs',
    all: [{ a: 1, b: [true, null, 'x'], c: {} }, { text: 'é<' }].map((input) =>
      inputBytes({ tool: 'fs.write', input }),
    ),
    again: (bytes) => {
      const read = readInput(bytes);
      return read.ok ? inputBytes(read.value) : undefined;
    },
  },
  {
    name: 'requests',
    all: [
      { effect: 'File.Write', scope: 'repo', cost: 1, now: 17, payload: Buffer.from('{"a":1}') },
      { effect: 'é', scope: '', cost: -1, now: 0, payload: Buffer.from('{}') },
      { effect: 'x'.repeat(300), scope: 's', cost: 0, now: 1, payload: Buffer.from('') },
    ].map(effectRequestBytes),
    again: (bytes) => {
      const request = readRequest(bytes);
      return request === undefined ? undefined : effectRequestBytes(request);
    },
  },
];

describe.each(KINDS)('patterns: $name', ({ all, again }) => {
  it('patterns: what we write → read, and written again to the same bytes', () => {
    for (const bytes of all) expect(Buffer.from(again(bytes)!)).toEqual(Buffer.from(bytes));
  });

  it('patterns: any byte changed, left out or put in → refused, or written again to the same bytes', () => {
    let refused = 0;
    for (const bytes of all) {
      for (const changed of changesOf(bytes)) {
        const written = again(changed);
        if (written === undefined) refused += 1;
        else expect(Buffer.compare(written, changed), Buffer.from(changed).toString()).toBe(0);
      }
    }
    expect(refused).toBeGreaterThan(20);
  });
});

const CHARACTERS = ['"', '\\', '0', '-', '<', ' ', '}', '\x80', 'A', '\n'];

function* changesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at <= bytes.length; at += 1) {
    const [front, back] = [bytes.subarray(0, at), bytes.subarray(at)];
    for (const char of CHARACTERS) {
      const put = Buffer.from(char, 'latin1');
      yield Buffer.concat([front, put, back]);
      if (at < bytes.length) yield Buffer.concat([front, put, back.subarray(1)]);
    }
    if (at < bytes.length) yield Buffer.concat([front, back.subarray(1)]);
  }
}

it('index: digests that differ only in their last digit, or share their first eight → told apart', () => {
  const index = new PackIndex();
  const label = { semanticId: 'a/v1', provenance: 'b' };
  const hashes = ['0', '7', '8', 'f'].flatMap((digit) => [
    `sha256:${digit.repeat(8)}${'0'.repeat(55)}1`,
    `sha256:${digit.repeat(8)}${'0'.repeat(55)}2`,
    `sha256:${digit.repeat(64)}`,
  ]) as ReturnType<typeof d>[];
  for (const [at, hash] of hashes.entries()) index.add(hash, { offset: at, bytes: at }, label);
  for (const [at, hash] of hashes.entries()) {
    expect(index.numberOf(hash)).toBe(at);
    expect(index.hashOf(at)).toBe(hash);
    expect(index.hasKind(at, 'a/v1')).toBe(true);
    expect(index.hasKind(at, 'b/v1')).toBe(false);
  }
  expect(index.numberOf(d('none'))).toBeUndefined();
});
