/**
 * Classifies a shell script: every command in it, behind whatever wraps it, with what is fed to it and where its output
 * goes. What only the shell can know is said to be unresolved, and taken for the worst where it matters.
 */
import type { Grammars, ShellCommand, ShellRedirect, ShellScript, ShellWord } from '../../core/grammars.js';
import { readCode } from './code.js';
import type { Classifier, Input } from './command.js';
import { familyOf } from '../commands/index.js';
import { removed, written } from '../commands/file-reach.js';
import type { Facts } from './facts.js';
import { reachOf } from './paths.js';
import { harmless, join, reading, unknown } from './reading.js';
import type { Reading } from './reading.js';
import { readSql } from './sql.js';
import { isWindowsProgram, readWindows } from './windows.js';
import { unwrap } from './wrappers.js';

export interface ShellContext {
  readonly facts: Facts;
  readonly grammars: Grammars;
}

const FETCHES = /^(curl|wget|http|https|xh|nc|ncat|dig|ssh|scp|ftp)$/;
const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;
/** Scripts inside of scripts that are still gone into. */
const DEPTH_MAX = 12;

/** Reads a script. */
export function readShell(text: string, context: ShellContext, depth = 0): Reading {
  if (depth > DEPTH_MAX) return unknown('commands in commands, too deep to follow', text.slice(0, 60));
  const script = context.grammars.shell.parse(text);
  const reader = new ScriptReader(context, depth);
  const read = reader.script(script);
  const [error] = script.errors;
  if (error === undefined) return read;
  const place = { from: error.at, to: Math.min(text.length, error.at + 20) };
  return join([
    read,
    {
      ...unknown(`a shell text that is not understood (${error.why})`, text.slice(place.from, place.to)),
      reasons: [{ why: error.why, ...place }],
    },
  ]);
}

class ScriptReader {
  private readonly context: ShellContext;
  private readonly depth: number;
  private readonly classifier: Classifier;
  /** Variables whose value the script itself says. */
  private readonly variables = new Map<string, string>();
  private readonly defines = new Set<string>();

  constructor(context: ShellContext, depth: number) {
    this.context = context;
    this.depth = depth;
    const { facts, grammars } = context;
    this.classifier = {
      facts,
      shell: (text) => readShell(text, context, depth + 1),
      sql: (text) => readSql(text, { facts, grammar: grammars.sql }),
      code: (language, text) => readCode(language, text, facts),
      command: (words, input) => this.words(words, input),
    };
  }

  script({ commands, defines }: ShellScript): Reading {
    defines.forEach((name) => this.defines.add(name));
    return join(
      commands.map((command, at) => this.command(command, { at, commands })),
      'runs nothing',
    );
  }

  private command(
    command: ShellCommand,
    place: { readonly at: number; readonly commands: readonly ShellCommand[] },
  ): Reading {
    const parts: Reading[] = [];
    for (const { name, value } of command.assignments) {
      if (value.expansions.length === 0) this.variables.set(name, value.value);
      else this.variables.delete(name);
      parts.push(...this.scripts(value));
    }
    for (const redirect of command.redirects) parts.push(...this.redirect(redirect, isSilent(command)));
    const words = command.words.map((word) => this.resolved(word));
    for (const word of command.words) parts.push(...this.scripts(word));
    if (words.length > 0) {
      const read = this.words(words, this.inputOf(command, place.commands));
      parts.push({
        ...read,
        reasons: read.reasons.map((reason) => ({ from: command.from, to: command.to, ...reason })),
      });
    }
    return join(parts, 'runs nothing');
  }

  /** Commands in a word run to make it. */
  private scripts({ scripts }: ShellWord): Reading[] {
    return scripts.map((script) => {
      const read = new ScriptReader(this.context, this.depth + 1).script(script);
      const fetches = script.commands.some(({ words }) => FETCHES.test(nameOf(words[0]?.value ?? '')));
      if (!fetches) return read;
      return join([
        read,
        unknown('what another host answers becomes part of a command', 'answer of another host'),
      ]);
    });
  }

  /** Output that goes to a file takes the place of what was there; where there is none, the file is emptied. */
  private redirect({ operator, target }: ShellRedirect, isEmpty: boolean): Reading[] {
    if (!operator.includes('>') || /^[&\d-]+$/.test(target.value)) return [];
    const word = this.resolved(target);
    if (isEmpty && !operator.includes('>>')) return [removed(word, false, this.classifier)];
    return [written(reachOf(word, this.context.facts), word.value, word)];
  }

  /** A word whose variables the script has set itself. */
  private resolved(word: ShellWord): ShellWord {
    let { value } = word;
    const expansions = word.expansions.filter(({ kind, text }) => {
      const name = /^\$\{?(\w+)\}?$/.exec(text)?.[1];
      const known = kind === 'variable' && name !== undefined ? this.variables.get(name) : undefined;
      if (known === undefined) return true;
      value = value.replace(text, known);
      return false;
    });
    return { ...word, value, expansions };
  }

  private words(words: readonly ShellWord[], input: Input): Reading {
    const [first, ...rest] = words;
    if (first === undefined) return harmless('no command');
    if (first.expansions.some(({ kind }) => kind !== 'glob'))
      return unknown(`runs whatever ${first.value} is`, first.value);
    const name = nameOf(first.value);
    // A program that is named by its place is whatever stands there.
    if (first.value.includes('/') && !SYSTEM_PROGRAM.test(first.value))
      return this.byPath(first, rest, input);
    if (isWindowsProgram(name))
      return readWindows(words.map(({ value }) => value).join(' '), this.context.facts);
    const unwrapped = unwrap(name, rest, { input, classifier: this.classifier });
    if (unwrapped !== undefined) return unwrapped;
    const family = familyOf(name);
    if (family !== undefined)
      return family(
        { name, words: rest, input, from: first.from, to: rest.at(-1)?.to ?? first.to },
        this.classifier,
      );
    if (this.defines.has(name)) return harmless(`${name} is defined in this script`);
    const why = `${name} is not described here`;
    return reading(['hard', 'bounded'], why, { from: first.from, to: first.to, unresolved: [first.value] });
  }

  /** Scripts of the project are run all the time, and may do anything that is in them. */
  private byPath(first: ShellWord, rest: readonly ShellWord[], input: Input): Reading {
    const name = nameOf(first.value);
    const isTool = /(^|\/)(node_modules\/\.bin|\.?venv\/bin|bin)\/[^/]+$/.test(first.value);
    if (isTool && familyOf(name) !== undefined)
      return this.words([{ ...first, value: name }, ...rest], input);
    const place = { from: first.from, to: first.to, unresolved: [first.value] };
    return reading(['hard', 'bounded'], `runs ${first.value}, which was not looked into`, place);
  }

  /** What a command is fed: a here-document, or the output of the command before it, where that is plain. */
  private inputOf(command: ShellCommand, commands: readonly ShellCommand[]): Input {
    if (command.input !== undefined) return { type: 'text', text: command.input };
    if (command.redirects.some(({ operator }) => operator === '<')) return { type: 'unknown' };
    if (command.reads === undefined) return { type: 'none' };
    const before = commands[command.reads];
    return before === undefined ? { type: 'unknown' } : outputOf(before, this.inputOf(before, commands));
  }
}

/** The text that a command prints, where it can be told: echo, printf, cat of a here-document, decoding of it. */
function outputOf({ words }: ShellCommand, input: Input): Input {
  const [name, ...rest] = words;
  const isPlain = words.every(({ expansions }) => expansions.length === 0);
  const text = rest
    .filter(({ value }) => !/^-[neE]+$/.test(value))
    .map(({ value }) => value)
    .join(' ');
  switch (nameOf(name?.value ?? '')) {
    case 'echo':
      return isPlain ? { type: 'text', text } : { type: 'unknown' };
    case 'printf':
      return isPlain ? { type: 'text', text: text.replace(/\\n/g, '\n') } : { type: 'unknown' };
    case 'cat':
      return rest.length === 0 ? input : { type: 'unknown' };
    case 'base64':
      return input.type === 'text' &&
        /(^|\s)(-d|-D|--decode)(\s|$)/.test(rest.map(({ value }) => value).join(' '))
        ? { type: 'text', text: Buffer.from(input.text, 'base64').toString('utf8') }
        : { type: 'unknown' };
    case 'rev':
      return input.type === 'text'
        ? { type: 'text', text: [...input.text.trim()].reverse().join('') }
        : { type: 'unknown' };
    default:
      return { type: 'unknown' };
  }
}

/** Commands that print nothing. */
function isSilent({ words }: ShellCommand): boolean {
  return words.length === 0 || /^(:|true)$/.test(words[0]?.value ?? '');
}

/** Name of a program without its folder and without a backslash that hides an alias. */
function nameOf(word: string): string {
  return (word.replace(/^\\/, '').split('/').at(-1) ?? '').replace(/\.exe$/i, '').toLowerCase();
}
