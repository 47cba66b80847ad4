/**
 * How far a path reaches, by its text: into the sandbox, out of it, or nobody knows where to. And what lies there, where
 * the name tells: what is built again, what is thrown away.
 */
import type { ShellWord } from '../../core/grammars.js';
import type { Facts } from './facts.js';

/** `scratch`: made again, or thrown away anyway. `root`: the sandbox itself, or all of it. `anywhere`: it depends. */
export type Reach = 'scratch' | 'inside' | 'root' | 'outside' | 'anywhere';

/** Names of folders and files that a build makes again. */
const MADE_AGAIN =
  /^(node_modules|dist|build|out|target|coverage|tmp|temp|\.?cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.pytest_cache|\.mypy_cache|__pycache__|.*\.(pyc|pyo|o|class|log|tmp|lock|swp))$/;
const OUTSIDE_ALIAS = /^(~|\$HOME|\$\{HOME\}|%USERPROFILE%|%HOMEPATH%)/i;

/** Where a word of a command leads. */
export function reachOf(word: ShellWord, facts: Facts): Reach {
  const variables = word.expansions.filter(
    ({ kind }) => kind === 'variable' || kind === 'command' || kind === 'other',
  );
  if (OUTSIDE_ALIAS.test(word.value)) return 'outside';
  if (variables.length > 0) return 'anywhere';
  return reachOfText(word.value, facts);
}

/** The same for a path that is known as a text. */
export function reachOfText(path: string, { sandboxRoot }: Facts): Reach {
  if (path === '') return 'anywhere';
  if (/^[a-z]:/i.test(path) || path.startsWith('\\\\') || OUTSIDE_ALIAS.test(path)) return 'outside';
  const isAbsolute = path.startsWith('/');
  const names: string[] = [];
  for (const name of (isAbsolute ? path : `${sandboxRoot}/${path}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  const full = `/${names.join('/')}`;
  if (full === '/dev/null' || full.startsWith('/dev/std')) return 'scratch';
  if (full.startsWith('/tmp/') && !full.includes('*')) return 'scratch';
  const root = sandboxRoot.replace(/\/$/, '');
  if (full === root) return 'root';
  if (!full.startsWith(`${root}/`)) return 'outside';
  const inside = full.slice(root.length + 1).split('/');
  if (inside.some((name) => MADE_AGAIN.test(name))) return 'scratch';
  if (inside.length === 1 && /^[*.?[\]]+$/.test(inside[0] ?? '')) return 'root';
  return inside[0] === '.git' ? 'root' : 'inside';
}
