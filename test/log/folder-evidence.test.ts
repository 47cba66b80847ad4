/**
 * What a run folder can show, and how it says that something is not there. Nothing outside the folder is opened and
 * nothing in it can hold the check up.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';
import { bareEvidence, folderEvidence } from '../../harness/log/folder-evidence.js';
import { appendLedger } from '../../harness/log/ledger.js';
import { sealRun } from '../../harness/log/seal.js';
import { completed, goal, makeFolder, makeRun, open, START_MS, STARTED } from '../support/log-bed.js';
import { line, logOf } from '../support/read-bed.js';

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const MISSING = { found: false, why: 'missing' };
const NOT_APPLICABLE = { found: false, why: 'not-applicable' };

/** A run folder beside a file that must not be read. */
function makeBeside(): string {
  const study = makeFolder();
  const runDir = join(study, 'run_x');
  mkdirSync(runDir);
  writeFileSync(join(study, 'secret.json'), '{"secret":true}');
  return runDir;
}

describe('evidence: files', () => {
  test('evidence: a file → its size and digest, also through a link inside the folder', () => {
    const runDir = makeBeside();
    mkdirSync(join(runDir, 'results'));
    writeFileSync(join(runDir, 'results', 'a.json'), '{"a":1}');
    symlinkSync('results/a.json', join(runDir, 'link.json'));
    symlinkSync('results', join(runDir, 'folder'));
    const evidence = folderEvidence(runDir);
    const found = { found: true, bytes: 7, sha256: sha256('{"a":1}') };
    for (const path of ['results/a.json', './results//a.json', 'link.json', 'folder/a.json'])
      expect(evidence.file(path), path).toEqual(found);
    expect(evidence.json('link.json')).toEqual({ found: true, value: { a: 1 } });
  });

  test('evidence: an empty file, and one of 3 MB → measured', () => {
    const runDir = makeBeside();
    const big = Buffer.alloc(3_000_001, 'x');
    writeFileSync(join(runDir, 'empty'), '');
    writeFileSync(join(runDir, 'big'), big);
    expect(folderEvidence(runDir).file('empty')).toEqual({ found: true, bytes: 0, sha256: sha256('') });
    expect(folderEvidence(runDir).file('big')).toEqual({
      found: true,
      bytes: big.length,
      sha256: sha256(big),
    });
  });

  test('evidence: nothing there, a file where a folder should be → missing', () => {
    const runDir = makeBeside();
    writeFileSync(join(runDir, 'a'), '');
    for (const path of ['none', 'none/deeper', 'a/b']) {
      expect(folderEvidence(runDir).file(path), path).toEqual(MISSING);
      expect(folderEvidence(runDir).json(path), path).toEqual(MISSING);
    }
  });

  test('evidence: a path or link out of the folder → escapes, never opened', () => {
    const runDir = makeBeside();
    symlinkSync('../secret.json', join(runDir, 'link.json'));
    symlinkSync('..', join(runDir, 'up'));
    symlinkSync(join(runDir, '..', 'secret.json'), join(runDir, 'absolute.json'));
    symlinkSync('../none.json', join(runDir, 'dangling.json'));
    for (const path of [
      '../secret.json',
      'link.json',
      'up/secret.json',
      'absolute.json',
      'dangling.json',
      '/etc/passwd',
      'C:\\x',
      'a\u0000b',
    ]) {
      expect(folderEvidence(runDir).file(path), path).toMatchObject({ found: false, why: 'escapes' });
      expect(folderEvidence(runDir).json(path), path).toMatchObject({ found: false, why: 'escapes' });
    }
  });

  test('evidence: links in a circle → answered, not followed for ever', () => {
    const runDir = makeBeside();
    symlinkSync('b', join(runDir, 'a'));
    symlinkSync('a', join(runDir, 'b'));
    symlinkSync('.', join(runDir, 'loop'));
    writeFileSync(join(runDir, 'x'), 'x');
    expect(folderEvidence(runDir).file('a')).toMatchObject({ found: false, why: 'escapes' });
    expect(folderEvidence(runDir).file('loop/loop/loop/x')).toMatchObject({ found: true, bytes: 1 });
  });

  test('evidence: a folder, a pipe → no regular file, and no waiting', () => {
    const runDir = makeBeside();
    mkdirSync(join(runDir, 'dir.json'));
    execFileSync('mkfifo', [join(runDir, 'pipe.json')]);
    for (const path of ['dir.json', 'pipe.json', '.']) {
      const expected = { found: false, why: 'unreadable', detail: 'it is no regular file' };
      expect(folderEvidence(runDir).file(path), path).toEqual(expected);
      expect(folderEvidence(runDir).json(path), path).toEqual(expected);
    }
  });

  test.skipIf(process.getuid?.() === 0)('evidence: a file nobody may read → unreadable', () => {
    const runDir = makeBeside();
    writeFileSync(join(runDir, 'a.json'), '{}');
    chmodSync(join(runDir, 'a.json'), 0);
    expect(folderEvidence(runDir).json('a.json')).toEqual({
      found: false,
      why: 'unreadable',
      detail: 'EACCES',
    });
  });

  test('evidence: a folder that is not there → everything missing', () => {
    expect(folderEvidence(join(makeFolder(), 'none')).file('a')).toEqual(MISSING);
  });
});

describe('evidence: documents', () => {
  test.each<[string, string, string]>([
    ['a member twice', '{"a":1,"\\u0061":2}', 'duplicate-key'],
    ['half a document', '{"a":', 'invalid-json'],
    ['two documents', '{}{}', 'invalid-json'],
    ['nothing', '', 'invalid-json'],
    ['half a pair', '{"a":"\\ud800"}', 'lone-surrogate'],
    ['a mark', '\ufeff{}', 'invalid-json'],
    ['600 levels', '['.repeat(600) + ']'.repeat(600), 'too-deep'],
  ])('evidence: JSON with %s → invalid, and why', (_, text, reason) => {
    const runDir = makeBeside();
    writeFileSync(join(runDir, 'a.json'), text);
    const found = folderEvidence(runDir).json('a.json');
    expect(found).toMatchObject({ found: false, why: 'invalid' });
    expect(found.found ? '' : 'detail' in found ? found.detail : '').toContain(reason);
  });

  test('evidence: __proto__ in a document → plain data', () => {
    const runDir = makeBeside();
    writeFileSync(join(runDir, 'a.json'), '{"__proto__":{"x":1}}');
    const found = folderEvidence(runDir).json('a.json');
    expect(JSON.stringify(found.found ? found.value : '')).toBe('{"__proto__":{"x":1}}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('evidence: 16 MiB of JSON → read; one byte more → refused, but measured', () => {
    const runDir = makeBeside();
    const limit = 16 * 1024 * 1024;
    writeFileSync(join(runDir, 'fits.json'), `"${'x'.repeat(limit - 2)}"`);
    writeFileSync(join(runDir, 'long.json'), `"${'x'.repeat(limit - 1)}"`);
    expect(folderEvidence(runDir).json('fits.json').found).toBe(true);
    expect(folderEvidence(runDir).json('long.json')).toMatchObject({ found: false, why: 'invalid' });
    expect(folderEvidence(runDir).file('long.json')).toMatchObject({ found: true, bytes: limit + 1 });
  });

  test('evidence: a sparse file of 1 TB as a document → refused without reading it', () => {
    const runDir = makeBeside();
    writeFileSync(join(runDir, 'a.json'), '');
    truncateSync(join(runDir, 'a.json'), 2 ** 40);
    expect(folderEvidence(runDir).json('a.json')).toMatchObject({ found: false, why: 'invalid' });
  });

  test('evidence: asked twice → the same answer, whatever happens in between', () => {
    const runDir = makeBeside();
    const evidence = folderEvidence(runDir);
    expect(evidence.file('a')).toEqual(MISSING);
    writeFileSync(join(runDir, 'a'), '');
    expect(evidence.file('a')).toEqual(MISSING);
  });
});

describe('evidence: log, seals, ledger', () => {
  test('evidence: a prefix of the log → bytes, lines that are not blank, digest', () => {
    const runDir = makeBeside();
    const log = logOf(line('evt_0'), '', ' \r', line('evt_1'), line('evt_2').slice(0, 10));
    writeFileSync(join(runDir, 'provenance.jsonl'), log);
    const evidence = folderEvidence(runDir);
    const two = log.indexOf(line('evt_1')) + line('evt_1').length + 1;
    expect(evidence.prefix(two)).toEqual({ bytes: two, events: 2, sha256: sha256(log.subarray(0, two)) });
    expect(evidence.prefix(log.length)).toMatchObject({ events: 3 });
    expect(evidence.prefix(log.length + 1)).toEqual(MISSING);
    expect(evidence.prefix(0)).toEqual({ bytes: 0, events: 0, sha256: sha256('') });
  });

  test('evidence: seals and rotated parts → by number, look-alikes left out', () => {
    const runDir = makeBeside();
    const seals = ['seal.json', 'seal.2.json', 'seal.10.json'];
    const parts = ['provenance.jsonl.1', 'provenance.jsonl.2', 'provenance.jsonl.11'];
    for (const name of [
      ...seals,
      ...parts,
      'seal.1.json',
      'seal.02.json',
      'seal.x.json',
      'provenance.jsonl.gz',
    ])
      writeFileSync(join(runDir, name), '');
    expect(folderEvidence(runDir).seals()).toEqual(seals);
    expect(folderEvidence(runDir).rotatedParts()).toEqual(parts);
  });

  test('evidence: the ledger of the study → lines by the run’s id and its folder’s name; none where there is no ledger', () => {
    const study = makeFolder();
    const runDir = makeRun(study);
    const writer = open(runDir);
    writer.append(completed(writer.append(goal(writer.append(STARTED).id)).id));
    writer.close();
    expect(folderEvidence(runDir).ledger('run_test')).toEqual(NOT_APPLICABLE);
    const sealed = sealRun(runDir, {
      clock: virtualClock(START_MS, 1),
      harness: { name: 'counterproof', version: '0' },
    });
    appendLedger(study, sealed.ledgerLine);
    const lines = [{ ...sealed.ledgerLine }];
    expect(folderEvidence(runDir).ledger('run_test')).toEqual({ found: true, lines, unreadable: false });
    expect(folderEvidence(runDir).ledger('__proto__')).toEqual({ found: true, lines: [], unreadable: false });
    const named = { ...sealed.ledgerLine, runId: basename(runDir) };
    appendFileSync(join(study, 'ledger.jsonl'), `${JSON.stringify(named)}\ngarbage\n`);
    expect(folderEvidence(runDir).ledger('run_other')).toEqual({
      found: true,
      lines: [named],
      unreadable: true,
    });
    const { logBytes, events, logDigest } = sealed.seal;
    expect(folderEvidence(runDir).prefix(logBytes)).toEqual({
      bytes: logBytes,
      events,
      sha256: logDigest.replace('sha256:', ''),
    });
  });

  test('evidence: a ledger that is a folder or a pipe → unreadable, and no waiting', () => {
    const makers = [
      (path: string): unknown => mkdirSync(path),
      (path: string): unknown => execFileSync('mkfifo', [path]),
    ];
    for (const make of makers) {
      const runDir = makeBeside();
      make(join(runDir, '..', 'ledger.jsonl'));
      expect(folderEvidence(runDir).ledger('run_x')).toMatchObject({ found: false, why: 'unreadable' });
    }
  });

  test('evidence: a bare log → nothing else applies to it', () => {
    const evidence = bareEvidence();
    expect([evidence.file('a'), evidence.json('a'), evidence.prefix(1), evidence.ledger('r')]).toEqual(
      Array(4).fill(NOT_APPLICABLE),
    );
    expect([evidence.seals(), evidence.rotatedParts(), evidence.isFolder]).toEqual([[], [], false]);
  });
});
