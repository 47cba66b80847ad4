/**
 * Runs that meet several rules at once: mixed and resumed runs, circles, lost heads, and approvals that are none.
 */
import { h } from '../support/history.js';
import { expectEach, type Hostile } from '../support/hostile.js';
import { doing, GOOD_RUN } from './fixtures/fixture.js';

const GOOD = h(GOOD_RUN);
const LINES = GOOD.split('\n').slice(0, -1);
const UNTRACED = ['causal/untraceable-action', 'causal/untraceable-terminal'];
const other = (log: string, run = 'run_x1'): string =>
  log.replaceAll('evt_', 'evt_b').replaceAll('run_x1', run);

function line(number: number, change: (text: string) => string): string {
  return LINES.map((text, index) => `${index === number - 1 ? change(text) : text}\n`).join('');
}

const RUNS: readonly Hostile[] = [
  { name: 'the file twice over', log: GOOD + GOOD, must: ['causal/duplicate-id'] },
  {
    name: 'two runs under one run id',
    log: GOOD + other(GOOD),
    must: ['run/start-repeated'],
    folded: [
      'action/executed-twice',
      'causal/second-root',
      'plan/decision-repeated',
      'run/terminal-repeated',
      'task/dispatched-twice',
      'task/result-repeated',
      'task/started-twice',
    ],
    lines: [1, 13],
  },
  {
    name: 'two runs with their ids',
    log: GOOD + other(GOOD, 'run_x2'),
    must: ['log/wrong-run-id'],
    lines: LINES.map((_, at) => at + 13),
  },
  {
    name: 'an event of another run in between',
    log: line(7, (text) => text.replace('run_x1', 'run_x2')),
    must: ['log/wrong-run-id'],
    folded: ['causal/dangling-cause', ...UNTRACED],
    lines: [7],
  },
  {
    name: 'resumed after the end',
    log: h(`${GOOD_RUN} run@done goal plan ask grant t2> t2! t2< done`),
    must: ['run/start-repeated'],
    folded: ['run/terminal-repeated'],
  },
  {
    name: 'a circle of two',
    log: h(doing('p1?T2@a1 a1@p1 e1')),
    must: ['causal/cycle'],
    folded: UNTRACED,
    lines: [8, 9],
  },
  {
    name: 'a circle through the start',
    log: h('run@done goal plan ask grant t1> t1! t1< done'),
    must: ['causal/cycle'],
    notes: ['causal/time-before-cause'],
  },
  {
    name: 'something before the start',
    log: h('~booted run goal plan ask grant t1> t1! t1< done'),
    must: ['run/start-not-first'],
    folded: ['causal/orphan'],
    notes: ['log/unknown-kind'],
  },
  {
    name: 'the head cut off in mid-task',
    log: h('p1?T3@evt_zzz a1 e1 t1< done'),
    must: ['run/start-missing'],
    folded: [
      'causal/dangling-cause',
      ...UNTRACED,
      'plan/draft-missing',
      'run/goal-missing',
      'task/result-without-start',
    ],
  },
  {
    name: 'a run that says nothing but that it started',
    log: h('run'),
    must: ['run/terminal-missing'],
    folded: ['run/goal-missing'],
    lines: [1],
  },
  {
    name: 'everything after the end',
    log: h('run goal plan ask grant done@grant t1> t1! e-T0 t1<'),
    must: ['run/event-after-terminal'],
    lines: [6, 7, 8, 9, 10],
  },
];

const ACTIONS: readonly Hostile[] = [
  {
    name: 'approved after it expired',
    log: h(doing('p1?T3 ask1 x1 a1@ask1 e1')),
    must: ['plan/decision-repeated'],
    lines: [10, 11],
  },
  {
    name: 'run although nobody answered',
    log: h(doing('p1?T3 ask1 x1 e1')),
    must: ['gate/ungated-high-tier'],
    lines: [11],
  },
  {
    name: 'T3 out of nothing',
    log: h(doing('e-T3')),
    must: ['gate/ungated-high-tier'],
    folded: ['gate/proposal-missing'],
    lines: [8],
  },
  {
    name: 'T4 asked in a chat',
    log: h(doing('snap verify p1?T4 ask1{channel:slack} a1 e1')),
    must: ['gate/asynchronous-channel'],
    lines: [11],
  },
  {
    name: 'the approver is a bot of the run',
    log: h(doing('p1?T3 ask1 a1(planner) e1')),
    must: ['gate/approver-not-principal'],
    folded: ['gate/ungated-high-tier'],
    lines: [10],
  },
  {
    name: 'a tripwire stops it: no fault of the run',
    log: h(doing('p1?T2 a1 trip f1{by:testbed}')),
    must: [],
  },
  { name: 'rejected, asked again, approved', log: h(doing('p1?T3 ask1 r1 ask1@r1 a1 e1')), must: [] },
  {
    name: 'rejected and approved at the same request',
    log: h(doing('p1?T3 ask1 r1 a1@ask1 e1')),
    must: ['plan/decision-repeated'],
    lines: [10, 11],
  },
  {
    name: 'the approval of one leads to another, tried twice',
    log: h(doing('p1?T3 a1{proposalId:prop_9} f1@a1 e1@f1')),
    must: ['action/approval-without-proposal'],
    folded: ['gate/ungated-high-tier'],
    lines: [9],
  },
  {
    name: 'approved, but in another task',
    log: h('run goal plan ask grant t1> t2> t1! t2! p1?T3@t1! a1@t2! e1@p1 t1< t2<@t2! done'),
    must: ['action/approval-without-proposal'],
    folded: ['action/approval-not-its-cause'],
    lines: [10, 11],
  },
  {
    name: 'a council in a gated run: no fault',
    log: h(
      GOOD_RUN.replace('ask', 'council-convened council-proposal council-critique council-synthesis ask'),
    ),
    must: [],
  },
  {
    name: 'a foreign correction',
    log: h(`${GOOD_RUN} correct`, { correct: { data: { note: 'sorry' } } }),
    must: [],
  },
  {
    name: 'a decision without proposalId belongs to its cause',
    log: h(doing('p1?T3 ask1{proposalId:-} a1{proposalId:-} e1{proposalId:-}')),
    must: [],
  },
];

expectEach([...RUNS, ...ACTIONS]);
