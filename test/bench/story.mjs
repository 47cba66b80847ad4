/**
 * One generated run from run_started to run_completed: a plan that is asked for until it is granted, tasks that several
 * agents work on at the same time, new plans now and then. Well formed by every rule, but for the defects asked for.
 */
import { act, callModel, council } from './actions.mjs';
import { spoil } from './defects.mjs';

const AGENTS = ['coder', 'reviewer', 'qa', 'researcher', 'ops', 'data'];
/** Two agents share a writer; everybody else writes through the first. */
export const LANES = 1 + AGENTS.length / 2;
/** Tasks until the plan is revised. */
const TASKS_PER_PLAN = 150;
/** Events that a task may still need once it was told to end, and that a plan needs. */
const RESERVE = 16;

export function laneOf(actor) {
  return 1 + Math.floor(AGENTS.indexOf(actor) / 2);
}

/** The least events of a run. */
export const EVENTS_MIN = 2 * RESERVE * AGENTS.length;

/**
 * Plays a run of exactly `events` events.
 * @param defects names from defects.mjs, one task each; what was spoiled stands in script.truth
 */
export function play(script, { events, defects, seed }) {
  const run = {
    events,
    defects: [...defects],
    tasks: 0,
    version: 0,
    limit: events - RESERVE * AGENTS.length,
  };
  run.stride = Math.max(1, Math.floor(events / 45 / (defects.length + 1)));
  run.start = start(script, seed);
  run.goal = script.emit('goal_received', 'principal', run.start, { data: { goalPath: 'goal.md' } });
  finish(script, ratify(script, run, run.goal));
  work(script, run);
  if (run.defects.length > 0)
    throw new Error(`${events} events are too few for ${defects.length} defects in a run`);
  wrapUp(script, run);
}

function start(script, seed) {
  const { random } = script;
  const data = {
    formatVersion: 1,
    studyId: 'bench',
    condition: 'c4',
    task: 'bench',
    model: 'scripted',
    seed,
  };
  data.digests = { condition: `sha256:${random.hex(64)}`, policy: `sha256:${random.hex(64)}` };
  const [first, ...others] = script.lanes.map(({ name }) => name);
  Object.assign(data, { mediation: 'full', simulation: true, lanes: [first] });
  const id = script.emit('run_started', 'harness', undefined, { data, lane: 0 });
  others.forEach((lane, index) => {
    script.emit('writer_joined', 'harness', id, { data: { lane }, lane: index + 1 });
  });
  return id;
}

/** Runs an activity alone, its waiting included. */
function finish(script, activity) {
  for (let next = activity.next(); next.done !== true; next = activity.next()) script.nowMs += next.value;
}

/** A plan, asked for and drafted anew until it is granted. */
function* ratify(script, run, cause) {
  const { random } = script;
  for (let at = cause; ;) {
    at = callModel(script, 'planner', at, 'plan');
    yield random.int(2000, 20000);
    const planId = `plan_v${++run.version}`;
    const planPath = run.version === 1 ? 'plan.draft.json' : `plans/${planId}.json`;
    const data = { planId, version: run.version, planPath, taskCount: random.int(3, 12), maxRiskTier: 'T4' };
    at = script.emit(run.version === 1 ? 'plan_drafted' : 'plan_revised', 'planner', at, { data });
    if (random.chance(0.1)) at = yield* council(script, at);
    const ask = { planId, channel: 'cli', actionDigest: `sha256:${random.hex(64)}` };
    at = script.emit('approval_requested', 'gate', at, { data: ask });
    yield random.int(5000, 60000);
    const isGranted = random.chance(0.6) || script.count > run.limit;
    const answer = { planId, decision: isGranted ? 'approve' : 'reject', by: 'principal' };
    if (!isGranted) answer.comment = random.text(80);
    const kind = isGranted ? 'approval_granted' : 'approval_rejected';
    at = script.emit(kind, 'principal', at, { data: answer });
    if (!isGranted) continue;
    run.granted = at;
    return;
  }
}

/** All agents at once: whoever is ready first goes on. */
function work(script, run) {
  const desks = AGENTS.map((actor) => ({ actor, readyMs: script.nowMs, activity: undefined }));
  while (desks.length > 0) {
    let index = 0;
    for (let other = 1; other < desks.length; other++)
      if (desks[other].readyMs < desks[index].readyMs) index = other;
    const desk = desks[index];
    script.nowMs = Math.max(script.nowMs, desk.readyMs);
    if (desk.activity === undefined && script.count >= run.limit) desks.splice(index, 1);
    else {
      desk.activity ??= nextTask(script, run, desk.actor);
      const next = desk.activity.next();
      if (next.done === true) desk.activity = undefined;
      else desk.readyMs = script.nowMs + next.value;
    }
  }
}

function nextTask(script, run, actor) {
  const number = ++run.tasks;
  if (number % TASKS_PER_PLAN === 0 && run.lastResult !== undefined)
    return ratify(script, run, run.lastResult);
  const task = { actor, number, id: `task_${number}-${script.random.hex(4)}`, proposals: 0 };
  const defect = number % run.stride === 0 ? run.defects.shift() : undefined;
  return doTask(script, run, { task, defect });
}

function* doTask(script, run, { task, defect }) {
  const { random } = script;
  const { id: taskId, actor } = task;
  const isFirst = run.lastResult === undefined || random.chance(0.5);
  const cause = isFirst ? run.granted : run.lastResult;
  const messagePath = `messages/msg_${task.number}.json`;
  const spoiled = defect === undefined ? {} : spoil(script, run, { task, defect });
  const dispatch = { data: { taskId, to: actor, messagePath } };
  let at = script.emit('task_dispatched', 'planner', spoiled.dispatchCause ?? cause, dispatch);
  spoiled.onDispatched?.(at);
  yield random.int(10, 2000);
  if (spoiled.skipsStart !== true) at = script.emit('task_started', actor, at, { data: { taskId } });
  if (spoiled.act !== undefined) at = yield* spoiled.act(at);
  for (let left = random.int(3, 12); left > 0 && script.count < run.limit; left--) {
    at = yield* act(script, task, at);
    yield random.int(50, 3000);
  }
  if (spoiled.skipsResult === true) return;
  const status = random.chance(0.9) ? 'success' : random.pick(['partial', 'failure']);
  const result = { taskId, status, resultPath: `results/${task.id}.json`, summary: random.text(90) };
  run.lastResult = script.emit('task_result', actor, at, { data: result });
  spoiled.onResult?.(run.lastResult, result);
}

/** What is checked at the end, up to the number of events asked for, and the end itself. */
function wrapUp(script, run) {
  const { random } = script;
  while (script.count < run.events - 1) {
    const data = { criterion: `criterion-${script.count}`, outcome: random.pick(['pass', 'pass', 'fail']) };
    Object.assign(data, { weight: 1, evidence: random.text(60) });
    script.emit('criterion_checked', 'testbed', run.lastResult, { data });
  }
  const data = { summary: `${run.tasks} tasks; ${random.text(60)}` };
  script.emit('run_completed', 'planner', run.lastResult, { data });
}
