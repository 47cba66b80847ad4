/**
 * What an event is about: which plan, proposal or task, by the ids it names, else by what caused it.
 * Small relations on top of world.ts, shared by the rules of the second opinion.
 */
import { named, type Fact } from './facts.js';
import { nearest, ofKind, type World } from './world.js';

export const DRAFTS = ['plan_drafted', 'plan_revised'];
export const ENDS = ['run_completed', 'run_aborted'];
export const EXECUTIONS = ['action_executed', 'action_failed'];
export const ACTIONS = ['action_proposed', ...EXECUTIONS];
const TASK_EVENTS = ['task_dispatched', 'task_started', 'task_result'];
const PLAN_ANSWERS = ['approval_granted', 'approval_rejected', 'approval_expired', 'approval_unavailable'];
const ACTION_ANSWERS = ['action_approved', 'action_rejected'];
const ANSWERS = [...PLAN_ANSWERS, ...ACTION_ANSWERS];
const YES = ['approval_granted', 'action_approved'];
const NO = ['approval_rejected', 'action_rejected'];

export const isYes = ({ kind }: Fact): boolean => YES.includes(kind);
export const isNo = ({ kind }: Fact): boolean => NO.includes(kind);

type Topic = 'plan' | 'proposal';

/** What a request or an answer is about, by the names in it, else by its cause; by both names, about both. */
function topicsOf(world: World, fact: Fact): readonly Topic[] {
  if (ACTION_ANSWERS.includes(fact.kind)) return ['proposal'];
  const proposal: Topic[] = proposalOf(world, fact) === undefined ? [] : ['proposal'];
  if (named(fact, 'planId') !== undefined) return ['plan', ...proposal];
  if (named(fact, 'proposalId') !== undefined) return ['proposal'];
  const cause = causeOf(world, fact);
  if (cause?.kind === 'action_proposed') return ['proposal'];
  const isPlanAsked = cause?.kind !== 'approval_requested' || topicsOf(world, cause).includes('plan');
  return isPlanAsked ? ['plan', ...proposal] : ['proposal'];
}

function causeOf(world: World, fact: Fact): Fact | undefined {
  return nearest(world, fact, () => true);
}

export function requestsOf(world: World, topic: Topic): Fact[] {
  return ofKind(world, 'approval_requested').filter((fact) => topicsOf(world, fact).includes(topic));
}

export function answersOf(world: World, topic: Topic): Fact[] {
  return ofKind(world, ...PLAN_ANSWERS, ...ACTION_ANSWERS).filter((fact) =>
    topicsOf(world, fact).includes(topic),
  );
}

export function grantsOf(world: World): Fact[] {
  return answersOf(world, 'plan').filter(isYes);
}

/** The proposal that an event is about: the one it names, else that of the proposal, request or answer that caused it. */
export function proposalOf(world: World, fact: Fact): string | undefined {
  const own = named(fact, 'proposalId');
  const inherits = [...ANSWERS, ...EXECUTIONS, 'approval_requested'].includes(fact.kind);
  const isOfPlan = named(fact, 'planId') !== undefined && !EXECUTIONS.includes(fact.kind);
  if (own !== undefined || !inherits || isOfPlan) return own;
  const cause = causeOf(world, fact);
  const passesOn = [...ANSWERS, 'approval_requested', 'action_proposed'].includes(cause?.kind ?? '');
  return cause !== undefined && passesOn ? proposalOf(world, cause) : undefined;
}

/** The task of an event: the one it names, else that of the nearest task event above it. */
export function taskOf(world: World, fact: Fact): string | undefined {
  const own = named(fact, 'taskId');
  if (own !== undefined) return own;
  const source = nearest(
    world,
    fact,
    (up) => TASK_EVENTS.includes(up.kind) && named(up, 'taskId') !== undefined,
  );
  return source === undefined ? undefined : named(source, 'taskId');
}
