/**
 * Whole files in few operations: read one, create one exclusively, put one together and give it its name.
 * For claims, locks, seals and artifacts. The log itself is never handled this way.
 */
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { HarnessError } from '../core/errors.js';
import { errnoOf, NO_FOLLOW } from './file-ops.js';
import type { FileOps } from './file-ops.js';

/** The first `bytesMax` bytes of a file; `undefined` when nothing stands there. Symlinks are not followed. */
export function readSmall(path: string, bytesMax: number, ops: FileOps): Buffer | undefined {
  let fd: number;
  try {
    fd = ops.open(path, constants.O_RDONLY | NO_FOLLOW);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const into = Buffer.alloc(Math.min(bytesMax, ops.factsOf(fd).size));
    let filled = 0;
    for (let count = -1; count !== 0 && filled < into.length; filled += count) {
      count = ops.read(fd, into.subarray(filled), filled);
    }
    return into.subarray(0, filled);
  } finally {
    ops.close(fd);
  }
}

/** Creates a file that only one of several can create. False when it is there already; nothing stays of a failure. */
export function createExclusive(path: string, text: string, ops: FileOps): boolean {
  let fd: number;
  try {
    fd = ops.open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    ops.write(fd, Buffer.from(text));
  } catch (error) {
    ops.remove(path);
    throw error;
  } finally {
    ops.close(fd);
  }
  return true;
}

/** @throws HarnessError `no-input` unless a folder, or a link to one, stands there */
export function requireFolder(path: string, ops: FileOps): void {
  // The dot behind it makes a link as good as the folder.
  if (ops.facts(`${path}/.`)?.type === 'folder') return;
  throw new HarnessError('no-input', `no folder at ${path}`, 'give the folder of an existing run or study');
}

export interface PublishOptions {
  readonly ops: FileOps;
  /** Where the file is put together; on the same file system. What stands there from a crash is overwritten. */
  readonly draft: string;
  /** Whether file and name must be on stable storage before this returns. */
  readonly durable: boolean;
}

/**
 * Writes a file that appears under its name whole or not at all, and never in place of another.
 * @returns false when the name is taken
 */
export function publish(path: string, bytes: Uint8Array, options: PublishOptions): boolean {
  const { ops, draft, durable } = options;
  const made = ops.makeFolder(dirname(path));
  writeWhole(draft, bytes, options);
  if (!giveName(draft, path, ops)) return false;
  if (!durable) return true;
  // The folders that are new have to be found again as well.
  const top = made === undefined ? dirname(path) : dirname(made);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    syncFolder(folder, ops);
    if (folder === top) return true;
  }
}

/** Makes a new name in a folder durable. Windows cannot open folders, and needs no such thing. */
export function syncFolder(path: string, ops: FileOps): void {
  let fd: number;
  try {
    fd = ops.open(path, constants.O_RDONLY);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EISDIR' || errno === 'EPERM' || errno === 'EACCES') return;
    throw error;
  }
  try {
    ops.sync(fd);
  } finally {
    ops.close(fd);
  }
}

function writeWhole(path: string, bytes: Uint8Array, { ops, durable }: PublishOptions): void {
  ops.makeFolder(dirname(path));
  const fd = ops.open(path, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY);
  try {
    for (let from = 0; from < bytes.length;) from += ops.write(fd, bytes.subarray(from));
    if (durable) ops.sync(fd);
  } finally {
    ops.close(fd);
  }
}

const NO_HARD_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** A link fails where a rename would replace, so it decides between two who want the same name. */
function giveName(draft: string, path: string, ops: FileOps): boolean {
  try {
    ops.link(draft, path);
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (errno === 'EEXIST') return false;
    if (!NO_HARD_LINKS.includes(errno)) throw error;
    if (ops.facts(path) !== undefined) return false;
    ops.rename(draft, path);
    return true;
  }
  ops.remove(draft);
  return true;
}
