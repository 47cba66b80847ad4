/**
 * Limits of files and functions, and the opening comment: each at its limit and one past it.
 * Each message must name its place and the replacement.
 */
import { describe, expect, test } from 'vitest';
import { parseSource, renderAll as lines } from './finding.js';
import { checkFileSize, checkFunctions, checkHeader } from './sizes.js';

describe('tidy: sizes and shapes', () => {
  const repeat = (line: string, times: number): string => `${line}\n`.repeat(times);
  const header = (path: string, text: string): string[] => lines(checkHeader(parseSource(path, text)));

  test('a file at its limit → nothing; one line more → said', () => {
    const sized = (path: string, count: number): string[] =>
      lines(checkFileSize(parseSource(path, repeat(';', count))));
    expect(sized('harness/core/a.ts', 300)).toEqual([]);
    expect(sized('harness/core/a.ts', 301)).toEqual([
      'harness/core/a.ts:301: a file of 301 lines is banned here, use at most 300 (split it)',
    ]);
    expect(sized('test/core/a.test.ts', 400)).toEqual([]);
    expect(sized('test/core/a.test.ts', 401)).toHaveLength(1);
    expect(sized('harness/cli/commands/a.ts', 60)).toEqual([]);
    expect(sized('harness/cli/commands/a.ts', 61)).toEqual([
      'harness/cli/commands/a.ts:61: a file of 61 lines is banned here, use at most 60 (split it)',
    ]);
  });
  test('a function at its limit → nothing; one line more → said, whatever its form', () => {
    const body = (count: number): string => repeat('go();', count);
    const sized = (text: string): string[] => lines(checkFunctions(parseSource('harness/core/a.ts', text)));
    expect(sized(`function f() {\n${body(58)}}`)).toEqual([]);
    expect(sized(`/** Doc.\n */\nfunction f() {\n${body(59)}}`)).toEqual([
      'harness/core/a.ts:3: the function f of 61 lines is banned here, use at most 60 (split it)',
    ]);
    expect(sized(`const f = () => {\n${body(59)}};`)).toEqual([
      'harness/core/a.ts:1: a function of 61 lines is banned here, use at most 60 (split it)',
    ]);
    expect(sized(`class A {\nread() {\n${body(59)}}\n}`)).toEqual([
      'harness/core/a.ts:2: the function read of 61 lines is banned here, use at most 60 (split it)',
    ]);
  });
  test('three parameters → nothing; four → said', () => {
    const taking = (text: string): string[] => lines(checkFunctions(parseSource('harness/core/a.ts', text)));
    expect(taking('const f = (a, b, c) => a;')).toEqual([]);
    expect(taking('class A { constructor(a, b, c, d) {} }')).toEqual([
      'harness/core/a.ts:1: a function with 4 parameters is banned here, use at most 3, then one object',
    ]);
  });
  test('an opening comment of 2 to 8 lines of text → nothing', () => {
    expect(header('harness/a.ts', '/**\n * What.\n *\n * Why.\n */\nimport x;')).toEqual([]);
    expect(header('test/a.test.ts', '/** What. */\nimport x;')).toEqual([]);
    expect(header('test/a.test.ts', 'import x;')).toHaveLength(1);
    expect(header('harness/a.ts', '#!/usr/bin/env node\n// What.\n// Why.\nimport x;')).toEqual([]);
    expect(header('harness/a.ts', `/**\n${repeat(' * Word.', 8)} */`)).toEqual([]);
  });
  test.each([
    ['import x;\n/** Late. */', 'a file without an opening comment'],
    ['/** Short. */\nimport x;', 'an opening comment of 1 lines'],
    [`/**\n${repeat(' * Word.', 9)} */`, 'an opening comment of 11 lines'],
  ])('%j → said', (text, what) => {
    expect(header('harness/a.ts', text)).toEqual([
      `harness/a.ts:1: ${what} is banned here, use 2 to 8 that say what the file is and is not`,
    ]);
  });
});
