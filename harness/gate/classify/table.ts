/**
 * Looks a word up in a table. The word is an agent's, and must not reach what every object has.
 */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
