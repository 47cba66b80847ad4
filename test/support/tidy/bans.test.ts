/**
 * The ban list against snippets that break it, and against the ones that only look as if they did.
 * Each message must name its place and the replacement.
 */
import { describe, expect, test } from 'vitest';
import { checkBans, checkNotes } from './bans.js';
import { parseSource, renderAll as lines } from './finding.js';
import { PAGE, TABLE } from './sample.js';
import { parseImportTable } from './table.js';

const using = (path: string, text: string): string[] => lines(checkBans(parseSource(path, text), TABLE));

describe('tidy: the ban list', () => {
  test('words that only look banned → nothing', () => {
    const harmless = [
      '// console.log and Math.random are named here, and so is process.exit',
      "const text = 'Date.now() as any; console.';",
      'export function run(process: { exit: () => void }): void { process.exit(); }',
      'export const at = new Date(0).toISOString() + new Date(ms).getUTCDay();',
      'export interface Port { console: string; fetch: (a: string) => void }',
      'port.fetch(key); const { require: needed } = port; const o = { eval: 1 };',
      'try { go(); } catch (error) { throw wrap(error); }',
    ].join('\n');
    expect(using('harness/oracle/a.ts', harmless)).toEqual([]);
    expect(using('harness/cli/a.ts', 'process.exitCode = 1; const now = Date.now();')).toEqual([]);
    expect(using('harness/log/a.ts', 'setTimeout(go, 5);')).toEqual([]);
  });
  test.each([
    ['const now = Date.now();', 'Date.now', 'the clock port'],
    ['const now = new Date();', 'new Date()', 'the clock port'],
    ['const now = Date();', 'new Date()', 'the clock port'],
    ['const start = performance.now();', 'performance', 'the clock port'],
    ['const n = Math.random();', 'Math.random', 'the random port'],
    ['const id = crypto.randomUUID();', 'a random source', 'the random port'],
    ["console.warn('x');", 'console.', 'cli/output'],
    ['const home = process.env.HOME;', 'process.', 'a value handed in by cli'],
    [
      "const page = fetch('x');",
      'the network or a timer',
      'a port that is passed in (this folder does no I/O)',
    ],
    ["const fs = require('fs');", 'require', 'an import statement'],
    ["eval('1');", 'eval', 'plain code'],
    ["new Function('return 1');", 'eval', 'plain code'],
    ['globalThis.process.exit();', 'globalThis', 'the name itself'],
    ['const x = y as any;', 'any', 'unknown, or the type itself'],
    ['export function f(x: any[]): void {}', 'any', 'unknown, or the type itself'],
    ['export enum Tier { Low }', 'an enum', 'an `as const` object or array and a union type'],
    ['export default 3;', 'a default export', 'a named export'],
    ['export default function f(): void {}', 'a default export', 'a named export'],
    ['export { a as default };', 'a default export', 'a named export'],
    ['try { go(); } catch { stop(); }', 'a bare catch', 'catch (error) and say which errors are meant'],
  ])('%j → said with its place and replacement', (text, what, use) => {
    expect(using('harness/oracle/a.ts', `\n${text}`)).toEqual([
      `harness/oracle/a.ts:2: ${what} is banned here, use ${use}`,
    ]);
  });
  const TESTBED = parseImportTable(
    `${PAGE}\n| testbed | core, effects | yes | world |\n| models | core | yes | models |`,
  ).table;
  const inTool = (path: string, text: string): string[] => lines(checkBans(parseSource(path, text), TESTBED));

  test.each([
    ["import { readFileSync } from 'node:fs';", 'an import other than of core and of tools'],
    ["import { Worktree } from '../worktree.js';", 'an import other than of core and of tools'],
    ["import { openBroker } from '../../effects/broker.js';", 'an import other than of core and of tools'],
    ["export { Worktree } from '../worktree.js';", 'an import other than of core and of tools'],
    ["const fs = await import('node:fs');", 'an import other than of core and of tools'],
    ["import 'left-pad';", 'an import other than of core and of tools'],
    ['const day = new Date(0).getDay();', 'what varies'],
    ['const at = performance.timeOrigin;', 'what varies'],
    ['const order = new Intl.Collator();', 'what varies'],
    ['setTimeout(go, 5);', 'what varies'],
  ])('%j in a tool → said, and nowhere else', (text, what) => {
    const found = inTool('harness/testbed/tools/a.ts', text);
    expect(found).toContainEqual(expect.stringMatching(`^harness/testbed/tools/a.ts:1: ${what} is banned`));
    const inWorld = inTool('harness/testbed/worktree.ts', text.replace("'../", "'./"));
    expect(inWorld.filter((line) => line.includes(what))).toEqual([]);
  });
  test('a tool that imports core, types and other tools → nothing', () => {
    const pure = [
      "import { toolbox } from '../../core/tool.js';",
      "import type { Worktree } from '../worktree.js';",
      "import { fileTool } from './file-tool.js';",
      'export type { Worktree };',
    ].join('\n');
    expect(inTool('harness/testbed/tools/a.ts', pure)).toEqual([]);
    const index =
      "import { toolbox } from '../core/tool.js'; import { fileTool } from './tools/file-tool.js';";
    expect(inTool('harness/testbed/tools.ts', index)).toEqual([]);
    expect(inTool('harness/models/model-tool.ts', "import { LINE } from '../core/journal.js';")).toEqual([]);
  });
  test('notes of unfinished work, in comments and strings → said', () => {
    const [fix, later] = ['FIX' + 'ME', 'TO' + 'DO'];
    expect(lines(checkNotes(parseSource('harness/a.ts', `// ${fix}: x\nconst y = '${later}';`)))).toEqual([
      `harness/a.ts:1: ${fix} is banned here, use an issue`,
      `harness/a.ts:2: ${later} is banned here, use an issue`,
    ]);
  });
});
