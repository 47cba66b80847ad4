/**
 * The one wrapper around the shell parser: a script as a flat list of commands, with what each is fed and what only the
 * shell can expand. Loops, branches, groups and functions are gone through, since any of them may run.
 */
import type { ShellCommand, ShellGrammar, ShellRedirect, ShellScript, ShellWord } from '../core/grammars.js';

/** A node as the parser gives it; which members it has depends on its type. */
interface Node {
  readonly type: string;
  readonly pos: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Loads the parser; a few milliseconds. */
export async function loadShell(): Promise<ShellGrammar> {
  const { parse } = await import('unbash');
  return {
    parse: (text) => {
      const nul = text.indexOf('\0');
      if (nul >= 0) return { commands: [], defines: [], errors: [{ at: nul, why: 'a NUL byte' }] };
      return scriptOf(parse(text) as unknown as Node);
    },
  };
}

function scriptOf(script: Node): ShellScript {
  const flat = new Flat();
  flat.visit(script, undefined);
  const errors = listOf(script['errors']).map((error) => ({ at: error.pos, why: textIn(error, 'message') }));
  return { commands: flat.commands, defines: flat.defines, errors: [...errors, ...flat.errors] };
}

class Flat {
  readonly commands: ShellCommand[] = [];
  readonly defines: string[] = [];
  readonly errors: { at: number; why: string }[] = [];

  /** Goes through a node and all below it. @param reads command whose output it reads */
  visit(node: Node, reads: number | undefined): void {
    if (node.type === 'Command') {
      this.command(node, reads);
      return;
    }
    if (node.type === 'Pipeline') {
      let before = reads;
      for (const part of listOf(node['commands'])) {
        this.visit(part, before);
        before = this.commands.length - 1;
      }
      return;
    }
    if (node.type === 'Function') this.defines.push(wordOf(asNode(node['name'])).value);
    for (const error of listOf(node['errors']))
      this.errors.push({ at: error.pos, why: textIn(error, 'message') });
    for (const child of childrenOf(node)) this.visit(child, reads);
  }

  private command(node: Node, reads: number | undefined): void {
    const parts = [...listOf(node['prefix']), ...listOf(node['suffix'])];
    const name = asNode(node['name']);
    // Behind the name an assignment is a word, as for alias, export and env.
    const given = listOf(node['suffix']).flatMap((part) =>
      part.type === 'Word' ? [wordOf(part)] : part.type === 'Assignment' ? [assignmentWord(part)] : [],
    );
    const words = name === undefined ? [] : [wordOf(name), ...given];
    const assignments = parts
      .filter(({ type }) => type === 'Assignment')
      .map((part) => ({ name: String(part['name']), value: wordOf(asNode(part['value'])) }));
    const redirects = parts.filter(({ type }) => type === 'Redirect').map(redirectOf);
    this.commands.push({
      words,
      assignments,
      redirects,
      input: inputOf(parts),
      reads,
      from: node.pos,
      to: node.end,
    });
  }
}

/** Nodes right below one, in the order of the text. Words of commands are not gone into here. */
function childrenOf(node: Node): Node[] {
  const children = Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.map(asNode) : [asNode(value)],
  );
  return children.filter((child) => child !== undefined).sort((a, b) => a.pos - b.pos);
}

function assignmentWord(part: Node): ShellWord {
  const value = wordOf(asNode(part['value']));
  return { ...value, value: `${String(part['name'])}=${value.value}`, from: part.pos, to: part.end };
}

function redirectOf(part: Node): ShellRedirect {
  return { operator: String(part['operator']), target: wordOf(asNode(part['target'])) };
}

/** The text of a here-document or here-string. */
function inputOf(parts: readonly Node[]): string | undefined {
  const here = parts.findLast(({ type, operator }) => type === 'HereDoc' || operator === '<<<');
  if (here === undefined) return undefined;
  const body = asNode(here['body']);
  return body === undefined ? wordOf(asNode(here['target'] ?? here['content'])).value : String(body['text']);
}

const KINDS: Readonly<Record<string, ShellWord['expansions'][number]['kind']>> = {
  SimpleExpansion: 'variable',
  ParameterExpansion: 'variable',
  CommandExpansion: 'command',
  ProcessSubstitution: 'command',
  Glob: 'glob',
  ExtendedGlob: 'glob',
  BraceExpansion: 'glob',
  ArithmeticExpansion: 'other',
  ArithmeticCommandExpansion: 'other',
};

function wordOf(node: Node | undefined): ShellWord {
  if (node === undefined) return { value: '', from: 0, to: 0, expansions: [], scripts: [] };
  const expansions: { kind: 'variable' | 'command' | 'glob' | 'other'; text: string }[] = [];
  const scripts: ShellScript[] = [];
  const look = (part: Node): void => {
    const kind = Object.hasOwn(KINDS, part.type) ? KINDS[part.type] : undefined;
    if (kind !== undefined) expansions.push({ kind, text: String(part['text']) });
    const script = asNode(part['script']);
    if (script !== undefined) scripts.push(scriptOf(script));
    else childrenOf(part).forEach(look);
  };
  listOf(node['parts']).forEach(look);
  return { value: String(node['value'] ?? node['text']), from: node.pos, to: node.end, expansions, scripts };
}

function textIn(node: Node, name: string): string {
  const value = node[name];
  return typeof value === 'string' ? value : 'not understood';
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? (value as Node[]) : [];
}

function asNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && 'type' in value && 'pos' in value
    ? (value as Node)
    : undefined;
}
