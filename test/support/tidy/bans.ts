/**
 * The ban list: what may not be written in harness/, where, and what to write instead.
 * One entry per ban. It looks at syntax, so a word in a string or a comment is no offence, and at names
 * only, so a parameter called `process` hides the global of that name, as it does when the code runs.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import { lineOf, nodesOf } from './finding.js';
import type { Finding, Source } from './finding.js';
import { rowOf } from './imports.js';
import type { FolderRule, ImportTable } from './table.js';

interface Ban {
  readonly what: string;
  readonly use: string;
  /** Folders, or files, that the ban holds for; all of them where it is not given. */
  readonly holdsIn?: (rule: FolderRule, path: string) => boolean;
  readonly finds: (node: ts.Node) => boolean;
}

/** Files of tools, whose plans must be the same at every replay: these get neither the world nor what varies. */
const TOOL_FILES = /^harness\/(?:testbed\/tools(?:\/.*)?|models\/model-tool)\.ts$/;
const inTools = (_rule: FolderRule, path: string): boolean => TOOL_FILES.test(path);
const withoutIo = (rule: FolderRule): boolean => !rule.io;
const without =
  (permit: string) =>
  (rule: FolderRule): boolean =>
    !rule.permits.includes(permit);

const BANS: readonly Ban[] = [
  // The world: time and chance come through a port.
  { what: 'Date.now', use: 'the clock port', holdsIn: without('Date.now'), finds: member('Date', 'now') },
  { what: 'new Date()', use: 'the clock port', holdsIn: without('Date.now'), finds: isCurrentDate },
  { what: 'performance', use: 'the clock port', holdsIn: withoutIo, finds: globalName('performance') },
  { what: 'Math.random', use: 'the random port', finds: member('Math', 'random') },
  { what: 'a random source', use: 'the random port', finds: isRandomSource },

  // The world: terminal, process, network and timers.
  { what: 'console.', use: 'cli/output', finds: globalName('console') },
  {
    what: 'process.',
    use: 'a value handed in by cli',
    holdsIn: without('process'),
    finds: globalName('process'),
  },
  {
    what: 'the network or a timer',
    use: 'a port that is passed in (this folder does no I/O)',
    holdsIn: withoutIo,
    finds: globalName('fetch', 'WebSocket', 'setTimeout', 'setInterval', 'setImmediate'),
  },

  // Tools: pure, or nobody could replay them.
  {
    what: 'an import other than of core and of tools',
    use: 'an effect, which the testbed does',
    holdsIn: inTools,
    finds: isWorldlyImport,
  },
  {
    what: 'what varies',
    use: 'the input of the tool',
    holdsIn: inTools,
    finds: globalName(
      'Date',
      'performance',
      'crypto',
      'process',
      'Intl',
      'setTimeout',
      'setImmediate',
      'fetch',
    ),
  },

  // The language: one way to load, to type, to name and to fail.
  { what: 'require', use: 'an import statement', finds: globalName('require') },
  { what: 'eval', use: 'plain code', finds: globalName('eval', 'Function') },
  { what: 'globalThis', use: 'the name itself', finds: globalName('globalThis') },
  { what: 'any', use: 'unknown, or the type itself', finds: ofKind(ts.SyntaxKind.AnyKeyword) },
  {
    what: 'an enum',
    use: 'an `as const` object or array and a union type',
    finds: ofKind(ts.SyntaxKind.EnumDeclaration),
  },
  { what: 'a default export', use: 'a named export', finds: isDefaultExport },
  {
    what: 'a bare catch',
    use: 'catch (error) and say which errors are meant',
    finds: (node) => ts.isCatchClause(node) && node.variableDeclaration === undefined,
  },
];

/** Every use of something banned, and every note of unfinished work. */
export function checkBans(source: Source, table: ImportTable): Finding[] {
  const rule = table.get(rowOf(source.path));
  if (rule === undefined) return [];
  const bans = BANS.filter((ban) => ban.holdsIn?.(rule, source.path) ?? true);
  const own = declaredNames(source.tree);
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (ts.isIdentifier(node) && own.has(node.text)) continue;
    for (const { what, use, finds } of bans) {
      if (finds(node)) findings.push({ path: source.path, line: lineOf(source, node), what, use });
    }
  }
  return findings;
}

/** Notes of unfinished work, in comments and strings alike; they hold for tests too. */
export function checkNotes({ path, text }: Source): Finding[] {
  const findings: Finding[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const note = /\b(?:FIX[M]E|TO[D]O|X[X]X)\b/.exec(line)?.[0];
    if (note !== undefined) findings.push({ path, line: index + 1, what: note, use: 'an issue' });
  }
  return findings;
}

function ofKind(kind: ts.SyntaxKind): (node: ts.Node) => boolean {
  return (node) => node.kind === kind;
}

function globalName(...names: readonly string[]): (node: ts.Node) => boolean {
  return (node) => ts.isIdentifier(node) && names.includes(node.text) && isReference(node);
}

function member(object: string, property: string): (node: ts.Node) => boolean {
  return (node) =>
    ts.isPropertyAccessExpression(node) &&
    node.name.text === property &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === object;
}

function isCurrentDate(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  if (!ts.isIdentifier(node.expression) || node.expression.text !== 'Date') return false;
  return ts.isCallExpression(node) || (node.arguments?.length ?? 0) === 0;
}

const RANDOM_SOURCES = ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'randomFillSync'];

function isRandomSource(node: ts.Node): boolean {
  return ts.isIdentifier(node) && RANDOM_SOURCES.includes(node.text);
}

/** Whether an import, static or not, brings in more than types from beyond core and the tools themselves. */
function isWorldlyImport(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return node.expression.kind === ts.SyntaxKind.ImportKeyword;
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return false;
  const isTypes = ts.isImportDeclaration(node)
    ? node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    : node.isTypeOnly;
  if (isTypes || node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier))
    return false;
  const path = posix.join(posix.dirname(node.getSourceFile().fileName), node.moduleSpecifier.text);
  return !path.startsWith('harness/core/') && !TOOL_FILES.test(path.replace(/\.js$/, '.ts'));
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  return modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword);
}

/** True where an identifier stands for a value of that name, not for a member, key, label or type part. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !(ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isBindingElement(parent));
}

/** Names the file itself gives to a variable, parameter, function or import. */
function declaredNames(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodesOf(tree)) {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isImportSpecifier(node) ||
      ts.isImportClause(node);
    if (declares && node.name !== undefined && ts.isIdentifier(node.name)) names.add(node.name.text);
  }
  return names;
}
