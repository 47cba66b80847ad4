/**
 * The other commands as built: rules, append, correct, seal, import; and what is said about a wrong call.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validate } from '../../harness/core/schema.js';
import { RULES } from '../../harness/oracle/rules/index.js';
import { counterproof, goodLog } from '../support/command.js';
import { describeWithData } from '../support/data.js';
import { makeFolder, makeRun, seeKinds, seeLog } from '../support/log-bed.js';

const STARTED = '{"kind":"run_started","actor":"harness","data":{"formatVersion":1}}';

/** A run that was started through the command. @returns its folder and the id of its start */
async function startedRun(parent?: string): Promise<{ runDir: string; id: string }> {
  const runDir = makeRun(parent);
  const { code, stdout } = await counterproof(['append', runDir, '-'], { input: STARTED });
  expect(code).toBe(0);
  return { runDir, id: stdout.trim() };
}

describe('usage', () => {
  test.each<[string[], string]>([
    [[], 'Name a command'],
    [['chek'], 'Did you mean check?'],
    [['rule'], 'Did you mean rules?'],
    [['check'], 'Not enough non-option arguments'],
    [['check', 'x', '--formt', 'json'], 'Unknown argument: formt'],
    [['check', 'x', '--format', 'xml'], 'Choices: "text", "json", "jsonl"'],
    [['check', 'x', '--facet', 'style'], 'Choices: "well-formed", "evidence", "policy", "condition"'],
    [['check', 'x', '--format', 'json', '--format', 'text'], '--format is given more than once'],
    [['check', 'x', '--max-violations', '0'], '--max-violations must be a whole number'],
    [['check', 'x', '--max-violations', 'many'], '--max-violations must be a whole number'],
    [['check', 'x', '--jobs', '-1'], '--jobs must be a whole number'],
    [['check', 'x', '--jobs', 'all'], '--jobs must be a whole number'],
    [['correct', 'run', 'evt_1'], 'Missing required arguments: path, value, reason'],
    [['rules', 'a', 'b'], 'Unknown argument: b'],
  ])('usage: %j → 64 and what is wrong', async (args, message) => {
    const { code, stdout, stderr } = await counterproof(args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(message);
  });

  test('usage: --help, of all and of every command → exit 0, on standard output', async () => {
    for (const args of [[], ['check'], ['rules'], ['append'], ['correct'], ['seal'], ['import']]) {
      const { code, stdout, stderr } = await counterproof([...args, '--help']);
      expect([code, stderr], args[0]).toEqual([0, '']);
      expect(stdout).toContain(`counterproof ${args[0] ?? '<command>'}`);
    }
  });
});

/** Ids of a listing: a heading per family, below it a rule on each line. */
function idsIn(listing: string): string[] {
  return listing.split('\n').flatMap((text) => /^ {2}(\S+) /.exec(text)?.[1] ?? []);
}

describe('rules', () => {
  test('rules: no name → every rule on a line', async () => {
    const { code, stdout } = await counterproof(['rules']);
    expect([code, idsIn(stdout)]).toEqual([0, RULES.map((rule) => rule.id)]);
  });

  test('rules: one name → that rule in full; a family → its rules; --json → the catalogue', async () => {
    const one = await counterproof(['rules', 'task/start-missing']);
    expect(one.code).toBe(0);
    for (const word of ['task/start-missing', 'why', 'example', 'mend']) expect(one.stdout).toContain(word);
    const family = await counterproof(['rules', 'task']);
    expect(idsIn(family.stdout)).toEqual(RULES.map((rule) => rule.id).filter((id) => id.startsWith('task/')));
    expect(family.stdout).toMatch(/^task, decides well-formed\n/);
    const json = await counterproof(['rules', '--json']);
    expect((JSON.parse(json.stdout) as { id: string }[]).map((rule) => rule.id)).toEqual(
      RULES.map((rule) => rule.id),
    );
  });

  test('rules: a name that is none → 66, with the nearest where there is one', async () => {
    const nope = await counterproof(['rules', 'nope']);
    expect([nope.code, nope.stdout]).toEqual([66, '']);
    expect(nope.stderr).toContain('there is no rule nope');
    const near = await counterproof(['rules', 'start-missing']);
    expect([near.code, near.stderr]).toEqual([66, expect.stringContaining('task/start-missing')]);
  });
});

describe('append and correct', () => {
  test('append: a run from its start to its end, by pipe and by file → ids on standard output, a log that passes', async () => {
    const { runDir, id } = await startedRun();
    const file = join(makeFolder(), 'goal.json');
    writeFileSync(
      file,
      JSON.stringify(
        { kind: 'goal_received', actor: 'principal', data: { goalPath: 'goal.md' }, causedBy: id },
        undefined,
        2,
      ),
    );
    const goal = await counterproof(['append', runDir, file]);
    const rest = [
      { kind: 'test.note', actor: 'x', causedBy: goal.stdout.trim() },
      { kind: 'run_aborted', actor: 'planner', data: { reason: 'budget' }, causedBy: goal.stdout.trim() },
    ];
    const both = await counterproof(['append', runDir, '-'], {
      input: rest.map((event) => JSON.stringify(event)).join('\n\n'),
    });
    expect([goal.code, both.code, both.stdout.trimEnd().split('\n').length]).toEqual([0, 0, 2]);
    const kinds = seeKinds(runDir).filter((kind) => kind !== 'writer_joined');
    expect(kinds).toEqual(['run_started', 'goal_received', 'test.note', 'run_aborted']);
    expect(seeLog(runDir).map((seen) => String(seen.event.id))).toEqual(
      expect.arrayContaining(both.stdout.trimEnd().split('\n')),
    );
    const checked = await counterproof(['check', join(runDir, 'provenance.jsonl'), '--facet', 'well-formed']);
    expect([checked.code, checked.stderr]).toEqual([0, '']);
  });

  test.each<[string, string, number, string]>([
    ['no JSON', '{"kind":', 64, 'invalid-json'],
    ['a member twice', '{"kind":"a","kind":"b"}', 64, 'duplicate-key'],
    ['nothing', '', 66, 'holds no event'],
    ['a list', '[]', 1, 'no JSON object'],
    ['an id of its own', '{"id":"evt_1","kind":"test.x","causedBy":"evt_0"}', 1, 'its own id'],
    ['no cause', '{"kind":"test.x"}', 1, 'no causedBy'],
    [
      'a file that is not there',
      '{"kind":"goal_received","data":{"goalPath":"none.md"},"causedBy":"evt_0"}',
      1,
      'no such file',
    ],
    [
      '20 KiB',
      `{"kind":"test.x","causedBy":"evt_0","data":{"x":"${'x'.repeat(20_000)}"}}`,
      64,
      'a line may have',
    ],
  ])('append: an event with %s → refused, the log as it was', async (_, input, exit, message) => {
    const { runDir } = await startedRun();
    const before = seeKinds(runDir);
    const { code, stderr, stdout } = await counterproof(['append', runDir, '-'], { input });
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(message);
    expect(seeKinds(runDir).filter((kind) => kind !== 'writer_joined')).toEqual(before);
  });

  test('append: a folder or an event file that is not there → 66', async () => {
    const folder = makeFolder();
    const codes = [
      (await counterproof(['append', join(folder, 'none'), '-'], { input: STARTED })).code,
      (await counterproof(['append', folder, join(folder, 'none.json')])).code,
    ];
    expect(codes).toEqual([66, 66]);
  });

  test('correct: an event → a correction that names it; the event stays', async () => {
    const { runDir, id } = await startedRun();
    const before = readFileSync(join(runDir, 'provenance.jsonl'), 'utf8');
    const call = ['correct', runDir, id, '--path', '/data/tier', '--reason', 'was shared'];
    const { code, stdout } = await counterproof([...call, '--value', '"T3"']);
    expect(code).toBe(0);
    const last = seeLog(runDir).at(-1)?.event;
    expect(last).toMatchObject({
      id: stdout.trim(),
      kind: 'correction',
      actor: 'principal',
      causedBy: id,
      data: { path: '/data/tier', value: 'T3', reason: 'was shared' },
    });
    expect(readFileSync(join(runDir, 'provenance.jsonl'), 'utf8').startsWith(before)).toBe(true);
    const negative = await counterproof([...call, '--value=-1']);
    const word = await counterproof([...call, '--value', 'T3']);
    expect([negative.code, seeLog(runDir).at(-1)?.event.data.value, word.code]).toEqual([0, -1, 64]);
  });

  test('correct: an event that is not in the log → 1', async () => {
    const { runDir } = await startedRun();
    const { code, stderr } = await counterproof([
      'correct',
      runDir,
      'evt_none',
      '--path',
      '/x',
      '--value',
      '1',
      '--reason',
      'r',
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no event evt_none')]);
  });
});

describe('seal', () => {
  async function finishedRun(parent?: string): Promise<string> {
    const { runDir, id } = await startedRun(parent);
    const input = JSON.stringify({
      kind: 'goal_received',
      actor: 'principal',
      data: { goalPath: 'goal.md' },
      causedBy: id,
    });
    const goal = await counterproof(['append', runDir, '-'], { input });
    const end = {
      kind: 'run_aborted',
      actor: 'planner',
      data: { reason: 'budget' },
      causedBy: goal.stdout.trim(),
    };
    expect((await counterproof(['append', runDir, '-'], { input: JSON.stringify(end) })).code).toBe(0);
    return runDir;
  }

  test('seal: a finished run → a seal that is valid by its schema; a changed log shows', async () => {
    const runDir = await finishedRun();
    const { code, stdout } = await counterproof(['seal', runDir, '--json']);
    const seal = JSON.parse(readFileSync(join(runDir, 'seal.json'), 'utf8')) as unknown;
    expect([code, JSON.parse(stdout)]).toEqual([0, seal]);
    expect(validate('seal', seal)).toMatchObject({ ok: true });
    const path = join(runDir, 'provenance.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('budget', 'Budget'));
    const checked = await counterproof(['check', runDir, '--json']);
    expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining('seal/digest-differs')]);
  });

  test('seal: --ledger → the run is remembered beside its folder, and missed when that is gone', async () => {
    const study = makeFolder();
    const runDir = await finishedRun(study);
    await finishedRun(study);
    const { code } = await counterproof(['seal', runDir, '--ledger']);
    const ledger = JSON.parse(readFileSync(join(study, 'ledger.jsonl'), 'utf8')) as {
      runId: string;
      events: number;
    };
    expect([code, ledger.runId, ledger.events]).toEqual([0, basename(runDir), seeLog(runDir).length]);
    rmSync(runDir, { recursive: true });
    const { code: exit, stdout } = await counterproof(['check', study, '--json']);
    expect([exit, stdout]).toEqual([1, expect.stringContaining('seal/truncated')]);
  });

  test('seal: a run without an end, a folder without a log → refused', async () => {
    const { runDir } = await startedRun();
    const unfinished = await counterproof(['seal', runDir]);
    const empty = await counterproof(['seal', makeFolder()]);
    expect([unfinished.code, unfinished.stdout, empty.stdout]).toEqual([1, '', '']);
    expect([1, 66]).toContain(empty.code);
  });
});

describeWithData('import', (dir) => {
  const source = join(dir, 'roster/runtime-dialect.jsonl');

  test('import: the public file, by name, by auto and by pipe → the same lines, what is unknown on standard error', async () => {
    const said = [
      await counterproof(['import', 'roster-runtime', source]),
      await counterproof(['import', 'auto', source]),
      await counterproof(['import', 'auto', '-'], { input: readFileSync(source) }),
    ];
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(new Set(said.map(({ stdout }) => stdout)).size).toBe(1);
    expect(said[0]?.stderr).toContain('unknown causedBy');
    const lines = (said[0]?.stdout ?? '').trimEnd().split('\n');
    for (const text of lines) expect(validate('event', JSON.parse(text)), text).toMatchObject({ ok: true });
  });

  test('import: -o and --json → the log in the file, the report as JSON, and check can judge it', async () => {
    const target = join(makeFolder(), 'run.jsonl');
    const { code, stdout, stderr } = await counterproof([
      'import',
      'roster-runtime',
      source,
      '-o',
      target,
      '--json',
    ]);
    expect([code, stdout]).toEqual([0, '']);
    const report = JSON.parse(stderr) as { events: number };
    expect(readFileSync(target, 'utf8').trimEnd().split('\n')).toHaveLength(report.events);
    const checked = await counterproof(['check', target, '--json']);
    expect([1, 2]).toContain(checked.code);
    expect(checked.stderr).toBe('');
  });

  test('import: a file that is not there, a dialect that is none, a file of no dialect → 66, 64, 64', async () => {
    const log = join(makeFolder(), 'log.jsonl');
    writeFileSync(log, goodLog());
    const codes = [];
    for (const args of [
      ['roster-runtime', join(dir, 'none')],
      ['nope', source],
      ['auto', log],
    ])
      codes.push((await counterproof(['import', ...args])).code);
    expect(codes).toEqual([66, 64, 64]);
  });
});
