/**
 * What deleting or writing a place does, by where it is.
 */
import type { ShellWord } from '../../core/grammars.js';
import type { Classifier } from '../classify/command.js';
import type { Facts } from '../classify/facts.js';
import { reachOf } from '../classify/paths.js';
import type { Reach } from '../classify/paths.js';
import { reading } from '../classify/reading.js';
import type { Reading } from '../classify/reading.js';

export const OUTSIDE = ['fs.outside-sandbox'];

/** Files that nobody can make again, by their names. */
const IRREPLACEABLE = /\.(key|pem|p12|pfx|kdbx|sqlite3?|db|sql|dump|bak|backup|tfstate)$/i;

/** What deleting a place does. @param isDeep with all that is below it */
export function removed(word: ShellWord, isDeep: boolean, { facts }: Classifier): Reading {
  const place = { from: word.from, to: word.to };
  const shown = word.value;
  switch (reachOf(word, facts)) {
    case 'scratch':
      return reading(['trivial', 'local'], `deletes ${shown}, which is made again`, place);
    case 'inside':
      return reading(
        ['irreversible', insideReach(word, isDeep, facts)],
        `deletes ${shown}${isDeep ? ' and all it holds' : ''}`,
        place,
      );
    case 'root':
      return reading(
        ['irreversible', facts.surroundings === 'production' ? 'critical' : 'bounded'],
        `deletes all of the working folder, or its history (${shown})`,
        {
          ...place,
          tripwires: ['fs.mass-delete'],
        },
      );
    case 'outside':
      return reading(['irreversible', 'critical'], `deletes ${shown}, outside of the sandbox`, {
        ...place,
        tripwires: OUTSIDE,
      });
    case 'anywhere':
      return reading(['irreversible', 'critical'], `deletes whatever ${shown} turns out to be`, {
        ...place,
        tripwires: OUTSIDE,
        unresolved: [shown],
      });
  }
}

function insideReach(
  word: ShellWord,
  isDeep: boolean,
  { surroundings }: Facts,
): 'local' | 'bounded' | 'wide' {
  if (surroundings === 'production') return 'wide';
  if (surroundings === 'scratch') return 'local';
  const isMany = isDeep || word.expansions.some(({ kind }) => kind === 'glob');
  return isMany || IRREPLACEABLE.test(word.value) ? 'bounded' : 'local';
}

/** What writing to a place does to it. */
export function written(reach: Reach, shown: string, place: { from: number; to: number }): Reading {
  switch (reach) {
    case 'scratch':
    case 'inside':
      return reading(['trivial', 'local'], `writes ${shown}`, place);
    case 'root':
      return reading(['hard', 'wide'], `writes into ${shown}`, place);
    case 'outside':
      return /^\/dev\/(?!null|std|tty|fd)/.test(shown)
        ? reading(['irreversible', 'critical'], `writes to the device ${shown}`, {
            ...place,
            tripwires: OUTSIDE,
          })
        : reading(['hard', 'wide'], `writes ${shown}, outside of the sandbox`, {
            ...place,
            tripwires: OUTSIDE,
          });
    case 'anywhere':
      return reading(['hard', 'wide'], `writes wherever ${shown} leads`, { ...place, unresolved: [shown] });
  }
}
