/**
 * Holds the input of a call against the tool's JSON Schema, and says in one sentence what does not fit.
 * The validators of a run's own files are made at build time; those of tools at their first call, since tools are many.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '../core/event.js';
import type { Tool } from '../core/tool.js';

const compiled = new WeakMap<Tool, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/** What is wrong with an input, such as `/path must be string`; `undefined` when it fits. */
export function inputFault(tool: Tool, input: JsonObject): string | undefined {
  let check = compiled.get(tool);
  if (check === undefined) {
    ajv ??= new Ajv2020({ strict: true, allErrors: true, logger: false });
    check = ajv.compile(tool.inputSchema);
    compiled.set(tool, check);
  }
  if (check(input)) return undefined;
  const errors = check.errors ?? [];
  // Names of unknown members stand in the parameters only.
  const said = errors.map(({ instancePath, message, params }) => {
    const name: unknown = params['additionalProperty'];
    const extra = typeof name === 'string' ? `: ${name}` : '';
    return `${instancePath || 'the input'} ${message ?? 'does not fit'}${extra}`;
  });
  return [...new Set(said)].sort().slice(0, 5).join('; ');
}
