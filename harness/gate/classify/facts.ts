/**
 * What the gate knows of where an action would happen. Nothing known is taken for production.
 */

/** `scratch`: made for this and thrown away. `development`: somebody's work, and nobody else's. */
export type Surroundings = 'scratch' | 'development' | 'production';

export interface Facts {
  readonly surroundings: Surroundings;
  /** Folder that agents may write to, absolute; also where commands start. */
  readonly sandboxRoot: string;
  /** Hosts that may be asked. */
  readonly allowedHosts: readonly string[];
  /** Tables that nobody will miss. */
  readonly temporaryTables: readonly string[];
}

export const UNKNOWN_FACTS: Facts = {
  surroundings: 'production',
  sandboxRoot: '/sandbox',
  allowedHosts: ['localhost', '127.0.0.1', '::1', '[::1]'],
  temporaryTables: [],
};

/** Words in a description of an environment and what they say, the first that is found. */
const WORDS: readonly (readonly [RegExp, Surroundings])[] = [
  [/\b(prod|production|live|customer|public|shared|cluster|user data|personal|mailbox)\b/i, 'production'],
  [/\b(sandbox|scratch|temp|tmp|test|build dir|ci)\b/i, 'scratch'],
  [/\b(dev|local|laptop|repo|branch|staging)\b/i, 'development'],
];

/** Facts from a description in words; words that are not known are taken for production. */
export function factsFrom(environment: string | undefined): Facts {
  const found = WORDS.find(([words]) => words.test(environment ?? ''));
  return { ...UNKNOWN_FACTS, surroundings: found?.[1] ?? 'production' };
}
