/**
 * Rules of family `log` that look at the log as a whole: empty, rotated, of unknown kinds, by unknown writers.
 * Faults of single lines are in log-line.ts.
 */
import { laneName, parseOwnId } from '../../core/ids.js';
import { UNKNOWN_KIND } from '../../core/event.js';
import type { Facts } from '../../core/verdict.js';
import { said } from '../documents.js';
import { announcedLanes, areAnnounced } from '../lanes.js';
import type { Rule } from '../rule.js';

const emptyLog: Rule = {
  id: 'log/empty-log',
  title: 'The log holds no event',
  facet: 'evidence',
  severity: 'error',
  why: 'Zero events are no evidence of a good run.',
  example: 'an empty file, or blank lines only',
  mend: 'Check that the path is right and that the run wrote its log.',
  check(c, report) {
    report.applied();
    const { counts, faults } = c.history.parts;
    if (counts.events > 0 || faults.some((fault) => fault.rule !== 'byte-order-mark')) return;
    const facts = { bytes: counts.bytes, lines: counts.lines };
    report.found({
      events: [],
      lines: [{ line: 1, offset: 0, id: '' }],
      subject: { kind: 'run' },
      facts,
      key: [],
    });
  },
  say: (facts) => `The log has ${facts['bytes'] as number} bytes and no event in them.`,
};

const unknownKind: Rule = {
  id: 'log/unknown-kind',
  title: 'An event has a kind the protocol does not know',
  facet: 'evidence',
  severity: 'note',
  why: 'It is legal and takes part in causality, but has no meaning here; a look-alike letter may hide a real kind.',
  example: '"kind":"plan_draftеd" with a Cyrillic е',
  mend: 'Nothing, where the kind is meant; else spell it as in the table of kinds.',
  check(c, report) {
    const { history } = c;
    report.applied(history.size);
    const eventsOf = new Map<string, number[]>();
    for (let event = 0; event < history.size; event++) {
      if (history.kindCode(event) !== UNKNOWN_KIND) continue;
      const name = history.kindName(event);
      const events = eventsOf.get(name) ?? [];
      if (eventsOf.size < 1000 || events.length > 0) eventsOf.set(name, events);
      events.push(event);
    }
    for (const [name, events] of eventsOf) {
      report.found({
        events: events.slice(0, 8).map((event) => ({ event, role: 'unknown kind' })),
        subject: { kind: 'event', event: events[0] as number },
        facts: { kind: name, count: events.length, ...oddLetters(name) },
        key: [name],
      });
    }
  },
  say: (facts) =>
    `${facts['count'] as number} event(s) of kind "${facts['kind'] as string}", which the protocol does not know.` +
    (facts['codePoints'] === undefined ? '' : ` It holds ${said(facts['codePoints'])}.`),
};

function oddLetters(name: string): Facts {
  const odd = [...name].filter((letter) => (letter.codePointAt(0) as number) > 0x7e);
  if (odd.length === 0) return {};
  const codePoints = odd.map(
    (letter) =>
      `${letter} (U+${(letter.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')})`,
  );
  return { codePoints };
}

const repaired: Rule = {
  id: 'log/repaired',
  title: 'A fragment of a record was closed and reported by a writer',
  facet: 'evidence',
  severity: 'note',
  why: 'Its record was never acknowledged, so nothing is missing; what it held is shown all the same.',
  example: 'a torn line, and behind it log_repaired with its byte range',
  mend: 'Nothing; find out what cut the writer short.',
  check(c, report) {
    report.applied(c.history.parts.counts.lines);
    for (const { line, offset, id, facts } of c.history.parts.repairs) {
      report.found({
        events: [],
        lines: [{ line, offset, id }],
        subject: { kind: 'line', line },
        facts,
        key: [],
      });
    }
  },
  say: (facts) =>
    `A fragment of ${facts['bytes'] as number} bytes was closed by a later writer. Ids in it: ${said(facts['idsSeen']) || 'none'}.`,
};

const rotated: Rule = {
  id: 'log/rotated',
  title: 'Parts of the log were rotated away',
  facet: 'evidence',
  severity: 'note',
  why: 'An append-only log is one file; what stands in another cannot be judged with it.',
  example: 'provenance.jsonl beside provenance.jsonl.1',
  mend: 'Turn log rotation off for run folders; join the parts in order to judge the run.',
  needs: ['folder'],
  check(c, report) {
    report.applied();
    const parts = c.evidence.rotatedParts();
    const [first] = parts;
    if (first === undefined) return;
    report.unknown(`the log was rotated: ${parts.join(', ')} beside it`);
    const lines = [{ line: 1, offset: 0, id: '' }];
    report.found({
      events: [],
      lines,
      subject: { kind: 'file', path: first },
      facts: { parts: [...parts] },
      key: [],
      path: first,
    });
  },
  say: (facts) => `The log was rotated: ${said(facts['parts'])} beside it holds a part of the run.`,
};

const foreignWriter: Rule = {
  id: 'log/foreign-writer',
  title: 'An event comes from a writer nobody announced',
  facet: 'evidence',
  severity: 'error',
  why: 'Writers claim a lane and announce it; an id from no known lane was written by something else.',
  example: 'lanes ["00"], then an event id of lane "7z"',
  mend: 'Append through the log writer only.',
  needs: ['ours'],
  check(c, report) {
    const { history } = c;
    const lanes = announcedLanes(c);
    if (lanes === undefined) return;
    if (areAnnounced(c, lanes)) {
      report.applied(history.size);
      return;
    }
    for (let event = 0; event < history.size; event++) {
      report.applied();
      const own = parseOwnId(history.id(event));
      const lane = own === undefined ? undefined : laneName(own.lane);
      if (lane !== undefined && lanes.has(lane)) continue;
      const facts = { id: history.id(event), lane: lane ?? null, lanes: [...lanes].sort() };
      const events = [{ event, role: 'unknown writer' }];
      report.found({ events, subject: { kind: 'event', event }, facts, key: [history.kindName(event)] });
    }
  },
  say: (facts) =>
    `The id ${facts['id'] as string} is of ${facts['lane'] === null ? 'no lane' : `lane ${facts['lane'] as string}`}; announced are ${said(facts['lanes'])}.`,
};

export const LOG_RULES: readonly Rule[] = [emptyLog, unknownKind, repaired, rotated, foreignWriter];
