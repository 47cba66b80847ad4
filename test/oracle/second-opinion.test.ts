/**
 * Two judges that share no code agree on thousands of random histories: on the verdict of `well-formed`, on the rules
 * that are broken before anything is folded, and on the lines. COUNTERPROOF_HISTORIES says how many histories there
 * are, COUNTERPROOF_SEED which. Rules that need a run folder have nothing to say about these bare logs.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { h } from '../support/history.js';
import { judgeText } from '../support/judge.js';
import { anyGraph, editedRun } from '../support/opinion/histories.js';
import { OPINED, opinionOn, type Opinion } from '../support/opinion/opinion.js';

const SEED = Number(process.env['COUNTERPROOF_SEED'] ?? 20260528);
const HISTORIES = Number(process.env['COUNTERPROOF_HISTORIES'] ?? 4000);
const FAMILIES = /^(?:causal|run|plan|task|action)\//;

/** A finding of these names some of the lines that break the rule, or where it shows; of all others, every one. */
const SHOWN_IN_PART = new Set([
  'causal/cycle',
  'causal/duplicate-id',
  'run/start-missing',
  'run/start-not-first',
  'run/goal-missing',
  'run/terminal-missing',
  'run/event-after-terminal',
  'plan/draft-missing',
  'plan/request-without-draft',
  'plan/decision-repeated',
  'plan/never-granted',
  'task/start-missing',
  'task/action-outside-task',
  'task/result-missing',
  'action/approval-after-execution',
]);

/** Where the two once disagreed and the oracle was wrong, made as small as they get. */
const FOUND = [
  // Asking for the same plan again, or for an action, is no new draft.
  'run goal plan ask reject ask@reject grant t1> t1! t1< done',
  'run goal plan ask grant t1> t1! plan2@t1! ask reject p1?T2@t1! ask1 a1 e1 t1< done',
  // A request that ends late is not the one that was granted meanwhile.
  'run goal plan ask ask@plan grant@ask expire@evt_004 t1>@grant t1! t1< done',
  // A rejection, a time-out or an approval that is about no proposal.
  'run goal plan ask grant t1> t1! p1?T3 r1@t1! t1< done',
  'run goal plan ask grant t1> t1! p1?T3 x1@t1! t1< done',
  'run goal plan ask grant t1> t1! ~action_approved@t1! t1< done',
  // A time-out lifts no rejection, and nobody approves twice.
  'run goal plan ask grant t1> t1! p1?T1 r1 ask1@r1 x1 e1 t1< done',
  'run goal plan ask grant t1> t1! p1?T3 a1 a1(human:ann)@a1 a1@a1 e1 t1< done',
  // Another command was shown than the one that is executed.
  'run goal plan ask grant t1> t1! p1?T3{command:rm} ask1{command:ls} a1 e1{command:rm} t1< done',
  // Events without names: a dispatch is no second one, a start or a result still needs a task.
  'run goal plan ask grant t1> t1! t1< t2>@t1<{taskId:-} done',
  'run goal plan ask grant ~task_started@grant t1> t1! t1< done',
  'run goal plan ask grant ~task_result@grant t1> t1! t1< done',
  // What is done belongs to its proposal, also where it names a plan beside.
  'run goal plan ask grant t1> t1! p1?T3 r1 e1{proposalId:-,planId:plan_v1} t1< done',
  // What is granted is an action, not a plan.
  'run goal plan ask grant{planId:-,proposalId:prop_1}@goal t1> t1! e-T0 t1< done',
];

const seen = { histories: 0, pass: 0, fail: 0, unknown: 0, broken: new Map<string, number>() };

afterAll(() => {
  const { histories, pass, fail, unknown, broken } = seen;
  process.stdout.write(
    `second opinion: ${histories} histories from seed ${SEED} (${pass} pass, ${fail} fail, ${unknown} unknown), ${broken.size} rules broken\n`,
  );
});

function compare(log: string): void {
  const { findings, run } = judgeText(log);
  const errors = findings.filter(({ rule, severity }) => severity === 'error' && FAMILIES.test(rule));
  const lines = new Map<string, Set<number>>();
  for (const { rule, events } of errors)
    for (const { line } of events) lines.set(rule, (lines.get(rule) ?? new Set()).add(line));
  const opinion = opinionOn(log);
  const oracle = { verdict: run.facets['well-formed'].verdict, rules: [...lines.keys()].sort() };
  expect(oracle).toEqual({ verdict: opinion.verdict, rules: [...opinion.broken.keys()].sort() });
  for (const [rule, own] of opinion.broken)
    if (!SHOWN_IN_PART.has(rule))
      expect({ rule, unnamed: own.filter((line) => lines.get(rule)?.has(line) !== true) }).toEqual({
        rule,
        unnamed: [],
      });
  count(opinion);
}

function count({ verdict, broken }: Opinion): void {
  seen.histories++;
  seen[verdict]++;
  for (const rule of broken.keys()) seen.broken.set(rule, (seen.broken.get(rule) ?? 0) + 1);
}

for (const { name, histories, part } of [
  { name: 'good runs with up to four edits', histories: editedRun, part: 0.6 },
  { name: 'graphs of any events', histories: anyGraph, part: 0.4 },
]) {
  it(
    `second opinion: ${name} → the oracle finds the same`,
    () => {
      const numRuns = Math.ceil(HISTORIES * part);
      fc.assert(fc.property(histories, compare), { numRuns, seed: SEED });
    },
    // Enough for any number of histories on a slow machine; the default is for the default number.
    Math.max(60_000, HISTORIES * 60),
  );
}

for (const notation of FOUND) {
  it(`second opinion: ${notation} → the oracle finds the same`, () => {
    compare(h(notation));
  });
}

it('second opinion: the histories together → every rule that a bare log can break is broken', () => {
  const unbroken = OPINED.filter((rule) => seen.broken.get(rule) === undefined);
  expect(HISTORIES < 4000 ? [] : unbroken).toEqual([]);
});
