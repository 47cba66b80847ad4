/** Scanning the export of the public store: one of our own making, and the real one entry by entry. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, structBytes } from '../../harness/core/canonical.js';
import { digestOf, entryHash, interfaceHash, worldRef } from '../../harness/core/digest.js';
import type { Digest } from '../../harness/core/digest.js';
import { KIND } from '../../harness/effects/kinds.js';
import { describeWithData } from '../support/data.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { inParts, scan } from '../support/folder-scan.js';

/** A small export of our own: a log of three entries, and a commit with one object. */
function writeExport(folder: string): void {
  const digest = (text: string): Digest => digestOf(Buffer.from(text));
  let prevEntryHash = digest('genesis');
  for (let entryIndex = 0; entryIndex < 3; entryIndex += 1) {
    const header = {
      entryIndex,
      semanticsEpoch: 1,
      transitionFn: digest('t'),
      interpreter: digest('i'),
      prevEntryHash,
      writtenBy: 'us',
    };
    const transitionRef = digest(`r${entryIndex}`);
    const hash = entryHash({ ...header, transitionRef });
    writeFileSync(
      join(folder, `log-${entryIndex}.json`),
      JSON.stringify({ header, entryHash: hash, transitionRef }),
    );
    prevEntryHash = hash;
  }
  const payload = canonicalBytes({ state: 1 });
  const stateRoot = digestOf(payload);
  const world = { revision: 3, stateRoot, logHead: prevEntryHash };
  const object = {
    hash: stateRoot,
    interfaceHash: interfaceHash('x/v1'),
    semanticId: 'x/v1',
    provenance: 'us',
    payload: Buffer.from(payload).toString('base64'),
  };
  writeFileSync(
    join(folder, 'commit.json'),
    JSON.stringify({ objects: [object], nextWorld: { ref: worldRef(world), ...world } }),
  );
}

describe('scan: an export', () => {
  it('scan: a sound one → no hole, and what it leaves out is told apart', () => {
    const folder = makeRunFolder();
    writeExport(folder);
    writeFileSync(join(folder, 'notes.json'), '{"some":"thing"}');
    const found = scan(folder);
    expect(found).toMatchObject({ entries: 3, objects: 1, ignored: ['notes.json'] });
    expect(found.items.filter(({ type }) => type === 'hole')).toEqual([]);
    expect(new Set(found.items.map(({ reason }) => reason))).toEqual(new Set(['not_in_export']));
    for (const rows of [1, 3, 8]) expect(inParts(folder, rows)).toEqual(found.items);
    const { resume } = scan(folder, { rows: 2 });
    writeFileSync(join(folder, 'more.json'), '{}');
    expect(() => scan(folder, { resume: resume! })).toThrow(/the cursor is not of/);
  });

  it('scan: an entry, a link, a payload and a root that do not hold → a hole each', () => {
    const changes: readonly (readonly [string, string, string, string])[] = [
      ['log-1.json', '"us"', '"u5"', 'entryHash'],
      ['commit.json', '"payload":"e', '"payload":"f', 'payload'],
      ['commit.json', '"revision":3', '"revision":4', 'nextWorld.ref'],
    ];
    for (const [name, from, to, field] of changes) {
      const folder = makeRunFolder();
      writeExport(folder);
      const path = join(folder, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
      expect(scan(folder).items, field).toContainEqual(expect.objectContaining({ type: 'hole', field }));
    }
    const folder = makeRunFolder();
    writeExport(folder);
    rmSync(join(folder, 'log-1.json'));
    expect(scan(folder).items.map(({ field, type }) => `${type} ${field}`)).toEqual(
      expect.arrayContaining(['hole entryIndex', 'hole prevEntryHash']),
    );
  });

  it('scan: an effect record among its objects that nobody could have written → a hole', () => {
    const folder = makeRunFolder();
    writeExport(folder);
    mkdirSync(folder, { recursive: true });
    const payload = structBytes([['effect', 'A']]);
    const object = {
      hash: digestOf(payload),
      interfaceHash: interfaceHash(KIND.effectRecord),
      semanticId: KIND.effectRecord,
      provenance: 'x',
      payload: Buffer.from(payload).toString('base64'),
    };
    writeFileSync(join(folder, 'more.json'), JSON.stringify({ objects: [object] }));
    expect(scan(folder).items).toContainEqual(
      expect.objectContaining({ type: 'hole', field: 'effect-record' }),
    );
  });
});

describeWithData('scan of the public store', (data) => {
  const { items, entries, objects, ignored, resume } = scan(join(data, 'world'));
  const said = (file: string, type: string): string[] =>
    items
      .filter((item) => item.file === file && item.type === type)
      .map((item) => `${item.field}: ${item.reason}`);

  it('scan: the export → complete, and what is no part of it is named', () => {
    expect({ entries, objects, ignored, resume }).toEqual({
      entries: 10,
      objects: 20,
      ignored: ['call-read.json'],
      resume: undefined,
    });
  });

  it('scan: entry 0 → a genesis that its client supplied, whose hash does not come out', () => {
    expect(said('log-0.json', 'hole')).toEqual(['entryHash: hash: client-supplied genesis']);
  });

  for (let index = 1; index <= 9; index += 1) {
    it(`scan: entry ${index} → its hash and its link hold; what it names is not in the export`, () => {
      expect(said(`log-${index}.json`, 'hole')).toEqual([]);
      for (const note of said(`log-${index}.json`, 'note')) expect(note).toMatch(/: not_in_export$/);
    });
  }

  const commits: readonly (readonly [file: string, objects: number])[] = [
    ['q1-iter171-index-row.json', 4],
    ['q2-iter154-unfenced-pi.json', 4],
    ['q3-iter155-faithfulness-proof.json', 4],
    ['q4-iter181-ci-bench-401.json', 3],
  ];
  for (const [file, count] of commits) {
    it(`scan: ${file} → payloads hold; entry, world and root do not; interface hashes are the client's`, () => {
      expect(said(file, 'hole').sort()).toEqual([
        'entryHash: hash',
        'nextWorld.ref: hash',
        'nextWorld.stateRoot: the root of no object here',
      ]);
      const clientSupplied = said(file, 'note').filter((note) =>
        note.startsWith('interfaceHash: client-supplied'),
      );
      expect(clientSupplied).toHaveLength(count);
    });
  }

  it('scan: objects on their own → all hold', () => {
    expect(said('derived-entry1-objects.json', 'hole')).toEqual([]);
  });

  it('scan: the export in parts → finds together what one whole scan finds', () => {
    for (const rows of [1, 7, 30]) expect(inParts(join(data, 'world'), rows)).toEqual(items);
  });
});
