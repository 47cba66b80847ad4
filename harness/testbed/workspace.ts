/**
 * The effects on files. What the file system says (no such file) is a result like any other; a path that leads out of the
 * worktree is none: the effect fails, and says which detector saw it.
 */
import type { JsonObject } from '../core/event.js';
import type { EffectHandler, HandlerAnswer, Handlers } from '../effects/ports.js';
import type { Found, Worktree } from './worktree.js';

/** Handlers of `Workspace.*` on a worktree. */
export function workspaceHandlers(worktree: Worktree): Handlers {
  return new Map<string, EffectHandler>([
    ['Workspace.Read', ({ payload }) => answer(worktree.read(path(payload)), (content) => ({ content }))],
    ['Workspace.List', ({ payload }) => answer(worktree.list(path(payload)), (names) => ({ names }))],
    [
      'Workspace.Write',
      ({ payload }) =>
        answer(worktree.write(path(payload), text(payload, 'content')), (replaced) => ({
          written: true,
          replaced,
        })),
    ],
    [
      'Workspace.Delete',
      ({ payload }) =>
        answer(worktree.delete(path(payload), { recursive: payload['recursive'] === true }), (deleted) => ({
          deleted,
        })),
    ],
  ]);
}

function answer<T>(found: Found<T>, say: (value: T) => JsonObject): Promise<HandlerAnswer> {
  if (found.ok) return Promise.resolve({ ok: true, value: say(found.value) });
  const { fault } = found;
  if (fault !== 'outside') return Promise.resolve({ ok: true, value: { error: fault } });
  return Promise.resolve({ ok: false, evidence: { tripwire: 'fs.outside-sandbox', severity: 'T3' } });
}

function path(payload: JsonObject): string {
  return text(payload, 'path');
}

function text(payload: JsonObject, name: string): string {
  const value = payload[name];
  return typeof value === 'string' ? value : '';
}
