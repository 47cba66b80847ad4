/**
 * The import table held against every import of harness/.
 * A type-only import counts like any other: what a folder may know is what it may name.
 */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { lineOf, nodesOf } from './finding.js';
import type { Finding, Source } from './finding.js';
import type { FolderRule, ImportTable } from './table.js';

interface ImportReference {
  readonly specifier: string;
  readonly line: number;
  readonly isDynamic: boolean;
}

type Verdict = { readonly what: string; readonly use: string } | undefined;

const PACKAGE_NAME = 'counterproof';
/** Where `await import()` keeps start-up short. */
const MAY_LOAD_LATE = ['harness/cli/commands/', 'harness/cli/main.ts', 'harness/grammar/'];

/** The row that governs a file: its folder directly under harness/, or its own name for harness/index.ts. */
export function rowOf(path: string): string {
  return path.split('/')[1] ?? path;
}

/** Everything `source` imports that its row does not permit. */
export function checkImports(source: Source, table: ImportTable): Finding[] {
  const rule = table.get(rowOf(source.path));
  if (rule === undefined) return []; // A folder without a row is reported once, by checkFolders.
  const findings: Finding[] = [];
  for (const reference of importsOf(source)) {
    const { line } = reference;
    const late = reference.isDynamic && !MAY_LOAD_LATE.some((prefix) => source.path.startsWith(prefix));
    if (late) findings.push({ path: source.path, line, what: 'import()', use: 'an import statement' });
    const verdict = judge(source.path, reference.specifier, rule);
    if (verdict !== undefined) findings.push({ path: source.path, line, ...verdict });
  }
  return findings;
}

function importsOf(source: Source): ImportReference[] {
  const found: ImportReference[] = [];
  for (const node of nodesOf(source.tree)) {
    const specifier = specifierOf(node);
    if (specifier === undefined) continue;
    found.push({ specifier, line: lineOf(source, node), isDynamic: ts.isCallExpression(node) });
  }
  return found;
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  if (ts.isExternalModuleReference(node)) return textOf(node.expression);
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return undefined;
  return textOf(node.arguments[0]) ?? node.arguments[0]?.getText() ?? '';
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function judge(path: string, specifier: string, rule: FolderRule): Verdict {
  if (specifier.startsWith('.')) return judgeRelative(path, specifier, rule);
  if (isBuiltin(specifier)) return judgeBuiltin(specifier, rule);
  const name = packageOf(specifier);
  if (name === PACKAGE_NAME) return { what: `importing ${specifier}`, use: 'a relative path' };
  if (rule.io || rule.permits.includes(name)) return undefined;
  return { what: `the package ${name}`, use: 'plain code, or name it in the row of harness/README.md' };
}

function judgeRelative(path: string, specifier: string, rule: FolderRule): Verdict {
  const target = posix.normalize(posix.join(posix.dirname(path), specifier));
  if (!target.startsWith('harness/'))
    return { what: `importing ${specifier}`, use: 'files of harness/ only' };
  const row = target === 'harness/index.js' ? 'index.ts' : rowOf(target);
  if (target.startsWith('harness/core/generated/') && rule.folder !== 'core') {
    return { what: `importing ${specifier}`, use: 'the module of core that stands before it' };
  }
  if (row === rule.folder) return undefined;
  if (row === 'cli') return { what: 'importing cli', use: 'a value handed in by cli' };
  if (row === 'index.ts') return { what: 'importing index.ts', use: 'the file that it re-exports' };
  if (rule.mayImport === 'all' || rule.mayImport.includes(row)) return undefined;
  return { what: `importing ${row} (${specifier})`, use: allowed(rule.mayImport) };
}

function allowed(folders: readonly string[]): string {
  return folders.length === 0 ? 'nothing but its own folder' : `${folders.join(', ')} or a port of core`;
}

function judgeBuiltin(specifier: string, rule: FolderRule): Verdict {
  if (!specifier.startsWith('node:')) return { what: `importing ${specifier}`, use: `node:${specifier}` };
  if (specifier === 'node:process' && !rule.permits.includes('process')) {
    return { what: specifier, use: 'a value handed in by cli' };
  }
  if (rule.io || rule.permits.includes(specifier)) return undefined;
  return { what: specifier, use: 'a port that is passed in (this folder does no I/O)' };
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
