/**
 * Who decided: the principal or another person, the gate's machinery, or an agent of the run.
 *
 * A log names actors freely, so this goes by what they do: whoever plans, proposes, acts or reports is an agent.
 */
import { FLAG } from '../core/facts.js';
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
/** Work that a person may do as well without becoming an agent. */
const PERSONS_WORK = kinds('task_dispatched');
/** Names that only agents have, also those that do nothing else in this log; a number may follow (`coder-2`). */
const AGENT_NAME =
  /^(agent[-_:./].*|(planner|coder|reviewer|qa|researcher|ops|data|executor|agent|subagent|assistant|model|llm)([-_ .:#]?\d+)?)$/;
/** Whoever calls a model in these roles stands for a person or a judge. */
const NO_AGENTS = new Set(['approver', 'judge']);
const PRINCIPALS = new Set(['principal', 'human', 'user']);
const PRINCIPAL_PREFIX = /^(principal|human|user):/;
const MACHINERY = /^(approval-|action-|plan-|auto-?)?(gate|policy|runtime|harness|system|bot|auto|approver)$/;

export type Decider = 'person' | 'machinery' | 'agent';

const agentsOf = new WeakMap<Case, ReadonlySet<string>>();

/** What kind of actor wrote a decision. */
export function deciderOf(c: Case, event: number): Decider {
  const { history } = c;
  const actor = plainName(history.actor(event));
  if (PRINCIPALS.has(actor)) return 'person';
  if (agents(c).has(actor)) return 'agent';
  if (PRINCIPAL_PREFIX.test(actor)) return 'person';
  if (AGENT_NAME.test(actor)) return 'agent';
  // The runtime writes what a person decided through the gate's inbox.
  const by = history.dataText(event, 'by');
  if (by !== undefined) return by === 'principal' ? 'person' : 'machinery';
  return MACHINERY.test(actor) ? 'machinery' : 'person';
}

/** Who a decision of a person is by: the same name for the same person, also through the gate's machinery. */
export function personOf(c: Case, event: number): string {
  const actor = plainName(c.history.actor(event));
  return MACHINERY.test(actor) ? (c.history.dataText(event, 'by') ?? actor) : actor;
}

/** Whether a call of a model is an agent's own, not an approver's or a judge's. */
export function isAgentsCall(c: Case, call: number): boolean {
  return !NO_AGENTS.has(c.history.dataText(call, 'role') ?? '');
}

function plainName(actor: string): string {
  return actor.trim().toLowerCase();
}

/** Names of everybody who does the work of an agent, or is given some. */
function agents(c: Case): ReadonlySet<string> {
  let found = agentsOf.get(c);
  if (found === undefined) {
    found = findAgents(c);
    agentsOf.set(c, found);
  }
  return found;
}

function findAgents(c: Case): ReadonlySet<string> {
  const { history } = c;
  const names = new Set<string>();
  for (let event = 0; event < history.size; event++) {
    const kind = history.kind(event);
    if (kind === 'task_dispatched') {
      const to = plainName(history.dataText(event, 'to') ?? '');
      if (to !== '' && !PRINCIPAL_PREFIX.test(to)) names.add(to);
    }
    const isCall = kind === 'model_called' && isAgentsCall(c, event);
    if (!isCall && !AGENT_WORK.has(history.kindCode(event))) continue;
    const actor = plainName(history.actor(event));
    const isPersons = PERSONS_WORK.has(history.kindCode(event)) && PRINCIPAL_PREFIX.test(actor);
    // The runtime may call the model for an agent.
    if (isPersons || (isCall && MACHINERY.test(actor))) continue;
    names.add(actor);
  }
  return names;
}

const TIMED_OUT = new Set(['expired', 'timeout', 'timed_out', 'timed-out']);

/** Whether a decision is in truth a time-out. */
export function isTimeOut(c: Case, event: number): boolean {
  const texts = [c.history.dataText(event, 'decision'), c.history.dataText(event, 'reason')];
  return texts.some((text) => text !== undefined && TIMED_OUT.has(text.toLowerCase()));
}

const NO = /^(reject(ed)?|den(y|ied)|request_changes|changes_requested|refused?|declined?|veto(ed)?|no)$/;

/** Whether what is recorded as an approval says in its own words that it is none. */
function saysNo(c: Case, event: number): boolean {
  const said = c.history.dataText(event, 'decision') ?? '';
  return NO.test(said.trim().toLowerCase().replaceAll(/[- ]/g, '_'));
}

/** A real yes of a person, which machinery, agents and time-outs cannot give. */
export function isPersonsApproval(c: Case, event: number): boolean {
  if (c.history.has(event, FLAG.auto) || isTimeOut(c, event) || saysNo(c, event)) return false;
  return deciderOf(c, event) === 'person';
}
