/**
 * Who decided: the principal or another person, the gate's machinery, or an agent of the run.
 *
 * A log names actors freely, so this goes by what they do: whoever plans, proposes, acts or reports is an agent.
 */
import { kindCode } from '../core/event.js';
import { BY, FIELD, fieldOf, FLAG } from '../core/facts.js';
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
const MODEL_CALLED = kindCode('model_called');
const BY_PRINCIPAL = BY.indexOf('principal') + 1;
const PRINCIPALS = new Set(['principal', 'human', 'user']);
const PRINCIPAL_PREFIX = /^(principal|human|user):/;
const MACHINERY = /^(approval-|action-|plan-|auto-?)?(gate|policy|runtime|harness|system|bot|auto|approver)$/;

export type Decider = 'person' | 'machinery' | 'agent';

/** What a name alone says of an actor: settled, or else what its decision says of itself. */
type Standing = Decider | 'open';

/** What is known of the actors of a case, by the number of their name. */
interface Cast {
  readonly agents: ReadonlySet<string>;
  readonly standing: Map<number, Standing>;
}

const castOf = new WeakMap<Case, Cast>();

function cast(c: Case): Cast {
  let found = castOf.get(c);
  if (found === undefined) {
    found = { agents: findAgents(c), standing: new Map() };
    castOf.set(c, found);
  }
  return found;
}

/** What kind of actor wrote a decision. */
export function deciderOf(c: Case, event: number): Decider {
  const { history } = c;
  const actor = history.actorNumber(event);
  const { standing, agents } = cast(c);
  let known = standing.get(actor);
  if (known === undefined) {
    known = standingOf(plainName(history.text(actor)), agents);
    standing.set(actor, known);
  }
  if (known !== 'open') return known;
  // The runtime writes what a person decided through the gate's inbox.
  const by = fieldOf(history.facts(event), FIELD.by);
  if (by !== 0) return by === BY_PRINCIPAL ? 'person' : 'machinery';
  return MACHINERY.test(plainName(history.text(actor))) ? 'machinery' : 'person';
}

function standingOf(actor: string, agents: ReadonlySet<string>): Standing {
  if (PRINCIPALS.has(actor)) return 'person';
  if (agents.has(actor)) return 'agent';
  if (PRINCIPAL_PREFIX.test(actor)) return 'person';
  return AGENT_NAME.test(actor) ? 'agent' : 'open';
}

/** Who a decision of a person is by: the same name for the same person, also through the gate's machinery. */
export function personOf(c: Case, event: number): string {
  const actor = plainName(c.history.actor(event));
  return MACHINERY.test(actor) ? (c.history.dataText(event, 'by') ?? actor) : actor;
}

/** Whether a call of a model is an agent's own, not an approver's or a judge's. */
export function isAgentsCall(c: Case, call: number): boolean {
  return !c.history.has(call, FLAG.othersCall);
}

function plainName(actor: string): string {
  return actor.trim().toLowerCase();
}

/** Names of everybody who does the work of an agent, or is given some. */
function findAgents(c: Case): ReadonlySet<string> {
  const { history } = c;
  const names = new Set<string>();
  for (const number of history.parts.sums.recipients) {
    const to = plainName(history.text(number));
    if (to !== '' && !PRINCIPAL_PREFIX.test(to)) names.add(to);
  }
  for (const [number, kinds] of history.parts.sums.kindsByActor) {
    const actor = plainName(history.text(number));
    const isAgent = AGENT_WORK.codes.some((code) => {
      if (kinds[code] !== 1) return false;
      return !PERSONS_WORK.has(code) || !PRINCIPAL_PREFIX.test(actor);
    });
    // The runtime may call the model for an agent.
    if (isAgent || (kinds[MODEL_CALLED] === 1 && !MACHINERY.test(actor))) names.add(actor);
  }
  return names;
}

const TIMED_OUT = new Set(['expired', 'timeout', 'timed_out', 'timed-out']);

/** Whether a decision is in truth a time-out. */
export function isTimeOut(c: Case, event: number): boolean {
  if (!c.history.has(event, FLAG.maybeTimeOut)) return false;
  const texts = [c.history.dataText(event, 'decision'), c.history.dataText(event, 'reason')];
  return texts.some((text) => text !== undefined && TIMED_OUT.has(text.toLowerCase()));
}

const NO = /^(reject(ed)?|den(y|ied)|request_changes|changes_requested|refused?|declined?|veto(ed)?|no)$/;

/** Whether what is recorded as an approval says in its own words that it is none. */
function saysNo(c: Case, event: number): boolean {
  if (!c.history.has(event, FLAG.maybeNo)) return false;
  const said = c.history.dataText(event, 'decision') ?? '';
  return NO.test(said.trim().toLowerCase().replaceAll(/[- ]/g, '_'));
}

/** A real yes of a person, which machinery, agents and time-outs cannot give. */
export function isPersonsApproval(c: Case, event: number): boolean {
  if (c.history.has(event, FLAG.auto) || isTimeOut(c, event) || saysNo(c, event)) return false;
  return deciderOf(c, event) === 'person';
}

/** Whether a rejection refuses: superseded and aborted requests were closed, not refused. */
export function isOnMerit(c: Case, rejection: number): boolean {
  const decision = c.history.dataText(rejection, 'decision');
  return decision !== 'superseded' && decision !== 'aborted' && !c.history.has(rejection, FLAG.auto);
}
