/**
 * Who decided: the principal or another person, the gate's machinery, or an agent of the run.
 *
 * A log names actors freely, so this goes by what they do: whoever plans, proposes, acts or reports is an agent.
 */
import { FLAG } from '../core/history.js';
import type { Case } from './case.js';
import { kinds } from './kinds.js';

const AGENT_WORK = kinds(
  'plan_drafted',
  'plan_revised',
  'task_dispatched',
  'task_started',
  'action_proposed',
  'action_executed',
  'action_failed',
  'task_result',
  'council_proposal',
  'council_critique',
);
/** Names that only agents have, also those that do nothing else in this log. */
const AGENT_ROLES = new Set([
  'planner',
  'coder',
  'reviewer',
  'qa',
  'researcher',
  'ops',
  'data',
  'executor',
  'agent',
  'assistant',
]);
const PRINCIPALS = new Set(['principal', 'human', 'user']);
const PRINCIPAL_PREFIX = /^(principal|human|user):/;
const MACHINERY = /^(approval-|action-|plan-|auto-?)?(gate|policy|runtime|harness|system|bot|auto|approver)$/;

export type Decider = 'person' | 'machinery' | 'agent';

const agentsOf = new WeakMap<Case, ReadonlySet<number>>();

/** What kind of actor wrote a decision. */
export function deciderOf(c: Case, event: number): Decider {
  const { history } = c;
  const actor = history.actor(event);
  if (isPrincipalName(actor)) return 'person';
  if (AGENT_ROLES.has(actor) || agents(c).has(history.actorNumber(event))) return 'agent';
  // The runtime writes what a person decided through the gate's inbox.
  const by = history.dataText(event, 'by');
  if (by !== undefined) return by === 'principal' ? 'person' : 'machinery';
  return MACHINERY.test(actor) ? 'machinery' : 'person';
}

function isPrincipalName(actor: string): boolean {
  return PRINCIPALS.has(actor) || PRINCIPAL_PREFIX.test(actor);
}

function agents(c: Case): ReadonlySet<number> {
  let found = agentsOf.get(c);
  if (found === undefined) {
    const set = new Set<number>();
    for (let event = 0; event < c.history.size; event++) {
      if (AGENT_WORK.has(c.history.kindCode(event))) set.add(c.history.actorNumber(event));
    }
    found = set;
    agentsOf.set(c, found);
  }
  return found;
}

const TIMED_OUT = new Set(['expired', 'timeout', 'timed_out', 'timed-out']);

/** Whether a decision is in truth a time-out. */
export function isTimeOut(c: Case, event: number): boolean {
  const texts = [c.history.dataText(event, 'decision'), c.history.dataText(event, 'reason')];
  return texts.some((text) => text !== undefined && TIMED_OUT.has(text.toLowerCase()));
}

/** A real yes of a person, which machinery, agents and time-outs cannot give. */
export function isPersonsApproval(c: Case, event: number): boolean {
  return !c.history.has(event, FLAG.auto) && deciderOf(c, event) === 'person' && !isTimeOut(c, event);
}
