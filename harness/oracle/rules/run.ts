/**
 * Rules of family `run`: a run starts once, receives its goal, and ends once. One small table of kin.
 */
import { UNKNOWN_KIND } from '../../core/event.js';
import type { Case } from '../case.js';
import { removeOneOf } from '../fixes.js';
import { kinds } from '../kinds.js';
import { said } from '../documents.js';
import type { Rule } from '../rule.js';

const RUN_STARTED = kinds('run_started');
const TERMINALS = kinds('run_completed', 'run_aborted');
const UNDER_WAY = kinds('plan_drafted', 'plan_revised', 'approval_requested', 'task_dispatched');
/** What may still be written once a run has ended. */
const AFTER_TERMINAL = kinds(
  'correction',
  'criterion_checked',
  'rollback_executed',
  'counterfactual_recorded',
  'log_repaired',
  'writer_joined',
);

const startMissing: Rule = {
  id: 'run/start-missing',
  title: 'The run has no start',
  facet: 'well-formed',
  severity: 'error',
  why: 'Without run_started nobody knows which task, condition and model this is, nor whether the head of the log is there.',
  example: 'goal plan ask grant t1> t1! t1< done',
  mend: 'Look for the lost head of the log.',
  check(c, report) {
    report.applied();
    const { history } = c;
    if (c.runStarts.length > 0 || history.size === 0) return;
    const first = history.lineage.at(0);
    report.found({
      events: [{ event: first, role: 'first event' }],
      subject: { kind: 'run' },
      facts: { first: history.kindName(first) },
      key: [],
      absence: 'before',
      witness: { present: [], absent: { values: { '/kind': 'run_started' } } },
    });
  },
  say: (facts) => `The log begins with ${facts['first'] as string}; no run_started stands in it.`,
};

const startNotFirst: Rule = {
  id: 'run/start-not-first',
  title: 'Something happened before the run started',
  facet: 'well-formed',
  severity: 'error',
  why: 'The start is the root of all causes, so it comes first.',
  example: 'goal run plan ask grant t1> t1! t1< done',
  mend: 'Write run_started before anything else.',
  check(c, report) {
    const [start] = c.runStarts;
    if (start === undefined) return;
    report.applied();
    const first = c.history.lineage.at(0);
    if (first === start) return;
    const events = [
      { event: start, role: 'start' },
      { event: first, role: 'stands before it' },
    ];
    report.found({ events, subject: { kind: 'run' }, facts: { first: c.history.kindName(first) }, key: [] });
  },
  say: (facts) => `In causal order ${facts['first'] as string} stands before run_started.`,
};

/** "Must not happen again": the same shape for start and terminal. */
function repeated(entry: {
  name: string;
  title: string;
  why: string;
  example: string;
  which: 'runStarts' | 'terminals';
}): Rule {
  return {
    id: `run/${entry.name}`,
    title: entry.title,
    facet: 'well-formed',
    severity: 'error',
    why: entry.why,
    example: entry.example,
    mend: 'Give each run a log of its own; a resumed run goes on in a new folder.',
    check(c, report) {
      report.applied();
      const [first, ...more] = c[entry.which];
      if (first === undefined || more.length === 0) return;
      report.found({
        events: [
          ...more.slice(0, 8).map((event) => ({ event, role: 'again' })),
          { event: first, role: 'first' },
        ],
        subject: { kind: 'run' },
        facts: {
          count: more.length + 1,
          kinds: c[entry.which].slice(0, 8).map((event) => c.history.kindName(event)),
        },
        key: [],
        ...removeOneOf(c, [...more, first]),
      });
    },
    say: (facts) =>
      `${facts['count'] as number} events of this sort (${said(facts['kinds'])}); a run has one.`,
  };
}

const startRepeated = repeated({
  name: 'start-repeated',
  title: 'The run starts more than once',
  why: 'Two starts mean two runs in one log, or a resumed run that pretends to be one.',
  example: 'run goal run plan ask grant t1> t1! t1< done',
  which: 'runStarts',
});

const terminalRepeated = repeated({
  name: 'terminal-repeated',
  title: 'The run ends more than once',
  why: 'A run ends exactly once, completed or aborted.',
  example: 'run goal plan ask grant t1> t1! t1< done abort',
  which: 'terminals',
});

const goalMissing: Rule = {
  id: 'run/goal-missing',
  title: 'The run has no goal',
  facet: 'well-formed',
  severity: 'error',
  why: 'Every action answers to what the principal asked.',
  example: 'run plan@run ask grant t1> t1! t1< done',
  mend: 'Write goal_received, caused by run_started, before anything is planned.',
  check(c, report) {
    if (c.history.size === 0) return;
    report.applied();
    if (c.goals.length > 0) {
      const [goal] = c.goals as [number];
      const [start] = c.runStarts;
      // "Caused by the start" cannot be judged across a broken chain.
      if (start === undefined || c.brokenAt(goal) >= 0 || c.history.lineage.isAncestor(start, goal)) return;
    }
    // A run may be aborted before anybody asked for anything, but not after something was set going.
    if (c.isAborted && !isUnderWay(c)) return;
    if (c.live && c.history.size < 3) return;
    const [start] = c.runStarts;
    const at = start ?? c.history.lineage.at(0);
    report.found({
      events: [{ event: at, role: start === undefined ? 'first event' : 'start' }],
      subject: { kind: 'run' },
      facts: {},
      key: [],
      absence: 'anywhere',
      witness: { present: [], absent: { values: { '/kind': 'goal_received' } } },
      fix: {
        op: 'insert',
        kind: 'goal_received',
        data: { goalPath: 'goal.md' },
        afterLine: c.history.line(at),
        causedBy: c.history.id(at),
      },
    });
  },
  say: () => 'No goal_received stands in the log.',
};

/** Whether anything was planned, asked for or handed out. */
function isUnderWay(c: Case): boolean {
  const { history } = c;
  for (let event = 0; event < history.size; event++) if (UNDER_WAY.has(history.kindCode(event))) return true;
  return false;
}

const terminalMissing: Rule = {
  id: 'run/terminal-missing',
  title: 'The run does not end',
  facet: 'well-formed',
  severity: 'error',
  why: 'Without run_completed or run_aborted nobody knows whether the log is whole.',
  example: 'run goal plan ask grant t1> t1! t1<',
  mend: 'If the run is still going, check with --live; if it crashed, it is abandoned, not finished.',
  atEnd: true,
  check(c, report) {
    const { history } = c;
    if (history.size === 0) return;
    report.applied();
    if (c.terminals.length > 0) return;
    const last = history.lineage.at(history.size - 1);
    report.found({
      events: [{ event: last, role: 'last event' }],
      subject: { kind: 'run' },
      facts: { last: history.kindName(last) },
      key: [],
      absence: 'after',
      witness: { present: [], absent: { values: { '/kind': 'run_completed' } } },
      fix: {
        op: 'insert',
        kind: 'run_aborted',
        data: { reason: 'log ends here' },
        afterLine: history.line(last),
        causedBy: history.id(last),
      },
    });
  },
  say: (facts) =>
    `The log ends with ${facts['last'] as string}; neither run_completed nor run_aborted follows.`,
};

const eventAfterTerminal: Rule = {
  id: 'run/event-after-terminal',
  title: 'Something happened after the run ended',
  facet: 'well-formed',
  severity: 'error',
  why: 'What is done after the end escapes every count; only corrections, checks and roll-backs may follow.',
  example: 'run goal plan ask grant t1> t1! t1< done e-T0@t1!',
  mend: 'End the run after its last event.',
  check(c, report) {
    const [terminal] = c.terminals;
    if (terminal === undefined) return;
    report.applied();
    const { history } = c;
    const late: number[] = [];
    for (let place = history.lineage.place(terminal) + 1; place < history.size; place++) {
      const event = history.lineage.at(place);
      const code = history.kindCode(event);
      if (code === UNKNOWN_KIND || AFTER_TERMINAL.has(code) || TERMINALS.has(code)) continue;
      if (RUN_STARTED.has(code)) break;
      late.push(event);
    }
    if (late.length === 0) return;
    report.found({
      events: [
        ...late.slice(0, 6).map((event) => ({ event, role: 'after the end' })),
        { event: terminal, role: 'end of the run' },
      ],
      subject: { kind: 'run' },
      facts: { count: late.length, kinds: [...new Set(late.map((event) => history.kindName(event)))] },
      key: [...new Set(late.map((event) => history.kindName(event)))],
    });
  },
  say: (facts) => `${facts['count'] as number} event(s) follow the end of the run: ${said(facts['kinds'])}.`,
};

export const RUN_RULES: readonly Rule[] = [
  startMissing,
  startNotFirst,
  startRepeated,
  goalMissing,
  terminalMissing,
  terminalRepeated,
  eventAfterTerminal,
];
