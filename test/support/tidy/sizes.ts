/**
 * Sizes and shapes: length of files and functions, number of parameters, and the comment a file opens with.
 * The limits are ceilings, not goals; the house style in CONTRIBUTING.md names the goals.
 */
import ts from 'typescript';
import { lastLineOf, lineOf, nodesOf } from './finding.js';
import type { Finding, Source } from './finding.js';

export const LIMITS = {
  fileLines: 300,
  commandFileLines: 60,
  /** Tables of cases are long and easy to read. */
  testFileLines: 400,
  functionLines: 60,
  parameters: 3,
  headerLinesMin: 2,
  headerLinesMax: 8,
} as const;

const COMMANDS = 'harness/cli/commands/';
const TESTS = 'test/';

/** Files longer than they may be. */
export function checkFileSize({ path, text }: Source): Finding[] {
  const lines = text.replace(/\n$/, '').split('\n').length;
  const most = fileLinesMax(path);
  if (lines <= most) return [];
  return [{ path, line: most + 1, what: `a file of ${lines} lines`, use: `at most ${most} (split it)` }];
}

function fileLinesMax(path: string): number {
  if (path.startsWith(COMMANDS)) return LIMITS.commandFileLines;
  return path.startsWith(TESTS) ? LIMITS.testFileLines : LIMITS.fileLines;
}

/** Functions that are too long or take too many parameters. */
export function checkFunctions(source: Source): Finding[] {
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) continue;
    const line = lineOf(source, node);
    const lines = lastLineOf(source, node) - line + 1;
    if (lines > LIMITS.functionLines) {
      const what = `${nameOf(node)} of ${lines} lines`;
      findings.push({ path: source.path, line, what, use: `at most ${LIMITS.functionLines} (split it)` });
    }
    const { length } = node.parameters;
    if (length > LIMITS.parameters) {
      const what = `${nameOf(node)} with ${length} parameters`;
      findings.push({ path: source.path, line, what, use: `at most ${LIMITS.parameters}, then one object` });
    }
  }
  return findings;
}

function nameOf(node: ts.SignatureDeclaration): string {
  return node.name === undefined ? 'a function' : `the function ${node.name.getText()}`;
}

/**
 * The opening comment: at least 2 lines as written and at most 8 lines of text that say what the file is, why, and
 * what it is not. One will do for a test.
 */
export function checkHeader({ path, text }: Source): Finding[] {
  const lines = headerLines(text);
  const words = lines.filter((line) => /\p{L}/u.test(line)).length;
  const least = path.startsWith(TESTS) ? 1 : LIMITS.headerLinesMin;
  if (words > 0 && lines.length >= least && words <= LIMITS.headerLinesMax) return [];
  const what =
    words === 0 ? 'a file without an opening comment' : `an opening comment of ${lines.length} lines`;
  const use = `${least} to ${LIMITS.headerLinesMax} that say what the file is and is not`;
  return [{ path, line: 1, what, use }];
}

/** Lines of the comment a file opens with, as written; none where something else stands first. */
function headerLines(text: string): string[] {
  const body = text.replace(/^#!.*\n/, '').trimStart();
  const comment = /^\/\*[^]*?\*\//.exec(body)?.[0] ?? /^(?:\/\/.*\n?)+/.exec(body)?.[0] ?? '';
  return comment.trimEnd().split('\n');
}
