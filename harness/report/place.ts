/**
 * Where a finding is, for readers that open files: the log of its run as a path from the folder of the check, or as
 * a URI. Paths are taken apart as text; nothing is looked up, so links are not followed.
 *
 * Every finding is placed in the log, also one about another file: the log is what was judged, and always named.
 */
import type { Finding, RunVerdict } from '../core/verdict.js';

/** A place as SARIF writes it: relative to the folder of the check, else absolute. */
export interface ArtifactUri {
  readonly uri: string;
  readonly uriBaseId?: typeof ROOT_ID;
}

/** What the hosts of code call the folder that a repository is checked out into. */
export const ROOT_ID = '%SRCROOT%';

/** A log that came through a pipe has no file. */
export const STANDARD_INPUT = '<stdin>';

/** The log of a run, as its path was given. */
export function logOf(run: RunVerdict): string {
  const isFolder = run.input === 'folder' && !run.path.endsWith('provenance.jsonl');
  return isFolder ? `${run.path.replace(/(?<=.)\/+$/, '')}/provenance.jsonl` : run.path;
}

/** Line of the log that a finding is about; the first where it is about no line, since hosts ask for one. */
export function lineOf(finding: Finding): number {
  return finding.events[0]?.line ?? 1;
}

/** A path with forward slashes, from `root` where it lies below it; otherwise as it was given. */
export function pathFrom(root: string, path: string): string {
  return below(root, path)?.join('/') ?? (isWindows(root) ? path.replaceAll('\\', '/') : path);
}

/** A path as a URI, percent-encoded. */
export function uriFrom(root: string, path: string): ArtifactUri {
  const relative = below(root, path);
  if (relative !== undefined) return { uri: relative.map(encode).join('/'), uriBaseId: ROOT_ID };
  const [first = '', ...rest] = resolved(root, path);
  // The colon of a drive stays one.
  const start = isWindows(root) ? encode(first).replace(/^([A-Za-z])%3A$/, '$1:') : encode(first);
  const isShare = isWindows(root) && /^[\\/]{2}/.test(path);
  return { uri: `${isShare ? 'file://' : 'file:///'}${[start, ...rest.map(encode)].join('/')}` };
}

function below(root: string, path: string): readonly string[] | undefined {
  const base = resolved(root, '');
  const whole = resolved(root, path);
  const isBelow = whole.length > base.length && base.every((name, index) => whole[index] === name);
  return isBelow ? whole.slice(base.length) : undefined;
}

/** The names on the way to a path, without `.` and `..`. */
function resolved(root: string, path: string): string[] {
  const separator = isWindows(root) ? /[\\/]+/ : /\/+/;
  const isAbsolute = isWindows(root) ? /^(?:[A-Za-z]:)?[\\/]/.test(path) : path.startsWith('/');
  const names: string[] = [];
  for (const name of `${isAbsolute ? '' : `${root}/`}${path}`.split(separator)) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

function isWindows(root: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(root);
}

function encode(name: string): string {
  return encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}
