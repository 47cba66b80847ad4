/**
 * What the families of commands are given, and what they answer with. A family is a file of commands/, listed in
 * commands/index.ts under the names of its programs.
 */
import type { ShellWord } from '../../core/grammars.js';
import type { Facts } from './facts.js';
import type { BlastRadius } from './matrix.js';
import { reading } from './reading.js';
import type { Reading } from './reading.js';

/** A command, stripped of what only wraps it. `words` are its arguments. */
export interface Invocation {
  readonly name: string;
  readonly words: readonly ShellWord[];
  /** What is fed to it, as far as that is known. */
  readonly input: Input;
  readonly from: number;
  readonly to: number;
}

/** `none`: nothing is. `unknown`: the output of something that is not known. */
export type Input =
  { readonly type: 'none' } | { readonly type: 'text'; readonly text: string } | { readonly type: 'unknown' };

/** What a family may ask back: texts in other languages are read by whoever knows them. */
export interface Classifier {
  readonly facts: Facts;
  readonly shell: (text: string) => Reading;
  readonly sql: (text: string) => Reading;
  readonly code: (language: string, text: string) => Reading;
  /** Words that are a command themselves, as behind `sudo` or `xargs`. */
  readonly command: (words: readonly ShellWord[], input: Input) => Reading;
}

export type Family = (invocation: Invocation, classifier: Classifier) => Reading;

/** Options that are given, short ones apart: `-rf` has `r` and `f`. Long ones without their value. */
export function optionsOf(words: readonly ShellWord[]): ReadonlySet<string> {
  const options = new Set<string>();
  for (const { value } of words) {
    if (value === '--') break;
    if (value.startsWith('--')) options.add(value.replace(/=.*/s, ''));
    else if (/^-[A-Za-z]/.test(value)) {
      for (const letter of value.slice(1)) options.add(`-${letter}`);
      options.add(value);
    }
  }
  return options;
}

/** Words that are no options, those behind `--` included. */
export function operandsOf(words: readonly ShellWord[]): ShellWord[] {
  const end = words.findIndex(({ value }) => value === '--');
  const before = (end < 0 ? words : words.slice(0, end)).filter(({ value }) => !/^-./.test(value));
  return end < 0 ? before : [...before, ...words.slice(end + 1)];
}

export function has(options: ReadonlySet<string>, ...names: readonly string[]): boolean {
  return names.some((name) => options.has(name));
}

/** How far a destruction reaches, by where it happens. */
export function reachHere({ surroundings }: Facts): BlastRadius {
  if (surroundings === 'production') return 'critical';
  return 'bounded';
}

/** Something that does not come back. */
export function destroys(why: string, facts: Facts, tripwires: readonly string[] = []): Reading {
  return reading(['irreversible', reachHere(facts)], why, { tripwires });
}
