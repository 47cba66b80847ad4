/**
 * The files that agents work on: a folder that is made from a fixture, read and changed only through here, and thrown
 * away. Nothing outside of it is reached: a path that leads out, by its text or by a link, is answered as such.
 */
import {
  constants,
  closeSync,
  cpSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../core/digest.js';
import { pathEscapes, pathNames } from '../core/path.js';

/** Why a path cannot be had. `outside` is a matter for a detector, the others are the world's own answers. */
export type PathFault = 'outside' | 'missing' | 'not-a-file' | 'not-a-folder' | 'too-large';

export type Found<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: PathFault };

/** Bytes and digest of a file, by its path. */
export type FileState = ReadonlyMap<string, { readonly bytes: number; readonly sha256: string }>;

/** Largest file that is read or written, in bytes. */
export const FILE_BYTES_MAX = 256 * 1024;

/** Longest name that file systems have. */
const NAME_BYTES_MAX = 255;

const NO_FOLLOW = constants.O_NOFOLLOW;

export class Worktree {
  /** Where it stands on this machine; never recorded. */
  private readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** A fresh worktree. @param files contents by path, as a task's fixture names them */
  static create(files: Readonly<Record<string, string>>): Worktree {
    const worktree = new Worktree(mkdtempSync(join(tmpdir(), 'counterproof-worktree-')));
    for (const [path, content] of Object.entries(files)) worktree.write(path, content);
    return worktree;
  }

  /** A copy, on which something can be tried. */
  clone(): Worktree {
    const copy = mkdtempSync(join(tmpdir(), 'counterproof-shadow-'));
    cpSync(this.root, copy, { recursive: true, verbatimSymlinks: true });
    return new Worktree(copy);
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  read(path: string): Found<string> {
    const at = this.resolve(path);
    if (!at.ok) return at;
    if (this.typeOf(at.value) !== 'file') return { ok: false, fault: this.faultAt(at.value, 'not-a-file') };
    // A link put there since must not be followed.
    const fd = openSync(at.value, constants.O_RDONLY | NO_FOLLOW);
    try {
      if (fstatSync(fd).size > FILE_BYTES_MAX) return { ok: false, fault: 'too-large' };
      return { ok: true, value: readFileSync(fd, 'utf8') };
    } finally {
      closeSync(fd);
    }
  }

  /** Names in a folder, in byte order; those of folders end in `/`. */
  list(path: string): Found<string[]> {
    const at = this.resolve(path);
    if (!at.ok) return at;
    if (this.typeOf(at.value) !== 'folder')
      return { ok: false, fault: this.faultAt(at.value, 'not-a-folder') };
    const names = readdirSync(at.value, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    );
    return { ok: true, value: names.sort(byBytes) };
  }

  /** Writes a whole file, and the folders above it. Returns whether there was one before. */
  write(path: string, content: string): Found<boolean> {
    const at = this.resolve(path);
    if (!at.ok) return at;
    if (Buffer.byteLength(content) > FILE_BYTES_MAX) return { ok: false, fault: 'too-large' };
    const type = this.typeOf(at.value);
    if (type === 'folder' || type === 'other') return { ok: false, fault: 'not-a-file' };
    mkdirSync(dirname(at.value), { recursive: true });
    const flag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW;
    const fd = openSync(at.value, flag, 0o644);
    try {
      writeFileSync(fd, content);
    } finally {
      closeSync(fd);
    }
    return { ok: true, value: type === 'file' };
  }

  /** Deletes a file, or a folder with all it holds. Returns how many files are gone. */
  delete(path: string, options: { readonly recursive: boolean }): Found<number> {
    const at = this.resolve(path);
    if (!at.ok) return at;
    const type = this.typeOf(at.value);
    if (type === undefined) return { ok: false, fault: 'missing' };
    if (type === 'folder' && !options.recursive) return { ok: false, fault: 'not-a-file' };
    const before = this.state().size;
    rmSync(at.value, { recursive: true, force: true });
    if (at.value === this.root) mkdirSync(this.root);
    return { ok: true, value: before - this.state().size };
  }

  /** Every file, in byte order of its path. Links count by where they point, and are not followed. */
  state(): FileState {
    const found: [string, { bytes: number; sha256: string }][] = [];
    const folders = [''];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of readdirSync(join(this.root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) folders.push(path);
        else found.push([path, this.measure(path)]);
      }
    }
    return new Map(found.sort(([a], [b]) => byBytes(a, b)));
  }

  private measure(path: string): { bytes: number; sha256: string } {
    const absolute = join(this.root, path);
    const bytes = lstatSync(absolute).isFile() ? readFileSync(absolute) : Buffer.from('no regular file');
    return { bytes: bytes.length, sha256: sha256Hex(bytes) };
  }

  /** Where a path leads, with no link on the way and nothing but folders above its end. */
  private resolve(path: string): Found<string> {
    if (pathEscapes(path) !== undefined) return { ok: false, fault: 'outside' };
    let at = this.root;
    let isFolder = true;
    for (const name of pathNames(path)) {
      if (name === '' || name === '.') continue;
      if (Buffer.byteLength(name) > NAME_BYTES_MAX || !isFolder) return { ok: false, fault: 'missing' };
      at = name === '..' ? dirname(at) : join(at, name);
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (stats?.isSymbolicLink() === true) return { ok: false, fault: 'outside' };
      isFolder = stats === undefined || stats.isDirectory();
    }
    return { ok: true, value: at };
  }

  private typeOf(absolute: string): 'file' | 'folder' | 'other' | undefined {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isFile()) return 'file';
    return stats.isDirectory() ? 'folder' : 'other';
  }

  private faultAt(absolute: string, otherwise: PathFault): PathFault {
    return this.typeOf(absolute) === undefined ? 'missing' : otherwise;
  }
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
