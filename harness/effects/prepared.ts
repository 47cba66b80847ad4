/**
 * A call before it is decided on: the tool, the input as it will be recorded, and the plan. Pure; nothing is written.
 */
import { digestOf } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import { isPure } from '../core/tool.js';
import type { EffectTool, Tool, Toolbox } from '../core/tool.js';
import { inputBytes, readInput } from './objects.js';
import { planOf, refusalPlan } from './plan.js';
import type { Planned, Refusal } from './plan.js';
import type { Call, Handlers, PreparedCall } from './ports.js';
import { inputFault } from './tool-input.js';

/** A call with all that is known of it. `planned` is absent for a pure tool, which plans nothing. */
export class Prepared implements PreparedCall {
  readonly call: Call;
  readonly tool: Tool;
  /** The input as anybody reads it who reads the record. */
  readonly input: JsonObject;
  readonly inputBytes: Uint8Array;
  readonly inputRef: Digest;
  readonly planned: Planned | undefined;
  readonly refusal?: Refusal;

  constructor(call: Call, tool: Tool | undefined, handlers?: Handlers) {
    this.call = call;
    this.tool = tool ?? absentTool(call.tool);
    this.inputBytes = inputBytes(call);
    this.inputRef = digestOf(this.inputBytes);
    this.input = recordedInput(this.inputBytes);
    this.planned = isPure(this.tool) ? undefined : planOf(this.tool, this.input);
    const refusal = absence(call, tool) ?? this.planned?.refusal ?? pureRefusal(this.tool, this.input);
    const found = refusal ?? missingHandler(this.planned, handlers);
    if (found !== undefined) this.refusal = found;
  }

  get effects(): PreparedCall['effects'] {
    return this.planned?.effects ?? [];
  }

  /** Bytes of the plan, or of the one that stands for a refusal of a tool that has none. */
  planBytes(refusal: Refusal): Uint8Array {
    return this.planned?.bytes ?? refusalPlan(refusal);
  }
}

/**
 * @param handlers what effects can be done here; a replay, which does none, has no handlers to miss
 * @throws EncodeError for an input that is no plain JSON: parse what a model says with `parseExact`
 */
export function prepareCall(call: Call, options: { toolbox: Toolbox; handlers?: Handlers }): Prepared {
  return new Prepared(call, options.toolbox.get(call.tool), options.handlers);
}

/** Stands in for a tool that does not exist, so that the call is refused and recorded like any other. */
function absentTool(name: string): EffectTool {
  return {
    name,
    summary: 'There is no such tool.',
    inputSchema: { type: 'object' },
    grants: [],
    plan: () => ({ effects: [], finish: false, result: { refused: { by: 'tool' } } }),
  };
}

function absence({ tool: name }: Call, tool: Tool | undefined): Refusal | undefined {
  return tool === undefined ? { by: 'tool', reason: `there is no tool called ${name}` } : undefined;
}

function recordedInput(bytes: Uint8Array): JsonObject {
  const read = readInput(bytes);
  if (!read.ok) throw new Error(`counterproof bug: an input of ours cannot be read: ${read.why}`);
  return read.value.input;
}

/** Planning looks at the input of all other tools. */
function pureRefusal(tool: Tool, input: JsonObject): Refusal | undefined {
  if (!isPure(tool)) return undefined;
  const fault = inputFault(tool, input);
  return fault === undefined ? undefined : { by: 'input', reason: fault };
}

function missingHandler(planned: Planned | undefined, handlers: Handlers | undefined): Refusal | undefined {
  const missing = planned?.effects.find(({ effect }) => handlers?.has(effect) === false);
  return missing && { by: 'broker', reason: `nothing here can do ${missing.effect}` };
}
