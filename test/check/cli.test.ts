/**
 * `counterproof check` as built: reports in every format, baselines, many runs on several workers, and the exit code.
 * What goes wrong around it (pipes, signals, full disks) is in cli-streams.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../../harness/core/schema.js';
import type { RunVerdict, VerdictReport } from '../../harness/core/verdict.js';
import { counterproof, goodLog, openLog } from '../support/command.js';
import { describeWithData } from '../support/data.js';
import { makeFolder } from '../support/log-bed.js';

const MINUTES = 60_000;

function fileWith(text: string | Uint8Array, name = 'run.jsonl'): string {
  const path = join(makeFolder(), name);
  writeFileSync(path, text);
  return path;
}

async function reportOf(...args: string[]): Promise<{ code: number | null; report: VerdictReport }> {
  const { code, stdout } = await counterproof(['check', ...args, '--json']);
  return { code, report: JSON.parse(stdout) as VerdictReport };
}

const rulesOf = (run: RunVerdict | undefined): string[] =>
  (run?.findings ?? [])
    .filter((finding) => finding.consequenceOf === undefined)
    .map((finding) => finding.rule);

describe('check: formats', () => {
  test('check: a good log → one line that says so, exit 0', async () => {
    const path = fileWith(goodLog());
    const { code, stdout, stderr } = await counterproof(['check', path]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^PASS {2}\S+run\.jsonl {2}3 events/);
  });

  test('check: a log without its end → the finding with its line, exit 1', async () => {
    const path = fileWith(openLog());
    const { code, stdout } = await counterproof(['check', path]);
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ run/terminal-missing   ${path}:2`);
    expect(stdout).toContain('FAIL');
  });

  test('check: --live → what is unfinished is no fault', async () => {
    const { code, report } = await reportOf(fileWith(openLog()), '--live');
    expect([code, report.exit, report.live, report.runs[0]?.verdict]).toEqual([0, 0, true, 'pass']);
  });

  test('check: --json, --format json and -o → one document, valid by its schema, its exit the exit code', async () => {
    const good = fileWith(goodLog(), 'good.jsonl');
    const bad = fileWith(openLog(), 'bad.jsonl');
    const target = join(makeFolder(), 'verdict.json');
    const byFlag = await counterproof(['check', good, bad, '--json']);
    const byFormat = await counterproof(['check', good, bad, '--format', 'json']);
    const toFile = await counterproof(['check', good, bad, '--json', '-o', target]);
    expect([byFlag.code, byFormat.code, toFile.code, toFile.stdout]).toEqual([1, 1, 1, '']);
    expect(byFormat.stdout).toBe(byFlag.stdout);
    expect(readFileSync(target, 'utf8')).toBe(byFlag.stdout);
    const checked = validate('verdict-report', JSON.parse(byFlag.stdout));
    expect(checked.ok ? [] : checked.problems).toEqual([]);
    const report = JSON.parse(byFlag.stdout) as VerdictReport;
    expect(report.runs.map((run) => run.path)).toEqual([good, bad]);
    expect(report).toMatchObject({ exit: 1, summary: { runs: 2, pass: 1, fail: 1, errors: 1 } });
  });

  test('check: --format jsonl → a line per run and one with the rest, the same data', async () => {
    const paths = [fileWith(goodLog()), fileWith(openLog())];
    const { code, stdout } = await counterproof(['check', ...paths, '--format', 'jsonl']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const { report } = await reportOf(...paths);
    const { runs, ...rest } = report;
    expect([code, lines]).toEqual([1, [...runs, rest]]);
  });

  test('check: --output over a file, with nothing else left in its folder → replaced whole', async () => {
    const folder = makeFolder();
    const target = join(folder, 'out.txt');
    writeFileSync(target, 'x'.repeat(100_000));
    const { code } = await counterproof(['check', fileWith(goodLog()), '-o', target]);
    expect([code, readdirSync(folder)]).toEqual([0, ['out.txt']]);
    expect(readFileSync(target, 'utf8')).toMatch(/^PASS/);
  });
});

describe('check: empty and blank', () => {
  test('check: an empty file → named log/empty-log, exit 66, in text and JSON', async () => {
    const path = fileWith('');
    const text = await counterproof(['check', path]);
    const { code, report } = await reportOf(path);
    expect([text.code, code, report.exit, rulesOf(report.runs[0])]).toEqual([66, 66, 66, ['log/empty-log']]);
    expect(text.stdout).toContain('log/empty-log');
  });

  test('check: blank lines only → log/empty-log, exit 1', async () => {
    const { code, report } = await reportOf(fileWith('\n \r\n\t\n'));
    expect([code, rulesOf(report.runs[0])]).toEqual([1, ['log/empty-log']]);
  });

  test.each([
    ['garbage', 'junk\nmore junk\n', 'log/invalid-json'],
    ['NULs', '\0\0\0\0', 'log/nul-bytes'],
    ['half a line', '{"id":', 'log/torn-tail'],
    ['UTF-16', Buffer.from(`\ufeff${goodLog()}`, 'utf16le'), 'log/invalid-utf8'],
    ['numbers', '1\n2\n', 'log/not-an-object'],
  ])('check: nothing but %s → one root, exit 1', async (_, text, rule) => {
    const { code, report } = await reportOf(fileWith(text));
    expect([code, rulesOf(report.runs[0]), report.runs[0]?.counts.events]).toEqual([1, [rule], 0]);
  });
});

describe('check: baseline', () => {
  test('check: a report as baseline → exit 0, until something new comes', async () => {
    const folder = makeFolder();
    const path = join(folder, 'run.jsonl');
    const baseline = join(folder, 'baseline.json');
    writeFileSync(path, openLog());
    expect((await counterproof(['check', path, '--json', '-o', baseline])).code).toBe(1);
    const known = await counterproof(['check', path, '--baseline', baseline]);
    expect(known.code).toBe(0);
    writeFileSync(path, `junk\n${openLog()}`);
    expect((await counterproof(['check', path, '--baseline', baseline])).code).toBe(1);
  });

  test('check: the same fault in another run, on another line → known all the same', async () => {
    const baseline = fileWith('', 'baseline.json');
    await counterproof(['check', fileWith(openLog('run_a')), '--json', '-o', baseline]);
    const other = fileWith(`\n\n${openLog('run_b').replaceAll('evt_', 'evt_x')}`);
    expect((await counterproof(['check', other, '--baseline', baseline])).code).toBe(0);
  });

  test('check: a baseline that is missing, no JSON, no report → 66, 66, 64', async () => {
    const path = fileWith(goodLog());
    const codes = [];
    for (const baseline of [join(makeFolder(), 'none'), fileWith('{'), fileWith('{}')])
      codes.push((await counterproof(['check', path, '--baseline', baseline])).code);
    expect(codes).toEqual([66, 66, 64]);
  });
});

describe('check: many runs', () => {
  /** Heavy runs, 20 MB in all, the third of them without its end. */
  function heavyStudy(): string {
    const study = makeFolder();
    const heavy = (runId: string): string => {
      const pad = 'x'.repeat(3000);
      const lines = Array.from(
        { length: 1300 },
        (_, index) =>
          `${JSON.stringify({ id: `evt_p${index}`, runId, t: '2026-05-28T15:00:00.000Z', kind: 'test.pad', actor: 'a', data: { pad }, causedBy: 'evt_1' })}\n`,
      );
      const [start = '', received = '', end = ''] = goodLog(runId).split('\n');
      return `${start}\n${received}\n${lines.join('')}${runId === 'run_2' ? '' : `${end}\n`}`;
    };
    for (const runId of ['run_0', 'run_1', 'run_2', 'run_3', 'run_4']) {
      mkdirSync(join(study, runId));
      writeFileSync(join(study, runId, 'log.jsonl'), heavy(runId));
    }
    return study;
  }

  test(
    'check: 20 MB of runs with one job, two jobs, twice → the same bytes',
    async () => {
      const pattern = join(heavyStudy(), '*', 'log.jsonl');
      const said = [];
      for (const jobs of ['1', '2', '2', '7'])
        said.push(await counterproof(['check', pattern, '--json', '--jobs', jobs]));
      expect(new Set(said.map(({ stdout }) => stdout)).size).toBe(1);
      expect(said.map(({ code, stderr }) => [code, stderr])).toEqual(Array(4).fill([1, '']));
      const report = JSON.parse(said[0]?.stdout ?? '') as VerdictReport;
      expect(report.runs.map((run) => run.run)).toEqual(['run_0', 'run_1', 'run_2', 'run_3', 'run_4']);
      expect(report.runs.map((run) => run.verdict)).toEqual(['pass', 'pass', 'fail', 'pass', 'pass']);
    },
    5 * MINUTES,
  );

  test(
    'check: one run among 20 MB has a pipe for a log → 66 and which, with one job and with two',
    async () => {
      const study = heavyStudy();
      const hostile = join(study, 'run_3');
      execFileSync('mkfifo', [join(hostile, 'provenance.jsonl')]);
      for (const jobs of ['1', '2']) {
        const { code, stdout, stderr } = await counterproof([
          'check',
          join(study, '*', 'log.jsonl'),
          hostile,
          '--jobs',
          jobs,
        ]);
        expect([code, stdout]).toEqual([66, '']);
        expect(stderr).toContain(join(hostile, 'provenance.jsonl'));
      }
    },
    5 * MINUTES,
  );

  test('check: a folder of the same logs elsewhere, from another directory → the same findings', async () => {
    const [first, second] = [makeFolder(), makeFolder()];
    writeFileSync(join(first, 'run.jsonl'), `junk\n${openLog()}`);
    cpSync(first, second, { recursive: true });
    const from = async (cwd: string): Promise<string> =>
      (await counterproof(['check', 'run.jsonl', '--json'], { cwd })).stdout;
    expect(await from(second)).toBe(await from(first));
  });
});

describeWithData('check: public data', (dir) => {
  const EXPECTED = ['causal/orphan', 'gate/proposal-missing', ...Array<string>(4).fill('task/start-missing')];

  test('check: the worked example as a bare log → the errors that are known of it', async () => {
    const { code, report } = await reportOf(join(dir, 'roster/provenance.sample.jsonl'));
    const errors = report.runs[0]?.findings.filter(
      (each) => each.severity === 'error' && each.consequenceOf === undefined,
    );
    expect([code, errors?.map((each) => each.rule).sort()]).toEqual([1, EXPECTED]);
    expect(validate('verdict-report', report).ok).toBe(true);
    expect(report.runs[0]?.tokens).toMatchObject({ input: 9092, output: 4687, thinking: 0, blocks: 3 });
  });

  test('check: the worked example as a folder and by its log → the same findings', async () => {
    const folder = join(dir, 'roster/run_2026-05-28_fp');
    const [byFolder, byLog] = [await reportOf(folder), await reportOf(join(folder, 'provenance.jsonl'))];
    expect(byFolder.report.runs[0]?.findings).toEqual(byLog.report.runs[0]?.findings);
    expect(new Set(rulesOf(byFolder.report.runs[0]))).toEqual(
      new Set([
        ...EXPECTED,
        'plan/task-not-in-plan',
        'gate/backup-claim-contradicted',
        'reference/file-missing',
      ]),
    );
  });

  test('check: --facet → the facet asked for decides', async () => {
    const path = join(dir, 'corruption/44-dispatch-without-approval.jsonl');
    const exit = async (...facets: string[]): Promise<number | null> =>
      (await counterproof(['check', ...facets.flatMap((facet) => ['--facet', facet]), path])).code;
    expect([
      await exit(),
      await exit('well-formed'),
      await exit('evidence'),
      await exit('evidence', 'well-formed'),
    ]).toEqual([1, 1, 0, 1]);
  });

  test('check: every damaged log at once → one report, valid by its schema', async () => {
    const { code, report } = await reportOf(join(dir, 'corruption/*.jsonl'));
    expect(code).toBe(1);
    expect(report.runs.length).toBeGreaterThan(25);
    const checked = validate('verdict-report', report);
    expect(checked.ok ? [] : checked.problems).toEqual([]);
  });
});
