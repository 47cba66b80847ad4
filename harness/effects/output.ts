/**
 * Composes the output of a call from its plan and the results of its effects. Pure, and shared by broker and replay.
 *
 * The member `world` is ours: it names the plan and the record of every effect, so that an answer leads to its evidence.
 */
import { canonicalBytes, EncodeError } from '../core/canonical.js';
import type { Encodable } from '../core/canonical.js';
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import type { EffectResult, EffectTool, PureTool } from '../core/tool.js';
import type { EffectLink } from './objects.js';
import type { Planned, Refusal } from './plan.js';
import { asObject } from './struct.js';

/** What a call that ran is made of. `results` and `links` have one item per effect of the plan. */
export interface Ran {
  readonly tool: EffectTool;
  readonly input: JsonObject;
  readonly planned: Planned;
  readonly plan: Digest;
  readonly results: readonly EffectResult[];
  readonly links: readonly EffectLink[];
}

/** Output of a call that was not refused, in encoding A. */
export function outputBytes(ran: Ran): Uint8Array {
  const effects = ran.links.map(({ id, record, status }) => ({ id, record, status }));
  return canonicalBytes({ ...bodyOf(ran), world: { effects, plan: ran.plan } });
}

/** Output of a refused call, in encoding A. @param refusal digest of the refusal object */
export function refusedOutputBytes(
  { by, reason, event }: Refusal,
  plan: Digest,
  refusal: Digest,
): Uint8Array {
  const refused = event === undefined ? { by, reason } : { by, event, reason };
  return canonicalBytes({ refused, world: { effects: [], plan, refusal } });
}

/** The refusal that an output tells of; none for any other output, such as that of a plan which says no by itself. */
export function refusalIn({ refused, world }: JsonObject): Refusal | undefined {
  const told = asObject(refused);
  if (told === undefined || asObject(world)?.['refusal'] === undefined) return undefined;
  const { by, reason, event } = told;
  if (typeof by !== 'string' || typeof reason !== 'string') return undefined;
  return typeof event === 'string' ? { by, reason, event } : { by, reason };
}

/** The refusal object, in encoding A. */
export function refusalBytes({ by, reason, event }: Refusal): Uint8Array {
  return canonicalBytes(event === undefined ? { by, reason } : { by, event, reason });
}

/** Output of a pure tool, in encoding A: it has no plan, so no `world` either. */
export function pureOutputBytes(tool: PureTool, input: JsonObject): Uint8Array {
  return canonicalBytes(lawful(() => tool.compute(input)));
}

function bodyOf({ tool, input, planned, results }: Ran): JsonObject {
  const [first] = planned.effects;
  if (first === undefined) return planned.result ?? {};
  const { finish } = tool;
  if (planned.finish && finish !== undefined) return lawful(() => finish(input, results));
  if (planned.effects.length === 1) return results[0]?.status === 'ok' ? results[0].value : {};
  const ok = results.flatMap((result) =>
    result.status === 'ok' ? [[result.id, result.value] as const] : [],
  );
  return Object.fromEntries(ok);
}

/** What a tool makes at the end cannot be refused any more, so a broken law is told in its place. */
function lawful(make: () => unknown): JsonObject {
  let made: unknown;
  try {
    made = make();
  } catch (error) {
    return { broken: `the tool threw ${error instanceof Error ? error.name : 'a value'}` };
  }
  const body = asObject(made as JsonObject | undefined);
  if (body === undefined) return { broken: 'the tool returned no object' };
  if ('world' in body) return { broken: 'the tool returned a member world' };
  return isEncodable(body) ? body : { broken: 'the tool returned no plain JSON' };
}

function isEncodable(value: Encodable): boolean {
  try {
    canonicalBytes(value);
    return true;
  } catch (error) {
    if (error instanceof EncodeError) return false;
    throw error;
  }
}
