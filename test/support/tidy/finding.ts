/**
 * What a style check reports, and the source files it looks at.
 * Every check of this folder is a pure function from sources to findings, so that tests can feed it bad
 * snippets from memory; only repository.ts reads the disk.
 */
import ts from 'typescript';

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
  readonly use: string;
}

/** A TypeScript file: its path from the repository's root with `/`, its text and its syntax tree. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** The one shape of every message: `path:line: X is banned here, use Y`. */
function render({ path, line, what, use }: Finding): string {
  return `${path}:${line}: ${what} is banned here, use ${use}`;
}

/** All messages; several offences of one kind on one line are one. */
export function renderAll(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(render))];
}

export function parseSource(path: string, text: string): Source {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** Line of a node, counted from 1; a doc comment before the node does not belong to it. */
export function lineOf({ tree }: Source, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** Line of a node's last character, counted from 1. */
export function lastLineOf({ tree }: Source, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
}

/** Every node of a file, parents before children. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesOf(child);
}
