/**
 * Shells and interpreters: what they are told to run is read in its own language. What comes from a file or from somewhere
 * else is not known.
 */
import type { ShellWord } from '../../core/grammars.js';
import type { Classifier, Family, Input } from '../classify/command.js';
import { harmless, join, reading, unknown } from '../classify/reading.js';
import type { Reading } from '../classify/reading.js';

const shell: Family = ({ name, words, input }, classifier) => {
  const at = words.findIndex(({ value }) => /^-[a-z]*c$/.test(value));
  const text = at < 0 ? undefined : words[at + 1];
  if (text !== undefined) return commandText(text, classifier);
  if (input.type === 'text') return classifier.shell(input.text);
  if (input.type === 'unknown') return unknown(`${name} runs whatever it is fed`, `input of ${name}`);
  const script = words.find(({ value }) => !value.startsWith('-'));
  if (script === undefined) return harmless(`${name} with nothing to run`);
  return reading(['hard', 'bounded'], `${name} runs ${script.value}, which was not looked into`, {
    unresolved: [script.value],
  });
};

/** A command given as one word. What expands in it before it runs is not known. */
export function commandText(word: ShellWord, classifier: Classifier): Reading {
  const read = classifier.shell(word.value);
  const open = word.expansions.filter(
    ({ kind, text }) => kind === 'command' || (kind === 'variable' && text.trim() === word.value.trim()),
  );
  return open.length === 0
    ? read
    : join([read, unknown('a command that is put together as it runs', word.value)]);
}

const evaluate: Family = ({ words }, classifier) => {
  const text = words.map(({ value }) => value).join(' ');
  const open = words.flatMap(({ expansions }) => expansions).filter(({ kind }) => kind !== 'glob');
  return open.length > 0
    ? unknown('eval runs a text that is put together as it runs', text.slice(0, 60))
    : classifier.shell(text);
};

const source: Family = ({ words }) =>
  reading(['hard', 'bounded'], `runs ${words[0]?.value ?? 'a file'} in this shell`, {
    unresolved: [words[0]?.value ?? 'file'],
  });

/** @param flag option behind which a program stands */
function language(name: string, flag: RegExp): Family {
  return ({ words, input }, classifier) => {
    const at = words.findIndex(({ value }) => flag.test(value));
    if (at >= 0) return program(name, words[at + 1], classifier);
    if (input.type !== 'none') return fed(name, input, classifier);
    const [first, second] = words;
    if (first?.value === '-m') return module(second?.value ?? '', words.slice(2), classifier);
    if (first === undefined || /^(-V|--version|-h|--help)$/.test(first.value))
      return harmless(`${name} says what it is`);
    const script = first.value.split('/').at(-1) ?? '';
    if (/^(manage\.py|artisan)$/.test(script))
      return classifier.command([{ ...first, value: script }, ...words.slice(1)], input);
    return reading(['hard', 'bounded'], `${name} runs ${first.value}, which was not looked into`, {
      unresolved: [first.value],
    });
  };
}

function program(name: string, word: ShellWord | undefined, classifier: Classifier): Reading {
  const read = classifier.code(name, word?.value ?? '');
  const open = word?.expansions.filter(({ kind }) => kind === 'command' || kind === 'variable') ?? [];
  return open.length === 0
    ? read
    : join([read, unknown(`${name} with parts that are put in as it runs`, word?.value.slice(0, 60) ?? '')]);
}

function fed(name: string, input: Input, classifier: Classifier): Reading {
  return input.type === 'text'
    ? classifier.code(name, input.text)
    : unknown(`${name} runs whatever it is fed`, `input of ${name}`);
}

function module(name: string, words: readonly ShellWord[], classifier: Classifier): Reading {
  if (/^(pip|alembic|twine)$/.test(name))
    return classifier.command([wordOf(name), ...words], { type: 'none' });
  if (
    /^(json\.tool|pytest|unittest|venv|compileall|py_compile|mypy|black|ruff|flake8|http\.server)$/.test(name)
  )
    return reading(['trivial', 'local'], `runs the module ${name}`);
  return reading(['hard', 'bounded'], `runs the module ${name}`, { unresolved: [name] });
}

function wordOf(value: string): ShellWord {
  return { value, from: 0, to: 0, expansions: [], scripts: [] };
}

const awk: Family = ({ words }) => {
  const text = words.map(({ value }) => value).join(' ');
  if (/\bsystem\s*\(|\|\s*"|"\s*\|\s*getline/.test(text))
    return unknown('awk that runs other programs', text.slice(0, 60));
  return />\s*"|print\s*>/.test(text)
    ? reading(['hard', 'local'], 'awk that writes files')
    : harmless('awk prints');
};

export const INTERPRETERS: Readonly<Record<string, Family>> = {
  sh: shell,
  bash: shell,
  zsh: shell,
  dash: shell,
  ksh: shell,
  ash: shell,
  fish: shell,
  eval: evaluate,
  source,
  '.': source,
  python: language('python', /^-[a-zA-Z]*c$/),
  python3: language('python', /^-[a-zA-Z]*c$/),
  node: language('node', /^(-e|--eval|-p|--print|-pe)$/),
  deno: language('deno', /^eval$/),
  perl: language('perl', /^-[a-zA-Z]*[eE]$/),
  ruby: language('ruby', /^-[a-zA-Z]*e$/),
  php: language('php', /^-r$/),
  awk,
  gawk: awk,
  mawk: awk,
};
