/**
 * Runs a tool where clock, chance and process throw, and twice, so that one that looks at any of them is caught. What is
 * guarded are the globals, and the functions of Node's modules also where they were imported by name.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import type { JsonObject } from '../../harness/core/event.js';
import { isPure } from '../../harness/core/tool.js';
import type { EffectResult, EffectTool, Tool } from '../../harness/core/tool.js';

/** What throws when a tool uses it: owner by owner, as the owner is called in what is reported. */
const GUARDED: readonly (readonly [string, object, readonly string[]])[] = [
  ['Math', Math, ['random']],
  ['performance', performance, ['now', 'mark', 'measure', 'toJSON']],
  ['process', process, ['hrtime', 'uptime', 'cpuUsage', 'memoryUsage', 'cwd']],
  ['crypto', crypto, ['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync']],
  ['crypto', globalThis.crypto, ['randomUUID', 'getRandomValues']],
  ['globalThis', globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch']],
];

/** What a tool looked at that it may not; none for one that is pure. */
export function impurities(tool: Tool, input: JsonObject): string[] {
  const seen: string[] = [];
  const guard = (name: string) => (): never => {
    seen.push(name);
    throw new Error(`${name} in a tool`);
  };
  const restore = guardAll(guard);
  try {
    if (runOnce(tool, input) !== runOnce(tool, input)) seen.push('another plan for the same input');
  } catch (error) {
    if (seen.length === 0) throw error;
  } finally {
    restore();
  }
  return seen;
}

/** Everything that a tool makes of an input: its plan, and what it finishes with, however its effects may end. */
function runOnce(tool: Tool, input: JsonObject): string {
  if (isPure(tool)) return JSON.stringify(tool.compute(input));
  const plan = tool.plan(input);
  const endings = (['ok', 'failed', 'denied'] as const).map((status) =>
    plan.finish
      ? finishOf(
          tool,
          input,
          plan.effects.map(({ id }) => ended(id, status)),
        )
      : null,
  );
  return JSON.stringify([plan, endings]);
}

function finishOf(tool: EffectTool, input: JsonObject, results: readonly EffectResult[]): unknown {
  return tool.finish?.(input, results);
}

function ended(id: string, status: EffectResult['status']): EffectResult {
  if (status === 'ok') return { id, status, value: {} };
  return status === 'failed' ? { id, status } : { id, status, denial: 'denied:budget' };
}

/** Puts guards in place. @returns what takes them away again */
function guardAll(guard: (name: string) => () => never): () => void {
  const undo: (() => void)[] = [];
  const put = (owner: object, name: string, value: unknown): void => {
    const own = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, own);
    });
  };
  for (const [title, owner, names] of GUARDED) {
    for (const name of names) {
      const throws = guard(`${title}.${name}`);
      put(owner, name, Object.assign(throws, { bigint: throws }));
    }
  }
  put(globalThis, 'Date', guardedDate(guard));
  syncBuiltinESMExports();
  return () => {
    undo.reverse().forEach((act) => {
      act();
    });
    syncBuiltinESMExports();
  };
}

/** A clock that cannot be read; a date that is told its time is as before. */
function guardedDate(guard: (name: string) => () => never): unknown {
  return new Proxy(Date, {
    construct: (target, args: readonly unknown[]) =>
      args.length === 0 ? guard('new Date')() : (Reflect.construct(target, args) as object),
    apply: guard('Date'),
    get: (target, name) => (name === 'now' ? guard('Date.now') : (Reflect.get(target, name) as unknown)),
  });
}
