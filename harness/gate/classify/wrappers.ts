/**
 * Commands that only run another: what they run is what counts. One line each.
 */
import type { ShellWord } from '../../core/grammars.js';
import type { Classifier, Input } from './command.js';
import { harmless, join, reading } from './reading.js';
import type { Reading } from './reading.js';
import { lookUp } from './table.js';

/** Options of a wrapper that take a word behind them; all others stand alone. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugpCDhrtT]$/,
  doas: /^-[uC]$/,
  env: /^(-u|--unset|-C|--chdir|-S)$/,
  nohup: /^$/,
  time: /^-[fo]$/,
  timeout: /^-[ks]$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  stdbuf: /^-[ioe]$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  setsid: /^$/,
  chroot: /^$/,
  watch: /^-n$/,
  strace: /^-[eopsP]$/,
  caffeinate: /^-[tw]$/,
  unbuffer: /^$/,
  npx: /^(-p|--package|-c)$/,
  bunx: /^$/,
  pnpx: /^$/,
  uvx: /^--from$/,
  busybox: /^$/,
  then: /^$/,
  do: /^$/,
  '!': /^$/,
};

/** Wrappers with operands of their own before the command. */
const OWN_OPERANDS: Readonly<Record<string, number>> = { timeout: 1, chroot: 1 };
/** What is run through these is the project's own tool, or one that is fetched. */
const FETCHERS = new Set(['npx', 'bunx', 'pnpx', 'uvx']);
const RUNNERS: Readonly<Record<string, RegExp>> = {
  bundle: /^exec$/,
  poetry: /^run$/,
  uv: /^run$/,
  pipenv: /^run$/,
  yarn: /^(exec|dlx)$/,
  pnpm: /^(exec|dlx)$/,
  npm: /^(exec|x)$/,
  conda: /^run$/,
  rails: /^runner$/,
};

/** What a wrapper runs, read; `undefined` for what is no wrapper. */
export function unwrap(
  name: string,
  words: readonly ShellWord[],
  { input, classifier }: { readonly input: Input; readonly classifier: Classifier },
): Reading | undefined {
  if (name === 'xargs' || name === 'parallel') return fed(words, classifier);
  if (name === 'su') return substituted(words, input, classifier);
  if (name === 'docker' || name === 'podman' || name === 'kubectl')
    return contained(name, words, { input, classifier });
  const runner = lookUp(RUNNERS, name);
  if (runner !== undefined)
    return runner.test(words[0]?.value ?? '')
      ? classifier.command(past(words.slice(1), /^$/), input)
      : undefined;
  const takes = lookUp(WRAPPERS, name);
  if (takes === undefined) return undefined;
  let rest = past(words, takes);
  if (/^(env|sudo|doas)$/.test(name)) while (/^\w+=/.test(rest[0]?.value ?? '')) rest = rest.slice(1);
  if (name === 'watch' && rest.length === 1) return classifier.shell(rest[0]?.value ?? '');
  rest = rest.slice(lookUp(OWN_OPERANDS, name) ?? 0);
  if (rest.length === 0) return harmless(`${name} with nothing to run`);
  const read = classifier.command(rest, input);
  if (name === 'sudo' || name === 'doas') return raised(read);
  const isUnknown =
    FETCHERS.has(name) && read.reasons.some(({ why }) => why.endsWith('is not described here'));
  return isUnknown
    ? reading(['trivial', 'local'], `${name} runs a tool of the project`, { confidence: 'likely' })
    : read;
}

/** As somebody who may do anything, what is not read-only reaches further. */
function raised(read: Reading): Reading {
  if (read.reversibility === 'read-only') return read;
  return {
    ...read,
    reasons: [...read.reasons, { why: 'as the superuser' }],
    blastRadius: read.blastRadius === 'none' || read.blastRadius === 'local' ? 'bounded' : read.blastRadius,
  };
}

function past(words: readonly ShellWord[], takes: RegExp): ShellWord[] {
  const rest = [...words];
  while (rest[0]?.value.startsWith('-') === true) {
    if (rest[0].value === '--') return rest.slice(1);
    rest.splice(0, takes.test(rest[0].value) ? 2 : 1);
  }
  return rest;
}

/** A command on names that come from somewhere else: it is taken to be about anything. */
function fed(words: readonly ShellWord[], classifier: Classifier): Reading {
  const rest = past(words, /^(-[aEeIiLlnPsd]|--max-\w+|--replace|--delimiter)$/);
  if (rest.length === 0) return harmless('xargs prints');
  const place = { from: rest[0]?.from ?? 0, to: rest.at(-1)?.to ?? 0 };
  const anything: ShellWord = {
    value: '$names',
    ...place,
    expansions: [{ kind: 'variable', text: '$names' }],
    scripts: [],
  };
  const hasPlace = rest.some(({ value }) => value.includes('{}'));
  const filled = rest.map((word) => (word.value.includes('{}') ? anything : word));
  return classifier.command(hasPlace ? filled : [...filled, anything], { type: 'unknown' });
}

function substituted(words: readonly ShellWord[], input: Input, classifier: Classifier): Reading {
  const at = words.findIndex(({ value }) => value === '-c' || value === '--command');
  if (at >= 0) return raised(classifier.shell(words[at + 1]?.value ?? ''));
  return input.type === 'text'
    ? raised(classifier.shell(input.text))
    : reading(['hard', 'wide'], 'becomes somebody else');
}

/** A command inside of a container, where its own files are; `undefined` for anything else these do. */
function contained(
  name: string,
  words: readonly ShellWord[],
  { input, classifier }: { input: Input; classifier: Classifier },
): Reading | undefined {
  const at = words.findIndex(({ value }) => value === 'exec' || value === 'run');
  if (at < 0 || words.slice(0, at).some(({ value }) => !/^(-|compose$)/.test(value))) return undefined;
  const isExec = words[at]?.value === 'exec';
  const mounts = words.some(({ value }) =>
    /^(-v|--volume|--mount|--privileged|--pid|--net|--network)/.test(value),
  );
  const rest = past(
    words.slice(at + 1),
    /^(-[eunwlcvp]|--env|--user|--name|--workdir|--container|--namespace|--volume|--mount|--publish|--network|--entrypoint)$/,
  );
  const dashes = rest.findIndex(({ value }) => value === '--');
  const command = dashes >= 0 ? rest.slice(dashes + 1) : rest.slice(1);
  if (command.length === 0)
    return isExec || mounts ? reading(['hard', 'bounded'], `${name} opens a container`) : undefined;
  const inside = classifier.command(command, input);
  // A container that is made for it is thrown away with all that happens in it, unless something of outside is in it.
  if (!isExec && !mounts && inside.tripwires.every((tripwire) => tripwire.startsWith('fs.')))
    return reading(['trivial', 'local'], `${name} run: in a container of its own`);
  return join([inside, reading(['trivial', 'local'], `${name}: in a container`)]);
}
