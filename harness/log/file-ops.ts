/**
 * The file operations that the writing half needs, as one object that is passed in: a test replaces it to fail the
 * n-th operation, to write half a line, or to fill the disk. Everything is synchronous and maps to one system call.
 *
 * It is not a file system abstraction: paths and flags mean what they mean to Node.
 */
import * as fs from 'node:fs';
import { HarnessError } from '../core/errors.js';

export interface FileFacts {
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Device and inode: two facts with the same identity are about the same file. */
  readonly identity: string;
  /** Names the file still has; 0 once it has been deleted under an open descriptor. */
  readonly names: number;
}

export interface FileOps {
  /** @param flags of `fs.constants` */
  readonly open: (path: string, flags: number) => number;
  /** Bytes read at `position`, 0 at the end. */
  readonly read: (fd: number, into: Uint8Array, position: number) => number;
  /** One write(2). Returns how many bytes were taken, which may be fewer than given. */
  readonly write: (fd: number, bytes: Uint8Array) => number;
  /** Returns when content and length are on stable storage. */
  readonly sync: (fd: number) => void;
  readonly close: (fd: number) => void;
  readonly factsOf: (fd: number) => FileFacts;
  /** Facts about what stands at `path`, the link itself if it is one; `undefined` when nothing does. */
  readonly facts: (path: string) => FileFacts | undefined;
  /** Names in a folder, in no order. */
  readonly list: (path: string) => string[];
  /** Makes a folder and those above it. Returns the topmost one that is new. */
  readonly makeFolder: (path: string) => string | undefined;
  /** Gives a file a second name. Fails when the name is taken, which makes it an exclusive rename. */
  readonly link: (from: string, to: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly remove: (path: string) => void;
  readonly freeBytes: (path: string) => number;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly pause: (ms: number) => void;
}

/** Flag that refuses to open a symlink; 0 where the system does not know it (Windows). */
export const NO_FOLLOW = (fs.constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;

/** The operations of this machine. */
export const nodeFileOps: FileOps = {
  open: (path, flags) => fs.openSync(path, flags, 0o666),
  read: (fd, into, position) => fs.readSync(fd, into, 0, into.length, position),
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  sync: (fd) => fs.fdatasyncSync(fd),
  close: (fd) => fs.closeSync(fd),
  factsOf: (fd) => factsFrom(fs.fstatSync(fd)),
  facts: (path) => {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : factsFrom(stats);
  },
  list: (path) => fs.readdirSync(path),
  makeFolder: (path) => fs.mkdirSync(path, { recursive: true }),
  link: (from, to) => fs.linkSync(from, to),
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.unlinkSync(path),
  freeBytes: (path) => {
    const { bavail, bsize } = fs.statfsSync(path);
    return bavail * bsize;
  },
  isProcessAlive,
  // The writer is synchronous by contract; this is the one way to wait without spinning.
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** The errno name (`ENOENT`) of a failed system call; `undefined` for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Runs file operations; a failed system call becomes a HarnessError that says what was being done.
 * @param doing what is being done and to what, such as `appending to runs/run_1/provenance.jsonl`
 */
export function attempt<T>(doing: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw asHarnessError(error, doing);
  }
}

/** The sentence that an operator can act on; anything but a failed system call is passed through. */
function asHarnessError(error: unknown, doing: string): unknown {
  const errno = errnoOf(error);
  if (error instanceof HarnessError || errno === undefined) return error;
  if (errno === 'ENOSPC' || errno === 'EDQUOT') return diskFull(doing, error);
  if (errno === 'ENOENT' || errno === 'ESTALE') return runRemoved(doing, error);
  return new HarnessError('io-failed', `${doing} failed: ${errno}`, {
    hint: 'see that the folder can be written, then try again',
    cause: error,
  });
}

export function diskFull(doing: string, cause?: unknown): HarnessError {
  const hint =
    'free some space and go on: what was acknowledged is in the log, what was not will be reported as torn';
  return new HarnessError('disk-full', `${doing} failed: no space left`, { hint, cause });
}

export function runRemoved(doing: string, cause?: unknown): HarnessError {
  const hint =
    'the run folder was deleted, renamed or replaced while it was written; put it back and reopen the run';
  return new HarnessError('run-removed', `${doing} failed: it is no longer there`, { hint, cause });
}

function factsFrom(stats: fs.Stats): FileFacts {
  return {
    type: typeOf(stats),
    size: stats.size,
    identity: `${stats.dev}:${stats.ino}`,
    names: stats.nlink,
  };
}

function typeOf(stats: fs.Stats): FileFacts['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return errnoOf(error) !== 'ESRCH';
  }
}
