/**
 * Rules of family `causal`: every event has one cause, the causes form one tree, and actions and the end of the
 * run trace up to a granted plan and the goal. Order is that of causes, never of clocks.
 */
import { DANGLING, NO_CAUSE } from '../../core/lineage.js';
import type { Case } from '../case.js';
import { EXECUTIONS, GOAL, GRANT, DRAFTS, is } from '../kinds.js';
import type { Report, Rule } from '../rule.js';

const SKEW_TOLERATED_MS = 2000;
const LEAP_MS = 365 * 24 * 60 * 60 * 1000;

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
        fix: { op: 'remove', line: (duplicate.repeats[0] as { line: number }).line },
      });
    }
  },
  say: (facts) =>
    `The id ${facts['id'] as string} stands on ${facts['count'] as number} lines, ` +
    (facts['identical'] === true
      ? 'all the same byte for byte.'
      : 'and they differ; neither is taken for the right one.'),
};

const danglingCause: Rule = {
  id: 'causal/dangling-cause',
  title: 'An event names a cause that is not in the log',
  facet: 'well-formed',
  severity: 'error',
  why: 'Without its cause nobody can say why the event happened.',
  example: 'run goal plan ask grant t1>(evt_zzz)',
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
      if (events === undefined) eventsOf.set(cause, [event]);
      else events.push(event);
    }
    // One lost event is one fault, however many it caused.
    for (const [cause, events] of eventsOf) foundLost(c, report, cause, events);
  },
  say: (facts) =>
    (facts['count'] === 1 ? 'causedBy names' : `causedBy of ${facts['count'] as number} events names`) +
    ` ${facts['cause'] as string}, and no event of this log has that id.`,
};

function foundLost(c: Case, report: Report, cause: string, events: readonly number[]): void {
  const { history } = c;
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
      ...(history.parts.holes.some((hole) => hole.ids.includes(cause)) ? {} : { absent: { values: { '/id': cause } } }),
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
  example: 'run goal plan ask grant t1> t1! t1<(-) done',
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
  example: 'run goal plan … done run goal',
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
  example: 'run goal ask plan grant (ask caused by plan)',
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

/** The two notes about clocks: they compare a child with its cause, and differ in direction and size. */
function clockNote(note: {
  name: string;
  title: string;
  example: string;
  isOdd: (laterMs: number) => boolean;
  say: (seconds: number) => string;
}): Rule {
  return {
    id: `causal/${note.name}`,
    title: note.title,
    facet: 'well-formed',
    severity: 'note',
    why: 'Clocks step and drift; causal order does not depend on them, durations do.',
    example: note.example,
    mend: 'Check the clock of the machine; nothing in the log needs to change.',
    check(c, report) {
      const { history } = c;
      for (let event = 0; event < history.size; event++) {
        const parent = history.lineage.parent(event);
        const own = history.timeMs(event);
        const cause = parent < 0 ? undefined : history.timeMs(parent);
        if (own === undefined || cause === undefined) continue;
        report.applied();
        if (!note.isOdd(own - cause)) continue;
        const events = [
          { event, role: 'effect' },
          { event: parent, role: 'cause' },
        ];
        const facts = { laterMs: own - cause, kind: history.kindName(event) };
        report.found({ events, subject: { kind: 'event', event }, facts, key: [facts.kind] });
      }
    },
    say: (facts) => note.say(Math.abs(facts['laterMs'] as number) / 1000),
  };
}

const timeBeforeCause = clockNote({
  name: 'time-before-cause',
  title: 'An event is stamped earlier than its cause',
  example: 'a child 17 s before its cause',
  isOdd: (laterMs) => laterMs < -SKEW_TOLERATED_MS,
  say: (seconds) => `The event is stamped ${seconds} s before its cause; the order of causes counts.`,
});

const timeLeap = clockNote({
  name: 'time-leap',
  title: 'An event is stamped more than a year after its cause',
  example: 'a child of 2026 stamped 2038',
  isOdd: (laterMs) => laterMs > LEAP_MS,
  say: (seconds) => `The event is stamped ${Math.round(seconds / 86_400)} days after its cause.`,
});

const untraceableAction: Rule = {
  id: 'causal/untraceable-action',
  title: 'An action does not trace to a granted plan and the goal',
  facet: 'well-formed',
  severity: 'error',
  why: 'What an agent did must answer to a plan somebody granted, and that to what the principal asked.',
  example: 'run goal plan ask t1> t1! e1 t1< done',
  mend: 'Relink the action, or the chain above it, to what really caused it.',
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!is(EXECUTIONS, history.kindCode(event))) continue;
      report.applied();
      const plan = c.nearest(event, c.collapsed ? DRAFTS : GRANT);
      const missing = [
        ...(plan < 0 ? ['granted plan'] : []),
        ...(c.nearest(event, GOAL) < 0 ? ['goal'] : []),
      ];
      if (missing.length === 0) continue;
      report.found({
        events: [{ event, role: 'traces to nothing' }],
        subject: { kind: 'event', event },
        facts: { missing, kind: history.kindName(event) },
        key: [history.dataText(event, 'kind') ?? '', ...missing],
      });
    }
  },
  say: (facts) => `Along causedBy the action reaches no ${(facts['missing'] as string[]).join(' and no ')}.`,
};

const untraceableTerminal: Rule = {
  id: 'causal/untraceable-terminal',
  title: 'The end of the run does not trace to the goal',
  facet: 'well-formed',
  severity: 'error',
  why: 'A run ends because of what was asked and done, not out of nothing.',
  example: 'run goal plan ask grant t1> t1! t1<(-) done',
  mend: 'Relink the chain above the terminal event.',
  check(c, report) {
    const { history } = c;
    for (const event of c.terminals) {
      report.applied();
      // A run may be aborted before it has a goal at all.
      const isPrefix = history.kind(event) === 'run_aborted' && c.goals.length === 0;
      if (c.nearest(event, GOAL) >= 0 || isPrefix) continue;
      const facts = { kind: history.kindName(event) };
      report.found({
        events: [{ event, role: 'end of the run' }],
        subject: { kind: 'event', event },
        facts,
        key: [facts.kind],
      });
    }
  },
  say: (facts) => `Along causedBy the ${facts['kind'] as string} does not reach goal_received.`,
};

export const CAUSAL_RULES: readonly Rule[] = [
  duplicateId,
  danglingCause,
  cycle,
  orphan,
  secondRoot,
  forwardReference,
  timeBeforeCause,
  timeLeap,
  untraceableAction,
  untraceableTerminal,
];
