/**
 * A log as a table of facts: each line parsed on its own with JSON.parse into a plain object, nothing indexed.
 * First part of the second opinion (README.md of test/), which shares no code with the reader and the oracle.
 */

/** One event. `at` is its row in the table, `line` its place in the file. */
export interface Fact {
  readonly at: number;
  readonly line: number;
  readonly id: string;
  readonly kind: string;
  readonly actor: string;
  readonly ms: number;
  readonly cause: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Table {
  readonly facts: readonly Fact[];
  /** Lines that repeat an earlier line byte for byte: no second event, but a second bearer of the id. */
  readonly copies: readonly number[];
}

/**
 * Reads a log in which every line is an event of one run. What repeats, byte for byte, the first line of its id is a
 * copy; the reader does not look further back than that line, and ids that are used twice fail a log anyway.
 */
export function readTable(log: string): Table {
  const full = log.split('\n').flatMap((text, index) => {
    if (text.trim() === '') return [];
    return [{ text, line: index + 1, id: (JSON.parse(text) as { id: string }).id }];
  });
  const copies = full
    .filter(({ text, line, id }) => {
      const first = full.find((other) => other.id === id);
      return first !== undefined && first.line < line && first.text === text;
    })
    .map(({ line }) => line);
  const originals = full.filter(({ line }) => !copies.includes(line));
  return { facts: originals.map(({ text, line }, at) => readFact({ text, line, at })), copies };
}

function readFact({ text, line, at }: { text: string; line: number; at: number }): Fact {
  const event = JSON.parse(text) as Record<string, string> & { data?: Record<string, unknown> };
  return {
    at,
    line,
    id: String(event['id']),
    kind: String(event['kind']),
    actor: String(event['actor']),
    ms: Date.parse(String(event['t'])),
    cause: event['causedBy'],
    data: event.data ?? {},
  };
}

/** A member of `data` that names something, where it is there. */
export function named(fact: Fact, member: string): string | undefined {
  const value = fact.data[member];
  return typeof value === 'string' ? value : undefined;
}
