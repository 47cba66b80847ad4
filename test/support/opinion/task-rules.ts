/**
 * Family `task` as set comprehensions over the relations of world.ts: dispatched, started, ended once, and acting in
 * between only. What is dispatched and not started is one rule's matter, however it goes on.
 */
import { named, type Fact } from './facts.js';
import { isAborted, type Rule } from './run-rules.js';
import { ACTIONS, taskOf } from './subjects.js';
import { agree, isBefore, misses, ofKind, type World } from './world.js';

export const TASK: Readonly<Record<string, Rule>> = {
  // A dispatch that names no task cannot be shown to be one of the same again.
  'task/dispatched-twice': (world) => {
    const dispatches = ofKind(world, 'task_dispatched').filter((fact) => named(fact, 'taskId') !== undefined);
    return dispatches.filter((late) =>
      dispatches.some((early) => agree(early, late, 'taskId') && isBefore(world, early, late)),
    );
  },
  'task/started-twice': (world) => second(world, 'task_started'),
  'task/result-repeated': (world) => second(world, 'task_result'),
  'task/start-without-dispatch': (world) =>
    ofKind(world, 'task_started').filter((start) => misses(world, start, dispatchesFor(world, start))),
  'task/start-missing': (world) => {
    const isDone = !isAborted(world);
    return ofKind(world, 'task_dispatched').filter(
      (dispatch) =>
        taskOf(world, dispatch) !== undefined &&
        ofTask(world, dispatch, 'task_started').length === 0 &&
        (isDone ||
          ofTask(world, dispatch, 'task_result').length > 0 ||
          ofTask(world, dispatch, ...ACTIONS).length > 0),
    );
  },
  'task/action-outside-task': (world) =>
    ofKind(world, ...ACTIONS).filter((action) => isOutside(world, action)),
  'task/result-without-start': (world) =>
    ofKind(world, 'task_result').filter((result) => {
      const dispatches = ofTask(world, result, 'task_dispatched');
      if (taskOf(world, result) === undefined) return misses(world, result, dispatchesFor(world, result));
      const starts = ofTask(world, result, 'task_started');
      if (starts.length === 0) return dispatches.length === 0;
      const isStarted = starts.some((start) => isBefore(world, start, result));
      if (world.broken[result.at] === true) return false;
      return !isStarted || (dispatches.length > 0 && misses(world, result, dispatches));
    }),
  'task/result-missing': (world) => {
    if (isAborted(world)) return [];
    return ofKind(world, 'task_dispatched').filter(
      (dispatch) =>
        taskOf(world, dispatch) !== undefined && ofTask(world, dispatch, 'task_result').length === 0,
    );
  },
};

/** Events of some kinds that belong to the same task. */
function ofTask(world: World, fact: Fact, ...kinds: readonly string[]): Fact[] {
  const task = taskOf(world, fact);
  return task === undefined ? [] : ofKind(world, ...kinds).filter((each) => taskOf(world, each) === task);
}

/** Dispatches that may be of the task of an event: those of its name; without a name any. */
function dispatchesFor(world: World, fact: Fact): Fact[] {
  return taskOf(world, fact) === undefined
    ? ofKind(world, 'task_dispatched')
    : ofTask(world, fact, 'task_dispatched');
}

function second(world: World, kind: string): Fact[] {
  return ofKind(world, kind).filter((late) =>
    ofTask(world, late, kind).some((early) => isBefore(world, early, late)),
  );
}

/** Not between the start and the first result of its task, or not below that start. */
function isOutside(world: World, action: Fact): boolean {
  const task = taskOf(world, action);
  if (world.broken[action.at] === true) return false;
  if (task === undefined) return true;
  const starts = ofTask(world, action, 'task_started');
  if (starts.length === 0) return ofTask(world, action, 'task_dispatched').length === 0;
  const isEnded = ofTask(world, action, 'task_result').some((result) => isBefore(world, result, action));
  return isEnded || !starts.some((start) => isBefore(world, start, action)) || misses(world, action, starts);
}
