/**
 * Rules of family `causal` about the tree: every event has an id and a cause of its own, and the causes form one tree.
 * What the tree must say about actions and clocks is in causal-trace.ts.
 */
import { DANGLING, NO_CAUSE } from '../../core/parents.js';
import type { Case } from '../case.js';
import type { Report, Rule } from '../rule.js';

const duplicateId: Rule = {
  id: 'causal/duplicate-id',
  title: 'Two events have the same id',
  facet: 'well-formed',
  severity: 'error',
  why: 'Whatever names this id as its cause could mean either event; a repeated line may be a replay or a rewrite.',
  example: 'the same line twice, or evt_a10 once as T2 and once as T0',
  mend: 'Find out whether a record was replayed or rewritten; ids are used once.',
  check(c, report) {
    const { history } = c;
    report.applied(history.size);
    for (const duplicate of history.parts.duplicates) {
      const again = duplicate.repeats
        .filter((repeat) => repeat.event >= 0)
        .map((repeat) => ({ event: repeat.event, role: 'same id' }));
      const identical = again.length === 0;
      report.found({
        events: [{ event: duplicate.first, role: 'first with this id' }, ...again.slice(0, 8)],
        lines: duplicate.repeats
          .filter((repeat) => repeat.event < 0)
          .slice(0, 8)
          .map((repeat) => ({ ...repeat, id: duplicate.id })),
        subject: { kind: 'event', event: duplicate.first },
        facts: { id: duplicate.id, count: duplicate.repeats.length + 1, identical },
        key: [history.kindName(duplicate.first), String(identical)],
        // Which of two different lines is the right one, nobody can say.
        ...(identical
          ? { fix: { op: 'remove', line: (duplicate.repeats[0] as { line: number }).line } as const }
          : {}),
      });
    }
  },
  say: (facts) =>
    `The id ${facts['id'] as string} stands on ${facts['count'] as number} lines, ` +
    (facts['identical'] === true
      ? 'all the same byte for byte.'
      : 'and they differ; neither is taken for the right one.'),
};

/** Lost events whose effects are gathered; beyond them each effect is counted for itself. */
const CAUSES_GROUPED = 2000;

const danglingCause: Rule = {
  id: 'causal/dangling-cause',
  title: 'An event names a cause that is not in the log',
  facet: 'well-formed',
  severity: 'error',
  why: 'Without its cause nobody can say why the event happened.',
  example: 'run goal plan ask grant t1>@evt_zzz t1! t1< done',
  mend: 'Look for the lost event; a cause is written before what it causes.',
  atEnd: true,
  check(c, report) {
    const { history } = c;
    const eventsOf = new Map<string, number[]>();
    for (let event = 0; event < history.size; event++) {
      const parent = history.lineage.parent(event);
      if (parent === NO_CAUSE) continue;
      report.applied();
      if (parent !== DANGLING) continue;
      const cause = history.causeId(event) as string;
      const events = eventsOf.get(cause);
      if (events !== undefined) events.push(event);
      else if (eventsOf.size < CAUSES_GROUPED) eventsOf.set(cause, [event]);
      else foundLost(c, report, { cause, events: [event] });
    }
    // One lost event is one fault, however many it caused.
    for (const [cause, events] of eventsOf) foundLost(c, report, { cause, events });
  },
  say: (facts) =>
    (facts['count'] === 1 ? 'causedBy names' : `causedBy of ${facts['count'] as number} events names`) +
    ` ${facts['cause'] as string}, and no event of this log has that id.`,
};

function foundLost(c: Case, report: Report, lost: { cause: string; events: readonly number[] }): void {
  const { history } = c;
  const { cause, events } = lost;
  const first = events[0] as number;
  const shown = events.slice(0, 20);
  report.found({
    events: shown.map((event) => ({ event, role: `names ${cause}` })),
    subject: { kind: 'event', event: first },
    facts: { cause, kind: history.kindName(first), count: events.length },
    key: [history.kindName(first), history.actor(first)],
    witness: {
      present: shown.map((event) => ({ line: history.line(event), values: { '/causedBy': cause } })),
      // A line that is no record may still show the id.
      ...(history.parts.holes.some((hole) => hole.ids.includes(cause))
        ? {}
        : { absent: { values: { '/id': cause } } }),
    },
  });
}

const cycle: Rule = {
  id: 'causal/cycle',
  title: 'Events cause each other in a circle',
  facet: 'well-formed',
  severity: 'error',
  why: 'Nothing can be its own cause; no order exists in which these events could have happened.',
  example: 'evt_a10 with causedBy evt_a10',
  mend: 'Correct the causedBy of one of the events named.',
  check(c, report) {
    const { history } = c;
    report.applied(history.size);
    for (const members of history.lineage.cycles) {
      report.found({
        events: members.slice(0, 8).map((event) => ({ event, role: 'on the circle' })),
        subject: { kind: 'event', event: members[0] as number },
        facts: { length: members.length, ids: members.slice(0, 8).map((event) => history.id(event)) },
        key: members.slice(0, 8).map((event) => history.kindName(event)),
      });
    }
  },
  say: (facts) =>
    facts['length'] === 1
      ? 'The event names itself as its cause.'
      : `${facts['length'] as number} events cause each other in a circle.`,
};

const orphan: Rule = {
  id: 'causal/orphan',
  title: 'An event has no cause',
  facet: 'well-formed',
  severity: 'error',
  why: 'Only the start of a run is uncaused; anything else must say what triggered it.',
  example: 'run goal plan ask grant t1> t1! t1<@- done',
  mend: 'Give the event the causedBy of what triggered it.',
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (history.kind(event) === 'run_started') continue;
      report.applied();
      if (history.lineage.parent(event) !== NO_CAUSE) continue;
      const before = likelyCause(c, event);
      report.found({
        events: [{ event, role: 'no causedBy' }],
        subject: { kind: 'event', event },
        facts: {
          kind: history.kindName(event),
          ...(before === undefined ? {} : { likelyCause: history.id(before) }),
        },
        key: [history.kindName(event), history.text(c.taskOf(event))],
        ...(before === undefined
          ? {}
          : {
              fix: {
                op: 'set',
                line: history.line(event),
                pointer: '/causedBy',
                value: history.id(before),
              } as const,
            }),
      });
    }
  },
  say: (facts) =>
    `The ${facts['kind'] as string} has no causedBy.` +
    (facts['likelyCause'] === undefined
      ? ''
      : ` The last event on the same subject is ${facts['likelyCause'] as string}.`),
};

/** Last event before an orphan that is about the same task, else the one just before it. */
function likelyCause(c: Case, event: number): number | undefined {
  const task = c.history.taskNumber(event);
  const place = c.history.lineage.place(event);
  for (let at = place - 1; at >= 0 && at > place - 100; at--) {
    const candidate = c.history.lineage.at(at);
    if (task === 0 || c.taskOf(candidate) === task) return candidate;
  }
  return undefined;
}

const secondRoot: Rule = {
  id: 'causal/second-root',
  title: 'The log holds a second tree of causes',
  facet: 'well-formed',
  severity: 'error',
  why: 'All events of a run descend from its one start.',
  example: 'run goal run plan ask grant t1> t1! t1< done',
  mend: 'Give each run a log of its own.',
  check(c, report) {
    const { history } = c;
    report.applied();
    const roots = c.runStarts.filter((event) => history.lineage.parent(event) === NO_CAUSE);
    for (const event of roots.slice(1)) {
      const events = [
        { event, role: 'second root' },
        { event: roots[0] as number, role: 'first root' },
      ];
      report.found({ events, subject: { kind: 'event', event }, facts: { roots: roots.length }, key: [] });
    }
  },
  say: (facts) =>
    `The log has ${facts['roots'] as number} starting points that nothing caused; a run has one.`,
};

const forwardReference: Rule = {
  id: 'causal/forward-reference',
  title: 'An event stands before its cause in the file',
  facet: 'well-formed',
  severity: 'note',
  why: 'Legal with several writers; the order of causes counts, not that of lines.',
  example: 'run goal ask@plan plan grant t1> t1! t1< done',
  mend: 'Nothing.',
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      const parent = history.lineage.parent(event);
      if (parent < 0) continue;
      report.applied();
      if (parent <= event || history.lineage.isOnCycle(event)) continue;
      const events = [
        { event, role: 'stands first' },
        { event: parent, role: 'its cause' },
      ];
      const facts = { kind: history.kindName(event), cause: history.kindName(parent) };
      report.found({ events, subject: { kind: 'event', event }, facts, key: [facts.kind, facts.cause] });
    }
  },
  say: (facts) =>
    `The ${facts['kind'] as string} stands before the ${facts['cause'] as string} that caused it; it is judged in causal order.`,
};

export const CAUSAL_RULES: readonly Rule[] = [
  duplicateId,
  danglingCause,
  cycle,
  orphan,
  secondRoot,
  forwardReference,
];
