/**
 * Rules of family `causal` about what the tree says: actions trace up to a granted plan and the goal, the end of the
 * run to the goal; and two notes where clocks disagree with causes. Order is that of causes, never of clocks.
 */
import { DRAFTS, EXECUTIONS, GOAL, is } from '../kinds.js';
import type { Rule } from '../rule.js';
import { isBeforeCause, isLeap } from '../skew.js';
import { grantTracer } from './plan-docket.js';

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
  isOdd: isBeforeCause,
  say: (seconds) => `The event is stamped ${seconds} s before its cause; the order of causes counts.`,
});

const timeLeap = clockNote({
  name: 'time-leap',
  title: 'An event is stamped more than a year after its cause',
  example: 'a child of 2026 stamped 2038',
  isOdd: isLeap,
  say: (seconds) => `The event is stamped ${Math.round(seconds / 86_400)} days after its cause.`,
});

const untraceableAction: Rule = {
  id: 'causal/untraceable-action',
  title: 'An action does not trace to a granted plan and the goal',
  facet: 'well-formed',
  severity: 'error',
  why: 'What an agent did must answer to a plan somebody granted, and that to what the principal asked.',
  example: 'run goal plan ask t1> t1! e-T0 t1< done',
  mend: 'Relink the action, or the chain above it, to what really caused it.',
  check(c, report) {
    const { history } = c;
    const isUnderGrant = grantTracer(c);
    for (let event = 0; event < history.size; event++) {
      if (!is(EXECUTIONS, history.kindCode(event))) continue;
      report.applied();
      const isPlanned = c.collapsed ? c.nearest(event, DRAFTS) >= 0 : isUnderGrant(event);
      const missing = [
        ...(isPlanned ? [] : ['granted plan']),
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
  example: 'run goal plan ask grant t1> t1! t1< done@run',
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

export const CAUSAL_TRACE_RULES: readonly Rule[] = [
  timeBeforeCause,
  timeLeap,
  untraceableAction,
  untraceableTerminal,
];
