/**
 * Decides the effects of a plan, and runs one: the handler against its deadline, and what it answered as bytes.
 */
import { canonicalBytes, EncodeError } from '../core/canonical.js';
import type { Encodable } from '../core/canonical.js';
import { effectRequestBytes } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import type { EffectResult } from '../core/tool.js';
import type { AskedEffect } from './plan.js';
import { plainOf } from './plan.js';
import type { EffectHandler, HandlerAnswer, HandlerRequest } from './ports.js';
import type { Decided, Purse } from './purse.js';
import { asObject } from './struct.js';

/** Largest result or evidence of a handler, in bytes of encoding A. */
const RESULT_BYTES_MAX = 16 * 1024 * 1024;

/** An effect with the decision about it. */
export interface DecidedEffect {
  readonly asked: AskedEffect;
  readonly requestBytes: Uint8Array;
  readonly decided: Decided;
}

/** Decides all effects of a plan in order, before any of them runs. @param now whole Unix seconds */
export function decideAll(effects: readonly AskedEffect[], purse: Purse, now: number): DecidedEffect[] {
  return effects.map((asked) => ({
    asked,
    requestBytes: effectRequestBytes({ ...asked, now, payload: asked.payloadBytes }),
    decided: purse.decide(asked, now),
  }));
}

/** How a handler's work ended. `resultBytes` only when it is ok. */
export interface Ended {
  readonly result: EffectResult;
  readonly resultBytes?: Uint8Array;
  readonly evidence?: JsonObject;
  readonly evidenceBytes?: Uint8Array;
}

/** Runs a handler. Whatever it does, throwing and never answering included, is an answer. */
export async function runHandler(
  handler: EffectHandler,
  request: Omit<HandlerRequest, 'signal'> & { readonly id: string },
  deadlineMs: number,
): Promise<Ended> {
  const { id, ...asked } = request;
  const answer = await withDeadline(handler, asked, deadlineMs);
  if (answer.ok) {
    const bytes = resultBytes(answer.value);
    if (bytes !== undefined && !('world' in answer.value)) {
      return { result: { id, status: 'ok', value: plainOf(bytes) }, resultBytes: bytes };
    }
    return failedWith(id, { reason: 'the handler returned what cannot be recorded' });
  }
  return failedWith(id, answer.evidence);
}

function failedWith(id: string, evidence: JsonObject | undefined): Ended {
  const result: EffectResult = { id, status: 'failed' };
  const bytes = evidence === undefined ? undefined : resultBytes(evidence);
  return bytes === undefined ? { result } : { result, evidence: plainOf(bytes), evidenceBytes: bytes };
}

async function withDeadline(
  handler: EffectHandler,
  request: Omit<HandlerRequest, 'signal'>,
  deadlineMs: number,
): Promise<HandlerAnswer> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HandlerAnswer>((resolve) => {
    timer = setTimeout(() => {
      abort.abort();
      resolve({ ok: false, evidence: { reason: `no answer within ${deadlineMs} ms` } });
    }, deadlineMs);
  });
  try {
    return await Promise.race([answerOf(handler, { ...request, signal: abort.signal }), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf(handler: EffectHandler, request: HandlerRequest): Promise<HandlerAnswer> {
  try {
    return await handler(request);
  } catch (error) {
    // The text of an error may hold paths of this machine or secrets; its name says enough to look further.
    return {
      ok: false,
      evidence: { reason: `the handler threw ${error instanceof Error ? error.name : 'a value'}` },
    };
  }
}

/** `undefined` for what is no plain JSON object, or too large. */
function resultBytes(value: unknown): Uint8Array | undefined {
  if (asObject(value as JsonObject) === undefined) return undefined;
  try {
    const bytes = canonicalBytes(value as Encodable);
    return bytes.length <= RESULT_BYTES_MAX ? bytes : undefined;
  } catch (error) {
    if (error instanceof EncodeError) return undefined;
    throw error;
  }
}
