/**
 * What runs the tools: the exact bytes of the harness, and the digest of the Node binary that reads them. Pinned in every
 * entry, and kept once per folder of runs, so that a recorded run can be replayed by what recorded it.
 *
 * The archive is one file whose name is the SHA-256 of its bytes: a line about Node, then every file of the harness, in
 * the order of their paths, as a line with its path and length and then its bytes. A link is its path and where it
 * points, and is not followed. The archive is never unpacked by us.
 */
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { HarnessError, unreachable } from '../core/errors.js';
import { compareUtf8 } from '../core/utf8.js';
import { attempt, NO_FOLLOW, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { publish } from '../log/small-file.js';
import type { Interpreter } from './ports.js';

/** Folder beside the runs that archives stand in. */
export const ARCHIVE_FOLDER = '.interpreters';

export interface InterpreterOptions {
  /** Folder of the compiled harness. */
  readonly distDir: string;
  /** Version and binary of Node. */
  readonly nodeVersion: string;
  readonly nodePath: string;
  readonly release: string;
}

/** An interpreter and the bytes that its digest is of. */
export interface MeasuredInterpreter extends Interpreter {
  readonly archive: Uint8Array;
  readonly node: { readonly version: string; readonly digest: Digest; readonly path: string };
}

export interface ArchiveOptions {
  readonly ops?: FileOps;
  /** Names what is being written until it is whole; two who write at the same time need two names. */
  readonly writer?: string;
}

export type ArchiveState = 'ok' | 'missing' | 'damaged';

/** Measures what is running. Reads the Node binary once: about 100 MB. */
export function measureInterpreter(options: InterpreterOptions): MeasuredInterpreter {
  const { distDir, nodeVersion, nodePath, release } = options;
  const nodeDigest = attempt(`reading ${nodePath}`, () =>
    digestOfFile(nodePath, nodeFileOps, { follow: true }),
  );
  const node = { version: nodeVersion, digest: nodeDigest, path: nodePath };
  return attempt(`reading ${distDir}`, () => {
    const parts: Uint8Array[] = [Buffer.from(`node ${nodeVersion} ${node.digest}\n`)];
    for (const { path, isLink } of filesIn(distDir)) parts.push(...archived(distDir, path, isLink));
    const archive = Buffer.concat(parts);
    return { digest: digestOf(archive), release, archive, node };
  });
}

/** Keeps the archive beside the runs, once: whole or not at all. @returns its path */
export function archiveInterpreter(
  runsRoot: string,
  { digest, archive }: Pick<MeasuredInterpreter, 'digest' | 'archive'>,
  { ops = nodeFileOps, writer = 'new' }: ArchiveOptions = {},
): string {
  const path = archivePath(runsRoot, digest);
  attempt(`writing ${path}`, () => {
    if (ops.facts(path) !== undefined) return;
    publish(path, archive, { ops, draft: `${path}.${writer}.draft`, durable: true });
  });
  return path;
}

/** Keeps the Node binary under its own digest, for whoever wants to run an old archive as it was. */
export function archiveNode(
  runsRoot: string,
  { node }: Pick<MeasuredInterpreter, 'node'>,
  options: ArchiveOptions = {},
): string {
  const path = archivePath(runsRoot, node.digest);
  if ((options.ops ?? nodeFileOps).facts(path) !== undefined) return path;
  const archive = attempt(`reading ${node.path}`, () => readFileSync(node.path));
  if (digestOf(archive) === node.digest)
    return archiveInterpreter(runsRoot, { digest: node.digest, archive }, options);
  const hint = 'it was replaced while this was running: start again';
  throw new HarnessError('invalid-input', `${node.path} is no longer the Node that was measured`, hint);
}

/** Hashes an archive anew, in pieces. Anything that is no plain file of its own is no archive. */
export function verifyArchive(runsRoot: string, digest: Digest, ops: FileOps = nodeFileOps): ArchiveState {
  const path = archivePath(runsRoot, digest);
  return attempt(`reading ${path}`, () => {
    const facts = ops.facts(path);
    if (facts === undefined) return 'missing';
    return facts.type === 'file' && digestOfFile(path, ops) === digest ? 'ok' : 'damaged';
  });
}

/** @throws HarnessError `invalid-input` when the archive of this interpreter is there and damaged */
export function requireArchive(runsRoot: string, digest: Digest, ops: FileOps = nodeFileOps): void {
  if (verifyArchive(runsRoot, digest, ops) !== 'damaged') return;
  const hint = 'restore it from a copy, or remove it: the interpreter that is running now is archived anew';
  throw new HarnessError('invalid-input', `${archivePath(runsRoot, digest)} is damaged`, hint);
}

function archivePath(runsRoot: string, digest: Digest): string {
  return join(runsRoot, ARCHIVE_FOLDER, digest.slice('sha256:'.length));
}

/** One file as it stands in the archive. Paths are JSON texts, so that no name can pass for another line. */
function archived(distDir: string, path: string, isLink: boolean): Uint8Array[] {
  const name = JSON.stringify(path);
  if (isLink) return [Buffer.from(`${name} -> ${JSON.stringify(readlinkSync(join(distDir, path)))}\n`)];
  const bytes = readFileSync(join(distDir, path));
  return [Buffer.from(`${name} ${bytes.length}\n`), bytes, Buffer.from('\n')];
}

/** All files and links, their paths with `/`, in byte order. Links are not followed: they could lead anywhere. */
function filesIn(root: string): { readonly path: string; readonly isLink: boolean }[] {
  const found: { path: string; isLink: boolean }[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = lstatSync(join(root, path));
      if (stats.isDirectory()) folders.push(path);
      else if (stats.isFile() || stats.isSymbolicLink()) found.push({ path, isLink: stats.isSymbolicLink() });
    }
  }
  return found.sort((a, b) => compareUtf8(a.path, b.path));
}

/** Digest of a file, read in pieces. @param follow whether a link is as good as what it leads to */
function digestOfFile(path: string, ops: FileOps, { follow = false } = {}): Digest {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(1024 * 1024);
  const fd = ops.open(path, follow ? constants.O_RDONLY : constants.O_RDONLY | NO_FOLLOW);
  try {
    for (let at = 0, count = -1; count !== 0; at += count) {
      count = ops.read(fd, chunk, at);
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    ops.close(fd);
  }
  return parseDigest(`sha256:${hash.digest('hex')}`) ?? unreachable('a hash is a digest');
}
