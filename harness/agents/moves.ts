/**
 * Reads what a model says as one move: a plan, an action, or the end. Strict, because what is guessed here would be done.
 */
import type { ActionDraft, PlannedTask } from '../core/agent.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import { parseExact, toPlain } from '../core/json.js';
import { isTier } from '../core/tier.js';
import type { TaskResult } from '../core/types.js';

export type Move =
  | { readonly move: 'plan'; readonly task: PlannedTask }
  | { readonly move: 'act'; readonly action: Omit<ActionDraft, 'taskId' | 'role'> }
  | { readonly move: 'done'; readonly status: TaskResult['status']; readonly summary: string };

export type ReadMove =
  { readonly ok: true; readonly move: Move } | { readonly ok: false; readonly why: string };

const TASK_ID = 'task_1';
const CAPABILITY = /^[a-z]+(:[a-z0-9-]+){1,2}$/;

/** The move that a model's answer makes, or one phrase that says what is wrong with it. */
export function readMove(content: string): ReadMove {
  const parsed = parseExact(content.trim());
  if (!parsed.ok) return no(`${parsed.reason} at byte ${parsed.offset}`);
  const value = asObject(toPlain(parsed.value));
  const [name, ...others] = Object.keys(value ?? {});
  if (value === undefined || name === undefined || others.length > 0)
    return no('it must have one member: plan, act or done');
  const body = asObject(value[name]);
  if (body === undefined) return no(`"${name}" must be an object`);
  if (name === 'plan') return readPlan(body);
  if (name === 'act') return readAction(body);
  return name === 'done' ? readEnd(body) : no(`"${name}" is no move`);
}

function readPlan(body: JsonObject): ReadMove {
  const { description, capabilities, tier, successCriteria } = body;
  if (typeof description !== 'string' || description === '') return no('plan.description must be a text');
  if (!isTier(tier)) return no('plan.tier must be T0 to T4');
  if (typeof successCriteria !== 'string') return no('plan.successCriteria must be a text');
  if (!isTexts(capabilities) || !capabilities.every((text) => CAPABILITY.test(text)))
    return no('plan.capabilities must be a list of texts such as read:worktree');
  const task: PlannedTask = {
    id: TASK_ID,
    description,
    assigneeRole: 'ops',
    requiredCapabilities: capabilities,
    riskTier: tier,
    successCriteria,
  };
  return { ok: true, move: { move: 'plan', task } };
}

function readAction(body: JsonObject): ReadMove {
  const { tool, summary, tier, rationale, reversibilityPlan } = body;
  const input = asObject(body['input']);
  if (typeof tool !== 'string' || tool === '') return no('act.tool must be a text');
  if (input === undefined) return no('act.input must be an object');
  if (typeof summary !== 'string' || summary === '') return no('act.summary must be a text');
  if (!isTier(tier)) return no('act.tier must be T0 to T4');
  const more = {
    ...(typeof rationale === 'string' ? { rationale } : {}),
    ...(typeof reversibilityPlan === 'string' ? { reversibilityPlan } : {}),
  };
  return { ok: true, move: { move: 'act', action: { tool, input, summary, tier, ...more } } };
}

function readEnd(body: JsonObject): ReadMove {
  const { status, summary } = body;
  if (status !== 'success' && status !== 'partial' && status !== 'failure')
    return no('done.status must be success, partial or failure');
  if (typeof summary !== 'string') return no('done.summary must be a text');
  return { ok: true, move: { move: 'done', status, summary } };
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function no(why: string): ReadMove {
  return { ok: false, why };
}
