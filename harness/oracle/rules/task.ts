/**
 * Rules of family `task` about the way to a result: each dispatched task starts once and acts after its start.
 * What its result must keep is in task-result.ts.
 */
import type { TaskRecord } from '../case.js';
import { removeOneOf } from '../fixes.js';
import { ACTIONS, is } from '../kinds.js';
import type { Rule } from '../rule.js';
import { eventsOfNoTask, TASK_RESULT_RULES } from './task-result.js';

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
      // A dispatch that names no task cannot be shown to be one of this again.
      const named = task.dispatches.filter((event) => c.history.taskNumber(event) !== 0);
      const [first, ...more] = (named.length > 0 ? named : task.dispatches) as [number, ...number[]];
      if (more.length === 0) continue;
      report.found({
        events: [
          ...more.slice(0, 6).map((event) => ({ event, role: 'again' })),
          { event: first, role: 'first dispatch' },
        ],
        subject: { kind: 'task', number: task.number },
        facts: { task: task.name, count: more.length + 1 },
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
      const isLinked = history.lineage.belowAny(task.dispatches);
      for (const event of task.starts) {
        report.applied();
        if (isLinked(event) || c.brokenAt(event) >= 0) continue;
        const before = c.lastBefore(task.dispatches, event);
        report.found({
          events: [
            { event, role: 'start' },
            ...(before === undefined ? [] : [{ event: before, role: 'not among its causes' }]),
          ],
          subject: { kind: 'task', number: task.number },
          facts: { task: task.name, dispatched: before !== undefined },
          key: [task.name],
          ...(before === undefined ? { absence: 'before' as const } : {}),
        });
      }
    }
    for (const event of eventsOfNoTask(c, 'task_started')) {
      report.applied();
      const facts = { task: 'A task without a name', dispatched: false };
      const events = [{ event, role: 'start' }];
      report.found({ events, subject: { kind: 'event', event }, facts, key: [], absence: 'before' });
    }
  },
  say: (facts) =>
    facts['dispatched'] === true
      ? `The start of ${facts['task'] as string} does not descend from its dispatch.`
      : `${facts['task'] as string} starts, but no task_dispatched for it stands before.`,
};

const startedTwice: Rule = {
  id: 'task/started-twice',
  title: 'A task starts twice',
  facet: 'well-formed',
  severity: 'error',
  why: 'Two agents at one task, or a second try that passes for the first; a retry is a new task of a revised plan.',
  example: 'run goal plan ask grant t1> t1! t1! t1< done',
  mend: 'Give the retry a task id of its own.',
  check(c, report) {
    for (const task of c.tasks()) {
      const [first, ...more] = task.starts;
      if (first === undefined) continue;
      report.applied();
      if (more.length === 0) continue;
      report.found({
        events: [
          ...more.slice(0, 6).map((event) => ({ event, role: 'again' })),
          { event: first, role: 'first start' },
        ],
        subject: { kind: 'task', number: task.number },
        facts: { task: task.name, count: task.starts.length },
        key: [task.name],
        ...removeOneOf(c, [...more, first]),
      });
    }
  },
  say: (facts) => `${facts['task'] as string} starts ${facts['count'] as number} times.`,
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

const GHOST = 'belongs to a task that was never dispatched nor started';

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
    const ghosts = new Set<number>();
    const isUnderStart = new Map<number, (event: number) => boolean>();
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
      if (c.brokenAt(event) >= 0) return;
      if (task.starts.length === 0) {
        // Dispatched and not started is `start-missing`; what nobody handed out is told once for each task.
        if (task.dispatches.length > 0 || ghosts.has(task.number)) return;
        ghosts.add(task.number);
        const others = task.actions.slice(0, 5).filter((action) => action !== event);
        found([event, ...others.slice(0, 4), ...task.results.slice(0, 1)], task.name, GHOST);
        return;
      }
      const isUnder = isUnderStart.get(task.number) ?? history.lineage.belowAny(task.starts);
      isUnderStart.set(task.number, isUnder);
      const [result] = task.results;
      if (!isUnder(event)) found([event], task.name, 'does not descend from the start of its task');
      else if (result !== undefined && c.isBefore(result, event))
        found([event], task.name, 'follows the result of its task');
    }

    function found(events: readonly number[], task: string, how: string): void {
      report.found({
        events: events
          .slice(0, 6)
          .map((event) => ({ event, role: is(ACTIONS, history.kindCode(event)) ? 'action' : 'result' })),
        subject: { kind: 'event', event: events[0] as number },
        facts: { task, how, count: events.length },
        key: [task, how],
        ...(task === '' || how === GHOST ? { absence: 'anywhere' as const } : {}),
      });
    }
  },
  say: (facts) =>
    (facts['count'] === 1 ? 'The action ' : `Each of ${facts['count'] as number} actions `) +
    (facts['how'] as string) +
    (facts['task'] === '' ? '.' : ` (${facts['task'] as string}).`),
};

export const TASK_RULES: readonly Rule[] = [
  dispatchedTwice,
  startWithoutDispatch,
  startedTwice,
  startMissing,
  actionOutsideTask,
  ...TASK_RESULT_RULES,
];
