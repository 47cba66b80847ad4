/**
 * Log scanners as tests ask them: lines in, records out with their strings spelt; and what a plain line must say
 * according to JSON.parse, which knows nothing about scanners.
 */
import { ENVELOPE_KEYS, EVENT_ID, KINDS } from '../../harness/core/event.js';
import { FIELD, FLAG, fieldOf } from '../../harness/core/facts.js';
import { validate } from '../../harness/core/schema.js';
import { parseTime } from '../../harness/core/time.js';
import { RECORD_WORDS, TIME_DOUBLE, WORD, type LogScanner } from '../../harness/grammar/record.js';

/** Words that hold whatever it was where a line is not plain. */
const WORDS_ALWAYS = WORD.plain + 1;

/** Records of a whole log, scanned in pieces whose sizes are asked for, each as the words that count. */
export function scanPieces(scanner: LogScanner, log: Buffer, sizeOf: () => number): Int32Array[] {
  const records: Int32Array[] = [];
  let held = 0;
  let offset = 0;
  let taken = 0;
  while (taken < log.length) {
    const piece = log.subarray(taken, taken + sizeOf());
    scanner.input().set(piece, held);
    taken += piece.length;
    const to = held + piece.length;
    let from = 0;
    for (let count = 1; count > 0; from = scanner.scannedTo) {
      count = scanner.scan(from, to);
      for (let index = 0; index < count; index++) records.push(recordAt(scanner, index, offset));
    }
    scanner.input().copyWithin(0, from, to);
    held = to - from;
    offset += from;
  }
  return records;
}

/** The words of a record that count; `start` counts from the begin of the log. */
function recordAt(scanner: LogScanner, index: number, offset: number): Int32Array {
  const from = index * RECORD_WORDS;
  const words = scanner.records().slice(from, from + RECORD_WORDS);
  words[WORD.start] = words[WORD.start]! + offset;
  return words[WORD.plain] === 1 ? words : words.subarray(0, WORDS_ALWAYS);
}

export function isPlain(record: Int32Array): boolean {
  return record[WORD.plain] === 1;
}

interface Tokens {
  readonly [name: string]: unknown;
}
type Members = Readonly<Record<string, unknown>>;

/**
 * What is wrong with calling a line plain, or with its record; nothing where all is right. It asks JSON.parse and the
 * schema, so it is slow.
 */
export function objections(scanner: LogScanner, line: Buffer, record: Int32Array): string[] {
  let event: Members;
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)) as Members;
  } catch (error) {
    return [`not JSON: ${String(error)}`];
  }
  const found: string[] = [];
  const same = (what: string, said: unknown, meant: unknown): void => {
    if (!Object.is(said, meant)) found.push(`${what}: ${String(said)} for ${String(meant)}`);
  };
  const names = Object.keys(event);
  if (names.some((name) => !ENVELOPE_KEYS.includes(name as never))) found.push('a member that is unknown');
  if (!EVENT_ID.test(String(event.id))) found.push('no id');
  const checked = validate('event', event);
  if (!checked.ok) found.push(`schema: ${checked.problems.map(({ message }) => message).join('; ')}`);
  const word = (name: keyof typeof WORD): number => record[WORD[name]]!;
  const data = (event.data ?? {}) as Members;
  const tokens = event.tokens as Tokens | undefined;
  same('id', scanner.ids.text(word('id')), event.id);
  same('cause', scanner.ids.text(word('cause')), event.causedBy ?? '');
  same('run', scanner.names.text(word('run')), event.runId);
  same('actor', scanner.names.text(word('actor')), event.actor);
  same('task', scanner.names.text(word('task')), data.taskId ?? '');
  same('proposal', scanner.names.text(word('proposal')), data.proposalId ?? '');
  same('plan', scanner.names.text(word('plan')), data.planId ?? '');
  same('to', scanner.names.text(word('to')), data.to ?? '');
  same(
    'call',
    scanner.calls.text(word('call')),
    tokens === undefined ? '' : (tokens.callId ?? data.callId ?? ''),
  );
  same('kind', KINDS[word('kind')], event.kind);
  for (const name of ['input', 'output', 'thinking', 'cacheRead', 'cacheWrite'] as const)
    same(name, word(name), tokens?.[name] ?? -1);
  const time = parseTime(String(event.t));
  same('time', new Float64Array(record.buffer, record.byteOffset)[TIME_DOUBLE], time.ok ? time.ms : NaN);
  same('zone', time.ok && time.utc, true);
  same(
    'tier',
    fieldOf(word('facts'), FIELD.tier),
    data.tier === undefined ? 0 : Number((data.tier as string)[1]) + 1,
  );
  same('auto', (word('facts') & FLAG.auto) !== 0, data.auto === true);
  return found;
}
