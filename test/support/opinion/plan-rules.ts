/**
 * Family `plan` as set comprehensions over the relations of world.ts: drafts, requests, answers, dispatches.
 * What only a run folder could show (which tasks a plan holds) is not judged, as the logs are bare.
 */
import type { Fact } from './facts.js';
import { isAborted, type Rule } from './run-rules.js';
import { answersOf, DRAFTS, grantsOf, isYes, isNo, proposalOf, requestsOf } from './subjects.js';
import { agree, isBefore, misses, nearest, ofKind, type World } from './world.js';

export const PLAN: Readonly<Record<string, Rule>> = {
  'plan/draft-missing': (world) => {
    const needing = [...requestsOf(world, 'plan'), ...grantsOf(world)];
    needing.push(...ofKind(world, 'task_dispatched', 'action_executed', 'run_completed'));
    return ofKind(world, ...DRAFTS).length > 0 ? [] : needing.slice(0, 1);
  },
  'plan/draft-without-goal': (world) => {
    const goals = ofKind(world, 'goal_received');
    return goals.length === 0 ? [] : ofKind(world, ...DRAFTS).filter((draft) => misses(world, draft, goals));
  },
  'plan/request-without-draft': (world) =>
    requestsOf(world, 'plan').filter((request) => isUnfounded(world, request, ofKind(world, ...DRAFTS))),
  'plan/decision-without-request': (world) =>
    answersOf(world, 'plan').filter((answer) => isUnfounded(world, answer, requestsOf(world, 'plan'))),
  'plan/decision-repeated': (world) => [...repeatedOnPlans(world), ...repeatedOnProposals(world)],
  'plan/rejected-without-redraft': (world) => {
    const goesOn = (no: Fact): Fact[] => [
      ...ofKind(world, ...DRAFTS, 'run_aborted'),
      // Another plan is at hand: that its draft is missing is a matter of its own.
      ...[...requestsOf(world, 'plan'), ...grantsOf(world)].filter((fact) => !agree(fact, no, 'planId')),
    ];
    const rejections = answersOf(world, 'plan').filter(isNo);
    return rejections.filter((no) => !goesOn(no).some((next) => isBefore(world, no, next)));
  },
  'plan/dispatch-before-grant': (world) =>
    ofKind(world, 'task_dispatched').filter((dispatch) => {
      const grants = grantsOf(world).filter((grant) => isBefore(world, grant, dispatch));
      return grants.length === 0 || misses(world, dispatch, grants);
    }),
  'plan/never-granted': (world) => {
    const excused = grantsOf(world).length > 0 || ofKind(world, 'task_dispatched').length > 0;
    const isPlanned = ofKind(world, ...DRAFTS).length > 0;
    return excused || !isPlanned || isAborted(world) ? [] : ofKind(world, 'run_completed');
  },
};

/** No source of the same plan stands before it, or none of those is above it. */
function isUnfounded(world: World, fact: Fact, sources: readonly Fact[]): boolean {
  const own = sources.filter((source) => agree(source, fact, 'planId') && isBefore(world, source, fact));
  return own.length === 0 || misses(world, fact, own);
}

/** A second answer to the plan request that is nearest above both. */
function repeatedOnPlans(world: World): Fact[] {
  const requests = requestsOf(world, 'plan');
  const asked = (answer: Fact): Fact | undefined =>
    nearest(world, answer, (fact) => requests.includes(fact) && agree(fact, answer, 'planId'));
  const answers = answersOf(world, 'plan');
  return answers.filter((late) =>
    answers.some(
      (early) => isBefore(world, early, late) && asked(early) !== undefined && asked(early) === asked(late),
    ),
  );
}

/** A second answer about a proposal, unless it was asked again in between or a second person agrees. */
function repeatedOnProposals(world: World): Fact[] {
  const answers = answersOf(world, 'proposal');
  const requests = requestsOf(world, 'proposal');
  const about = (fact: Fact): string | undefined => proposalOf(world, fact);
  const repeats = (early: Fact, late: Fact): boolean =>
    isBefore(world, early, late) &&
    about(early) !== undefined &&
    about(early) === about(late) &&
    !(isPerson(early) && isPerson(late) && early.actor !== late.actor) &&
    !requests.some(
      (ask) => about(ask) === about(late) && isBefore(world, early, ask) && isBefore(world, ask, late),
    );
  return answers.filter((late) => answers.some((early) => repeats(early, late)));
}

function isPerson(answer: Fact): boolean {
  return isYes(answer) && answer.data['auto'] !== true;
}
