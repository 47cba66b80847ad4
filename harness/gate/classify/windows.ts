/**
 * cmd and PowerShell, by the words of their commands: their grammars are not parsed, so what is not recognised is not
 * called harmless.
 */
import type { Facts } from './facts.js';
import { reachOfText } from './paths.js';
import { harmless, join, reading } from './reading.js';
import type { Reading } from './reading.js';

const DELETES = /^(del|erase|rd|rmdir|remove-item|ri|rm|clear-content|clear-recyclebin)$/i;
const DESTROYS =
  /^(format|diskpart|cipher|format-volume|clear-disk|initialize-disk|remove-partition|vssadmin|wbadmin|bcdedit|stop-computer|restart-computer|reset-computermachinepassword)$/i;
const READS =
  /^(dir|type|echo|set|ver|where|whoami|hostname|findstr|find|more|tree|fc|systeminfo|tasklist|ipconfig|cd|cls|help|get-\w+|select-\w+|where-object|sort-object|measure-\w+|test-\w+|format-(table|list)|write-(output|host)|convertto-\w+|convertfrom-\w+|compare-object|group-object|out-string|\?|gci|ls|cat|gc|select|foreach-object|%|for)$/i;
const RUNS =
  /\b(invoke-expression|iex|invoke-command|start-process|-encodedcommand|-enc\b|downloadstring|frombase64string)\b/i;

/** Reads a text of cmd or PowerShell. */
export function readWindows(text: string, facts: Facts): Reading {
  if (/[\0]/.test(text)) return reading(['irreversible', 'critical'], 'a NUL byte', { unresolved: ['NUL'] });
  const parts = text
    .split(/&&|\|\||[;&|\n{}()]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const read = parts.map((part) => command(part, facts, text));
  if (RUNS.test(text))
    read.push(
      reading(['irreversible', 'critical'], 'runs what is put together as it runs', {
        unresolved: [text.slice(0, 60)],
      }),
    );
  return join(read, 'nothing is done');
}

function command(part: string, facts: Facts, whole: string): Reading {
  const words = part.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const name = (words[0] ?? '').replace(/^@/, '').replace(/\.exe$/i, '');
  if (DESTROYS.test(name))
    return reading(['irreversible', 'critical'], `${name} destroys what is on a disk, or stops the machine`, {
      tripwires: ['fs.outside-sandbox'],
    });
  if (DELETES.test(name)) return deletes(name, words.slice(1), { facts, whole });
  if (READS.test(name) || name.startsWith('$') || /^-\w+$/.test(name)) return harmless(`${name} reads`);
  if (WRITES.test(name)) return writes(name, part, facts);
  return reading(['hard', 'bounded'], `${name} is not described here`, { unresolved: [name] });
}

const WRITES =
  /^(copy|xcopy|robocopy|move|copy-item|move-item|new-item|set-content|out-file|add-content|mkdir|md|ren|rename-item)$/i;
const WINDOWS_ONLY =
  /^(robocopy|xcopy|del|erase|rd|icacls|takeown|reg|schtasks|diskpart|vssadmin|wbadmin|bcdedit|cipher|remove-item|invoke-expression|iex|stop-computer|format-volume|clear-disk)$/;

/** Whether a program is one of Windows, wherever it is called from. */
export function isWindowsProgram(name: string): boolean {
  return WINDOWS_ONLY.test(name);
}

function writes(name: string, part: string, { surroundings }: Facts): Reading {
  const far = surroundings === 'production' ? 'wide' : 'bounded';
  const tripwires = ['fs.outside-sandbox'];
  if (/\s\/(mir|purge)\b/i.test(part))
    return reading(
      ['irreversible', /\\\\|[a-z]:/i.test(part) ? 'critical' : far],
      `${name} deletes what is not in the source`,
      { tripwires },
    );
  // Where the target is no folder, each file that is moved takes the place of the one before.
  if (/^(move|move-item|ren|rename-item)$/i.test(name) && part.includes('*'))
    return reading(
      ['irreversible', far],
      `${name} with a pattern may put each file in the place of the last`,
    );
  return reading(['hard', 'local'], `${name} writes files`);
}

function deletes(
  name: string,
  words: readonly string[],
  { facts, whole }: { facts: Facts; whole: string },
): Reading {
  const isDeep = words.some((word) => /^(\/s|-recurse|-r|-force)$/i.test(word));
  const targets = words
    .map((word) => word.replace(/^["']|["']$/g, ''))
    .filter((word) => !/^[-/]\w+$/.test(word));
  const isOpen = targets.length === 0 || targets.some((target) => /[$%]/.test(target));
  const tripwires = ['fs.outside-sandbox'];
  if (isOpen)
    return reading(['irreversible', 'critical'], `${name} on whatever it is given`, {
      tripwires,
      unresolved: [targets.join(' ') || whole.slice(0, 60)],
    });
  return join(
    targets.map((target) => {
      const reach = reachOfText(target.replaceAll('\\', '/'), facts);
      if (reach === 'scratch') return reading(['trivial', 'local'], `${name} ${target}, which is made again`);
      if (reach === 'inside')
        return reading(['irreversible', isDeep ? 'bounded' : 'local'], `${name} ${target}`);
      return reading(['irreversible', 'critical'], `${name} ${target}, outside of the sandbox`, {
        tripwires,
      });
    }),
  );
}
