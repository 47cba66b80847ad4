/** `counterproof replay` as it is used: coverage first, each difference in one block, exit codes, JSON. Of a recorded run. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counterproof } from '../support/command.js';
import type { Ended } from '../support/command.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { forge } from '../support/tampering.js';
import { ROOT } from '../support/tidy/repository.js';

const RECORDED = join(ROOT, 'test', 'fixtures', 'recorded', 'epoch-1', 'c2');
const RUN = 'run_tidy-reports_c2_scripted-hasty_1';

function copy(): string {
  const runDir = makeRunFolder();
  cpSync(RECORDED, runDir, { recursive: true });
  return runDir;
}

/** Another harness made the recorded run, which is not what these tests are about. */
function replay(runDir: string, ...more: readonly string[]): Promise<Ended> {
  return counterproof(['replay', runDir, '--allow-interpreter', ...more]);
}

function entriesOf(runDir: string): string[] {
  return readFileSync(join(runDir, 'invocations.jsonl'), 'utf8').trimEnd().split('\n');
}

function hashOf(line: string): string {
  return /"entryHash":"([^"]+)"/.exec(line)![1]!;
}

/** A run whose second call has another output than its tool gives. */
function withOtherOutput(): string {
  const runDir = copy();
  forge(runDir, 1, (record, _read, put) => ({ ...record, output: put('output', '{"forged":true}') }));
  return runDir;
}

describe('replay command', () => {
  it('replay command: a sound run → exit 0, the coverage, and what was allowed to differ said once', async () => {
    const { code, stdout } = await replay(RECORDED);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^replayed 11 of 11 invocations\nnote: the interpreter was sha256:\w{64}, and is sha256:\w{64} now\n$/,
    );
  });

  it('replay command: made by another harness → exit 1, one block for all calls, and the way on', async () => {
    const { code, stdout } = await counterproof(['replay', RECORDED]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^replayed 0 of 11 invocations\n/);
    expect(stdout.match(/✗ /g)).toHaveLength(1);
    expect(stdout).toMatch(/✗ interpreter {3}\S+:0 testbed\.reset and 10 more: the interpreter\n/);
    expect(stdout).toContain('--allow-interpreter goes on');
  });

  it('replay command: a call with another output → exit 1, and a block with call, stage, entry, both values, meaning', async () => {
    const runDir = withOtherOutput();
    const { code, stdout } = await replay(runDir);
    expect(code).toBe(1);
    const [first, blank, ...block] = stdout.split('\n');
    expect([first, blank]).toEqual(['replayed 10 of 11 invocations', '']);
    expect(block[0]).toMatch(new RegExp(`^✗ output {3}${RUN}:1 \\S+: the output$`));
    expect(block[1]).toBe(`    entry     ${hashOf(entriesOf(runDir)[1]!)}`);
    expect(block[2]).toMatch(/^ {4}expected {2}\{.*"world":/);
    expect(block[3]).toBe('    recorded  {"forged":true}');
    expect(block[4]).toMatch(/another output follows/);
  });

  it('replay command: --json → the same as --format json, with counts and every difference', async () => {
    const runDir = withOtherOutput();
    const [one, other] = [await replay(runDir, '--json'), await replay(runDir, '--format', 'json')];
    expect(other).toEqual(one);
    expect(one.code).toBe(1);
    const answer = JSON.parse(one.stdout) as { shown: { mismatch?: object }[] };
    expect(answer).toMatchObject({ replayed: 10, diverged: 1, gaps: 0, invocations: 11, wanted: 11 });
    expect(answer.shown.filter(({ mismatch }) => mismatch !== undefined)).toMatchObject([
      {
        invocationId: `${RUN}:1`,
        entryIndex: 1,
        mismatch: { type: 'divergence', stage: 'output', found: '{"forged":true}' },
      },
    ]);
  });

  it('replay command: an entry that is gone → exit 2, and a gap that names it', async () => {
    const runDir = copy();
    const lines = entriesOf(runDir);
    writeFileSync(join(runDir, 'invocations.jsonl'), `${lines.slice(0, -1).join('\n')}\n`);
    const { code, stdout } = await replay(runDir);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^replayed 10 of 11 invocations\n/);
    expect(stdout).toMatch(new RegExp(`✗ receipt {3}${RUN}:10: the entry of harness_`));
    expect(stdout).toContain(`missing   ${hashOf(lines.at(-1)!)}`);
  });

  it('replay command: an object that is gone → exit 2; with a divergence beside it → exit 1', async () => {
    const runDir = copy();
    const nowhere = `sha256:${'0'.repeat(64)}`;
    forge(runDir, 1, (record) => ({ ...record, input: nowhere as never }));
    const gone = await replay(runDir);
    expect(gone.code).toBe(2);
    expect(gone.stdout).toMatch(/✗ plan .*: the input\n/);
    expect(gone.stdout).toContain(`missing   ${nowhere}`);
    forge(runDir, 2, (record, _read, put) => ({ ...record, output: put('output', '{}') }));
    expect((await replay(runDir)).code).toBe(1);
  });

  it('replay command: one call, by id and by entry hash, and a range → only those are counted', async () => {
    const hash = hashOf(entriesOf(RECORDED)[4]!);
    const of = / \(of 11 in the run\)\n/;
    for (const invocation of [hash, `${RUN}:4`]) {
      const { code, stdout } = await replay(RECORDED, '--invocation', invocation);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^replayed 1 of 1 invocations \(of 11 in the run\)\n/),
      });
    }
    const range = await replay(RECORDED, '--from', '2', '--to', '5');
    expect(range.stdout).toMatch(/^replayed 4 of 4 invocations/);
    expect(range.stdout).toMatch(of);
  });

  it('replay command: a call that the run does not have, of another run or of none → exit 66, and nothing is claimed', async () => {
    for (const invocation of ['run_other:3', `${RUN}:11`, `sha256:${'0'.repeat(64)}`]) {
      const { code, stdout, stderr } = await replay(RECORDED, '--invocation', invocation);
      expect({ code, stdout }, invocation).toEqual({ code: 66, stdout: '' });
      expect(stderr).toContain(`has no record of ${invocation}`);
    }
  });

  it('replay command: control characters in what was recorded → escaped', async () => {
    const runDir = copy();
    forge(runDir, 1, (record, _read, put) => ({ ...record, output: put('output', '{"a":"\u001b[31m"}') }));
    const { code, stdout } = await replay(runDir);
    expect(code).toBe(1);
    expect(stdout).not.toContain('\u001b');
  });
});
