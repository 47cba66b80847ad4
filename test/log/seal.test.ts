/** Sealing a run, sealing it again, and the study's ledger. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../../harness/core/schema.js';
import type { LedgerLine } from '../../harness/core/types.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import { folderEvidence } from '../../harness/log/folder-evidence.js';
import { appendLedger, readLedger } from '../../harness/log/ledger.js';
import { ledgerLineOf, sealRun } from '../../harness/log/seal.js';
import {
  completed,
  goal,
  logOf,
  makeFolder,
  makeRun,
  open,
  refuses,
  RUN_ID,
  START_MS,
  STARTED,
} from '../support/log-bed.js';

const OPTIONS = { clock: { nowMs: () => START_MS }, harness: { name: 'counterproof', version: '0.1.0' } };
const sha256 = (path: string): string => execFileSync('sha256sum', [path]).toString().slice(0, 64);
/** A run that has ended; its writer is closed. */
function endedRun() {
  const runDir = makeRun();
  const writer = open(runDir);
  const { id } = writer.append(STARTED);
  writer.append(goal(id));
  const end = writer.append(completed(id));
  writer.close();
  return { runDir, id, end };
}

/** What happens after a run has ended. */
function correct(runDir: string, id: string): void {
  const writer = open(runDir);
  writer.correct({ causedBy: id, path: '/data/seed', value: 1, reason: 'wrong', actor: 'principal' });
  writer.close();
}

describe('seal', () => {
  test('seal: a run that has ended → everything in its folder, measured', () => {
    const { runDir, end } = endedRun();
    mkdirSync(join(runDir, 'results'));
    writeFileSync(join(runDir, 'results/t.json'), '{}');
    writeFileSync(join(runDir, 'results/ä.json'), '');
    writeFileSync(join(runDir, 'results.md'), 'x');
    writeFileSync(join(runDir, 'provenance.jsonl.1'), 'rotated\n');
    symlinkSync('/etc/passwd', join(runDir, 'link'));
    symlinkSync('..', join(runDir, 'loop'));
    const { name, seal, ledgerLine } = sealRun(runDir, OPTIONS);
    expect(name).toBe('seal.json');
    expect(JSON.parse(readFileSync(join(runDir, name), 'utf8'))).toEqual(seal);
    expect(validate('seal', seal).ok).toBe(true);
    expect(seal).toEqual({
      formatVersion: 1,
      logBytes: readFileSync(logOf(runDir)).length,
      events: 3,
      logDigest: `sha256:${sha256(logOf(runDir))}`,
      head: null,
      harness: OPTIONS.harness,
      sealedAt: '2026-05-28T15:00:00.000Z',
      files: ['goal.md', 'provenance.jsonl.1', 'results.md', 'results/t.json', 'results/ä.json'].map(
        (path) => ({
          path,
          bytes: readFileSync(join(runDir, path)).length,
          sha256: sha256(join(runDir, path)),
        }),
      ),
    });
    const { events, logDigest, head } = seal;
    expect(ledgerLine).toEqual({ runId: RUN_ID, events, logDigest, head, at: end.t });
    expect(ledgerLineOf(runDir)).toEqual(ledgerLine);
    expect(readdirSync(join(runDir, 'writers'))).toEqual(['00.last']);
  });

  test('seal: blank lines and unreadable ones → blank ones are no events', () => {
    const { runDir } = endedRun();
    appendFileSync(logOf(runDir), ' \r\n\n\t\nrubbish\n');
    expect(sealRun(runDir, OPTIONS).seal.events).toBe(4);
  });

  test('seal: the judge measures the sealed prefix → the same bytes, events and digest', () => {
    const { runDir, id } = endedRun();
    appendFileSync(logOf(runDir), '\n \nrubbish\n');
    const { seal } = sealRun(runDir, OPTIONS);
    correct(runDir, id);
    const evidence = folderEvidence(runDir);
    expect(evidence.seals()).toEqual(['seal.json']);
    expect(evidence.json('seal.json')).toEqual({ found: true, value: seal });
    expect(evidence.prefix(seal.logBytes)).toEqual({
      bytes: seal.logBytes,
      events: seal.events,
      sha256: seal.logDigest.slice('sha256:'.length),
    });
    for (const { path, bytes, sha256 } of seal.files) {
      expect(evidence.file(path)).toEqual({ found: true, bytes, sha256 });
    }
  });

  test('seal: nothing was appended since → refused', () => {
    const { runDir } = endedRun();
    sealRun(runDir, OPTIONS);
    expect(() => sealRun(runDir, OPTIONS)).toThrow(
      refuses('invalid-input', /nothing was appended since seal\.json/),
    );
  });

  test('seal: corrections after a seal → each next seal covers a longer prefix, the first stays', () => {
    const { runDir, id } = endedRun();
    const first = sealRun(runDir, OPTIONS);
    const bytes = readFileSync(join(runDir, 'seal.json'));
    correct(runDir, id);
    const second = sealRun(runDir, OPTIONS);
    correct(runDir, id);
    const third = sealRun(runDir, OPTIONS);
    expect([second.name, third.name]).toEqual(['seal.2.json', 'seal.3.json']);
    expect(readFileSync(join(runDir, 'seal.json'))).toEqual(bytes);
    expect(second.seal.logBytes).toBeGreaterThan(first.seal.logBytes);
    expect(third.seal.files.map(({ path }) => path)).toEqual(['goal.md']);
    expect(third.ledgerLine).toEqual(first.ledgerLine);
    const log = readFileSync(logOf(runDir));
    const prefix = createHash('sha256').update(log.subarray(0, second.seal.logBytes)).digest('hex');
    expect(second.seal.logDigest).toBe(`sha256:${prefix}`);
  });

  test('seal: a sealed part larger than what is read at once has changed → refused', () => {
    const { runDir, id } = endedRun();
    appendFileSync(logOf(runDir), `${'x'.repeat(999)}\n`.repeat(700));
    sealRun(runDir, OPTIONS);
    correct(runDir, id);
    sealRun(runDir, OPTIONS);
    correct(runDir, id);
    const log = readFileSync(logOf(runDir));
    log[600_000] = 0x79;
    writeFileSync(logOf(runDir), log);
    expect(() => sealRun(runDir, OPTIONS)).toThrow(
      refuses('invalid-input', /part of the log that seal\.2\.json covers has changed/),
    );
  });

  test('seal: the log is shorter than its seal says → refused', () => {
    const { runDir } = endedRun();
    sealRun(runDir, OPTIONS);
    truncateSync(logOf(runDir), 200);
    expect(() => sealRun(runDir, OPTIONS)).toThrow(refuses('invalid-input', /shorter than seal\.json says/));
  });

  test('seal: a run that has not ended → refused', () => {
    const runDir = makeRun();
    const writer = open(runDir);
    const { id } = writer.append(STARTED);
    writer.append({
      kind: 'test.tick',
      causedBy: id,
      data: { text: 'run_completed', kind: '"run_aborted"' },
    });
    expect(() => sealRun(runDir, OPTIONS)).toThrow(refuses('invalid-input', /has not ended/));
    expect(readdirSync(runDir)).not.toContain('seal.json');
  });

  test('seal: a torn last line → refused, also when it would be the end', () => {
    const { runDir } = endedRun();
    truncateSync(logOf(runDir), readFileSync(logOf(runDir)).length - 1);
    expect(() => sealRun(runDir, OPTIONS)).toThrow(refuses('invalid-input', /last line is torn/));
  });

  test('seal: no log, no folder → refused', () => {
    expect(() => sealRun(makeRun(), OPTIONS)).toThrow(refuses('no-input', /no provenance\.jsonl in/));
    expect(() => sealRun('/nonexistent', OPTIONS)).toThrow(refuses('no-input', /no folder at/));
  });

  test('seal: an unreadable seal is there → refused', () => {
    const { runDir } = endedRun();
    writeFileSync(join(runDir, 'seal.4.json'), '{');
    expect(() => sealRun(runDir, OPTIONS)).toThrow(refuses('invalid-input', /seal\.4\.json is no seal/));
  });

  test('seal: somebody else seals at the same time → theirs stays', () => {
    const { runDir } = endedRun();
    const list = (path: string): string[] => {
      const names = nodeFileOps.list(path);
      writeFileSync(join(runDir, 'seal.json'), 'theirs');
      return names;
    };
    expect(() => sealRun(runDir, { ...OPTIONS, ops: { ...nodeFileOps, list } })).toThrow(
      refuses('invalid-input', /written just now/),
    );
    expect(readFileSync(join(runDir, 'seal.json'), 'utf8')).toBe('theirs');
  });

  test.each([
    ['no invocations', undefined, null],
    ['an empty chain', '\n', null],
    ['a chain', '{"entryHash":"sha256:1"}\n{"entryHash":"sha256:2"}\n\n', 'sha256:2'],
  ])('seal: %s → its head', (_what, invocations, head) => {
    const { runDir } = endedRun();
    if (invocations !== undefined) writeFileSync(join(runDir, 'invocations.jsonl'), invocations);
    expect(sealRun(runDir, OPTIONS).seal.head).toBe(head);
  });

  test.each([
    ['torn', '{"entryHash":"sha256:1"}\n{"entryHash":"sha256:2"}', /last line of invocations\.jsonl is torn/],
    ['damaged', '{"entryHash":"sha256:1"}\n{"entry\n', /last line of invocations\.jsonl is no entry/],
  ])('seal: the invocation chain is %s → refused', (_what, invocations, message) => {
    const { runDir } = endedRun();
    writeFileSync(join(runDir, 'invocations.jsonl'), invocations);
    expect(() => sealRun(runDir, OPTIONS)).toThrow(refuses('invalid-input', message));
  });

  test('seal: no seal yet → no ledger line', () => {
    expect(ledgerLineOf(endedRun().runDir)).toBeUndefined();
  });
});

const LINE: LedgerLine = {
  runId: 'run_a',
  events: 3,
  logDigest: `sha256:${'0'.repeat(64)}`,
  head: null,
  at: '2026-05-28T15:00:00.000Z',
};
const LINE_B: LedgerLine = { ...LINE, runId: 'run_b', head: 'sha256:1' };

describe('ledger', () => {
  test('ledger: none yet → empty', () => {
    expect(readLedger(makeFolder())).toEqual({ lines: [], unreadable: [] });
  });

  test('ledger: the same run again → nothing is added', () => {
    const studyDir = makeFolder();
    expect([LINE, LINE_B, LINE, { ...LINE_B }].map((line) => appendLedger(studyDir, line))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(readLedger(studyDir)).toEqual({ lines: [LINE, LINE_B], unreadable: [] });
    expect(readFileSync(join(studyDir, 'ledger.jsonl'), 'utf8')).toBe(
      `${JSON.stringify(LINE)}\n${JSON.stringify(LINE_B)}\n`,
    );
  });

  test('ledger: the same run with other facts → refused', () => {
    const studyDir = makeFolder();
    appendLedger(studyDir, LINE);
    expect(() => appendLedger(studyDir, { ...LINE, events: 4 })).toThrow(
      refuses('invalid-input', /remembers run_a differently/),
    );
  });

  test('ledger: no ledger line → refused', () => {
    const studyDir = makeFolder();
    expect(() => appendLedger(studyDir, { ...LINE, logDigest: 'x' })).toThrow(
      refuses('invalid-input', /logDigest/),
    );
    expect(readdirSync(studyDir)).toEqual([]);
  });

  test.each([
    ['a torn last line', '{"runId":', [1]],
    ['rubbish and blank lines', '\nrubbish\n\n', [2]],
  ])('ledger: %s → named, and nothing fuses with it', (_what, content, unreadable) => {
    const studyDir = makeFolder();
    writeFileSync(join(studyDir, 'ledger.jsonl'), content);
    appendLedger(studyDir, LINE);
    expect(readLedger(studyDir)).toEqual({ lines: [LINE], unreadable });
  });

  test('ledger: another worker tears its line just before → written again', () => {
    const studyDir = makeFolder();
    appendLedger(studyDir, LINE);
    let torn = false;
    const write = (fd: number, bytes: Uint8Array): number => {
      if (!torn) appendFileSync(join(studyDir, 'ledger.jsonl'), '{"runId"');
      torn = true;
      return nodeFileOps.write(fd, bytes);
    };
    appendLedger(studyDir, LINE_B, { ...nodeFileOps, write });
    expect(readLedger(studyDir)).toEqual({ lines: [LINE, LINE_B], unreadable: [2] });
  });

  test('ledger: the study folder is gone → says so', () => {
    const studyDir = makeFolder();
    rmSync(studyDir, { recursive: true });
    expect(() => appendLedger(studyDir, LINE)).toThrow(refuses('no-input', /no folder at/));
  });
});
