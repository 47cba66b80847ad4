/**
 * From a tool and an input to the bytes of a plan, or of the plan that stands for a refusal. A function of nothing
 * else, so that broker and replay, who both call it, cannot disagree.
 *
 * The laws a plan must keep are here. What it asks for is not decided here; see purse.ts.
 */
import { canonicalBytes, EncodeError } from '../core/canonical.js';
import type { Encodable } from '../core/canonical.js';
import type { JsonObject } from '../core/event.js';
import type { DeclaredEffect, EffectPlan, EffectTool } from '../core/tool.js';
import { KIND } from './kinds.js';
import { asObject, readObject } from './struct.js';
import { inputFault } from './tool-input.js';

/** Most bytes that one effect may ask with, in encoding A. */
export const PAYLOAD_BYTES_MAX = 1024 * 1024;

/** An effect of a lawful plan, with its payload as the request will hold it. */
export interface AskedEffect extends DeclaredEffect {
  readonly id: string;
  readonly payload: JsonObject;
  readonly payloadBytes: Uint8Array;
}

/** Who refused a call and why; `event` names the decision in the log where there is one. */
export interface Refusal {
  readonly by: string;
  readonly reason: string;
  readonly event?: string;
}

/** `refusal` is set when the call may not go on: its input does not fit, or its plan breaks a law. */
export interface Planned {
  readonly bytes: Uint8Array;
  readonly effects: readonly AskedEffect[];
  readonly finish: boolean;
  readonly result: JsonObject | null;
  readonly refusal?: Refusal;
}

/** What a tool plans for an input. */
export function planOf(tool: EffectTool, input: JsonObject): Planned {
  const fault = inputFault(tool, input);
  if (fault !== undefined) return refused(undefined, { by: 'input', reason: fault });
  let plan: EffectPlan;
  try {
    plan = tool.plan(input);
  } catch (error) {
    return refused(undefined, {
      by: 'plan',
      reason: `the tool threw ${error instanceof Error ? error.name : 'a value'}`,
    });
  }
  const bytes = bytesOf(plan);
  if (bytes === undefined) return refused(undefined, { by: 'plan', reason: 'the plan is no plain JSON' });
  const broken = brokenLaw(plan, tool);
  if (broken !== undefined) return refused(bytes, { by: 'plan', reason: broken });
  const effects = plan.effects.map((effect) => {
    const payloadBytes = canonicalBytes(effect.payload);
    return { ...effect, payload: plainOf(payloadBytes), payloadBytes };
  });
  const { finish, result } = plan;
  return { bytes, effects, finish, result: result === null ? null : plainOf(canonicalBytes(result)) };
}

/** The plan of a call that has none: no effects, and the refusal as its result. */
export function refusalPlan({ by, reason }: Refusal): Uint8Array {
  return canonicalBytes({ effects: [], finish: false, plan: KIND.plan, result: { refused: { by, reason } } });
}

function refused(bytes: Uint8Array | undefined, refusal: Refusal): Planned {
  return { bytes: bytes ?? refusalPlan(refusal), effects: [], finish: false, result: null, refusal };
}

/** Bytes of whatever the tool returned; `undefined` for what is no plain JSON object. */
function bytesOf(plan: unknown): Uint8Array | undefined {
  if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) return undefined;
  try {
    return canonicalBytes({ ...(plan as { readonly [key: string]: Encodable }), plan: KIND.plan });
  } catch (error) {
    if (error instanceof EncodeError) return undefined;
    throw error;
  }
}

const PLAN_KEYS = 'effects,finish,result';
const EFFECT_KEYS = 'cost,effect,id,payload,scope';

/** The first law a plan breaks, as a phrase; types are looked at, because a tool may come from anybody. */
function brokenLaw(plan: EffectPlan, tool: EffectTool): string | undefined {
  if (keysOf(plan) !== PLAN_KEYS) return `a plan has the members ${PLAN_KEYS}`;
  const { effects, finish, result } = plan as { effects: unknown; finish: unknown; result: unknown };
  if (!Array.isArray(effects)) return 'effects is a list';
  if (typeof finish !== 'boolean') return 'finish is true or false';
  if (finish && tool.finish === undefined) return 'finish is asked for, and the tool has none';
  const isResult = asObject(result as JsonObject) !== undefined;
  if (result !== null && !isResult) return 'result is an object or null';
  if ((effects.length === 0) !== isResult) return 'a plan has effects or a result, and not both';
  if (isResult && 'world' in (result as JsonObject)) return 'world is no member of a result';
  const ids = new Set<unknown>();
  for (const effect of effects as unknown[]) {
    const broken = brokenEffectLaw(effect, tool);
    if (broken !== undefined) return broken;
    ids.add((effect as DeclaredEffect & { id: string }).id);
  }
  return ids.size === effects.length ? undefined : 'no two effects have one id';
}

function brokenEffectLaw(effect: unknown, tool: EffectTool): string | undefined {
  if (typeof effect !== 'object' || effect === null || keysOf(effect) !== EFFECT_KEYS)
    return `an effect has the members ${EFFECT_KEYS}`;
  const { id, payload, effect: name, scope, cost } = effect as Record<string, unknown>;
  if (typeof id !== 'string' || !/^[a-z0-9]{1,16}$/.test(id)) return 'an id is 1 to 16 of a-z and 0-9';
  const isDeclared = tool.grants.some(
    (declared) => declared.effect === name && declared.scope === scope && declared.cost === cost,
  );
  if (!isDeclared) return `${id} asks for an effect that the tool does not declare`;
  if (asObject(payload as JsonObject) === undefined) return `the payload of ${id} is an object`;
  const size = canonicalBytes(payload as JsonObject).length;
  return size <= PAYLOAD_BYTES_MAX
    ? undefined
    : `the payload of ${id} has more than ${PAYLOAD_BYTES_MAX} bytes`;
}

function keysOf(value: object): string {
  return Object.keys(value).sort().join(',');
}

/** What anybody reads who reads the bytes: live and replayed code are given the same. */
export function plainOf(bytes: Uint8Array): JsonObject {
  const read = readObject(bytes);
  if (!read.ok) throw new Error(`counterproof bug: our own encoding cannot be read: ${read.why}`);
  return read.value;
}
