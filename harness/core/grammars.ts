/**
 * What the gate sees of SQL and shell texts: the shapes that the wrappers in `grammar` give, without the parsers behind
 * them. A text that cannot be parsed is an answer too: the gate takes it for dangerous.
 */
import type { JsonObject } from './event.js';

/** One statement as PostgreSQL's own parser sees it. `from` and `to` are places in the text, in UTF-16 units. */
export interface SqlStatement {
  readonly kind: string;
  readonly body: JsonObject;
  readonly from: number;
  readonly to: number;
}

export type SqlParsed =
  | { readonly ok: true; readonly statements: readonly SqlStatement[] }
  | { readonly ok: false; readonly at: number; readonly why: string };

export interface SqlGrammar {
  readonly parse: (text: string) => SqlParsed;
}

/** A word of a command. `value` is the text after unquoting; where something expands, what it says is kept as it stands. */
export interface ShellWord {
  readonly value: string;
  readonly from: number;
  readonly to: number;
  /** What only the shell can know: variables, substitutions, patterns. */
  readonly expansions: readonly {
    readonly kind: 'variable' | 'command' | 'glob' | 'other';
    readonly text: string;
  }[];
  /** Scripts that run to make the word. */
  readonly scripts: readonly ShellScript[];
}

export interface ShellRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

/** A command with its words, name first. `input`: what is fed to it as a here-document or here-string. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: string | undefined;
  /** The command whose output it reads, by its place in the list. */
  readonly reads: number | undefined;
  readonly from: number;
  readonly to: number;
}

/** All commands of a script in the order of the text, whatever loops and branches they stand in. */
export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Names of functions and aliases that the script defines. */
  readonly defines: readonly string[];
  readonly errors: readonly { readonly at: number; readonly why: string }[];
}

export interface ShellGrammar {
  readonly parse: (text: string) => ShellScript;
}

export interface Grammars {
  readonly sql: SqlGrammar;
  readonly shell: ShellGrammar;
}
