/**
 * Links in a run folder that lead out of it: nothing behind them is opened, and each is said once.
 */
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { h } from '../support/history.js';
import { judgeText, runFolder } from '../support/judge.js';
import { GOOD_RUN } from './fixtures/fixture.js';
import { FOLDER } from './fixtures/folder.js';

it('links: a result that lies outside → the link is said, and not that the file is missing', () => {
  const folder = runFolder(FOLDER, h(GOOD_RUN), { 'outside.json': FOLDER['results/task_t1.json'] as object });
  rmSync(join(folder.runDir, 'results/task_t1.json'));
  symlinkSync('../../outside.json', join(folder.runDir, 'results/task_t1.json'));
  const { roots, rootRules } = judgeText(folder);
  expect(rootRules).toEqual(['reference/path-escapes-run']);
  expect(roots.map(({ facts, events }) => [facts['member'], events.map(({ line }) => line)])).toEqual([
    ['resultPath', [11]],
  ]);
});

it('links: a log that lies outside → said of the log itself', () => {
  const folder = runFolder(FOLDER, h(GOOD_RUN));
  renameSync(join(folder.runDir, 'provenance.jsonl'), join(folder.runDir, '../outside.jsonl'));
  symlinkSync('../outside.jsonl', join(folder.runDir, 'provenance.jsonl'));
  const { roots } = judgeText(folder);
  expect(
    roots.map(({ rule, path, events, facts }) => ({ rule, path, events, member: facts['member'] })),
  ).toEqual([
    { rule: 'reference/path-escapes-run', path: 'provenance.jsonl', events: [], member: 'the log' },
  ]);
});
