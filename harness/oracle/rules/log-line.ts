/**
 * Rules of family `log` about single lines: whether each is a record at all. The reader found these faults;
 * here they get their meaning, one table row per fault. Adding a fault is one row here and one place in log/.
 */
import type { LineFault } from '../../core/history.js';
import type { Facts, Severity } from '../../core/verdict.js';
import type { Case } from '../case.js';
import { list, said } from '../documents.js';
import type { Report, Rule, Violation } from '../rule.js';

interface LineRule {
  readonly name: string;
  readonly severity?: Severity;
  readonly title: string;
  readonly why: string;
  readonly example: string;
  readonly mend: string;
  readonly say: (facts: Facts) => string;
  /** Facts that make it the same fault in another run. */
  readonly keys?: readonly string[];
}

const TORN =
  'Find out what cut the writer short (crash, full disk). A writer of ours ends the fragment and writes log_repaired.';

const LINE_RULES: readonly LineRule[] = [
  {
    name: 'torn-tail',
    title: 'The last line ends without a newline',
    why: 'A record counts once its newline is written; a crash or a copy cut this one short.',
    example: '…{"id":"evt_a12","runId":"run_x","t":"2026-05-28T1⏏',
    mend: TORN,
    say: (facts) =>
      facts['complete'] === true
        ? 'The last line is a whole record but has no newline; the next append would fuse with it.'
        : 'The log stops in the middle of its last line; that record is lost.',
  },
  {
    name: 'invalid-json',
    title: 'A line is not JSON',
    why: 'A torn or glued record is not a record; nothing of it enters the history.',
    example: '{"id":"evt_a08","t":"2026{"id":"evt_a09",…}',
    mend: TORN,
    say: (facts) =>
      `The line stops being JSON at column ${facts['column'] as number}; its record is lost.${seen(facts)}`,
  },
  {
    name: 'not-an-object',
    title: 'A line is JSON but no object',
    why: 'Every line is one event, and an event is an object.',
    example: '42',
    mend: 'Remove what writes bare values into the log.',
    say: (facts) => `The line holds ${facts['found'] as string}, which is no event.`,
    keys: ['found'],
  },
  {
    name: 'invalid-utf8',
    title: 'A line is not UTF-8',
    why: 'Two readers may replace the bad bytes differently and so see different logs.',
    example: 'a Latin-1 "ü" (byte FC), or a UTF-16 file',
    mend: 'Write UTF-8 without a byte-order mark.',
    say: (facts) =>
      typeof facts['encoding'] === 'string'
        ? `The file is ${facts['encoding']}, not UTF-8.`
        : 'The line holds bytes that are not UTF-8.',
  },
  {
    name: 'nul-bytes',
    title: 'A line holds NUL bytes',
    why: 'File systems fill lost blocks with NULs after a crash; what stood there cannot be known.',
    example: '512 NUL bytes where a line should be',
    mend: 'Compare with a backup of the log; check the disk and how the process ended.',
    say: (facts) =>
      `The line holds ${facts['count'] as number} NUL bytes from column ${facts['column'] as number} on.${seen(facts)}`,
  },
  {
    name: 'byte-order-mark',
    severity: 'warning',
    title: 'A line starts with a byte-order mark',
    why: 'Many readers take the mark for a part of the first member.',
    example: 'EF BB BF {"id":…',
    mend: 'Write UTF-8 without a byte-order mark.',
    say: () => 'The line starts with a UTF-8 byte-order mark.',
  },
  {
    name: 'lone-surrogate',
    title: 'A string holds half a surrogate pair',
    why: 'It stands for no character, so readers disagree on what was written.',
    example: '"summary":"done \\ud83d"',
    mend: 'Cut strings between characters, not between UTF-16 units.',
    say: (facts) => `A string holds a lone surrogate escape at column ${facts['column'] as number}.`,
  },
  {
    name: 'duplicate-key',
    title: 'An object has the same member twice',
    why: 'Readers differ on which of the two counts, so the line can be shown to say either.',
    example: '{"kind":"action_rejected","kind":"action_approved",…}',
    mend: 'Find what wrote the line: no JSON library writes a member twice by accident.',
    say: (facts) =>
      `The member "${facts['member'] as string}" stands twice in one object; neither value is taken.`,
    keys: ['member'],
  },
  {
    name: 'line-too-long',
    title: 'A line is longer than 1 MiB',
    why: 'Large payloads belong in files that the event names; a reader must be able to refuse a line unseen.',
    example: 'an event with a 2 MB test report in data',
    mend: 'Write the payload to artifacts/ and name it in data.',
    say: (facts) =>
      `The line has ${facts['bytes'] as number} bytes; at most ${facts['maxBytes'] as number} are read.`,
  },
  {
    name: 'too-deep',
    title: 'A line nests deeper than 512 levels',
    why: 'Deep nesting exhausts the stack of many parsers.',
    example: '{"a":{"a":{"a":…5,000 times',
    mend: 'Write the payload to a file of its own.',
    say: (facts) => `The line nests deeper than ${facts['depthMax'] as number} levels.`,
  },
  {
    name: 'schema',
    title: 'A line does not fit the event schema',
    why: 'A member that is missing or has another type cannot be judged.',
    example: '{"id":"evt_1","t":5,"actor":{}}',
    mend: 'Write events through the log writer, which checks them first; schemas/event.schema.json is the contract.',
    say: (facts) => `${(list(facts['problems']) as readonly string[]).join('; ')}.`,
    keys: ['problems'],
  },
  {
    name: 'wrong-run-id',
    title: 'A line belongs to another run',
    why: 'One file holds one run; mixed logs make every count wrong.',
    example: 'run_a, run_a, run_b, run_a',
    mend: 'Give each run a folder of its own.',
    say: (facts) =>
      `${facts['count'] === 1 ? 'One line is' : `${facts['count'] as number} lines are`} of ${said(facts['found'])}, not of ${said(facts['expected'])}; left out of the history.`,
  },
  {
    name: 'non-utc-time',
    title: 'A time is not in UTC',
    why: 'Local times compare wrongly as text and hide clock changes.',
    example: '"t":"2026-05-28T17:00:09+02:00"',
    mend: 'Write t in UTC, ending in Z.',
    say: (facts) => `t is ${facts['t'] as string}: a real time, but not written in UTC (Z).`,
  },
  {
    name: 'invalid-time',
    title: 'A time is not RFC 3339',
    why: 'A date that does not exist, or has no zone, can be read as several moments.',
    example: '"t":"2026-02-30T00:00:00Z"',
    mend: 'Write t as RFC 3339 in UTC, such as 2026-05-28T15:00:00.000Z.',
    say: (facts) => `t is ${facts['t'] as string}, which is no RFC 3339 time.`,
  },
  {
    name: 'unsafe-integer',
    title: 'An integer is beyond 2^53 − 1',
    why: 'Common JSON readers change such a number without a word.',
    example: '"input":9007199254740993',
    mend: 'Write large numbers as strings.',
    say: (facts) =>
      `The integer ${facts['number'] as string} is beyond ±(2^53 − 1); plain JSON readers change it.`,
  },
];

function seen(facts: Facts): string {
  const ids = list(facts['idsSeen']);
  return ids.length === 0 ? '' : ` Ids seen in the remains: ${said(facts['idsSeen'])}.`;
}

function violationOf(fault: LineFault, rule: LineRule): Violation {
  const places = list(fault.facts['lines']).map((line, index) => ({
    line: line as number,
    offset: list(fault.facts['offsets'])[index] as number,
    id: list(fault.facts['ids'])[index] as string,
  }));
  const own =
    fault.event >= 0
      ? []
      : places.length > 0
        ? places
        : [{ line: fault.line, offset: fault.offset, id: fault.id }];
  return {
    events: fault.event >= 0 ? [{ event: fault.event, role: 'this line' }] : [],
    lines: own,
    subject: { kind: 'line', line: fault.line },
    facts: fault.facts,
    key: (rule.keys ?? []).map((name) => JSON.stringify(fault.facts[name])),
  };
}

function lineRule(rule: LineRule): Rule {
  return {
    id: `log/${rule.name}`,
    title: rule.title,
    facet: 'evidence',
    severity: rule.severity ?? 'error',
    why: rule.why,
    example: rule.example,
    mend: rule.mend,
    // A line still being written has no newline yet.
    ...(rule.name === 'torn-tail' ? { atEnd: true } : {}),
    check(c: Case, report: Report): void {
      report.applied(c.history.parts.counts.lines);
      for (const fault of c.history.parts.faults)
        if (fault.rule === rule.name) report.found(violationOf(fault, rule));
    },
    say: rule.say,
  };
}

export const LOG_LINE_RULES: readonly Rule[] = LINE_RULES.map(lineRule);
