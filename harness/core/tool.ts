/**
 * What a tool is: a pure transition from an input to a plan of effects, and from their results to an output.
 *
 * A tool never touches the world. It gets no port, so it has neither clock nor chance nor I/O; the broker alone runs
 * what it planned. That is what lets a run be replayed: the same input gives the same plan, on any machine.
 */
import type { JsonObject } from './event.js';

/** Something a tool may ask for. A plan that asks for anything else is refused before anything runs. */
export interface DeclaredEffect {
  /** Such as `Workspace.Write`. */
  readonly effect: string;
  /** What it is done to, compared exactly, such as `worktree`. */
  readonly scope: string;
  /** What it takes from the budget of a grant: a whole number from 0. */
  readonly cost: number;
}

/** One effect of a plan. */
export interface PlannedEffect extends DeclaredEffect {
  /** 1 to 16 characters of `a-z0-9`, unique in the plan. */
  readonly id: string;
  readonly payload: JsonObject;
}

/**
 * What a tool wants done. Effects run in order and none depends on another's result: what does is a call of its own.
 * Without effects `result` is the answer, and with effects it is null.
 */
export interface EffectPlan {
  readonly effects: readonly PlannedEffect[];
  /** Whether `finish` makes the output of the results. */
  readonly finish: boolean;
  readonly result: JsonObject | null;
}

/** Why the broker denied an effect, in the order in which it looks. */
export const DENIALS = ['denied:effect-name', 'denied:scope', 'denied:expired', 'denied:budget'] as const;
export type Denial = (typeof DENIALS)[number];

/** How one effect ended, as `finish` sees it. */
export type EffectResult =
  | { readonly id: string; readonly status: 'ok'; readonly value: JsonObject }
  | { readonly id: string; readonly status: 'failed' }
  | { readonly id: string; readonly status: 'denied'; readonly denial: Denial };

interface ToolBase {
  /** Such as `fs.write`. */
  readonly name: string;
  /** One sentence for whoever chooses among tools. */
  readonly summary: string;
  /** JSON Schema 2020-12 of the input, an object. */
  readonly inputSchema: JsonObject;
}

/** A tool that touches the world through effects. */
export interface EffectTool extends ToolBase {
  readonly grants: readonly DeclaredEffect[];
  /** Pure. */
  readonly plan: (input: JsonObject) => EffectPlan;
  /** Pure. Gets one result per effect, in the order of the plan. Must not return a member `world`. */
  readonly finish?: (input: JsonObject, results: readonly EffectResult[]) => JsonObject;
}

/** A tool that only computes. */
export interface PureTool extends ToolBase {
  /** Pure. Must not return a member `world`. */
  readonly compute: (input: JsonObject) => JsonObject;
}

export type Tool = EffectTool | PureTool;

/** Tools by name. */
export type Toolbox = ReadonlyMap<string, Tool>;

/** @throws when two tools have one name */
export function toolbox(tools: readonly Tool[]): Toolbox {
  const box = new Map<string, Tool>();
  for (const tool of tools) {
    if (box.has(tool.name)) throw new Error(`counterproof bug: two tools are called ${tool.name}`);
    box.set(tool.name, tool);
  }
  return box;
}

export function isPure(tool: Tool): tool is PureTool {
  return 'compute' in tool;
}
