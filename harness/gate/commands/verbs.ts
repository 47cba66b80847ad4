/**
 * Classifies programs whose commands are verbs, by the table in verb-table.ts.
 */
import { destroys } from '../classify/command.js';
import type { Family } from '../classify/command.js';
import { harmless, reading } from '../classify/reading.js';
import { ALIASES, PROGRAMS } from './verb-table.js';
import type { Line } from './verb-table.js';
import type { Reading } from '../classify/reading.js';
import type { Facts } from '../classify/facts.js';

const DRY = /(^|\s)(--dry-?run(=(?!none)\S+)?|--dryrun|--what-?if|--noop)(\s|$)/i;
const HELP = /(^|\s)(--help|-h|--version|version|help)(\s|$)/;

function effectOf([, effect, said, tripwire]: Line, name: string, facts: Facts): Reading {
  const why = `${name}: ${said}`;
  const isProduction = facts.surroundings === 'production';
  const tripwires = tripwire === undefined ? [] : [tripwire];
  switch (effect) {
    case 'reads':
      return harmless(why);
    case 'adds':
      return reading(['trivial', 'local'], why);
    case 'changes':
      return reading(['hard', isProduction ? 'wide' : 'bounded'], why, { confidence: 'likely' });
    case 'rights':
      return reading(['hard', isProduction ? 'critical' : 'wide'], why);
    case 'publishes':
      return reading(['irreversible', 'critical'], why);
    case 'destroys':
      return destroys(why, facts, tripwires);
    case 'wipes':
      return reading(['irreversible', isProduction ? 'critical' : 'wide'], why, { tripwires });
  }
}

/** Options of the program itself that stand before the verb and take a word. */
const GLOBAL =
  /^(--(profile|region|endpoint-url|output|project|context|kubeconfig|namespace|host|config|chdir|kube-context|account|subscription)|-n|-H|-C)$/;

function family(program: string): Family {
  const lines = PROGRAMS[program] ?? [];
  return ({ name, words }, { facts }) => {
    let at = 0;
    while (words[at]?.value.startsWith('-') === true) at += GLOBAL.test(words[at]?.value ?? '') ? 2 : 1;
    // What only the shell can know says nothing of what is done.
    const said = words
      .slice(at)
      .filter(({ expansions }) => expansions.length === 0)
      .map(({ value }) => value)
      .join(' ');
    const all = words.map(({ value }) => value).join(' ');
    const unresolved = words
      .slice(at, at + 2)
      .filter(({ expansions }) => expansions.some(({ kind }) => kind !== 'glob'))
      .map(({ value }) => value);
    const prefixed = name === 'docker-compose' ? `compose ${said}` : said;
    if (
      (said === '' && !lines.some(([pattern]) => pattern.test(''))) ||
      HELP.test(` ${said.split(' ')[0] ?? ''} `)
    )
      return harmless(`${name} says what it can do`);
    if (DRY.test(all)) return harmless(`${name} only says what it would do`);
    const line = lines.find(([pattern]) => pattern.test(prefixed));
    const production = /(^|[\s=/_-])prod(uction)?\b/i.test(all)
      ? { ...facts, surroundings: 'production' as const }
      : facts;
    if (line === undefined || unresolved.length > 0)
      return reading(['hard', 'wide'], `${name} ${said.split(' ')[0] ?? ''} is not described here`, {
        unresolved: [...unresolved, `${name} ${said.slice(0, 40)}`],
      });
    return effectOf(line, name, production);
  };
}

export const VERBS: Readonly<Record<string, Family>> = Object.fromEntries([
  ...Object.keys(PROGRAMS).map((program) => [program, family(program)] as const),
  ...Object.entries(ALIASES).map(([alias, program]) => [alias, family(program)] as const),
]);
