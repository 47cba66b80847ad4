/**
 * Names, folders, paths and links: what leads nowhere or stands in the wrong place, and what does not.
 * Each message must name its place and the replacement.
 */
import { describe, expect, test } from 'vitest';
import { renderAll as lines } from './finding.js';
import { checkLinks } from './links.js';
import { checkFolders, checkNames } from './names.js';
import { TABLE } from './sample.js';

describe('tidy: names and folders', () => {
  const PLANNED_AWAY = ['core', 'grammar', 'log', 'oracle', 'cli'].flatMap((name) => [
    `harness/${name}/a.ts`,
    `harness/${name}/b.ts`,
  ]);
  const GOOD = [...PLANNED_AWAY, 'harness/index.ts', 'harness/build.mjs', 'harness/README.md'];

  test('one-word folders and kebab-case files → nothing', () => {
    expect(lines(checkNames([...GOOD, 'test/log/round-trip.test.ts', 'README.md']))).toEqual([]);
    expect(lines(checkFolders(GOOD, TABLE))).toEqual([]);
  });
  test('other names → said', () => {
    expect(
      lines(checkNames(['harness/core/runDir.ts', 'harness/run-log/x.ts', 'harness/a/b/c/x.ts'])),
    ).toEqual([
      'harness/core/runDir.ts:1: the file name runDir.ts is banned here, use kebab-case',
      'harness/a/b/c:1: a third level of folders is banned here, use harness/folder/family',
      'harness/run-log:1: a folder name of several words is banned here, use one word',
    ]);
  });
  test('a folder without a row, a row without a folder, a plan come true, a lone file → said', () => {
    const gate = ['harness/gate/a.ts', 'harness/gate/b.ts'];
    expect(lines(checkFolders([...GOOD, ...gate], TABLE))).toEqual([
      'harness/README.md:7: "planned" on gate is banned here, use a plain row',
    ]);
    expect(lines(checkFolders([...GOOD, 'harness/web/a.ts', 'harness/web/b.ts'], TABLE))).toEqual([
      'harness/web:1: a folder without a row is banned here, use harness/README.md',
    ]);
    expect(
      lines(
        checkFolders(
          GOOD.filter((path) => !path.startsWith('harness/log/')),
          TABLE,
        ),
      ),
    ).toEqual([
      'harness/README.md:5: a row for log, which does not exist is banned here, use a row marked planned',
    ]);
    expect(lines(checkFolders([...GOOD, 'harness/log/dialects/a.ts'], TABLE))).toEqual([
      'harness/log/dialects:1: a folder that holds one file is banned here, use harness/log/dialects.ts',
    ]);
  });
});

describe('tidy: paths and links', () => {
  const PAGES: Readonly<Record<string, string>> = {
    'README.md': '# Title here\n## What it *is*',
    'harness/README.md': '# Harness',
  };
  const EXISTING = [
    ...Object.keys(PAGES),
    'harness',
    'harness/core',
    'harness/core/tier.ts',
    'LICENSE',
    'runs/examples',
  ];
  const reading = (markdown: string): string[] =>
    lines(
      checkLinks('harness/README.md', {
        exists: (path) => EXISTING.includes(path),
        read: (path) => (path === 'harness/README.md' ? markdown : (PAGES[path] ?? '')),
      }),
    );

  test('what leads somewhere, and what is no path → nothing', () => {
    const good = [
      '[a](../LICENSE) [b](core/tier.ts) [c](../README.md#what-it-is) [d](https://example.org/x) [e](#own-one)',
      '# Own one',
      '`core/tier.ts` `core/` `harness/core/tier.ts` `run_started` `yes/no` `plans/<planId>.json` `artifacts/…`',
      '`npx counterproof check runs/examples --json` `dist/cli/main.js` `[x](nowhere.md)`',
      '```text\ngone/away.ts runs/gone\n```',
      '```sh\ncounterproof check runs/examples\n```',
    ].join('\n');
    expect(reading(good)).toEqual([]);
  });
  test.each([
    ['[a](gone.md)', 'the link gone.md'],
    ['[a](../README.md#gone)', 'the link ../README.md#gone'],
    ['[a](#gone)', 'the link #gone'],
    ['see `core/gone.ts`', 'the path core/gone.ts'],
    ['see `gone/`', 'the path gone/'],
    ['run `counterproof check runs/gone`', 'the path runs/gone'],
    ['```sh\ncounterproof check runs/gone\n```', 'the path runs/gone'],
  ])('%j → said', (markdown, what) => {
    const line = markdown.startsWith('```') ? 2 : 1;
    expect(reading(markdown)).toEqual([
      `harness/README.md:${line}: ${what} is banned here, use one that exists`,
    ]);
  });
});
