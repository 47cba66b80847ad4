/**
 * Rules of family `plan` about dispatching: only what a granted plan holds is dispatched, after the grant and
 * after what it depends on. Two of them read the plan's own file and so need the run folder.
 */
import type { JsonObject } from '../../core/event.js';
import type { Case } from '../case.js';
import { said, textOf } from '../documents.js';
import { DRAFTS, GRANT, is } from '../kinds.js';
import type { Report, Rule } from '../rule.js';

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
    let granted = -1;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (is(GRANT, history.kindCode(event)) && c.isAboutPlan(event)) granted = granted < 0 ? event : granted;
      if (history.kind(event) !== 'task_dispatched') continue;
      report.applied();
      if (granted < 0) early.push(event);
      else if (!descendsFromGrant(c, event) && c.brokenAt(event) < 0) unlinked.push(event);
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

/** Whether the nearest grants above an event include one about a plan. */
function descendsFromGrant(c: Case, event: number): boolean {
  for (let grant = c.nearest(event, GRANT); grant >= 0; grant = c.nearest(grant, GRANT)) {
    if (c.isAboutPlan(grant)) return true;
  }
  return false;
}

/** Calls `visit` for every dispatch with the plan in force at that moment; one whose text is gone decides nothing. */
function forDispatches(
  c: Case,
  report: Report,
  visit: (dispatch: number, plan: { json: JsonObject; draft: number }) => void,
): void {
  const { history } = c;
  const drafts: number[] = [];
  let inForce: { json: JsonObject; draft: number } | undefined;
  for (let place = 0; place < history.size; place++) {
    const event = history.lineage.at(place);
    if (is(DRAFTS, history.kindCode(event))) drafts.push(event);
    else if (history.kind(event) === 'approval_granted' && c.isAboutPlan(event)) {
      const wanted = history.planNumber(event);
      const matching = drafts.filter(
        (draft) => wanted === 0 || history.planNumber(draft) === 0 || history.planNumber(draft) === wanted,
      );
      const draft = matching[matching.length - 1];
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
      const planned = c.documents.plannedTasks(plan.json);
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
    forDispatches(c, report, (event, plan) => {
      const task = c.documents.plannedTasks(plan.json).get(history.text(history.taskNumber(event)));
      if (task === undefined) return;
      report.applied();
      const unmet = task.dependsOn.filter((dependency) => !isDone(c, dependency, event));
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
function isDone(c: Case, dependency: string, dispatch: number): boolean {
  const number = c.history.numberOf(dependency);
  if (number === 0) return false;
  return c.task(number).results.some((result) => {
    const status = c.history.dataText(result, 'status');
    return (status === 'success' || status === 'partial') && c.isBefore(result, dispatch);
  });
}

export const PLAN_CONTENT_RULES: readonly Rule[] = [dispatchBeforeGrant, taskNotInPlan, dependencyViolated];
