/**
 * git: a table of its commands, and the few whose options decide.
 */
import type { ShellWord } from '../../core/grammars.js';
import { has, operandsOf, optionsOf } from '../classify/command.js';
import type { Classifier, Family } from '../classify/command.js';
import { harmless, reading, unknown } from '../classify/reading.js';
import type { Reading } from '../classify/reading.js';
import { lookUp } from '../classify/table.js';

const READS = new Set(
  'status log diff show blame grep ls-files ls-tree ls-remote rev-parse rev-list describe shortlog cat-file for-each-ref name-rev whatchanged help version check-ignore check-attr count-objects fsck var merge-base diff-tree diff-index cherry range-diff'.split(
    ' ',
  ),
);
const ADDS = new Set(
  'add commit init clone fetch mv notes merge cherry-pick revert am apply format-patch bundle archive'.split(
    ' ',
  ),
);
const HISTORY = ['git.history-rewrite'];
/** Branches that others build on. */
const SHARED = /^(refs\/heads\/)?(main|master|trunk|production|prod|release.*|develop)$/;

const git: Family = ({ words }, classifier) => {
  const at = verbAt(words);
  const verb = words[at]?.value;
  if (verb === undefined) return harmless('git without a command');
  const aliased = words
    .slice(0, at)
    .find(({ value }) =>
      /^(alias\.|core\.(pager|sshCommand|editor|fsmonitor|hooksPath)|sequence\.editor|diff\.external)/i.test(
        value,
      ),
    );
  if (aliased !== undefined) return unknown('a program that git is told to run', aliased.value);
  const rest = words.slice(at + 1);
  const known = lookUp(COMMANDS, verb);
  if (known !== undefined) return known(rest, optionsOf(rest), classifier);
  if (READS.has(verb)) return harmless(`git ${verb} reads`);
  if (ADDS.has(verb)) return reading(['trivial', 'local'], `git ${verb} adds to the repository`);
  return reading(['hard', 'bounded'], `git ${verb} is not described here`, {
    confidence: 'unresolved',
    unresolved: [`git ${verb}`],
  });
};

/** Behind options of git itself, some of which take a word. */
function verbAt(words: readonly ShellWord[]): number {
  for (let at = 0; at < words.length; at += 1) {
    const value = words[at]?.value ?? '';
    if (/^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path)$/.test(value)) at += 1;
    else if (!value.startsWith('-')) return at;
  }
  return words.length;
}

type Command = (rest: readonly ShellWord[], options: ReadonlySet<string>, classifier: Classifier) => Reading;

const push: Command = (rest, options, { facts }) => {
  if (has(options, '--dry-run', '-n')) return harmless('git push only says what it would do');
  const [, ...refs] = operandsOf(rest);
  const isShared =
    refs.some(({ value }) => SHARED.test(value.replace(/^\+/, '').split(':').at(-1) ?? '')) ||
    facts.surroundings === 'production';
  const far = isShared ? 'critical' : 'wide';
  const unresolved = refs.filter(({ expansions }) => expansions.length > 0).map(({ value }) => value);
  if (has(options, '--mirror', '--prune'))
    return reading(['irreversible', 'critical'], 'git push --mirror makes the remote what is here', {
      tripwires: HISTORY,
      unresolved,
    });
  if (has(options, '--delete', '-d') || refs.some(({ value }) => value.startsWith(':')))
    return reading(['irreversible', isShared ? 'critical' : 'bounded'], 'deletes a branch of the remote', {
      tripwires: HISTORY,
      unresolved,
    });
  const lease = [...options].some((option) => option.startsWith('--force-with-lease'));
  const isForced = has(options, '--force', '-f') || refs.some(({ value }) => value.startsWith('+'));
  if (isForced || lease)
    return reading(
      [isShared && !lease ? 'irreversible' : 'hard', far],
      'rewrites the history of the remote',
      { tripwires: HISTORY, unresolved },
    );
  return reading(['hard', isShared ? 'wide' : 'bounded'], 'publishes commits', {
    unresolved,
    confidence: 'likely',
  });
};

const lost = (why: string): Reading => reading(['irreversible', 'bounded'], why);

const COMMANDS: Readonly<Record<string, Command>> = {
  push,
  reset: (_, options) =>
    has(options, '--hard', '--merge', '--keep')
      ? lost('git reset --hard loses what is not committed')
      : reading(['hard', 'local'], 'git reset moves a branch'),
  clean: (_, options) => {
    if (has(options, '-n', '--dry-run')) return harmless('git clean only says what it would do');
    return has(options, '-f', '--force')
      ? lost('git clean deletes files that are in no commit')
      : harmless('git clean without -f does nothing');
  },
  checkout: (rest, options) => discards('checkout', rest, options),
  switch: (_, options) =>
    has(options, '-f', '--force', '--discard-changes')
      ? lost('git switch --force loses changes')
      : reading(['trivial', 'local'], 'git switch changes the branch'),
  restore: (rest, options) => {
    if (has(options, '--staged', '-S') && !has(options, '--worktree', '-W'))
      return reading(['trivial', 'local'], 'git restore --staged takes files out of the next commit');
    return discarded('restore', operandsOf(rest));
  },
  stash: (rest) => {
    const verb = rest[0]?.value ?? 'push';
    if (verb === 'clear') return lost('git stash clear loses all that was put aside');
    if (verb === 'drop') return reading(['irreversible', 'local'], 'git stash drop loses what was put aside');
    return verb === 'list' || verb === 'show'
      ? harmless('git stash shows')
      : reading(['trivial', 'local'], 'git stash puts changes aside, or back');
  },
  branch: (rest, options) => {
    const isForced =
      has(options, '-D', '-M', '-f', '--force') ||
      (has(options, '-d', '--delete') && has(options, '-f', '--force'));
    const isShared = operandsOf(rest).some(({ value }) => SHARED.test(value));
    if (has(options, '-D') || (isForced && has(options, '-d', '--delete')))
      return reading(['hard', isShared ? 'wide' : 'bounded'], 'deletes a branch that may not be merged');
    if (isForced) return reading(['hard', 'bounded'], 'moves a branch');
    if (operandsOf(rest).length === 0) return harmless('lists branches');
    return reading(
      ['trivial', 'local'],
      has(options, '-d', '--delete') ? 'deletes a branch that is merged' : 'makes a branch',
    );
  },
  tag: (rest, options) => {
    if (operandsOf(rest).length === 0) return harmless('lists tags');
    return has(options, '-d', '--delete', '-f', '--force')
      ? reading(['hard', 'bounded'], 'deletes or moves a tag')
      : reading(['trivial', 'local'], 'makes a tag');
  },
  commit: (_, options) =>
    has(options, '--amend')
      ? reading(['hard', 'local'], 'git commit --amend replaces the last commit')
      : reading(['trivial', 'local'], 'git commit adds a commit'),
  rebase: (_, options) =>
    has(options, '--abort', '--quit')
      ? reading(['trivial', 'local'], 'gives a rebase up')
      : reading(['hard', 'bounded'], 'git rebase rewrites commits'),
  reflog: (rest) =>
    /^(expire|delete)$/.test(rest[0]?.value ?? '')
      ? reading(['irreversible', 'wide'], 'git reflog expire takes away the way back', { tripwires: HISTORY })
      : harmless('shows where branches were'),
  gc: (_, options) =>
    [...options].some((option) => option.startsWith('--prune'))
      ? reading(['irreversible', 'bounded'], 'git gc --prune deletes what no branch leads to')
      : reading(['trivial', 'local'], 'tidies the repository'),
  prune: () => lost('git prune deletes what no branch leads to'),
  'filter-branch': () => reading(['irreversible', 'wide'], 'rewrites all history', { tripwires: HISTORY }),
  'filter-repo': () => reading(['irreversible', 'wide'], 'rewrites all history', { tripwires: HISTORY }),
  'update-ref': (_, options) =>
    has(options, '-d', '--stdin')
      ? reading(['irreversible', 'wide'], 'git update-ref -d deletes a branch without asking', {
          tripwires: HISTORY,
        })
      : reading(['hard', 'bounded'], 'moves a branch without asking'),
  rm: (_, options) =>
    has(options, '--cached')
      ? reading(['trivial', 'local'], 'takes files out of the repository')
      : reading(['hard', 'bounded'], 'deletes files, which stand in the last commit'),
  worktree: (rest, options) =>
    rest[0]?.value === 'remove' && has(options, '-f', '--force')
      ? lost('removes a worktree with its changes')
      : reading(['trivial', 'local'], 'git worktree'),
  pull: (_, options) =>
    has(options, '-f', '--force')
      ? lost('git pull --force')
      : reading(['trivial', 'bounded'], 'git pull brings in commits'),
  config: (rest, options) => {
    if (has(options, '--get', '--list', '-l', '--get-all')) return harmless('shows settings');
    const runs = rest.some(({ value }) =>
      /^(alias\.|core\.(hooksPath|sshCommand|fsmonitor|editor|pager)|credential\.)/i.test(value),
    );
    return runs
      ? reading(['hard', 'wide'], 'sets what git will run')
      : reading(['trivial', 'local'], 'sets a setting');
  },
  remote: (rest) =>
    /^(remove|rm|set-url|rename)$/.test(rest[0]?.value ?? '')
      ? reading(['trivial', 'bounded'], 'changes where the repository is pushed to')
      : harmless('shows remotes'),
  submodule: (_, options) =>
    has(options, '-f', '--force')
      ? lost('loses changes in submodules')
      : reading(['trivial', 'bounded'], 'git submodule'),
};

/** Checking out files throws away what is changed in them; checking out a branch does not. */
function discards(verb: string, rest: readonly ShellWord[], options: ReadonlySet<string>): Reading {
  if (has(options, '-f', '--force')) return lost(`git ${verb} --force loses what is not committed`);
  const end = rest.findIndex(({ value }) => value === '--');
  const files =
    end < 0
      ? operandsOf(rest).filter(({ value }) => value === '.' || /^[:*]|\/\*?$/.test(value))
      : rest.slice(end + 1);
  return files.length > 0
    ? discarded(verb, files)
    : reading(['trivial', 'local'], `git ${verb} changes the branch`);
}

function discarded(verb: string, files: readonly ShellWord[]): Reading {
  const isOne = files.length === 1 && !/[*]|^\.$|\/$|^:\/$/.test(files[0]?.value ?? '');
  return reading(
    ['irreversible', isOne ? 'local' : 'bounded'],
    `git ${verb} throws away what is not committed in ${files.map(({ value }) => value).join(' ')}`,
  );
}

export const GIT: Readonly<Record<string, Family>> = { git, hub: git };
