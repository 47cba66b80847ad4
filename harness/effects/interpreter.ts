/**
 * What runs the tools: the exact bytes of the harness, and the digest of the Node binary that reads them. Pinned in every
 * entry, and kept once per folder of runs, so that a recorded run can be replayed by what recorded it.
 *
 * The archive is one file whose name is the SHA-256 of its bytes: a line about Node, then every file of the harness, in
 * the order of their paths, as a line with its path and length and then its bytes. It is never unpacked by us.
 */
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { HarnessError, unreachable } from '../core/errors.js';
import { attempt, nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { publish, readSmall } from '../log/small-file.js';
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

/** Measures what is running. Reads the Node binary once: about 100 MB. */
export function measureInterpreter(options: InterpreterOptions): MeasuredInterpreter {
  const { distDir, nodeVersion, nodePath, release } = options;
  return attempt(`reading ${distDir}`, () => {
    const node = { version: nodeVersion, digest: digestOfFile(nodePath), path: nodePath };
    const parts: Uint8Array[] = [Buffer.from(`node ${nodeVersion} ${node.digest}\n`)];
    for (const path of filesIn(distDir)) {
      const bytes = readFileSync(join(distDir, path));
      parts.push(Buffer.from(`${JSON.stringify(path)} ${bytes.length}\n`), bytes, Buffer.from('\n'));
    }
    const archive = Buffer.concat(parts);
    return { digest: digestOf(archive), release, archive, node };
  });
}

/** Keeps the archive beside the runs, once. @returns its path */
export function archiveInterpreter(
  runsRoot: string,
  { digest, archive }: Pick<MeasuredInterpreter, 'digest' | 'archive'>,
  ops: FileOps = nodeFileOps,
): string {
  const path = archivePath(runsRoot, digest);
  attempt(`writing ${path}`, () => {
    if (ops.facts(path) !== undefined) return;
    publish(path, archive, { ops, draft: `${path}.draft`, durable: true });
  });
  return path;
}

/** Keeps the Node binary under its own digest, for whoever wants to run an old archive as it was. */
export function archiveNode(
  runsRoot: string,
  { node }: MeasuredInterpreter,
  ops: FileOps = nodeFileOps,
): string {
  return archiveInterpreter(runsRoot, { digest: node.digest, archive: readFileSync(node.path) }, ops);
}

export type ArchiveState = 'ok' | 'missing' | 'damaged';

/** Hashes an archive anew. */
export function verifyArchive(runsRoot: string, digest: Digest, ops: FileOps = nodeFileOps): ArchiveState {
  const path = archivePath(runsRoot, digest);
  const bytes = attempt(`reading ${path}`, () => readSmall(path, ARCHIVE_BYTES_MAX, ops));
  if (bytes === undefined) return 'missing';
  return digestOf(bytes) === digest ? 'ok' : 'damaged';
}

/** @throws HarnessError `invalid-input` when the archive of this interpreter is there and damaged */
export function requireArchive(runsRoot: string, digest: Digest, ops: FileOps = nodeFileOps): void {
  if (verifyArchive(runsRoot, digest, ops) !== 'damaged') return;
  const hint = 'restore it from a copy, or remove it: the interpreter that is running now is archived anew';
  throw new HarnessError('invalid-input', `${archivePath(runsRoot, digest)} is damaged`, hint);
}

const ARCHIVE_BYTES_MAX = 512 * 1024 * 1024;

function archivePath(runsRoot: string, digest: Digest): string {
  return join(runsRoot, ARCHIVE_FOLDER, digest.slice('sha256:'.length));
}

/** Paths of all regular files, with `/`, in byte order. Links are not followed: they could lead anywhere. */
function filesIn(root: string): string[] {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = lstatSync(join(root, path));
      if (stats.isDirectory()) folders.push(path);
      else if (stats.isFile()) found.push(path);
    }
  }
  return found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function digestOfFile(path: string): Digest {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(1024 * 1024);
  const fd = openSync(path, 'r');
  try {
    for (let count = -1; count !== 0;) {
      count = readSync(fd, chunk, 0, chunk.length, null);
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
  return parseDigest(`sha256:${hash.digest('hex')}`) ?? unreachable('a hash is a digest');
}
