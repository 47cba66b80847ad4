/** Scanning: budgets and resuming, what must hold, and studies. */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../harness/core/random.js';
import { digestOf } from '../../harness/core/digest.js';
import { packed } from '../../harness/effects/pack-layout.js';
import { effectBed, everyKind, makeRunFolder, scanAll } from '../support/effect-bed.js';
import { inParts, scan } from '../support/folder-scan.js';
import type { Scan } from '../support/folder-scan.js';
import { flip, packedObjects } from '../support/tampering.js';

async function finished(): Promise<string> {
  const bed = effectBed();
  await everyKind(bed);
  bed.broker.close();
  return bed.runDir;
}

/** A run with something wrong in every table. */
async function damaged(): Promise<string> {
  const runDir = await finished();
  const random = seededRandom('damage');
  const objects = packedObjects(runDir);
  for (const at of [3, 11, 24, objects.length - 2]) {
    const { payload } = objects[at]!;
    flip(
      join(runDir, 'objects.pack'),
      payload.from + Math.floor(random.next() * (payload.to - payload.from)),
    );
  }
  const stray = packed({ bytes: Buffer.from('stray'), semanticId: 'other/kind/v1', provenance: 'nobody' });
  appendFileSync(
    join(runDir, 'objects.pack'),
    Buffer.concat([...stray.parts, Buffer.from('{"hash":"sha256:to')]),
  );
  const log = join(runDir, 'invocations.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  lines.splice(5, 1, lines[5]!.replace('"writtenBy":"coder"', '"writtenBy":"c0der"'));
  writeFileSync(log, lines.join('\n'));
  const journal = join(runDir, 'journal.jsonl');
  const text = readFileSync(journal, 'utf8').split('\n');
  text.splice(6, 1);
  writeFileSync(journal, `${text.join('\n')}{"kind":`);
  return runDir;
}

/** Few rows, and as much wrong with them: torn lines that were closed and one that was not, and two calls left open. */
async function smallDamaged(): Promise<string> {
  const bed = effectBed();
  for (const name of ['a', 'b', 'broken']) await bed.call('number.note', { name, note: 1 });
  bed.broker.close();
  const [log, journal] = ['invocations.jsonl', 'journal.jsonl'].map((name) => join(bed.runDir, name));
  const [first, second, third] = readFileSync(log!, 'utf8').split('\n');
  writeFileSync(log!, `${first}\n{"header":{"entr\n${second}\nnonsense\nmore of it\n${third?.slice(0, 50)}`);
  const lines = readFileSync(journal!, 'utf8').trimEnd().split('\n');
  // The second call loses one outcome, the third its end.
  lines.splice(10, 1);
  lines.splice(3, 0, '{"kind":"world/eff');
  writeFileSync(journal!, `${lines.slice(0, -1).join('\n')}\n`);
  flip(join(bed.runDir, 'objects.pack'), packedObjects(bed.runDir)[7]!.payload.from + 3);
  return bed.runDir;
}

describe('scan: budgets', () => {
  it('scan: in parts of any size, resumed until complete → finds together what one whole scan finds', async () => {
    for (const runDir of [await finished(), await damaged()]) {
      const whole = scan(runDir);
      expect(whole.resume).toBeUndefined();
      for (const rows of [1, 2, 3, 7, 20, 50, 100, 1000])
        expect(inParts(runDir, rows), `${rows} rows`).toEqual(whole.items);
    }
  });

  it('scan: in parts of every possible size → finds together what one whole scan finds', async () => {
    const runDir = await smallDamaged();
    const whole = scan(runDir);
    expect(whole.items.length).toBeGreaterThan(8);
    for (let rows = 1; ; rows += 1) {
      expect(inParts(runDir, rows), `${rows} rows`).toEqual(whole.items);
      if (scan(runDir, { rows }).resume === undefined) break;
    }
  });

  it('scan: damage in every table → each is found where it is', async () => {
    const { items } = scan(await damaged());
    const tables = new Set(items.filter(({ type }) => type === 'hole').map(({ table }) => table));
    expect([...tables].sort()).toEqual(['entries', 'journal', 'objects']);
    expect(
      items.filter(({ reason }) => reason === 'hash' || reason.startsWith('torn-tail')).length,
    ).toBeGreaterThanOrEqual(5);
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'note', field: 'semanticId', reason: 'unknown-kind other/kind/v1' }),
    );
    expect(items).toContainEqual(expect.objectContaining({ type: 'note', reason: 'orphan other/kind/v1' }));
  });

  it('scan: out of time → incomplete, with at least a row done, and going on gets to the end', async () => {
    const runDir = await finished();
    let resume: string | undefined;
    let parts = 0;
    do {
      const scanned: Scan = scan(runDir, { ms: 1, ...(resume === undefined ? {} : { resume }) });
      resume = scanned.resume;
      parts += 1;
    } while (resume !== undefined);
    expect(parts).toBeGreaterThan(1);
  });

  it('scan: a cursor of another state of the files, of another run, or none at all → refused in one line', async () => {
    const runDir = await finished();
    const { resume } = scan(runDir, { rows: 5 });
    const other = effectBed({ runDir: makeRunFolder() });
    await everyKind(other);
    other.broker.close();
    expect(() => scan(other.runDir, { resume: resume!.replace(/^\d+/, '6') })).not.toThrow();
    appendFileSync(join(runDir, 'journal.jsonl'), '\n');
    expect(() => scan(runDir, { resume: resume! })).toThrow(/the cursor is not of/);
    const seeded = effectBed({ genesis: { runId: 'run_effects', cell: { task: 'rt_numbers' }, seed: 8 } });
    await everyKind(seeded);
    seeded.broker.close();
    expect(() => scan(seeded.runDir, { resume: resume! })).toThrow(/the cursor is not of/);
    expect(() => scan(runDir, { resume: 'x' })).toThrow(/is no cursor/);
    expect(() => scan(runDir, { resume: resume!.replace(/\.\.$/, '.run_other') })).toThrow(
      /the cursor names run_other/,
    );
  });

  it('scan: a folder that is nothing, and one that is not there → said so', () => {
    expect(() => scan(makeRunFolder())).toThrow(/nothing to scan/);
    expect(() => scan('/nowhere/at/all')).toThrow(/no folder at/);
  });
});

describe('scan: what must hold', () => {
  it('scan: a run without any call → complete, and clean', () => {
    const runDir = makeRunFolder();
    writeFileSync(join(runDir, 'provenance.jsonl'), '');
    expect(scanAll(runDir).filter(({ type }) => type === 'hole')).toEqual([]);
  });

  it('scan: an intent without an outcome, and an entry that the journal does not know → holes', async () => {
    const runDir = await finished();
    const journal = join(runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('journal-outcome'));
    writeFileSync(journal, lines.filter((_, index) => index !== at).join('\n'));
    const holes = scanAll(runDir).filter(({ type }) => type === 'hole');
    expect(holes).toContainEqual(
      expect.objectContaining({
        table: 'journal',
        field: 'outcome',
        reason: expect.stringMatching(/^orphan-effect: e1 \(ok\) of call_1/),
      }),
    );
    expect(holes).toContainEqual(expect.objectContaining({ table: 'entries', index: 0, field: 'journal' }));
  });

  it('scan: an effect announced and not ended, one ended without an entry, and one denied → told apart', async () => {
    const bed = effectBed();
    await bed.call('number.note', { name: 'a', note: 1 });
    bed.broker.grant('none', []);
    await bed.call('number.set', { name: 'a', value: 1 }, { purse: 'none' });
    bed.broker.close();
    const journal = join(bed.runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    // Grants, call, two intents, two outcomes, end; grants, denial, end.
    expect(lines).toHaveLength(10);
    const kept = lines.filter((_, at) => ![5, 6, 9].includes(at));
    writeFileSync(journal, `${kept.join('\n')}\n`);
    writeFileSync(join(bed.runDir, 'invocations.jsonl'), '');
    const found = scanAll(bed.runDir).filter(({ table }) => table === 'journal');
    expect(found.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'hole orphan-effect: read (ok) of call_1, whose entry is not known; see counterproof recover',
      'hole missing: call_1, effects write, which may have happened; see counterproof recover',
      'note call_2 was denied and has no entry; nothing happened',
    ]);
  });

  it('scan: a line that a crash tore and a later writer closed → a note; anything else that is no line → a hole', async () => {
    const found = scan(await smallDamaged()).items.filter(({ field }) => field === 'line');
    expect(found.map(({ type, table, index }) => `${type} ${table} ${index}`)).toEqual([
      'note entries 2',
      'hole entries 4',
      'hole entries 5',
      'note entries 6',
      'note journal 4',
    ]);
  });

  it('scan: a budget that does not go on from the one before → a hole', async () => {
    const runDir = await finished();
    const journal = join(runDir, 'journal.jsonl');
    writeFileSync(
      journal,
      readFileSync(journal, 'utf8').replace('Number.Set=shelf:1000000', 'Number.Set=shelf:1000001'),
    );
    expect(scanAll(runDir)).toContainEqual(expect.objectContaining({ table: 'journal', field: 'budget' }));
  });

  it('scan: an effect paid by grants that were never given out → a hole', async () => {
    const runDir = await finished();
    const journal = join(runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, lines.filter((line) => !line.includes('"purse":"main","grants"')).join('\n'));
    expect(scanAll(runDir)).toContainEqual(
      expect.objectContaining({ field: 'purse', reason: 'main was never given out' }),
    );
  });
});

describe('scan: a study', () => {
  it('scan: several runs → each scanned, in parts as a whole, and those set aside are said', async () => {
    const study = makeRunFolder();
    for (const name of ['run_a', 'run_b', 'run_c.abandoned-1'])
      cpSync(await damaged(), join(study, name), { recursive: true });
    writeFileSync(join(study, 'study.json'), '{}');
    const whole = scan(study);
    expect(whole).toMatchObject({ runs: 2, ignored: ['run_c.abandoned-1'] });
    expect(new Set(whole.items.map(({ run }) => run))).toEqual(new Set(['run_a', 'run_b']));
    for (const rows of [9, 40, 130]) expect(inParts(study, rows), `${rows} rows`).toEqual(whole.items);
  });

  it('scan: a ledger that names a run that is gone → a hole; a run that it does not name → a note', async () => {
    const study = makeRunFolder();
    cpSync(await finished(), join(study, 'run_here'), { recursive: true });
    const line = {
      runId: 'run_gone',
      events: 1,
      logDigest: digestOf(Buffer.from('')),
      head: null,
      at: '2026-01-01T00:00:00.000Z',
    };
    writeFileSync(join(study, 'ledger.jsonl'), `${JSON.stringify(line)}\nno line\n`);
    const { items } = scan(study);
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'hole', table: 'ledger', reason: 'run_gone is sealed and gone' }),
    );
    expect(items).toContainEqual(expect.objectContaining({ type: 'hole', table: 'ledger', field: 'line' }));
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'note', run: 'run_here', reason: 'not in the ledger' }),
    );
  });
});

describe('scan: a ledger', () => {
  it('scan: a ledger that remembers another seal, or a run without one → a hole', async () => {
    const study = makeRunFolder();
    for (const name of ['run_a', 'run_b']) cpSync(await finished(), join(study, name), { recursive: true });
    const digest = digestOf(Buffer.from(''));
    const at = '2026-01-01T00:00:00.000Z';
    const seal = {
      formatVersion: 1,
      logBytes: 0,
      events: 4,
      logDigest: digest,
      head: null,
      harness: { name: 'counterproof', version: '0.1.0' },
      sealedAt: at,
      files: [],
    };
    writeFileSync(join(study, 'run_a', 'seal.json'), JSON.stringify(seal));
    const lines = ['run_a', 'run_b'].map((runId) =>
      JSON.stringify({ runId, events: 5, logDigest: digest, head: null, at }),
    );
    writeFileSync(join(study, 'ledger.jsonl'), `${lines.join('\n')}\n`);
    const found = scan(study).items.filter(({ table }) => table === 'ledger');
    expect(found.map(({ run, type, field, reason }) => `${run} ${type} ${field}: ${reason}`)).toEqual([
      'run_a hole events: the seal says 4',
      'run_b hole seal: run_b has no seal',
    ]);
  });

  it('scan: a study out of time → the time is that of all its runs together', async () => {
    const study = makeRunFolder();
    for (const name of ['run_a', 'run_b', 'run_c'])
      cpSync(await finished(), join(study, name), { recursive: true });
    const whole = scan(study);
    expect(whole.runs).toBe(3);
    const part = scan(study, { ms: 2 });
    expect(part.resume).toMatch(/\.run_a$/);
    expect(part.runs).toBe(1);
  });
});
