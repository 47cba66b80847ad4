/**
 * Looks for a member name that stands twice in one object, at any depth, however it is written.
 * For the few lines where the scanner does not settle it: names with escapes, very many members. Not a parser: it
 * trusts that the line is JSON.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export interface RepeatedName {
  readonly name: string;
  /** Position of the first letter of the repetition. */
  readonly at: number;
}

/** The first repetition in `line`, which the scanner has found to be JSON. */
export function repeatedName(line: Uint8Array): RepeatedName | undefined {
  /** Names of every open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte === 0x7b) open.push(new Set());
    else if (byte === 0x5b) open.push(undefined);
    else if (byte === 0x7d || byte === 0x5d) open.pop();
    if (byte !== QUOTE) continue;
    const end = stringEnd(line, at);
    const names = open.at(-1);
    if (names !== undefined && isName(line, end)) {
      const name = String(JSON.parse(utf8.decode(line.subarray(at, end))));
      if (names.has(name)) return { name, at: at + 1 };
      names.add(name);
    }
    at = end - 1;
  }
  return undefined;
}

/** Position behind the closing quote of the string that opens at `at`. */
function stringEnd(line: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < line.length && line[end] !== QUOTE) end += line[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

/** A string is a name where a colon follows. */
function isName(line: Uint8Array, from: number): boolean {
  let at = from;
  while (line[at] === 0x20 || line[at] === 0x09 || line[at] === 0x0d) at++;
  return line[at] === 0x3a;
}
