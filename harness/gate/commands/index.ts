/**
 * All families of commands by the names of their programs. A name nobody has described is not harmless for it.
 */
import type { Family } from '../classify/command.js';
import { harmless, join, reading } from '../classify/reading.js';
import { DATABASES } from './databases.js';
import { FILE_COMMANDS } from './file-commands.js';
import { GIT } from './git.js';
import { INTERPRETERS } from './interpreters.js';
import { NETWORK } from './network.js';
import { VERBS } from './verbs.js';

/** Programs that only read, whatever they are told. */
const READERS =
  'ls cat tac grep egrep fgrep rg ag head tail less more wc sort uniq cut tr echo printf pwd date cal whoami id groups which type whereis file stat du df ps top htop uname hostname arch diff cmp comm colordiff jq yq xmllint xxd od hexdump base64 base32 md5sum sha1sum sha256sum sha512sum cksum tree basename dirname realpath readlink true false test [ [[ sleep seq yes column paste join nl rev strings nproc free uptime history man info help tldr printenv locale tty lsof lsblk mount-list ss netstat ifconfig bat fd exa eza cd pushd popd exit return break continue shift : let local declare readonly typeset set shopt wait jobs getopts read umask export unset hash times ulimit unalias pgrep pstree vmstat iostat dmesg journalctl getent nm objdump ldd tsc eslint prettier pytest jest vitest mypy ruff black flake8 shellcheck'.split(
    ' ',
  );

const BUILDERS =
  'make cmake ninja mvn gradle go npx tsx bundle composer poetry uv pipenv conda vite webpack esbuild rollup just task bazel meson gcc g++ clang javac rustc dotnet swift ansible-lint'.split(
    ' ',
  );

/** These read, unless they are told to run something, or to write. */
function readsUnless(name: string, runs: RegExp): Family {
  return ({ words }) => {
    const found = words.find(({ value }) => runs.test(value));
    if (found === undefined) return harmless(`${name} reads`);
    return reading(['hard', 'bounded'], `${name} ${found.value} runs a program or writes`, {
      unresolved: [found.value],
    });
  };
}

const MACHINE: Readonly<Record<string, Family>> = {
  // What a name will stand for is read as if it were called.
  alias: ({ words }, classifier) =>
    join(
      words.map(({ value }) => classifier.shell(/^[^=]+=(.*)$/s.exec(value)?.[1] ?? '')),
      'shows aliases',
    ),
  trap: ({ words }, classifier) =>
    words.length > 1 ? classifier.shell(words[0]?.value ?? '') : harmless('shows traps'),
  rg: readsUnless('rg', /^--(pre|hostname-bin)(=|$)/),
  man: readsUnless('man', /^(-P|-H|--pager|--html)/),
  sort: readsUnless('sort', /^(--compress-program|-o$|--output)/),
  shutdown: () => reading(['irreversible', 'critical'], 'stops the machine'),
  reboot: () => reading(['irreversible', 'critical'], 'stops the machine'),
  halt: () => reading(['irreversible', 'critical'], 'stops the machine'),
  poweroff: () => reading(['irreversible', 'critical'], 'stops the machine'),
  kill: ({ words }) =>
    words.some(({ value }) => value === '-1')
      ? reading(['irreversible', 'critical'], 'ends every process')
      : reading(['hard', 'local'], 'ends a process'),
  pkill: () => reading(['hard', 'bounded'], 'ends processes by name'),
  killall: () => reading(['hard', 'bounded'], 'ends processes by name'),
  crontab: ({ words }) =>
    words.some(({ value }) => value === '-r')
      ? reading(['irreversible', 'bounded'], 'deletes all timed commands')
      : words.some(({ value }) => value === '-l')
        ? harmless('lists timed commands')
        : reading(['hard', 'wide'], 'sets timed commands'),
  useradd: () => reading(['hard', 'critical'], 'changes who may log in'),
  userdel: () => reading(['irreversible', 'critical'], 'changes who may log in'),
  passwd: () => reading(['hard', 'critical'], 'changes who may log in'),
  iptables: () => reading(['hard', 'critical'], 'changes what the machine can reach'),
  ufw: () => reading(['hard', 'critical'], 'changes what the machine can reach'),
  mount: () => reading(['hard', 'wide'], 'mounts a file system'),
  umount: () => reading(['hard', 'wide'], 'takes a file system away'),
  'ansible-playbook': ({ words }) =>
    words.some(({ value }) => value === '--check')
      ? harmless('says what it would do')
      : reading(['irreversible', 'critical'], 'changes many machines'),
};

const FAMILIES: ReadonlyMap<string, Family> = new Map<string, Family>([
  ...READERS.map((name) => [name, (): ReturnType<Family> => harmless(`${name} reads`)] as const),
  ...BUILDERS.map(
    (name) =>
      [
        name,
        (): ReturnType<Family> =>
          reading(['trivial', 'local'], `${name} builds or runs a task of the project`, {
            confidence: 'likely',
          }),
      ] as const,
  ),
  ...Object.entries({
    ...MACHINE,
    ...VERBS,
    ...FILE_COMMANDS,
    ...GIT,
    ...NETWORK,
    ...DATABASES,
    ...INTERPRETERS,
  }),
]);

/** The family of a program; `undefined` for one that nobody has described. */
export function familyOf(name: string): Family | undefined {
  return FAMILIES.get(name);
}
