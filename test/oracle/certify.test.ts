/**
 * Certificates never hide a fault. Whatever a test judges is judged with and without them (support/judge.ts); here are
 * the logs that a careless certificate would pass, each with the rule that must still find something.
 */
import { describe, expect, test } from 'vitest';
import { history, jsonl, type TestEvent } from '../support/history.js';
import { judgeText } from '../support/judge.js';

/** Rules of all findings, consequences and notes included. */
function rulesOf(log: string): readonly string[] {
  return judgeText(log).findings.map(({ rule }) => rule);
}

const NOTATIONS = [
  // The plan was decided; the second decision is below the first request, not the one asked last.
  ['run goal plan ask grant ask@grant grant@evt_004 t1>@grant t1! t1< done', 'plan/decision-repeated'],
  // A grant that names nothing is about the proposal that caused it.
  ['run goal plan p1?T3@plan ~approval_granted@p1 t1>@evt_005 t1! t1< done', 'plan/dispatch-before-grant'],
  // Each executed action has an approval of its own, but leans on that of another.
  [
    'run goal plan ask grant t1> t1! p1?T3 ask1 a1 p2?T3@a1 ask2 a2 e1@a2 e2@a2 t1< done',
    'gate/shared-approval',
  ],
  // Between an approval and what is done stands somebody else's proposal.
  ['run goal plan ask grant t1> t1! p1?T3 a1 p2?T3@p1 a2 e1@a2 t1< done', 'action/approval-not-its-cause'],
  // A result, and then an action of the same task below its start.
  ['run goal plan ask grant t1> t1! t1< e-T0@t1! done', 'task/action-outside-task'],
  // The start is there, and is that of another task.
  ['run goal plan ask grant t1> t1! t2>@grant t2< t1< done', 'task/start-missing'],
  // The same proposal is made again, and what was shown first is done.
  [
    'run goal plan ask grant t1> t1! p1?T3{command:rm} p1?T3{command:ls} ask1 a1 e1{command:rm} t1< done',
    'action/executed-differs-from-approved',
  ],
] as const;

describe('certify', () => {
  test.each(NOTATIONS)('certify: %s → %s', (notation, rule) => {
    expect(rulesOf(jsonl(history(notation)))).toContain(rule);
  });

  test('certify: a block whose preventedBy is no word of the protocol → contradictory', () => {
    const block = { wouldHaveExecuted: true, actuallyExecuted: true, preventedBy: 'luck' };
    const events = history('run goal plan ask grant t1> t1! p1?T1 e1 t1< done').map((event) =>
      event.kind === 'action_executed' ? { ...event, counterfactual: block } : event,
    );
    expect(rulesOf(jsonl(events))).toContain('counterfactual/contradictory');
  });

  test('certify: a line of another run says the command that is done → it is still not what was approved', () => {
    const events = history(
      'run goal plan ask grant t1> t1! p1?T3{command:ls} ask1 a1 e1{command:rm} t1< done',
    );
    const at = events.findIndex(({ kind }) => kind === 'action_proposed');
    const proposal = events[at] as TestEvent;
    const foreign = {
      ...proposal,
      id: 'evt_foreign',
      runId: 'run_other',
      data: { ...proposal.data, command: 'rm' },
    };
    const log = jsonl([...events.slice(0, at + 1), foreign, ...events.slice(at + 1)]);
    expect(rulesOf(log)).toContain('action/executed-differs-from-approved');
  });

  test.each([['\\u0072m'], [' rm '], ['rm\\n'], ['\\trm']])(
    'certify: a refused command comes back spelt "%s" → laundering',
    (spelling) => {
      const log = jsonl(
        history('run goal plan ask grant t1> t1! p1?T4{command:rm} ask1 r1 p2?T1{command:rm} a2 e2 t1< done'),
      );
      const second = log.lastIndexOf('"command":"rm"');
      const rest = log.slice(second + '"command":"rm"'.length);
      expect(rulesOf(`${log.slice(0, second)}"command":"${spelling}"${rest}`)).toContain('gate/laundering');
    },
  );
});
