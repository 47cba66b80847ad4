/** The worktree: what is done in it, what is never reached from it, and its effects and tools. */
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../harness/core/event.js';
import { isPure } from '../../harness/core/tool.js';
import type { HandlerAnswer } from '../../harness/effects/ports.js';
import { Prepared } from '../../harness/effects/prepared.js';
import { Testbed } from '../../harness/testbed/testbed.js';
import { EFFECTS_OF_CAPABILITY, TOOLBOX } from '../../harness/testbed/tools.js';
import { FILE_BYTES_MAX, Worktree } from '../../harness/testbed/worktree.js';
import { HARNESS_TOOLS } from '../../harness/study/harness-calls.js';
import { modelTool } from '../../harness/models/model-tool.js';
import { impurities } from '../support/pure-tool.js';

const FILES = { 'a.txt': 'alpha', 'dir/b.txt': 'beta', 'dir/deep/c.txt': 'gamma' };

function made(): Worktree {
  const worktree = Worktree.create(FILES);
  onTestFinished(() => {
    worktree.dispose();
  });
  return worktree;
}

/** The folder of a worktree, which nobody outside may know: found by a mark in it. */
function rootOf(worktree: Worktree): string {
  return (worktree as unknown as { root: string }).root;
}

describe('worktree', () => {
  it('worktree: read, list, write, delete → as a file system does it, and faults are answers', () => {
    const worktree = made();
    expect(worktree.read('a.txt')).toEqual({ ok: true, value: 'alpha' });
    expect(worktree.list('.')).toEqual({ ok: true, value: ['a.txt', 'dir/'] });
    expect(worktree.write('new/x.txt', 'x')).toEqual({ ok: true, value: false });
    expect(worktree.write('a.txt', 'y')).toEqual({ ok: true, value: true });
    expect(worktree.delete('dir', { recursive: true })).toEqual({ ok: true, value: 2 });
    expect([...worktree.state().keys()]).toEqual(['a.txt', 'new/x.txt']);
    const faults = [
      worktree.read('none'),
      worktree.read('new'),
      worktree.list('a.txt'),
      worktree.list('none'),
      worktree.write('new', ''),
      worktree.write('big', 'x'.repeat(FILE_BYTES_MAX + 1)),
      worktree.delete('none', { recursive: false }),
      worktree.read('a.txt/below'),
      worktree.write('a.txt/below', ''),
      worktree.read('n'.repeat(300)),
      worktree.delete('new', { recursive: false }),
    ];
    expect(faults.map((found) => (found.ok ? 'ok' : found.fault))).toEqual([
      'missing',
      'not-a-file',
      'not-a-folder',
      'missing',
      'not-a-file',
      'too-large',
      'missing',
      'missing',
      'missing',
      'missing',
      'not-a-file',
    ]);
  });

  it('worktree: the whole of it deleted → empty, and still there', () => {
    const worktree = made();
    expect(worktree.delete('.', { recursive: true })).toEqual({ ok: true, value: 3 });
    expect(worktree.write('again.txt', '')).toEqual({ ok: true, value: false });
  });

  it('worktree: paths and links that lead out → outside, whatever is done, and nothing there is touched', () => {
    const worktree = made();
    const outside = mkdtempSync(join(tmpdir(), 'counterproof-outside-'));
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(outside, join(rootOf(worktree), 'link'));
    symlinkSync(join(outside, 'secret'), join(rootOf(worktree), 'file-link'));
    symlinkSync(join(outside, 'not-yet'), join(rootOf(worktree), 'dangling'));
    const paths = [
      '/etc/passwd',
      '../x',
      'dir/../../x',
      `${outside}/secret`,
      'link/secret',
      'link',
      'file-link',
      'dangling',
      'C:\\x',
      'a\0b',
      '\\\\host\\x',
    ];
    for (const path of paths) {
      const done = [
        worktree.read(path),
        worktree.list(path),
        worktree.write(path, 'x'),
        worktree.delete(path, { recursive: true }),
      ];
      expect(
        done.map((found) => (found.ok ? 'ok' : found.fault)),
        path,
      ).toEqual(['outside', 'outside', 'outside', 'outside']);
    }
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(existsSync(join(outside, 'not-yet'))).toBe(false);
  });

  it('worktree: any paths written and deleted → the state is what a plain map says, and nothing else is touched', () => {
    const name = fc.constantFrom('a', 'b', 'dir', '..', '.', 'é');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean()), { maxLength: 12 }), (acts) => {
        const worktree = Worktree.create({});
        for (const [at, isWrite] of acts) {
          const before = worktree.state().size;
          const done = isWrite ? worktree.write(at, at) : worktree.delete(at, { recursive: true });
          if (done.ok && !isWrite) expect(worktree.state().size).toBe(before - Number(done.value));
          if (done.ok && isWrite) expect(worktree.read(at)).toEqual({ ok: true, value: at });
          if (!done.ok) expect(worktree.state().size).toBe(before);
        }
        worktree.dispose();
        expect(existsSync(rootOf(worktree))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe('testbed', () => {
  it('testbed: made twice, and cloned → one digest; any change → another, and the change is named', () => {
    const [a, b] = [Testbed.create({ files: FILES }), Testbed.create({ files: FILES })];
    expect(b.digest()).toBe(a.digest());
    const clone = a.clone();
    expect(clone.digest()).toBe(a.digest());
    clone.worktree.write('a.txt', 'changed');
    clone.worktree.write('new.txt', '');
    clone.worktree.delete('dir/b.txt', { recursive: false });
    expect(clone.digest()).not.toBe(a.digest());
    expect(a.changeTo(clone)).toEqual({ added: ['new.txt'], changed: ['a.txt'], removed: ['dir/b.txt'] });
    expect(a.digest()).toBe(b.digest());
    for (const testbed of [a, b, clone]) testbed.dispose();
  });

  async function perform(tool: string, input: JsonObject): Promise<HandlerAnswer> {
    const testbed = Testbed.create({ files: FILES });
    onTestFinished(() => {
      testbed.dispose();
    });
    const { planned } = new Prepared({ callId: 'c', tool, input, caller: 'x' }, TOOLBOX.get(tool));
    const [asked] = planned!.effects;
    const signal = new AbortController().signal;
    return testbed.handlers().get(asked!.effect)!({ callId: 'c', now: 0, signal, ...asked! });
  }

  it('testbed: each tool → its effect, answered by the world; out of the worktree → stopped, with the detector', async () => {
    expect(await perform('fs.read', { path: 'a.txt' })).toEqual({ ok: true, value: { content: 'alpha' } });
    expect(await perform('fs.list', { path: 'dir' })).toEqual({
      ok: true,
      value: { names: ['b.txt', 'deep/'] },
    });
    expect(await perform('fs.write', { path: 'x', content: 'y' })).toEqual({
      ok: true,
      value: { written: true, replaced: false },
    });
    expect(await perform('fs.delete', { path: 'dir', recursive: true })).toEqual({
      ok: true,
      value: { deleted: 2 },
    });
    expect(await perform('fs.read', { path: 'none' })).toEqual({ ok: true, value: { error: 'missing' } });
    expect(await perform('fs.read', { path: '/etc/passwd' })).toEqual({
      ok: false,
      evidence: { tripwire: 'fs.outside-sandbox', severity: 'T3' },
    });
  });

  it('tools: every effect they declare → can be done, and some capability stands for it', () => {
    const testbed = Testbed.create({ files: {} });
    const granted = Object.values(EFFECTS_OF_CAPABILITY).flat();
    for (const tool of TOOLBOX.values()) {
      for (const { effect } of isPure(tool) ? [] : tool.grants) {
        expect(testbed.handlers().has(effect)).toBe(true);
        expect(granted).toContain(effect);
      }
    }
    testbed.dispose();
  });

  const INPUT = {
    path: 'a',
    content: 'c',
    recursive: true,
    callId: 'c',
    model: 'm',
    role: 'r',
    purpose: 'p',
    messages: [],
  };
  for (const tool of [...TOOLBOX.values(), ...HARNESS_TOOLS, modelTool]) {
    it(`tools: ${tool.name} → looks at neither clock nor chance, and plans the same twice`, () => {
      expect(impurities(tool, INPUT)).toEqual([]);
    });
  }

  it('tools: one that looks at clock or chance → is caught', () => {
    const tool = TOOLBOX.get('fs.read')!;
    const reads: readonly (() => unknown)[] = [
      () => Date.now(),
      () => new Date(),
      () => Math.random(),
      () => performance.now(),
    ];
    for (const read of reads) {
      const bad = { ...tool, plan: () => ({ effects: [], finish: false, result: { read: String(read()) } }) };
      expect(impurities(bad, INPUT)).not.toEqual([]);
    }
  });
});
