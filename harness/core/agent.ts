/**
 * What an agent may ask for, and what it is answered. An agent is a generator: it yields a request and waits; the one
 * loop of a cell (study) answers it, from the world or from a record, and the agent cannot tell which.
 *
 * An agent proposes and cannot enact: there is no request that touches the world without passing the gate.
 */
import type { JsonObject } from './event.js';
import type { ModelRequest } from './ports.js';
import type { Tier } from './tier.js';
import type { Plan, TaskResult } from './types.js';

/** A task of a plan as its author draws it up. */
export type PlannedTask = Plan['tasks'] extends readonly (infer T)[] | undefined ? T : never;

export interface PlanDraft {
  readonly tasks: readonly PlannedTask[];
  readonly notes?: string;
}

/** An action that an agent proposes. */
export interface ActionDraft {
  readonly taskId: string;
  readonly role: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** One line for people. */
  readonly summary: string;
  /** Tier the agent claims; the gate takes the higher of this and its own. */
  readonly tier: Tier;
  readonly rationale?: string;
  readonly reversibilityPlan?: string;
}

export type AgentRequest =
  | {
      readonly ask: 'model';
      readonly request: Omit<ModelRequest, 'callId' | 'model'>;
      /** Task the call is for; absent while planning. */
      readonly taskId?: string;
    }
  | { readonly ask: 'plan'; readonly draft: PlanDraft; readonly role: string }
  | { readonly ask: 'start'; readonly taskId: string; readonly role: string }
  | { readonly ask: 'act'; readonly action: ActionDraft }
  | {
      readonly ask: 'close';
      readonly taskId: string;
      readonly role: string;
      readonly status: TaskResult['status'];
      readonly summary: string;
    };

/** What came of an action. `stopped`: it was not run, and why; what the agent may do about it is up to the agent. */
export type ActionReply =
  | { readonly outcome: 'done' | 'failed' | 'denied' | 'refused'; readonly output: JsonObject }
  | { readonly outcome: 'stopped'; readonly by: string; readonly reason: string };

/** The answers, by request. A plan that is not granted comes back with what was said about it. */
export interface Replies {
  readonly model: { readonly content: string };
  readonly plan: { readonly granted: boolean; readonly comment?: string };
  readonly start: undefined;
  readonly act: ActionReply;
  readonly close: undefined;
}

export type AgentReply = Replies[keyof Replies];

/** How an agent ended by itself. */
export interface AgentEnd {
  readonly ended: 'completed' | 'aborted';
  readonly summary: string;
}

export type Agent<T = AgentEnd> = Generator<AgentRequest, T, AgentReply>;

type Asked<A extends AgentRequest['ask']> = Omit<Extract<AgentRequest, { ask: A }>, 'ask'>;

/** One request and its answer, with the type that belongs to it: `const reply = yield* ask('act', { action })`. */
export function* ask<A extends AgentRequest['ask']>(what: A, request: Asked<A>): Agent<Replies[A]> {
  // The loop answers every request with the reply of its kind; nothing else can reach a generator.
  return (yield { ask: what, ...request } as unknown as AgentRequest) as Replies[A];
}
