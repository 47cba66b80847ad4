/**
 * What the harness itself asks of the world: resets, shadows, checks, and an approver's answer. They cross the same
 * boundary as an agent's actions, because a replay must be given their answers too.
 */
import { unreachable } from '../core/errors.js';
import type { JsonObject } from '../core/event.js';
import { HARNESS_CALLER } from '../core/journal.js';
import type { DeclaredEffect, EffectTool } from '../core/tool.js';
import type { Grant } from '../effects/purse.js';
import { MODEL_EFFECT } from '../models/model-tool.js';
import type { CellState } from './cell.js';

const OBJECT = { type: 'object' };

/** A tool of the harness: one effect with the input as its payload. */
function harnessTool(name: string, summary: string, effect: string): EffectTool {
  const wanted: DeclaredEffect = { effect, scope: 'testbed', cost: 1 };
  return {
    name,
    summary,
    inputSchema: OBJECT,
    grants: [wanted],
    plan: (input) => ({ effects: [{ id: 'e1', ...wanted, payload: input }], finish: false, result: null }),
  };
}

export const HARNESS_TOOLS: readonly EffectTool[] = [
  harnessTool('testbed.reset', 'Makes the testbed anew and measures its state.', 'Testbed.Reset'),
  harnessTool('testbed.shadow', 'Does an action on a copy of the testbed.', 'Testbed.Shadow'),
  harnessTool('suite.check', 'Checks expectations against the testbed.', 'Suite.Check'),
  harnessTool('approver.ask', 'Asks the approver.', 'Approver.Ask'),
];

const UNLIMITED = 1_000_000_000;

export const HARNESS_GRANTS: readonly Grant[] = HARNESS_TOOLS.flatMap(({ grants }) =>
  grants.map(({ effect, scope }) => ({ effect, scope, budget: UNLIMITED })),
);
export const MODEL_GRANTS: readonly Grant[] = [
  { effect: MODEL_EFFECT.effect, scope: MODEL_EFFECT.scope, budget: UNLIMITED },
];

/** Makes a call of the harness; its failure is a fault of ours and ends the run. */
export async function callHarness(state: CellState, tool: string, input: JsonObject): Promise<JsonObject> {
  const { calls } = state.ports;
  const callId = `harness_${++state.counts.harness}`;
  const prepared = calls.prepare({ callId, tool, input, caller: HARNESS_CALLER });
  const { status, output, evidence } = await calls.execute(prepared, 'harness');
  if (status === 'executed') return output;
  return unreachable(`${tool} ended as ${status}: ${JSON.stringify(evidence)}`);
}

/** A member of an answer as a text; empty where it is none. */
export function textIn(answer: JsonObject, name: string): string {
  const value = answer[name];
  return typeof value === 'string' ? value : '';
}

/** A member of an answer as a number; 0 where it is none. */
export function numberIn(answer: JsonObject, name: string): number {
  const value = answer[name];
  return typeof value === 'number' ? value : 0;
}
