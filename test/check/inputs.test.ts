/**
 * From what a user names to the runs that are checked: folders, logs, studies, patterns and pipes; and what is said
 * where nothing is there.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRun } from '../../harness/check/check-run.js';
import { resolveInputs } from '../../harness/check/inputs.js';
import { HarnessError } from '../../harness/core/errors.js';
import { goodLog } from '../support/command.js';
import { makeFolder } from '../support/log-bed.js';

function makeRunFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'provenance.jsonl'), goodLog());
  return folder;
}

/** runs/ with a study of two runs, one of them set aside before, and a lone run. */
function makeRuns(): string {
  const runs = join(makeFolder(), 'runs');
  for (const name of [
    'study/run_b',
    'study/run_a',
    'study/run_a.abandoned-1',
    'study/run_a.abandoned-2',
    'lone',
  ])
    makeRunFolder(join(runs, name));
  writeFileSync(join(runs, 'README.md'), 'about');
  writeFileSync(join(runs, 'study', 'study.json'), '{}');
  return runs;
}

function pathsOf(...operands: string[]): string[] {
  return resolveInputs(operands).runs.map((run) => run.path);
}

function refusal(...operands: string[]): { code: string; message: string } {
  try {
    resolveInputs(operands);
  } catch (error) {
    if (error instanceof HarnessError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'none', message: '' };
}

describe('inputs: what is named', () => {
  test('inputs: a run folder → that run with its folder', () => {
    const folder = makeRunFolder(join(makeFolder(), 'run_x'));
    expect(resolveInputs([folder]).runs).toEqual([
      { path: folder, logPath: join(folder, 'provenance.jsonl'), runDir: folder },
    ]);
  });

  test('inputs: provenance.jsonl → the run it stands in; a relative path is shown as given', () => {
    const folder = makeRunFolder(join(makeFolder(), 'run_x'));
    const path = relative(process.cwd(), join(folder, 'provenance.jsonl'));
    expect(resolveInputs([path]).runs).toEqual([{ path, logPath: path, runDir: folder }]);
  });

  test('inputs: a file of any other name → a bare log', () => {
    const folder = makeRunFolder(join(makeFolder(), 'run_x'));
    const path = join(folder, 'copy.jsonl');
    writeFileSync(path, goodLog());
    expect(resolveInputs([path]).runs).toEqual([{ path, logPath: path }]);
    const checked = checkRun({ path, logPath: path }, { profile: 'strict', live: false, violationsMax: 100 });
    expect(checked.verdict.input).toBe('log');
  });

  test('inputs: a study, and the folder above → its runs by name, those set aside named apart', () => {
    const runs = makeRuns();
    const study = join(runs, 'study');
    const aside = ['run_a.abandoned-1', 'run_a.abandoned-2'].map((name) => join(study, name));
    const inputs = resolveInputs([study]);
    expect(inputs.runs.map((run) => run.path)).toEqual([join(study, 'run_a'), join(study, 'run_b')]);
    expect(inputs.abandoned).toEqual(aside);
    expect(pathsOf(runs)).toEqual([join(runs, 'lone'), join(study, 'run_a'), join(study, 'run_b')]);
  });

  test('inputs: a run set aside that is named itself → judged', () => {
    const path = join(makeRuns(), 'study', 'run_a.abandoned-1');
    expect(pathsOf(path)).toEqual([path]);
  });

  test('inputs: folders linked to themselves, to each other, hidden → not walked, it ends', () => {
    const runs = makeRuns();
    symlinkSync('.', join(runs, 'loop'));
    symlinkSync('..', join(runs, 'study', 'up'));
    symlinkSync('study', join(runs, 'again'));
    makeRunFolder(join(runs, '.hidden'));
    expect(pathsOf(runs)).toHaveLength(3);
  });

  test('inputs: a link that is named itself → followed', () => {
    const runs = makeRuns();
    symlinkSync('study', join(runs, 'again'));
    expect(pathsOf(join(runs, 'again'))).toEqual(['run_a', 'run_b'].map((name) => join(runs, 'again', name)));
  });

  test('inputs: one run named in three ways → taken once, in the order given', () => {
    const runs = makeRuns();
    const lone = join(runs, 'lone');
    expect(pathsOf(lone, join(lone, 'provenance.jsonl'), join(runs, 'study'), runs)).toEqual([
      lone,
      join(runs, 'study', 'run_a'),
      join(runs, 'study', 'run_b'),
    ]);
  });
});

describe('inputs: patterns', () => {
  test('inputs: a quoted pattern → what it matches, sorted', () => {
    const runs = makeRuns();
    expect(pathsOf(`${runs}/study/run_?`)).toEqual([join(runs, 'study/run_a'), join(runs, 'study/run_b')]);
    expect(pathsOf(`${runs}/*/*/provenance.jsonl`)).toHaveLength(4);
    expect(pathsOf(`${runs}/{lone,study}`)).toHaveLength(3);
  });

  test('inputs: ** → every run once', () => {
    const runs = makeRuns();
    const found = resolveInputs([`${runs}/**/provenance.jsonl`]).runs;
    expect(found.map((run) => relative(runs, run.logPath))).toEqual([
      'lone/provenance.jsonl',
      'study/run_a.abandoned-1/provenance.jsonl',
      'study/run_a.abandoned-2/provenance.jsonl',
      'study/run_a/provenance.jsonl',
      'study/run_b/provenance.jsonl',
    ]);
  });

  test.each(['a[1].jsonl', 'what?.jsonl', '*.jsonl', '{a,b}.jsonl', '!x.jsonl', '(a).jsonl'])(
    'inputs: a file that is called %s → that file, not a pattern',
    (name) => {
      const folder = makeFolder();
      writeFileSync(join(folder, name), goodLog());
      writeFileSync(join(folder, 'a1.jsonl'), goodLog());
      expect(pathsOf(join(folder, name))).toEqual([join(folder, name)]);
    },
  );
});

describe('inputs: nothing there', () => {
  test('inputs: a missing path, a link to nothing, a pattern without a match, a folder without runs → no input', () => {
    const folder = makeFolder();
    symlinkSync('none', join(folder, 'dangling'));
    symlinkSync('loop', join(folder, 'loop'));
    mkdirSync(join(folder, 'empty'));
    writeFileSync(join(folder, 'file'), '');
    const operands = [
      'none',
      'dangling',
      'loop',
      'empty',
      '*.jsonl',
      'none[1]',
      'file/below',
      'x'.repeat(300),
      '',
    ];
    for (const operand of operands.map((name) => (name === '' ? '' : join(folder, name))))
      expect(refusal(operand).code, operand).toBe('no-input');
    expect(refusal(join(folder, 'none')).message).toBe(`${join(folder, 'none')} does not exist`);
    expect(refusal(join(folder, '*.jsonl')).message).toBe(`nothing matches ${join(folder, '*.jsonl')}`);
  });

  test('inputs: one missing among others → no input', () => {
    const runs = makeRuns();
    expect(refusal(runs, join(runs, 'none')).code).toBe('no-input');
  });

  test('inputs: a study with a pipe for a log → named, and refused when it is read, without waiting', () => {
    const runs = makeRuns();
    mkdirSync(join(runs, 'study', 'run_c'));
    execFileSync('mkfifo', [join(runs, 'study', 'run_c', 'provenance.jsonl')]);
    const [, , run] = resolveInputs([join(runs, 'study')]).runs;
    expect(run?.path).toBe(join(runs, 'study', 'run_c'));
    const options = { profile: 'strict', live: false, violationsMax: 100 } as const;
    expect(() => checkRun(run ?? { path: '', logPath: '' }, options)).toThrow(HarnessError);
  });

  test('inputs: a pipe that was put into a file → shown under its own name', () => {
    const path = join(makeFolder(), 'spooled');
    writeFileSync(path, goodLog());
    const files = new Map([
      ['-', path],
      ['/dev/fd/63', path],
    ]);
    expect(resolveInputs(['-'], files).runs).toEqual([{ path: '<stdin>', logPath: path }]);
    expect(resolveInputs(['/dev/fd/63'], files).runs).toEqual([{ path: '/dev/fd/63', logPath: path }]);
  });
});
