/**
 * What a tool was when it was called, as text: its declaration and the compiled source of its functions.
 *
 * Its digest pins the transition in every entry. Helpers that a tool calls are not in it; the interpreter's digest,
 * which covers every module of the harness, pins those.
 */
import { canonicalBytes } from '../core/canonical.js';
import { isPure } from '../core/tool.js';
import type { Tool } from '../core/tool.js';

const sources = new WeakMap<Tool, Uint8Array>();

/** Source object of a tool: LF, no trailing white space, one LF at the end. Made once for each tool, which never changes. */
export function sourceBytes(tool: Tool): Uint8Array {
  const known = sources.get(tool);
  if (known !== undefined) return known;
  const bytes = sourceOf(tool);
  sources.set(tool, bytes);
  return bytes;
}

function sourceOf(tool: Tool): Uint8Array {
  const { name, summary, inputSchema } = tool;
  const grants = isPure(tool) ? [] : tool.grants.map(({ effect, scope, cost }) => ({ effect, scope, cost }));
  const declaration = Buffer.from(canonicalBytes({ name, summary, inputSchema, grants })).toString();
  // The functions are not called here, only read.
  const functions = isPure(tool)
    ? [tool.compute]
    : [tool.plan, ...(tool.finish === undefined ? [] : [tool.finish])];
  return normalised([declaration, ...functions.map(String)].join('\n'));
}

/** A text as it is hashed, whatever the line ends of the system it was written on. */
export function normalised(text: string): Uint8Array {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return Buffer.from(`${lines.join('\n')}\n`);
}
