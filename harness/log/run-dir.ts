/**
 * What every file of a run folder is called, and whether a path named in a log leads to a file inside it.
 *
 * The only file that knows path names (the layout stands in runs/README.md): nobody else writes `provenance.jsonl` out. Names are
 * relative to the run folder and use `/`, as they stand in the log. Nothing here opens or writes a file.
 */
import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { HarnessError } from '../core/errors.js';
import { pathEscapes, pathNames } from '../core/path.js';
import { errnoOf } from './file-ops.js';

/** Files and folders that stand in every run folder under one name. */
export const RUN = {
  log: 'provenance.jsonl',
  goal: 'goal.md',
  task: 'task.json',
  condition: 'condition.json',
  gatePolicy: 'gate-policy.json',
  planDraft: 'plan.draft.json',
  planRatified: 'plan.ratified.json',
  plans: 'plans',
  messages: 'messages',
  proposals: 'proposals',
  results: 'results',
  artifacts: 'artifacts',
  invocations: 'invocations.jsonl',
  journal: 'journal.jsonl',
  objects: 'objects.pack',
  writers: 'writers',
} as const;

/** Files of a study folder, beside its runs. */
export const STUDY = { plan: 'study.json', ledger: 'ledger.jsonl' } as const;

/** Every version of the plan, the first one too. */
export const planFile = (planId: string): string => `${RUN.plans}/${asName(planId)}.json`;
export const messageFile = (messageId: string): string => `${RUN.messages}/${asName(messageId)}.json`;
export const proposalFile = (proposalId: string): string => `${RUN.proposals}/${asName(proposalId)}.json`;
export const resultFile = (taskId: string): string => `${RUN.results}/${asName(taskId)}.json`;

/** Where a run that a crash cut short is set aside, for the n-th time (from 1). Relative to the study folder. */
export const abandonedRun = (runId: string, n: number): string => `${asName(runId)}.abandoned-${n}`;

/** Claim of a writer's lane, and what is left of it when the writer has closed. */
export const laneFile = (lane: string): string => `${RUN.writers}/${lane}`;
export const lastIdFile = (lane: string): string => `${RUN.writers}/${lane}.last`;
/** Where a writer puts a file together before it gets its name: outside of what a seal lists. */
export const draftFile = (writer: string): string => `${RUN.writers}/${writer}.draft`;
/** Held while the log is started or repaired. */
export const REPAIR_LOCK = `${RUN.writers}/repair`;

/** `seal.json` for 1, `seal.2.json` for 2 … */
export const sealFile = (n: number): string => (n === 1 ? 'seal.json' : `seal.${n}.json`);

/** The number of a seal; `undefined` for other names, `seal.1.json` and `seal.02.json` among them. */
export function sealNumber(name: string): number | undefined {
  const n = name === 'seal.json' ? 1 : Number(/^seal\.(\d{1,9})\.json$/.exec(name)?.[1] ?? 0);
  return n > 0 && sealFile(n) === name ? n : undefined;
}

/** The number of a part that log rotation has set aside: 3 for `provenance.jsonl.3`. */
export function rotatedPart(name: string): number | undefined {
  const digits = name.startsWith(`${RUN.log}.`) ? name.slice(RUN.log.length + 1) : '';
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

const OWNED: readonly string[] = [RUN.log, RUN.invocations, RUN.journal, RUN.objects, RUN.writers];

/** True for what only its own writer may touch: logs, seals, the object pack, the writers' folder. */
export function isOwned(path: string): boolean {
  const [first = '', second] = pathNames(path);
  if (OWNED.includes(first)) return true;
  return second === undefined && (sealNumber(first) !== undefined || rotatedPart(first) !== undefined);
}

/**
 * `absolute` has all symlinks resolved, `relative` says the same from the run folder, with `/`. Whether anything stands
 * there is for the caller to see.
 */
export type Resolved =
  | { readonly ok: true; readonly absolute: string; readonly relative: string }
  | { readonly ok: false; readonly how: string };

/** As many symlinks as Linux follows in one path. */
const LINKS_MAX = 40;

/**
 * Where a path named in the log leads, by its text and then through symlinks, dangling ones too: writing through one
 * of those would create a file outside. Links are read, files are never opened.
 *
 * The answer holds for this moment. Who opens `absolute` opens no link that stood there now.
 */
export function resolveInside(runDir: string, path: string): Resolved {
  const how = pathEscapes(path);
  if (how !== undefined) return { ok: false, how };
  const root = realRoot(runDir);
  const end = follow(root, pathNames(path));
  if (end === undefined) return { ok: false, how: 'follows symlinks in a circle' };
  const above = root.endsWith(sep) ? root : root + sep;
  if (end !== root && !end.startsWith(above)) return { ok: false, how: 'is a symlink out of the run folder' };
  return { ok: true, absolute: end, relative: end.slice(above.length).split(sep).join('/') };
}

function realRoot(runDir: string): string {
  try {
    return realpathSync(runDir);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // No such folder: then nothing in it is a link, and the caller will find every file missing.
    return resolve(runDir);
  }
}

function follow(root: string, names: readonly string[]): string | undefined {
  const todo = [...names].reverse();
  let at = root;
  let links = 0;
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === '' || name === '.') continue;
    const next = name === '..' ? dirname(at) : join(at, name);
    const target = name === '..' ? undefined : linkTarget(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) return undefined;
    if (isAbsolute(target)) at = parse(target).root;
    todo.push(...target.split(sep === '\\' ? /[\\/]/ : sep).reverse());
  }
  return at;
}

/** Where the link at `path` points; `undefined` if none stands there, or none that may be looked at. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Ids become file names here, and only here; what could be more than a name is refused. */
function asName(id: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/.test(id)) return id;
  throw new HarnessError(
    'invalid-input',
    `${JSON.stringify(id)} cannot name a file of the run`,
    'use letters, digits, "_", "-" and ".", at most 200, not starting with "." or "-"',
  );
}
