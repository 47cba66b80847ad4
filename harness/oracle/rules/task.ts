/**
 * Rules of family `task`: each dispatched task starts, acts between start and result, and has exactly one result.
 */
import type { TaskRecord } from '../case.js';
import { removeOneOf } from '../fixes.js';
import { ACTIONS, is } from '../kinds.js';
import type { Rule } from '../rule.js';

const dispatchedTwice: Rule = {
  id: 'task/dispatched-twice',
  title: 'A task is dispatched twice',
  facet: 'well-formed',
  severity: 'error',
  why: 'Two dispatches may mean two executions; a retry is a new task of a revised plan.',
  example: 'run goal plan ask grant t1> t1> t1! t1< done',
  mend: 'Give the retry a task id of its own.',
  check(c, report) {
    for (const task of c.tasks()) {
      if (task.dispatches.length === 0) continue;
      report.applied();
      const [first, ...more] = task.dispatches as [number, ...number[]];
      if (more.length === 0) continue;
      report.found({
        events: [
          ...more.slice(0, 6).map((event) => ({ event, role: 'again' })),
          { event: first, role: 'first dispatch' },
        ],
        subject: { kind: 'task', number: task.number },
        facts: { task: task.name, count: task.dispatches.length },
        key: [task.name],
        ...removeOneOf(c, [...more, first]),
      });
    }
  },
  say: (facts) => `${facts['task'] as string} is dispatched ${facts['count'] as number} times.`,
};

const startWithoutDispatch: Rule = {
  id: 'task/start-without-dispatch',
  title: 'A task starts that was not dispatched',
  facet: 'well-formed',
  severity: 'error',
  why: 'Work nobody handed out is work outside the plan.',
  example: 'run goal plan ask grant t1! t1< done',
  mend: 'Write task_dispatched before task_started, and make the start its effect.',
  check(c, report) {
    const { history } = c;
    for (const task of c.tasks()) {
      for (const event of task.starts) {
        report.applied();
        const before = task.dispatches.filter((dispatch) => c.isBefore(dispatch, event));
        const isLinked = before.some((dispatch) => history.lineage.isAncestor(dispatch, event));
        if (isLinked || c.brokenAt(event) >= 0) continue;
        report.found({
          events: [
            { event, role: 'start' },
            ...before.slice(-1).map((dispatch) => ({ event: dispatch, role: 'not among its causes' })),
          ],
          subject: { kind: 'task', number: task.number },
          facts: { task: task.name, dispatched: before.length > 0 },
          key: [task.name],
          ...(before.length === 0 ? { absence: 'before' as const } : {}),
        });
      }
    }
  },
  say: (facts) =>
    facts['dispatched'] === true
      ? `The start of ${facts['task'] as string} does not descend from its dispatch.`
      : `${facts['task'] as string} starts, but no task_dispatched for it stands before.`,
};

const NOUN: Readonly<Record<string, string>> = {
  action_proposed: 'A proposal',
  action_executed: 'An execution',
  action_failed: 'A failed action',
  task_result: 'A result',
};

const startMissing: Rule = {
  id: 'task/start-missing',
  title: 'A dispatched task acts or ends without a start',
  facet: 'well-formed',
  severity: 'error',
  why: 'Without the start nobody knows who took the task on, and when.',
  example: 'run goal plan ask grant t1> t1< done',
  mend: 'Write task_started when the agent takes the task on, before its first action.',
  check(c, report) {
    const { history } = c;
    for (const task of c.tasks()) {
      const [dispatch] = task.dispatches;
      if (dispatch === undefined) continue;
      report.applied();
      if (task.starts.length > 0) continue;
      const [first] = [...task.actions, ...task.results].sort(
        (a, b) => history.lineage.place(a) - history.lineage.place(b),
      );
      if (first === undefined && (c.isAborted || c.live)) continue;
      report.found({
        events: [
          ...(first === undefined ? [] : [{ event: first, role: 'needs a start' }]),
          { event: dispatch, role: 'dispatch' },
        ],
        subject: { kind: 'task', number: task.number },
        facts: { task: task.name, before: first === undefined ? null : history.kindName(first) },
        key: [task.name],
        absence: first === undefined ? 'after' : 'before',
        witness: {
          present: [{ line: history.line(dispatch), values: { '/kind': 'task_dispatched' } }],
          absent: { values: { '/kind': 'task_started', '/data/taskId': task.name } },
        },
        fix: {
          op: 'insert',
          kind: 'task_started',
          data: { taskId: task.name },
          afterLine: history.line(dispatch),
          causedBy: history.id(dispatch),
        },
      });
    }
  },
  say: (facts) =>
    facts['before'] === null
      ? `${facts['task'] as string} is dispatched and never started.`
      : `${NOUN[facts['before'] as string] ?? 'An event'} needs a task_started between its dispatch and itself; none exists for ${facts['task'] as string}.`,
};

const actionOutsideTask: Rule = {
  id: 'task/action-outside-task',
  title: 'An action lies outside its task',
  facet: 'well-formed',
  severity: 'error',
  why: 'Actions belong between the start and the result of the task that was granted.',
  example: 'run goal plan ask grant t1> t1! t1< e-T0@t1! done',
  mend: 'Act between task_started and task_result; a log without tasks is well formed only with --profile collapsed.',
  check(c, report) {
    const { history } = c;
    if (c.collapsed) return;
    const homeless: number[] = [];
    for (let event = 0; event < history.size; event++) {
      if (!is(ACTIONS, history.kindCode(event))) continue;
      report.applied();
      const number = c.taskOf(event);
      if (c.hasNoTasks || number === 0) homeless.push(event);
      else checkAction(c.task(number), event);
    }
    const kept = homeless.filter((event) => c.brokenAt(event) < 0);
    if (kept.length > 0) found(kept, '', 'belongs to no task');

    function checkAction(task: TaskRecord, event: number): void {
      if (c.brokenAt(event) >= 0 || task.starts.length === 0) return;
      const own = task.starts.filter((start) => history.lineage.isAncestor(start, event));
      if (own.length === 0) found([event], task.name, 'does not descend from the start of its task');
      else if (task.results.some((result) => c.isBefore(result, event)))
        found([event], task.name, 'follows the result of its task');
    }

    function found(events: readonly number[], task: string, how: string): void {
      report.found({
        events: events.slice(0, 6).map((event) => ({ event, role: 'action' })),
        subject: { kind: 'event', event: events[0] as number },
        facts: { task, how, count: events.length },
        key: [task, how],
        ...(task === '' ? { absence: 'anywhere' as const } : {}),
      });
    }
  },
  say: (facts) =>
    (facts['count'] === 1 ? 'The action ' : `Each of ${facts['count'] as number} actions `) +
    (facts['how'] as string) +
    (facts['task'] === '' ? '.' : ` (${facts['task'] as string}).`),
};

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
      for (const event of task.results) {
        report.applied();
        if (c.brokenAt(event) >= 0 && task.starts.length > 0) continue;
        const isStarted = task.starts.some((start) => c.isBefore(start, event));
        const isLinked = task.dispatches.some((dispatch) => history.lineage.isAncestor(dispatch, event));
        // Never started though dispatched is `start-missing`; never dispatched is the start's fault.
        if (isStarted && (isLinked || task.dispatches.length === 0)) continue;
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
  },
  say: (facts) =>
    facts['started'] === true
      ? `The result of ${facts['task'] as string} does not descend from its dispatch.`
      : `${facts['task'] as string} has a result, but no task_started stands before it.`,
};

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

export const TASK_RULES: readonly Rule[] = [
  dispatchedTwice,
  startWithoutDispatch,
  startMissing,
  actionOutsideTask,
  resultWithoutStart,
  resultMissing,
  resultRepeated,
];
