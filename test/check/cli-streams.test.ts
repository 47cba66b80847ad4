/**
 * The command and the world around it: pipes that close, disks that are full, interrupts, and logs that would like to
 * write to the terminal.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { counterproof, goodLog, openLog, shell } from '../support/command.js';
import { makeFolder } from '../support/log-bed.js';
import { logOf, line } from '../support/read-bed.js';

const MINUTES = 60_000;

function folderWith(text: string | Uint8Array): string {
  const folder = makeFolder();
  writeFileSync(join(folder, 'run.jsonl'), text);
  return folder;
}

/** A log with thousands of bad lines of its own, for a long report. */
const LONG_REPORT =
  openLog() +
  Array.from({ length: 3000 }, (_, index) =>
    line(`evt_${index}`, { runId: 'run_open', kind: `k${index}`, causedBy: `evt_none${index}` }),
  ).join('\n') +
  '\n';

describe('streams: standard input', () => {
  test('streams: - → the log from standard input, named <stdin>', async () => {
    const good = await counterproof(['check', '-'], { input: goodLog() });
    expect([good.code, good.stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringContaining('<stdin>  3 events'),
    ]);
    const bad = await counterproof(['check', '-', '--json'], { input: openLog() });
    expect([bad.code, JSON.parse(bad.stdout)]).toMatchObject([
      1,
      { runs: [{ path: '<stdin>', input: 'log' }] },
    ]);
  });

  test('streams: - among files, and given twice → read once, in its place', async () => {
    const folder = folderWith(goodLog());
    const { code, stdout } = await counterproof(['check', 'run.jsonl', '-', '-', '--json'], {
      cwd: folder,
      input: openLog(),
    });
    const report = JSON.parse(stdout) as { runs: { path: string; verdict: string }[] };
    expect([code, report.runs.map((run) => [run.path, run.verdict])]).toEqual([
      1,
      [
        ['run.jsonl', 'pass'],
        ['<stdin>', 'fail'],
      ],
    ]);
  });

  test('streams: empty standard input → exit 66', async () => {
    const { code, stdout } = await counterproof(['check', '-']);
    expect([code, stdout.includes('log/empty-log')]).toEqual([66, true]);
  });

  test('streams: a large log through a slow pipe → read whole', async () => {
    const folder = makeFolder();
    const log = logOf(
      goodLog().trimEnd().split('\n')[0] ?? '',
      ...Array.from({ length: 2000 }, (_, index) =>
        line(`evt_x${index}`, { runId: 'run_good', data: { x: 'x'.repeat(1000) } }),
      ),
    );
    writeFileSync(join(folder, 'big.jsonl'), log);
    const { stdout } = await shell(
      '(head -c 100000; sleep 0.2; cat) < big.jsonl | $CP check - --json',
      folder,
    );
    expect((JSON.parse(stdout) as { runs: unknown[] }).runs[0]).toMatchObject({
      counts: { bytes: log.length, events: 2001 },
    });
  });

  test("streams: the shell's <(…) and a named pipe → read to their end", async () => {
    const folder = folderWith(goodLog());
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const substituted = await shell('$CP check <(cat run.jsonl)', folder);
    const named = await shell('(sleep 0.3; cat run.jsonl > pipe) & $CP check pipe', folder);
    expect([substituted.code, named.code]).toEqual([0, 0]);
    expect([substituted.stdout, named.stdout]).toEqual([
      expect.stringContaining('3 events'),
      expect.stringContaining('pipe  3 events'),
    ]);
  });

  test('streams: a pipe is read → nothing of it is left behind', async () => {
    const folder = makeFolder();
    const { code } = await shell(`TMPDIR=${folder} $CP check - <<< '{}'`, folder);
    expect([code, readdirSync(folder)]).toEqual([1, []]);
  });
});

describe('streams: output', () => {
  test('streams: a reader that goes away after one line → no crash, nothing on standard error, the same exit', async () => {
    const folder = folderWith(LONG_REPORT);
    for (const format of ['text', 'json', 'jsonl']) {
      const { code, stdout, stderr } = await shell(
        `set -o pipefail; $CP check run.jsonl --max-violations 5000 --format ${format} | head -1`,
        folder,
      );
      expect([code, stderr, stdout.split('\n').length], format).toEqual([1, '', 2]);
    }
    for (const call of ['--help', 'rules', 'check --help'])
      expect((await shell(`set -o pipefail; $CP ${call} | head -1`, folder)).stderr, call).toBe('');
  });

  test('streams: a report larger than a pipe holds, read slowly → whole', async () => {
    const folder = folderWith(LONG_REPORT);
    const direct = await shell('$CP check run.jsonl --max-violations 5000 --json', folder);
    const slow = await shell('$CP check run.jsonl --max-violations 5000 --json | (sleep 0.3; cat)', folder);
    expect(direct.stdout.length).toBeGreaterThan(256 * 1024);
    expect(slow.stdout).toBe(direct.stdout);
  });

  test.runIf(existsSync('/dev/full'))(
    'streams: a full disk → 74 and said so, by standard output and by --output',
    async () => {
      const folder = folderWith(goodLog());
      for (const call of [
        'check run.jsonl > /dev/full',
        'check run.jsonl -o /dev/full',
        'rules > /dev/full',
      ]) {
        const { code, stderr } = await shell(`$CP ${call}`, folder);
        expect([code, stderr], call).toEqual([74, expect.stringContaining('ENOSPC')]);
      }
      expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
      // Nobody can be told, but the code still says it.
      expect((await shell('$CP check none 2> /dev/full', folder)).code).toBe(66);
    },
  );

  test('streams: --output to a device, through a link, where it cannot be → the device stays, the link stays, 74', async () => {
    const folder = folderWith(goodLog());
    expect((await shell('$CP check run.jsonl -o /dev/null', folder)).code).toBe(0);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    writeFileSync(join(folder, 'real.txt'), '');
    symlinkSync('real.txt', join(folder, 'link.txt'));
    expect((await shell('$CP check run.jsonl -o link.txt', folder)).code).toBe(0);
    expect(lstatSync(join(folder, 'link.txt')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real.txt'), 'utf8')).toMatch(/^PASS/);
    for (const target of ['none/out.txt', '.']) {
      const { code, stdout } = await shell(`$CP check run.jsonl -o ${target}`, folder);
      expect([code, stdout], target).toEqual([74, '']);
    }
    expect(readdirSync(folder).sort()).toEqual(['link.txt', 'real.txt', 'run.jsonl']);
  });

  test('streams: control characters and directions in a log → escaped in the text, no raw one left', async () => {
    const evil = '\u001b[2J\u001b]0;x\u0007\r\u0008\u009b31m\u202egood\u2066\u200b';
    const log = [
      line('evt_0', { runId: evil, actor: evil, kind: evil, causedBy: undefined }),
      line('evt_1', {
        runId: evil,
        kind: 'task_result',
        data: { taskId: evil, status: evil, resultPath: `../${evil}` },
      }),
      line('evt_2', { runId: evil, kind: evil, causedBy: 'evt_none', data: { summary: evil, tier: evil } }),
      `{"id":"evt_3","${JSON.stringify(evil).slice(1, -1)}":1,"${JSON.stringify(evil).slice(1, -1)}":2}`,
      `{"id":"${evil.replace(/[\u0000-\u001f]/g, '')}"`,
      JSON.stringify(evil),
    ];
    for (const args of [[], ['--verbose']]) {
      const { code, stdout } = await counterproof(['check', '-', ...args], { input: log.join('\n') });
      expect(code).toBe(1);
      expect(stdout).toContain('\\u001b[2J');
      expect(
        stdout.match(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
        ),
      ).toBeNull();
    }
  });

  test('streams: control characters in a file name → escaped, in messages too', async () => {
    const folder = makeFolder();
    const name = 'a\u001b[31mb.jsonl';
    writeFileSync(join(folder, name), openLog());
    const found = await counterproof(['check', name], { cwd: folder });
    expect([found.code, found.stdout.includes('\u001b')]).toEqual([1, false]);
    const missing = await counterproof(['check', `no-${name}`], { cwd: folder });
    expect([missing.code, missing.stderr.includes('\u001b')]).toEqual([66, false]);
  });
});

describe('streams: interrupts', () => {
  test('streams: SIGINT while it waits for standard input → 130, nothing left behind', async () => {
    const before = new Set(readdirSync(tmpdir()));
    const { code, stderr } = await counterproof(['check', '-'], {
      onStart: (kill) => {
        interruptOnceBusy(kill, () =>
          readdirSync(tmpdir()).some((name) => isSpool(name) && !before.has(name)),
        );
      },
    });
    expect([code, stderr]).toEqual([130, expect.stringContaining('interrupted')]);
  });

  test(
    'streams: SIGINT in the middle of one large log → 130',
    async () => {
      const folder = makeFolder();
      const path = join(folder, 'big.jsonl');
      const file = openSync(path, 'w');
      const piece = logOf(...Array.from({ length: 2000 }, (_, index) => line(`evt_${index}`)));
      for (let count = 0; count < 300; count++) writeSync(file, piece);
      closeSync(file);
      const { code } = await counterproof(['check', path], {
        onStart: (kill) => {
          setTimeout(() => {
            kill('SIGINT');
          }, 1500);
        },
      });
      // A machine so fast that it had finished by then has nothing to interrupt.
      expect([130, 1]).toContain(code);
    },
    5 * MINUTES,
  );

  test('streams: SIGINT while a named pipe has no writer → 130', async () => {
    const folder = makeFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const before = new Set(readdirSync(tmpdir()));
    const { code } = await counterproof(['check', join(folder, 'pipe')], {
      onStart: (kill) => {
        interruptOnceBusy(kill, () =>
          readdirSync(tmpdir()).some((name) => isSpool(name) && !before.has(name)),
        );
      },
    });
    expect(code).toBe(130);
  });
});

const isSpool = (name: string): boolean => /^counterproof-[A-Za-z0-9]{6}$/.test(name);

/** Sends the interrupt when the command is known to be at work, however slowly it started. */
function interruptOnceBusy(kill: (signal: NodeJS.Signals) => void, isBusy: () => boolean): void {
  const look = setInterval(() => {
    if (!isBusy()) return;
    clearInterval(look);
    kill('SIGINT');
  }, 20);
}
