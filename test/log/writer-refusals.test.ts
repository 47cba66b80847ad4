/** What the writer refuses, before anything is written. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LINE_WRITE_MAX_BYTES } from '../../harness/core/event.js';
import type { EventDraft } from '../../harness/log/event-line.js';
import {
  logOf,
  makeFolder,
  makeRun,
  open,
  refuses,
  seeKinds,
  seeLog,
  started,
  STARTED,
  tick,
} from '../support/log-bed.js';

const REFUSED: readonly (readonly [what: string, draft: unknown, message: RegExp])[] = [
  ['no object', 'x', /no JSON object/],
  ['a list', [], /no JSON object/],
  ['no kind', { data: {} }, /no kind/],
  ['an id of its own', { ...tick('evt_x'), id: 'evt_1' }, /brings its own id/],
  ['a time of its own', { ...tick('evt_x'), t: '2026-05-28T15:00:00Z' }, /brings its own t/],
  ['a run of its own', { ...tick('evt_x'), runId: 'run_1' }, /brings its own runId/],
  ['a stranger', { ...tick('evt_x'), extra: 1 }, /"extra" is no member/],
  ['no cause', { kind: 'test.tick' }, /no causedBy/],
  ['a cause that is no id', { kind: 'test.tick', causedBy: 'x' }, /\/causedBy/],
  ['an empty kind', { kind: '', causedBy: 'evt_x' }, /\/kind/],
  ['an actor that is no text', { kind: 'test.tick', causedBy: 'evt_x', actor: 1 }, /\/actor/],
  ['data that is no object', { kind: 'test.tick', causedBy: 'evt_x', data: [] }, /\/data/],
  ['what its kind needs missing', { kind: 'task_result', causedBy: 'evt_x', data: {} }, /\/data\/taskId/],
  ['a bad token count', { ...tick('evt_x'), tokens: { input: -1 } }, /\/tokens\/input/],
  [
    'a half counterfactual',
    { ...tick('evt_x'), kind: 'council_skipped', counterfactual: {} },
    /\/counterfactual/,
  ],
  ['NaN', { ...tick('evt_x'), data: { a: { b: [1, Number.NaN] } } }, /\/data\/a\/b\/1 is NaN/],
  ['an infinity', { ...tick('evt_x'), data: { a: -Infinity } }, /\/data\/a is -Infinity/],
  [
    'an integer beyond 2^53',
    { ...tick('evt_x'), data: { 'a/b': 2 ** 53 } },
    /\/data\/a~1b is an integer beyond/,
  ],
  [
    'half a surrogate pair',
    { ...tick('evt_x'), data: { a: 'x\ud800' } },
    /\/data\/a holds half a surrogate pair/,
  ],
  [
    'half a surrogate pair in a key',
    { ...tick('evt_x'), data: { 'x\udfff': 1 } },
    /\/data has a key with half/,
  ],
  [
    'undefined in a list',
    { ...tick('evt_x'), data: { a: [undefined] } },
    /\/data\/a\/0 is of type undefined/,
  ],
  ['a hole in a list', { ...tick('evt_x'), data: { a: [1, , 2] } }, /\/data\/a\/1 is of type undefined/],
  ['a function', { ...tick('evt_x'), data: { a: () => 1 } }, /\/data\/a is of type function/],
  ['a big integer', { ...tick('evt_x'), data: { a: 1n } }, /\/data\/a is of type bigint/],
  ['a date', { ...tick('evt_x'), data: { a: new Date(0) } }, /\/data\/a is no plain object/],
  ['a nesting without end', { ...tick('evt_x'), data: nested(600) }, /nested more than 512 levels deep/],
  ['a file that is missing', { ...tick('evt_x'), data: { resultPath: 'results/t1.json' } }, /no such file/],
  ['a folder for a file', { ...tick('evt_x'), data: { resultPath: 'writers' } }, /no such file/],
  ['a file outside', { ...tick('evt_x'), data: { goalPath: '../goal.md' } }, /climbs out/],
  ['an absolute file', { ...tick('evt_x'), data: { payloadPath: '/etc/passwd' } }, /is absolute/],
];

function nested(depth: number): object {
  let value = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

describe('writer: refusals', () => {
  test.each(REFUSED)('writer: %s → refused before anything is written', (_what, draft, message) => {
    const { runDir, writer } = started();
    expect(() => writer.append(draft as EventDraft)).toThrow(refuses('invalid-input', message));
    expect(() => writer.appendEvent(draft as never)).toThrow(refuses('invalid-input', message));
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('writer: a line of exactly 16 KiB → written; one byte more → refused with a way out', () => {
    const { runDir, writer, id } = started();
    const overhead = writer.append(tick(id)).line.length + 1;
    writer.append(tick(id, 0, LINE_WRITE_MAX_BYTES - overhead));
    expect(seeLog(runDir).at(-1)!.bytes).toBe(LINE_WRITE_MAX_BYTES - 1);
    const tooLong = expect.objectContaining({
      code: 'line-too-long',
      hint: expect.stringContaining('payloadPath'),
    });
    expect(() => writer.append(tick(id, 0, LINE_WRITE_MAX_BYTES - overhead + 1))).toThrow(tooLong);
    // Counted in bytes, not in characters.
    const data = { n: 0, padding: 'ä'.repeat((LINE_WRITE_MAX_BYTES - overhead) / 2 + 1) };
    expect(() => writer.append({ kind: 'test.tick', causedBy: id, data })).toThrow(tooLong);
    expect(seeLog(runDir)).toHaveLength(3);
  });

  test('writer: a first event without what a run needs → refused, and no log is made', () => {
    const runDir = makeRun();
    expect(() => open(runDir).append({ kind: 'run_started', data: {} })).toThrow(
      refuses('invalid-input', /formatVersion/),
    );
    expect(existsSync(logOf(runDir))).toBe(false);
  });

  test('writer: no folder → refused, and none is made', () => {
    const runDir = join(makeFolder(), 'typo');
    expect(() => open(runDir)).toThrow(refuses('no-input', /no folder at/));
    expect(existsSync(runDir)).toBe(false);
  });

  test('writer: a link to the run folder → as good as the folder', () => {
    const { runDir, id } = started();
    const alias = join(makeFolder(), 'alias');
    symlinkSync(runDir, alias);
    open(alias).append(tick(id));
    expect(seeKinds(runDir)).toHaveLength(3);
  });

  test.each(['symlink', 'folder'])('writer: a log that is a %s → refused', (what) => {
    const runDir = makeRun();
    if (what === 'folder') mkdirSync(logOf(runDir));
    else symlinkSync('/tmp/elsewhere.jsonl', logOf(runDir));
    expect(() => open(runDir).append(STARTED)).toThrow();
    expect(existsSync('/tmp/elsewhere.jsonl')).toBe(false);
  });

  test('writer: a correction of nothing → refused', () => {
    const { writer } = started();
    const wrong = { causedBy: 'evt_none', path: '/data', value: null, reason: 'x', actor: 'principal' };
    expect(() => writer.correct(wrong)).toThrow(refuses('invalid-input', /no event evt_none/));
  });

  test('writer: closed → refuses everything, and closes twice without harm', () => {
    const { writer, id } = started();
    writer.close();
    writer.close();
    for (const call of [
      () => writer.append(tick(id)),
      () => writer.flush(),
      () => writer.writeArtifact('artifacts/x', ''),
    ]) {
      expect(call).toThrow(/counterproof bug: .* after it was closed/);
    }
  });
});
