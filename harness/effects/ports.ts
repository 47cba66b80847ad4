/**
 * What a run hands to the boundary, and what it gets back. The live broker and a replay answer the same port, so the
 * loop that runs agents does not know which one it talks to.
 */
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import type { EffectLink } from './objects.js';
import type { Refusal } from './plan.js';
import type { Grant } from './purse.js';

/** A tool call. */
export interface Call {
  /** Name of the call, unique in the run. Sent again it gets the recorded answer, and nothing runs again. */
  readonly callId: string;
  readonly tool: string;
  /** Plain JSON. */
  readonly input: JsonObject;
  /** Who calls: an agent's role, or `harness`. Stands in the entry as `writtenBy`. */
  readonly caller: string;
}

/** How a call ended. `refused`: by the gate, by its own plan, or because it fits nothing; nothing was asked of the world. */
export type CallStatus = 'executed' | 'failed' | 'denied' | 'refused';

export interface CallAnswer {
  readonly callId: string;
  /** `<runId>:<entryIndex>`. */
  readonly invocationId: string;
  readonly entryHash: Digest;
  readonly status: CallStatus;
  /** What the caller gets; its member `world` names the plan and the records. */
  readonly output: JsonObject;
  readonly effects: readonly EffectLink[];
  /** What failed effects left to say for themselves. */
  readonly evidence: readonly { readonly id: string; readonly value: JsonObject }[];
}

/** A call that has been planned and not yet decided on. `refusal`: it can only be recorded as refused. */
export interface PreparedCall {
  readonly call: Call;
  /** Effects of its plan, for whoever decides. */
  readonly effects: readonly {
    readonly effect: string;
    readonly scope: string;
    readonly payload: JsonObject;
  }[];
  readonly refusal?: Refusal;
}

/** The boundary. Every prepared call must be executed or refused, and then has exactly one entry. */
export interface CallPort {
  /** Gives out grants under a name. They are paid from until they are used up. */
  grant(purse: string, grants: readonly Grant[]): void;
  /** Plans a call. Nothing is recorded yet. */
  prepare(call: Call): PreparedCall;
  /** Runs its effects, as far as the purse allows. @param purse name of grants given out before */
  execute(prepared: PreparedCall, purse: string): Promise<CallAnswer>;
  /** Records that it was not run. */
  refuse(prepared: PreparedCall, refusal: Refusal): Promise<CallAnswer>;
}

/** What a handler is asked to do. */
export interface HandlerRequest {
  readonly callId: string;
  readonly effect: string;
  readonly scope: string;
  readonly payload: JsonObject;
  /** Whole Unix seconds. */
  readonly now: number;
  /** Aborted when the deadline has passed: its answer is not waited for any more. */
  readonly signal: AbortSignal;
}

/**
 * `ok`: the world answered, be it with an error of its own (no such file). Not `ok`: the effect did not happen as
 * asked, because a detector stopped it or the handler broke; `evidence` says what was seen.
 */
export type HandlerAnswer =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly evidence?: JsonObject };

/** Does one kind of effect. The only code that touches the world. */
export type EffectHandler = (request: HandlerRequest) => Promise<HandlerAnswer>;

/** Handlers by effect name. */
export type Handlers = ReadonlyMap<string, EffectHandler>;

/** What runs the tools: pinned in every entry. */
export interface Interpreter {
  /** Digest of the archive of the harness and its Node; see interpreter.ts. */
  readonly digest: Digest;
  /** Release of the harness, which selects the epoch. */
  readonly release: string;
}
