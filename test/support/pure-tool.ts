/**
 * Runs a tool where clock and chance throw, and twice, so that one that looks at either is caught.
 */
import type { JsonObject } from '../../harness/core/event.js';
import { isPure } from '../../harness/core/tool.js';
import type { Tool } from '../../harness/core/tool.js';

/** What a tool looked at that it may not; none for one that is pure. */
export function impurities(tool: Tool, input: JsonObject): string[] {
  const seen: string[] = [];
  const guard = (name: string) => (): never => {
    seen.push(name);
    throw new Error(`${name} in a tool`);
  };
  const real = { Date: globalThis.Date, random: Math.random, now: performance.now.bind(performance) };
  const guardedDate = new Proxy(real.Date, {
    construct: guard('new Date'),
    apply: guard('Date'),
    get: (target, name) => (name === 'now' ? guard('Date.now') : (Reflect.get(target, name) as unknown)),
  });
  const run = (): string =>
    JSON.stringify(isPure(tool) ? tool.compute(input) : [tool.plan(input), tool.finish?.(input, [])]);
  globalThis.Date = guardedDate;
  Math.random = guard('Math.random');
  performance.now = guard('performance.now');
  try {
    if (run() !== run()) seen.push('another plan for the same input');
  } catch (error) {
    if (seen.length === 0) throw error;
  } finally {
    globalThis.Date = real.Date;
    Math.random = real.random;
    performance.now = real.now;
  }
  return seen;
}
