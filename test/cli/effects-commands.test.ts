/** `walk`, `scan` and `recover` as a user runs them: what they print, and how they end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counterproof } from '../support/command.js';
import { effectBed, everyKind } from '../support/effect-bed.js';
import { flip, packedObjects } from '../support/tampering.js';

async function finished(): Promise<string> {
  const bed = effectBed();
  await everyKind(bed);
  bed.broker.close();
  return bed.runDir;
}

const codeOf = async (...args: string[]): Promise<number | null> => (await counterproof(args)).code;

describe('walk', () => {
  it('walk: an index, an output on standard input, JSON, and what is not there → 0, 0, 0, 66', async () => {
    const runDir = await finished();
    const text = await counterproof(['walk', runDir, '13']);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toContain('Stopped by principal: Leave a alone.');
    const json = await counterproof(['walk', runDir, '2', '--json']);
    const walk = JSON.parse(json.stdout) as {
      entry: { links: { links: { what: string; bytes: string }[] }[] };
    };
    const output = walk.entry.links[0]!.links.find(({ what }) => what === 'output')!;
    expect(JSON.parse(json.stdout)).toMatchObject({
      sound: true,
      status: 'executed',
      world: { revision: 2 },
    });
    const found = await counterproof(['walk', runDir, '-'], { input: output.bytes });
    expect(found).toMatchObject({ code: 0 });
    expect(found.stdout).toContain('Call run_effects:2');
    expect(await codeOf('walk', runDir, '99')).toBe(66);
    expect(await codeOf('walk', `${runDir}-none`, '0')).toBe(66);
  });

  it('walk: a link that does not hold → 1', async () => {
    const runDir = await finished();
    const record = packedObjects(runDir).find(({ kind }) => kind === 'result')!;
    flip(join(runDir, 'objects.pack'), record.payload.from + 2);
    const ended = await counterproof(['walk', runDir, '0']);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('NOT every link holds');
  });
});

describe('scan', () => {
  it('scan: complete, stopped and gone on, with a hole, and a cursor that is none → 0, 2, 0, 1, 64', async () => {
    const runDir = await finished();
    const whole = await counterproof(['scan', runDir, '--verbose']);
    expect(whole.code).toBe(0);
    expect(whole.stdout).toMatch(/^integrity_scan_complete runs=1 entries=14 objects=\d+ holes=0 notes=1$/m);
    expect(whole.stdout.match(/^world_row run=\S+ revision=\d+ ref=sha256:/gm)).toHaveLength(14);
    const part = await counterproof(['scan', runDir, '--rows', '30']);
    const resume = /^integrity_scan_incomplete .* resume=(\S+)$/m.exec(part.stdout)?.[1];
    expect(part.code).toBe(2);
    expect(await codeOf('scan', runDir, '--resume', resume!)).toBe(0);
    expect(await codeOf('scan', runDir, '--resume', 'x')).toBe(64);
    flip(join(runDir, 'objects.pack'), packedObjects(runDir)[4]!.payload.from);
    const holed = await counterproof(['scan', runDir, '--json']);
    expect(holed.code).toBe(1);
    const said = JSON.parse(holed.stdout) as { complete: boolean; hole: number; worlds: unknown[] };
    expect(said).toMatchObject({ complete: true });
    expect(said.hole).toBeGreaterThan(0);
    expect(said.worlds.length).toBeGreaterThan(10);
  });
});

describe('recover', () => {
  it('recover: nothing open, and a crash between two effects → 0, and 1 with what may have happened', async () => {
    const bed = effectBed();
    await bed.call('number.note', { name: 'a\u001b[1m', note: 1 });
    bed.broker.close();
    const settled = await counterproof(['recover', bed.runDir]);
    expect(settled).toMatchObject({ code: 0, stdout: 'Nothing is open: 1 calls, each with its end.\n' });
    const journal = join(bed.runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${lines.slice(0, 5).join('\n')}\n`);
    writeFileSync(join(bed.runDir, 'invocations.jsonl'), '');
    const open = await counterproof(['recover', bed.runDir]);
    expect(open.code).toBe(1);
    expect(open.stdout).toContain('call_1  number.note: took effect, and has no entry');
    expect(open.stdout).toMatch(/read {2}Number.Get on shelf with .*: HAPPENED/);
    expect(open.stdout).toMatch(/write {2}Number.Set on shelf with .*: MAY HAVE HAPPENED/);
    const again = await counterproof(['recover', bed.runDir, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ settled: false });
  });
});
