/**
 * The tools that agents are given, in the order in which they are listed to them, and the rights they need.
 *
 * Pure: each only says which effect it wants. What the effects do is in workspace.ts.
 */
import type { JsonObject } from '../core/event.js';
import { toolbox } from '../core/tool.js';
import type { DeclaredEffect, EffectTool, Toolbox } from '../core/tool.js';

const PATH = { type: 'string', minLength: 1, maxLength: 1024, description: 'Path in the worktree, with /.' };
const WORKTREE = 'worktree';

interface FileToolOptions {
  readonly name: string;
  readonly summary: string;
  readonly effect: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** A tool with one effect, whose payload is its input. */
function fileTool({ name, summary, effect, properties, required }: FileToolOptions): EffectTool {
  const wanted: DeclaredEffect = { effect, scope: WORKTREE, cost: 1 };
  return {
    name,
    summary,
    inputSchema: { type: 'object', properties, required: [...required], additionalProperties: false },
    grants: [wanted],
    plan: (input) => ({ effects: [{ id: 'e1', ...wanted, payload: input }], finish: false, result: null }),
  };
}

const FILE_TOOLS: readonly EffectTool[] = [
  fileTool({
    name: 'fs.read',
    summary: 'Reads a file.',
    effect: 'Workspace.Read',
    properties: { path: PATH },
    required: ['path'],
  }),
  fileTool({
    name: 'fs.list',
    summary: 'Lists the names in a folder.',
    effect: 'Workspace.List',
    properties: { path: PATH },
    required: ['path'],
  }),
  fileTool({
    name: 'fs.write',
    summary: 'Writes a whole file.',
    effect: 'Workspace.Write',
    properties: { path: PATH, content: { type: 'string' } },
    required: ['path', 'content'],
  }),
  fileTool({
    name: 'fs.delete',
    summary: 'Deletes a file, or with recursive a folder and all it holds.',
    effect: 'Workspace.Delete',
    properties: { path: PATH, recursive: { type: 'boolean' } },
    required: ['path'],
  }),
];

export const TOOLBOX: Toolbox = toolbox(FILE_TOOLS);

/** The effects that a capability token of a task stands for; none for a token nobody knows. */
export const EFFECTS_OF_CAPABILITY: Readonly<Record<string, readonly string[]>> = {
  'read:worktree': ['Workspace.Read', 'Workspace.List'],
  'write:worktree': ['Workspace.Write', 'Workspace.Delete'],
};

/** Scope that the effects of the file tools act in. */
export const WORKTREE_SCOPE = WORKTREE;
