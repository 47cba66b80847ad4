/**
 * The formats through the built command, and the GitHub Action: its file read as YAML, its shell lines run in an
 * empty folder as the host would run them. What the host itself does with the outcome is not tested.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { counterproof, goodLog, openLog } from '../support/command.js';
import { makeFolder } from '../support/log-bed.js';
import { parseXml, sarifProblems } from '../support/report-bed.js';
import { ROOT } from '../support/tidy/repository.js';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean; default?: string }>>;
  readonly outputs: Readonly<Record<string, { value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly (Step & { readonly shell: string })[] };
}

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;

/** A folder with a good and a bad log, whose names hold blanks. */
function folderOfLogs(): string {
  const folder = makeFolder();
  mkdirSync(join(folder, 'my runs'));
  writeFileSync(join(folder, 'my runs', 'good.jsonl'), goodLog());
  writeFileSync(join(folder, 'my runs', 'bad.jsonl'), openLog());
  return folder;
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly output: string;
  readonly summary: string;
}

/** Runs all steps as the host does: `bash -eo pipefail`, inputs through the environment, later steps only after a 0. */
function runAction(cwd: string, inputs: Readonly<Record<string, string>>): Outcome {
  const [output, summary] = [join(cwd, '.output'), join(cwd, '.summary')];
  for (const file of [output, summary]) writeFileSync(file, '');
  const valueOf = (text: string): string =>
    text.replace(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    );
  let code: number | null = 0;
  let stdout = '';
  for (const step of action.runs.steps) {
    if (code !== 0) break;
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, valueOf(value)]);
    const env = {
      ...process.env,
      ...Object.fromEntries(own),
      GITHUB_ACTION_PATH: ROOT.replace(/\/$/, ''),
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
    };
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''];
    const ended = spawnSync(step.shell, args, { cwd, env, encoding: 'utf8' });
    code = ended.status;
    stdout += ended.stdout;
  }
  return { code, stdout, output: readFileSync(output, 'utf8'), summary: readFileSync(summary, 'utf8') };
}

describe('formats: through the command', () => {
  test.each(['sarif', 'junit', 'github', 'markdown'])(
    'check: --format %s, printed and written → the same bytes, exit 1',
    async (format) => {
      const cwd = folderOfLogs();
      const args = ['check', 'my runs/*.jsonl', '--format', format];
      const printed = await counterproof(args, { cwd });
      const again = await counterproof([...args, '--jobs', '1', '-o', 'report'], { cwd });
      expect([printed.code, printed.stderr, again.code, again.stdout]).toEqual([1, '', 1, '']);
      expect(readFileSync(join(cwd, 'report'), 'utf8')).toBe(printed.stdout);
      expect(printed.stdout).toContain('run/terminal-missing');
    },
  );

  test('check: an absolute path below the folder of the check → relative in SARIF', async () => {
    const cwd = folderOfLogs();
    const { stdout } = await counterproof(['check', join(cwd, 'my runs/bad.jsonl'), '--format', 'sarif'], {
      cwd,
    });
    expect(sarifProblems(stdout)).toEqual([]);
    expect(stdout).toContain('"uri": "my%20runs/bad.jsonl"');
  });

  test('check: --format junit with everything known → nothing fails', async () => {
    const cwd = folderOfLogs();
    await counterproof(['check', 'my runs/bad.jsonl', '--json', '-o', 'baseline.json'], { cwd });
    const { code, stdout } = await counterproof(
      ['check', 'my runs/bad.jsonl', '--baseline', 'baseline.json', '--format', 'junit'],
      { cwd },
    );
    expect([code, parseXml(stdout).attributes['failures']]).toEqual([0, '0']);
  });
});

describe('action', () => {
  test('action: its file → a composite action, every input described and read by no shell line', () => {
    expect(action.runs.using).toBe('composite');
    expect(Object.keys(action.inputs)).toEqual(['paths', 'args', 'format', 'output']);
    for (const input of Object.values(action.inputs)) expect(input.description).not.toBe('');
    for (const step of action.runs.steps) expect(step.run).not.toContain('${{');
  });

  test('action: a bad and a good log → annotations, the exit code as output, and the step fails', () => {
    const ended = runAction(folderOfLogs(), { paths: 'my runs/bad.jsonl\n\nmy runs/good.jsonl\n' });
    expect([ended.code, ended.output]).toEqual([1, 'exit-code=1\n']);
    expect(ended.stdout).toMatch(/^::error file=my runs\/bad\.jsonl,line=\d+,title=run\/terminal-missing/);
  });

  test('action: good logs only, by a pattern → passes and says nothing', () => {
    const ended = runAction(folderOfLogs(), { paths: 'my runs/g*.jsonl' });
    expect(ended).toMatchObject({ code: 0, stdout: '', output: 'exit-code=0\n' });
  });

  test('action: markdown → on the page of the job', () => {
    const ended = runAction(folderOfLogs(), { paths: 'my runs/bad.jsonl', format: 'markdown' });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.summary).toContain('**FAIL**');
  });

  test('action: sarif into a file, with arguments → the file, and no command is heard meanwhile', () => {
    const cwd = folderOfLogs();
    const ended = runAction(cwd, {
      paths: 'my runs/bad.jsonl',
      args: '--live\n--facet=well-formed',
      format: 'sarif',
      output: 'a report.sarif',
    });
    expect(ended).toMatchObject({ code: 0, output: 'exit-code=0\n' });
    expect(sarifProblems(readFileSync(join(cwd, 'a report.sarif'), 'utf8'))).toEqual([]);
    const [, token = ''] = /^::stop-commands::(\S{36})\n/.exec(ended.stdout) ?? [];
    expect(ended.stdout.endsWith(`::${token}::\n`)).toBe(true);
  });

  test('action: paths that are shell code, or nothing there → an exit code, and nothing runs', () => {
    const ended = runAction(folderOfLogs(), { paths: '$(touch x); `touch y`', format: 'text' });
    expect([ended.code, ended.output]).toEqual([66, 'exit-code=66\n']);
    expect(runAction(makeFolder(), { paths: '' }).code).toBe(64);
  });

  test('action: the workflow of the README → YAML, with inputs that the action has', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, text = ''] = /^```yaml\n(jobs:[^]*?)^```$/m.exec(readme) ?? [];
    const { jobs } = parse(text) as { jobs: { logs: { steps: Step[] } } };
    const ours = jobs.logs.steps.filter((step) => step.uses?.includes('/counterproof@') === true);
    expect(ours).toHaveLength(2);
    for (const step of ours)
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
  });
});
