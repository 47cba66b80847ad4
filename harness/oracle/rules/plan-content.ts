/**
 * Rules of family `plan` about dispatching: only what a granted plan holds is dispatched, after the grant and
 * after what it depends on. Two of them read the plan's own file and so need the run folder.
 */
import type { JsonObject } from '../../core/event.js';
import type { Case } from '../case.js';
import { said, textOf, type PlannedTask } from '../documents.js';
import { DRAFTS, GRANT, is } from '../kinds.js';
import type { Report, Rule } from '../rule.js';
import { grantTracer, PlanEvents } from './plan-docket.js';

const dispatchBeforeGrant: Rule = {
  id: 'plan/dispatch-before-grant',
  title: 'A task is dispatched before any plan is granted',
  facet: 'well-formed',
  severity: 'error',
  why: 'Dispatching is acting on a plan; nobody had agreed to it.',
  example: 'run goal plan ask t1> t1! t1< done',
  mend: 'Wait for approval_granted, and make the dispatch its effect.',
  check(c, report) {
    const { history } = c;
    const early: number[] = [];
    const unlinked: number[] = [];
    const isUnderGrant = grantTracer(c);
    let granted = -1;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (is(GRANT, history.kindCode(event)) && c.isAboutPlan(event)) granted = granted < 0 ? event : granted;
      if (history.kind(event) !== 'task_dispatched') continue;
      report.applied();
      if (granted < 0) early.push(event);
      else if (!isUnderGrant(event) && c.brokenAt(event) < 0) unlinked.push(event);
    }
    if (early.length > 0) add(early, 'before any grant', granted);
    for (const event of unlinked) add([event], 'not caused by a grant', granted);
    function add(events: readonly number[], how: string, grant: number): void {
      const tasks = events.slice(0, 8).map((event) => history.text(history.taskNumber(event)));
      report.found({
        events: [
          ...events.slice(0, 6).map((event) => ({ event, role: 'dispatch' })),
          ...(grant < 0 ? [] : [{ event: grant, role: 'first grant' }]),
        ],
        subject: { kind: 'event', event: events[0] as number },
        facts: { tasks, how },
        key: [how, ...tasks],
        ...(grant < 0 ? { absence: 'before' as const } : {}),
      });
    }
  },
  say: (facts) => `${said(facts['tasks'])} is dispatched ${facts['how'] as string} of a plan.`,
};

const neverGranted: Rule = {
  id: 'plan/never-granted',
  title: 'The run completes, and no plan was granted',
  facet: 'well-formed',
  severity: 'error',
  why: 'To complete is to have done what was agreed; nobody agreed to anything. A run that gets no answer is aborted.',
  example: 'run goal plan ask done',
  mend: 'End the run with run_aborted, or wait for approval_granted and carry the plan out.',
  atEnd: true,
  check(c, report) {
    const { history } = c;
    const [terminal] = c.terminals;
    if (c.collapsed || terminal === undefined || history.kind(terminal) !== 'run_completed') return;
    report.applied();
    let plan = -1;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (is(DRAFTS, history.kindCode(event))) plan = event;
      // What is dispatched without a grant is `dispatch-before-grant`.
      else if (history.kind(event) === 'task_dispatched') return;
      else if (is(GRANT, history.kindCode(event)) && c.isAboutPlan(event)) return;
    }
    if (plan < 0) return;
    const name = history.text(history.planNumber(plan));
    report.found({
      events: [
        { event: terminal, role: 'end of the run' },
        { event: plan, role: 'never granted' },
      ],
      subject: { kind: 'run' },
      facts: { plan: name },
      key: [name],
      absence: 'before',
    });
  },
  say: (facts) => `The run completes although ${said(facts['plan'] || 'its plan')} was never granted.`,
};

/** Calls `visit` for every dispatch with the plan in force at that moment; one whose text is gone decides nothing. */
function forDispatches(
  c: Case,
  report: Report,
  visit: (dispatch: number, plan: { json: JsonObject; draft: number }) => void,
): void {
  const { history } = c;
  const drafts = new PlanEvents(c);
  let inForce: { json: JsonObject; draft: number } | undefined;
  for (let place = 0; place < history.size; place++) {
    const event = history.lineage.at(place);
    if (is(DRAFTS, history.kindCode(event))) drafts.add(event);
    else if (history.kind(event) === 'approval_granted' && c.isAboutPlan(event)) {
      const wanted = history.planNumber(event);
      const draft = drafts.lastLike(event);
      const json = draft === undefined ? undefined : (c.documents.plan(draft) ?? firstRatified(c, wanted));
      inForce = json === undefined || draft === undefined ? undefined : { json, draft };
      const path = draft === undefined ? undefined : history.dataText(draft, 'planPath');
      if (inForce === undefined && path !== undefined) report.unknown(`the plan ${path} is not at hand`);
    } else if (history.kind(event) === 'task_dispatched' && inForce !== undefined) visit(event, inForce);
  }
}

/** plan.ratified.json is the first plan granted; it counts only where its id agrees. */
function firstRatified(c: Case, wanted: number): JsonObject | undefined {
  const ratified = c.documents.json('plan.ratified.json');
  const isSame = wanted === 0 || textOf(ratified, 'id') === c.history.text(wanted);
  return isSame ? ratified : undefined;
}

const PLANNED = new WeakMap<JsonObject, ReadonlyMap<string, PlannedTask>>();

/** Tasks of a plan, read from its file once. */
function plannedTasks(c: Case, plan: JsonObject): ReadonlyMap<string, PlannedTask> {
  const tasks = PLANNED.get(plan) ?? c.documents.plannedTasks(plan);
  PLANNED.set(plan, tasks);
  return tasks;
}

const taskNotInPlan: Rule = {
  id: 'plan/task-not-in-plan',
  title: 'A task is dispatched that the granted plan does not hold',
  facet: 'well-formed',
  severity: 'error',
  why: 'The principal granted that plan, not this task.',
  example: 'a dispatch of task_fix-1 under a plan of task_a and task_b',
  mend: 'Revise the plan, have it granted, then dispatch.',
  needs: ['folder'],
  check(c, report) {
    const { history } = c;
    forDispatches(c, report, (event, plan) => {
      report.applied();
      const task = history.text(history.taskNumber(event));
      const planned = plannedTasks(c, plan.json);
      if (task === '' || planned.has(task)) return;
      report.found({
        events: [
          { event, role: 'dispatch' },
          { event: plan.draft, role: 'plan in force' },
        ],
        subject: { kind: 'event', event },
        facts: { task, plan: textOf(plan.json, 'id') ?? '', planned: [...planned.keys()] },
        key: [task],
        path: history.dataText(plan.draft, 'planPath') ?? 'plan.ratified.json',
      });
    });
  },
  say: (facts) =>
    `${facts['task'] as string} is dispatched, but the plan in force (${facts['plan'] as string}) holds only ${said(facts['planned'])}.`,
};

const dependencyViolated: Rule = {
  id: 'plan/dependency-violated',
  title: 'A task is dispatched before what it depends on',
  facet: 'well-formed',
  severity: 'error',
  why: 'The plan says what must be finished first, often what makes the task safe.',
  example: 'the purge dispatched before the snapshot it depends on',
  mend: 'Wait for a result `success` or `partial` of every dependency.',
  needs: ['folder'],
  check(c, report) {
    const { history } = c;
    const isDone = doneBefore(c);
    forDispatches(c, report, (event, plan) => {
      const task = plannedTasks(c, plan.json).get(history.text(history.taskNumber(event)));
      if (task === undefined) return;
      report.applied();
      const unmet = task.dependsOn.filter((dependency) => !isDone(dependency, event));
      if (unmet.length === 0) return;
      report.found({
        events: [
          { event, role: 'dispatch' },
          { event: plan.draft, role: 'plan in force' },
        ],
        subject: { kind: 'event', event },
        facts: { task: task.id, unmet },
        key: [task.id, ...unmet],
        absence: 'before',
      });
    });
  },
  say: (facts) =>
    `${facts['task'] as string} is dispatched although ${said(facts['unmet'])} has no result \`success\` or \`partial\` yet.`,
};

/** A dependency is satisfied by a result `success` or `partial` that stands before the dispatch. */
function doneBefore(c: Case): (dependency: string, dispatch: number) => boolean {
  const done = new Map<string, number | undefined>();
  return (dependency, dispatch) => {
    if (!done.has(dependency)) done.set(dependency, firstDone(c, dependency));
    const result = done.get(dependency);
    return result !== undefined && c.isBefore(result, dispatch);
  };
}

function firstDone(c: Case, task: string): number | undefined {
  const number = c.history.numberOf(task);
  const results = number === 0 ? [] : c.task(number).results;
  return results.find((result) => {
    const status = c.history.dataText(result, 'status');
    return status === 'success' || status === 'partial';
  });
}

export const PLAN_CONTENT_RULES: readonly Rule[] = [
  dispatchBeforeGrant,
  neverGranted,
  taskNotInPlan,
  dependencyViolated,
];
