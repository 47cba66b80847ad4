/**
 * Rules of family `task` about results: each dispatched task has exactly one, after its start. The way there is in
 * task.ts.
 */
import type { Case } from '../case.js';
import { removeOneOf } from '../fixes.js';
import { kinds } from '../kinds.js';
import type { Rule } from '../rule.js';

const DISPATCHED = kinds('task_dispatched');

const resultWithoutStart: Rule = {
  id: 'task/result-without-start',
  title: 'A result comes from a task that did not start',
  facet: 'well-formed',
  severity: 'error',
  why: 'A result without work is a claim.',
  example: 'run goal plan ask grant t2< done',
  mend: 'Write dispatch and start of the task before its result.',
  check(c, report) {
    const { history } = c;
    for (const task of c.tasks()) {
      const isLinked = history.lineage.belowAny(task.dispatches);
      const [start] = task.starts;
      for (const event of task.results) {
        report.applied();
        if (c.brokenAt(event) >= 0 && task.starts.length > 0) continue;
        const isStarted = start !== undefined && c.isBefore(start, event);
        // Never started though dispatched is `start-missing`; never dispatched is the start's fault.
        if (isStarted && (isLinked(event) || task.dispatches.length === 0)) continue;
        if (!isStarted && task.starts.length === 0 && task.dispatches.length > 0) continue;
        report.found({
          events: [
            { event, role: 'result' },
            ...task.dispatches
              .slice(0, 1)
              .map((dispatch) => ({ event: dispatch, role: 'not among its causes' })),
          ],
          subject: { kind: 'task', number: task.number },
          facts: { task: task.name, started: isStarted },
          key: [task.name],
          ...(isStarted ? {} : { absence: 'before' as const }),
        });
      }
    }
    for (const event of eventsOfNoTask(c, 'task_result')) {
      report.applied();
      const facts = { task: 'A task without a name', started: false };
      const events = [{ event, role: 'result' }];
      report.found({ events, subject: { kind: 'event', event }, facts, key: [], absence: 'before' });
    }
  },
  say: (facts) =>
    facts['started'] === true
      ? `The result of ${facts['task'] as string} does not descend from its dispatch.`
      : `${facts['task'] as string} has a result, but no task_started stands before it.`,
};

/** Starts or results that name no task and stand below none. */
export function eventsOfNoTask(c: Case, kind: 'task_started' | 'task_result'): number[] {
  const found: number[] = [];
  for (let event = 0; event < c.history.size; event++) {
    if (c.history.kind(event) !== kind || c.taskOf(event) !== 0 || c.brokenAt(event) >= 0) continue;
    // Below a dispatch without a name it is of that one's task.
    if (c.nearest(event, DISPATCHED) < 0) found.push(event);
  }
  return found;
}

/** First dispatch that does not say of which task. */
function dispatchOfNothing(c: Case): number | undefined {
  const { history } = c;
  for (let event = 0; event < history.size; event++)
    if (history.kind(event) === 'task_dispatched' && history.taskNumber(event) === 0) return event;
  return undefined;
}

const resultMissing: Rule = {
  id: 'task/result-missing',
  title: 'A dispatched task has no result',
  facet: 'well-formed',
  severity: 'error',
  why: 'A run completes when every task it handed out has reported back.',
  example: 'run goal plan ask grant t1> t1! done',
  mend: 'Write task_result, also for failures; or end the run with run_aborted.',
  atEnd: true,
  check(c, report) {
    const { history } = c;
    const nameless = c.isAborted ? undefined : dispatchOfNothing(c);
    if (nameless !== undefined)
      report.unknown(`the task_dispatched on line ${history.line(nameless)} names no task`);
    for (const task of c.tasks()) {
      const [dispatch] = task.dispatches;
      if (dispatch === undefined) continue;
      report.applied();
      if (task.results.length > 0 || c.isAborted) continue;
      const last = [...task.dispatches, ...task.starts, ...task.actions].sort(
        (a, b) => history.lineage.place(b) - history.lineage.place(a),
      )[0] as number;
      report.found({
        events: [
          { event: dispatch, role: 'dispatch' },
          ...c.terminals.slice(0, 1).map((event) => ({ event, role: 'end of the run' })),
        ],
        subject: { kind: 'task', number: task.number },
        facts: { task: task.name },
        key: [task.name],
        absence: 'after',
        witness: {
          present: [{ line: history.line(dispatch), values: { '/kind': 'task_dispatched' } }],
          absent: { values: { '/kind': 'task_result', '/data/taskId': task.name } },
        },
        fix: {
          op: 'insert',
          kind: 'task_result',
          data: { taskId: task.name, status: 'aborted' },
          afterLine: history.line(last),
          causedBy: history.id(last),
        },
      });
    }
  },
  say: (facts) => `${facts['task'] as string} is dispatched, and the run ends without its task_result.`,
};

const resultRepeated: Rule = {
  id: 'task/result-repeated',
  title: 'A task has more than one result',
  facet: 'well-formed',
  severity: 'error',
  why: 'If results differ, the run can be shown to have succeeded or failed at will.',
  example: 'run goal plan ask grant t1> t1! t1< t1< done',
  mend: 'Report once; correct a wrong result with a correction event.',
  check(c, report) {
    for (const task of c.tasks()) {
      if (task.results.length === 0) continue;
      report.applied();
      const [first, ...more] = task.results as [number, ...number[]];
      if (more.length === 0) continue;
      report.found({
        events: [
          ...more.slice(0, 20).map((event) => ({ event, role: 'again' })),
          { event: first, role: 'first result' },
        ],
        subject: { kind: 'task', number: task.number },
        facts: { task: task.name, count: task.results.length },
        key: [task.name],
        ...removeOneOf(c, [...more, first]),
      });
    }
  },
  say: (facts) => `${facts['task'] as string} has ${facts['count'] as number} results; a task has one.`,
};

export const TASK_RESULT_RULES: readonly Rule[] = [resultWithoutStart, resultMissing, resultRepeated];
