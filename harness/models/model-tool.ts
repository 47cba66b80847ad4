/**
 * A call of a model as a tool call: it crosses the same boundary as any action, so that its answer is recorded and a
 * replay needs no model. The port behind the effect is the study's to choose.
 */
import type { JsonObject } from '../core/event.js';
import { MODEL_TOOL } from '../core/journal.js';
import type { ModelAnswer, ModelPort, ModelRequest } from '../core/ports.js';
import type { EffectTool } from '../core/tool.js';

/** Scope of the grant for model calls: which model it is stands in the request. */
export const MODEL_EFFECT = { effect: 'Model.Generate', scope: 'models', cost: 1 } as const;

export const modelTool: EffectTool = {
  name: MODEL_TOOL,
  summary: 'Asks a language model.',
  inputSchema: {
    type: 'object',
    properties: {
      callId: { type: 'string' },
      model: { type: 'string' },
      role: { type: 'string' },
      purpose: { type: 'string' },
      messages: { type: 'array', items: { type: 'object' } },
      thinkingTokensMax: { type: 'integer', minimum: 0 },
    },
    required: ['callId', 'model', 'role', 'purpose', 'messages'],
    additionalProperties: false,
  },
  grants: [MODEL_EFFECT],
  plan: (input) => ({
    effects: [{ id: 'e1', ...MODEL_EFFECT, payload: input }],
    finish: false,
    result: null,
  }),
};

/** Does a model call: what the handler of `Model.Generate` answers. */
export async function generate(port: ModelPort, payload: JsonObject): Promise<JsonObject> {
  // The input schema has been held against it; only the types are lost on the way through JSON.
  const { content, usage, durationMs } = await port.generate(payload as unknown as ModelRequest);
  return { content, usage: { ...usage }, durationMs };
}

/** The answer as it was recorded; `undefined` for what is none. */
export function modelAnswer(output: JsonObject): ModelAnswer | undefined {
  const { content, usage, durationMs } = output;
  if (typeof content !== 'string' || typeof durationMs !== 'number') return undefined;
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return undefined;
  return { content, usage: usage, durationMs };
}
