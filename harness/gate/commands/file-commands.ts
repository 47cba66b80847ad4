/**
 * Programs that change files: deleting, moving, overwriting, rights. Where they reach decides.
 */
import type { ShellWord } from '../../core/grammars.js';
import { has, operandsOf, optionsOf } from '../classify/command.js';
import type { Classifier, Family } from '../classify/command.js';
import { reachOf } from '../classify/paths.js';
import { harmless, join, reading, unknown } from '../classify/reading.js';
import type { Reading } from '../classify/reading.js';
import { OUTSIDE, removed, written } from './file-reach.js';

/** Deletes what its operands name. */
const remove: Family = ({ words, input }, classifier) => {
  const options = optionsOf(words);
  const isDeep = has(options, '-r', '-R', '--recursive');
  const operands = operandsOf(words);
  // Behind xargs the names come from somewhere else.
  if (operands.length === 0)
    return input.type === 'none'
      ? harmless('nothing to delete')
      : unknown('deletes what it is fed', 'input of rm');
  return join(operands.map((word) => removed(word, isDeep, classifier)));
};

function writes(word: ShellWord, { facts }: Classifier): Reading {
  return written(reachOf(word, facts), word.value, word);
}

const write: Family = ({ words }, classifier) =>
  join(
    operandsOf(words).map((word) => writes(word, classifier)),
    'writes nothing',
  );

/** The last operand is written, those before it are read or, with mv, taken away. */
const copy: Family = ({ name, words }, classifier) => {
  const operands = operandsOf(words);
  const target = operands.at(-1);
  if (target === undefined) return harmless('copies nothing');
  // Copying nothing over a file empties it.
  if (name === 'cp' && operands[0]?.value === '/dev/null') return removed(target, false, classifier);
  const taken =
    name === 'mv' ? operands.slice(0, -1).filter((word) => reachOf(word, classifier.facts) !== 'inside') : [];
  const gone =
    target.value === '/dev/null' && name === 'mv'
      ? operands.slice(0, -1).map((word) => removed(word, true, classifier))
      : [];
  return join([writes(target, classifier), ...taken.map((word) => moved(word, classifier)), ...gone]);
};

function moved(word: ShellWord, { facts }: Classifier): Reading {
  const reach = reachOf(word, facts);
  const more = reach === 'outside' ? { tripwires: OUTSIDE } : {};
  if (reach === 'scratch') return reading(['trivial', 'local'], `moves ${word.value}`);
  return reading(['hard', 'wide'], `takes ${word.value} away`, {
    ...more,
    from: word.from,
    to: word.to,
    unresolved: reach === 'anywhere' ? [word.value] : [],
  });
}

/** Rights and owners of whole trees cannot be put back without a list of what they were. */
const rights: Family = ({ name, words }, classifier) => {
  const isDeep = has(optionsOf(words), '-R', '--recursive');
  const [, ...targets] = operandsOf(words);
  return join(
    targets.map((word) => {
      const reach = reachOf(word, classifier.facts);
      if (reach === 'scratch' || reach === 'inside')
        return isDeep && classifier.facts.surroundings !== 'scratch'
          ? reading(['hard', 'bounded'], `${name} of all below ${word.value}`)
          : reading(['trivial', 'local'], `${name} of ${word.value}`);
      const tripwires = reach === 'outside' ? OUTSIDE : [];
      return reading(
        ['hard', isDeep && word.value === '/' ? 'critical' : 'wide'],
        `${name} of ${word.value}`,
        { tripwires, from: word.from, to: word.to },
      );
    }),
    'names no file',
  );
};

const dd: Family = ({ words }, classifier) => {
  const out = words.find(({ value }) => value.startsWith('of='));
  if (out === undefined) return harmless('reads and writes to its output');
  const target = { ...out, value: out.value.slice(3) };
  return writes(target, classifier);
};

const device: Family = ({ name, words }) => {
  const operands = operandsOf(words);
  return reading(
    ['irreversible', 'critical'],
    `${name} ${operands.map(({ value }) => value).join(' ')} destroys what is on a device`,
    { tripwires: OUTSIDE },
  );
};

const shred: Family = (invocation, classifier) => {
  const read = remove({ ...invocation, words: [...invocation.words, ...[]] }, classifier);
  return {
    ...read,
    reasons: read.reasons.map((reason) => ({ ...reason, why: `${reason.why}, beyond recovery` })),
  };
};

const truncate: Family = ({ words }, classifier) =>
  join(
    operandsOf(words)
      .filter(({ value }) => !/^\d+[KMG]?$/.test(value))
      .map((word) => removed(word, false, classifier)),
    'names no file',
  );

/** In place, sed changes files; without, it prints. */
const sed: Family = ({ words }, classifier) => {
  const isInPlace = words.some(({ value }) => /^(-[a-z]*i|--in-place)/.test(value));
  if (!isInPlace) return harmless('prints what it edits');
  const targets = operandsOf(words).slice(1);
  const many =
    targets.length > 1 || targets.some(({ expansions }) => expansions.some(({ kind }) => kind === 'glob'));
  const inside = reading(['hard', many ? 'bounded' : 'local'], 'changes files in place');
  const outside = targets.filter((word) => !['inside', 'scratch'].includes(reachOf(word, classifier.facts)));
  return join([inside, ...outside.map((word) => writes(word, classifier))]);
};

const DRY = ['-n', '--dry-run', '--list-only'];

const rsync: Family = ({ words }, classifier) => {
  const options = optionsOf(words);
  if (has(options, ...DRY)) return harmless('rsync only says what it would do');
  const target = operandsOf(words).at(-1);
  const deletes = [...options].some(
    (option) => option.startsWith('--delete') || option === '--remove-source-files',
  );
  if (target === undefined) return harmless('copies nothing');
  if (!deletes) return writes(target, classifier);
  return join([
    removed(target, true, classifier),
    reading(['irreversible', 'bounded'], 'rsync --delete removes what is not in the source'),
  ]);
};

/** find may delete, or run a command on all it finds. */
const find: Family = ({ words, from, to }, classifier) => {
  const at = words.findIndex(({ value }) => /^(-delete|-exec|-execdir|-ok|-okdir|-fprint|-fls)$/.test(value));
  if (at < 0) return harmless('finds');
  const tests = words.slice(0, at);
  const starts = tests.filter(
    ({ value }, index) => !value.startsWith('-') && !tests[index - 1]?.value.startsWith('-'),
  );
  const named = tests.findIndex(({ value }) => /^-i?(name|path)$/.test(value));
  const pattern = tests[named + 1]?.value.replace(/\*/g, 'x') ?? '';
  const isMadeAgain =
    named >= 0 &&
    reachOf({ value: pattern, from, to, expansions: [], scripts: [] }, classifier.facts) === 'scratch';
  const found: ShellWord = {
    value: isMadeAgain ? pattern : (starts[0]?.value ?? '.'),
    from,
    to,
    expansions: starts[0]?.expansions ?? [],
    scripts: [],
  };
  const places = (starts.length === 0 ? [found] : starts).map((start) =>
    isMadeAgain && reachOf(start, classifier.facts) !== 'outside' ? found : start,
  );
  if (words[at]?.value === '-delete') return join(places.map((place) => removed(place, true, classifier)));
  const end = words.findIndex(({ value }, index) => index > at && (value === ';' || value === '+'));
  const command = words.slice(at + 1, end < 0 ? undefined : end);
  return join(
    places.map((place) =>
      classifier.command(
        command.map((word) => (word.value.includes('{}') ? place : word)),
        { type: 'none' },
      ),
    ),
  );
};

const tar: Family = ({ words }) => {
  const letters = words.map(({ value }) => value).join(' ');
  if (/(^|\s)-?[a-z]*t/.test(letters) || letters.includes('--list')) return harmless('lists an archive');
  return reading(['hard', 'bounded'], 'packs or unpacks files, over those that are there', {
    confidence: 'likely',
  });
};

const make =
  (name: string): Family =>
  () =>
    reading(['trivial', 'local'], name);

export const FILE_COMMANDS: Readonly<Record<string, Family>> = {
  rm: remove,
  unlink: remove,
  rmdir: ({ words }, classifier) =>
    join(
      operandsOf(words).map((word) =>
        reachOf(word, classifier.facts) === 'outside'
          ? removed(word, false, classifier)
          : reading(['trivial', 'local'], `removes the empty folder ${word.value}`),
      ),
    ),
  shred,
  srm: shred,
  truncate,
  mv: copy,
  cp: copy,
  install: copy,
  ln: copy,
  tee: write,
  touch: write,
  mkdir: write,
  dd,
  chmod: rights,
  chown: rights,
  chgrp: rights,
  setfacl: rights,
  sed,
  rsync,
  find,
  tar,
  unzip: make('unpacks files'),
  zip: make('packs files'),
  gzip: make('packs a file'),
  gunzip: make('unpacks a file'),
  patch: make('changes files by a patch'),
  mkfs: device,
  wipefs: device,
  fdisk: device,
  parted: device,
  blkdiscard: device,
  mkswap: device,
};
