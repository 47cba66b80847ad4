/**
 * The import check against snippets that break it, and against the ones that only look as if they did.
 * Each message must name its place and the replacement.
 */
import { describe, expect, test } from 'vitest';
import { parseSource, renderAll as lines } from './finding.js';
import { checkImports } from './imports.js';
import { PAGE, TABLE } from './sample.js';
import { parseImportTable } from './table.js';

const importing = (path: string, text: string): string[] =>
  lines(checkImports(parseSource(path, text), TABLE));

describe('tidy: the import table', () => {
  test('a page → rows with permissions and plans', () => {
    expect([...TABLE.keys()]).toEqual(['core', 'grammar', 'log', 'oracle', 'gate', 'index.ts', 'cli']);
    expect(TABLE.get('core')).toEqual({
      folder: 'core',
      mayImport: [],
      io: false,
      permits: ['node:crypto', 'node:buffer'],
      planned: false,
      line: 3,
    });
    expect(TABLE.get('gate')?.planned).toBe(true);
    expect(TABLE.get('log')).toMatchObject({ mayImport: ['core', 'grammar'], io: true });
    expect(TABLE.get('cli')?.mayImport).toBe('all');
  });
  test('no table, a row twice, an unknown folder → a finding each', () => {
    expect(lines(parseImportTable('# nothing').findings)).toEqual([
      'harness/README.md:1: an architecture page without an import table is banned here, use one',
    ]);
    expect(lines(parseImportTable(`${PAGE}\n| core | web | no | again |`).findings)).toEqual([
      'harness/README.md:10: a second row for core is banned here, use one',
      'harness/README.md:10: the unknown folder web is banned here, use a folder that has a row',
    ]);
  });
});

describe('tidy: imports', () => {
  test('its own folder, what its row names, what its I/O cell names → nothing', () => {
    expect(
      importing('harness/core/a.ts', "import { b } from './b.js'; import { c } from 'node:crypto';"),
    ).toEqual([]);
    expect(importing('harness/core/a.ts', "import type { V } from './generated/v.js';")).toEqual([]);
    expect(
      importing('harness/oracle/rules/a.ts', "import { b } from '../rule.js'; import '../../core/c.js';"),
    ).toEqual([]);
    expect(importing('harness/log/a.ts', "import { readSync } from 'node:fs';")).toEqual([]);
    expect(
      importing('harness/index.ts', "export { b } from './oracle/b.js'; export * from './log/a.js';"),
    ).toEqual([]);
    expect(
      importing('harness/cli/commands/a.ts', "await import('../../oracle/b.js'); import 'yargs';"),
    ).toEqual([]);
  });
  test.each([
    [
      'harness/oracle/a.ts',
      "\nimport type { R } from '../log/r.js';",
      '2: importing log (../log/r.js)',
      'core or a port of core',
    ],
    [
      'harness/core/a.ts',
      "export { b } from '../oracle/b.js';",
      '1: importing oracle (../oracle/b.js)',
      'nothing but its own folder',
    ],
    [
      'harness/core/a.ts',
      "type B = import('../log/b.js').B;",
      '1: importing log (../log/b.js)',
      'nothing but its own folder',
    ],
    ['harness/index.ts', "export { b } from './cli/b.js';", '1: importing cli', 'a value handed in by cli'],
    [
      'harness/log/a.ts',
      "import { x } from '../index.js';",
      '1: importing index.ts',
      'the file that it re-exports',
    ],
    ['harness/log/a.ts', "import { x } from 'counterproof';", '1: importing counterproof', 'a relative path'],
    [
      'harness/log/a.ts',
      "import '../core/generated/v.js';",
      '1: importing ../core/generated/v.js',
      'the module of core that stands before it',
    ],
    [
      'harness/log/a.ts',
      "import '../../test/x.js';",
      '1: importing ../../test/x.js',
      'files of harness/ only',
    ],
    [
      'harness/oracle/a.ts',
      "import { readFileSync } from 'node:fs';",
      '1: node:fs',
      'a port that is passed in (this folder does no I/O)',
    ],
    [
      'harness/grammar/a.ts',
      "import { createHash } from 'node:crypto';",
      '1: node:crypto',
      'a port that is passed in (this folder does no I/O)',
    ],
    ['harness/log/a.ts', "import { readFileSync } from 'fs';", '1: importing fs', 'node:fs'],
    [
      'harness/log/a.ts',
      "import { env } from 'node:process';",
      '1: node:process',
      'a value handed in by cli',
    ],
    [
      'harness/oracle/a.ts',
      "import c from 'picocolors';",
      '1: the package picocolors',
      'plain code, or name it in the row of harness/README.md',
    ],
    ['harness/log/a.ts', "const x = await import('./b.js');", '1: import()', 'an import statement'],
  ])('%s with %j → said with its place and replacement', (path, text, what, use) => {
    expect(importing(path, text)).toEqual([`${path}:${what} is banned here, use ${use}`]);
  });
});
