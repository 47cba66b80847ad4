/**
 * Measures what a seal covers: the log, and optionally whether an earlier prefix of it is still the same, the head of
 * the invocation chain, every other file. Reads in constant memory and writes nothing.
 */
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import type { Seal } from '../core/types.js';
import type { Artifact } from './artifact.js';
import type { FileOps } from './file-ops.js';
import { isBlank, objectOf, readChunks, readLines } from './lines.js';
import { RUN, sealFile, sealNumber } from './run-dir.js';

/** A seal as it stands in the folder. */
export interface FoundSeal {
  readonly number: number;
  readonly seal: Seal;
}

/** The event that ended the run. */
export interface Terminal {
  readonly runId: string;
  readonly t: string;
}

/** A log, or a prefix of it, as measured from its bytes. */
export interface LogMeasure {
  readonly bytes: number;
  readonly events: number;
  readonly sha256: string;
  readonly terminal: Terminal;
}

export interface MeasureOptions {
  readonly ops: FileOps;
  readonly last?: FoundSeal | undefined;
  /** Where to stop, if not at the end of the log. */
  readonly end?: number;
}

/** @throws HarnessError `invalid-input` for a log that cannot be sealed */
export function measureLog(runDir: string, { ops, last, end }: MeasureOptions): LogMeasure {
  const path = join(runDir, RUN.log);
  if (ops.facts(path) === undefined)
    throw new HarnessError('no-input', `no ${RUN.log} in ${runDir}`, 'give the folder of a run');
  const fd = ops.open(path, constants.O_RDONLY);
  try {
    const size = end ?? ops.factsOf(fd).size;
    refuseIfCovered(runDir, last, size);
    const digest = new PrefixDigest(last?.seal.logBytes);
    let events = 0;
    let terminal: Terminal | undefined;
    for (const line of readLines({ ops, fd, end: size, onBytes: (bytes) => digest.update(bytes) })) {
      if (!line.ended)
        throw refused(runDir, 'its last line is torn', 'append an event, which closes it, or reopen it');
      if (isBlank(line.bytes)) continue;
      events += 1;
      terminal = terminalOf(line.bytes) ?? terminal;
    }
    if (terminal === undefined) {
      throw refused(runDir, 'it has not ended', 'a run ends with run_completed or run_aborted');
    }
    if (last !== undefined && `sha256:${digest.prefix()}` !== last.seal.logDigest) {
      const what = `the part of the log that ${sealFile(last.number)} covers has changed`;
      throw refused(runDir, what, 'check the run: a log is only ever appended to');
    }
    return { bytes: size, events, sha256: digest.whole(), terminal };
  } finally {
    ops.close(fd);
  }
}

function refuseIfCovered(runDir: string, last: FoundSeal | undefined, size: number): void {
  if (last === undefined || size > last.seal.logBytes) return;
  const name = sealFile(last.number);
  if (size === last.seal.logBytes)
    throw refused(runDir, `nothing was appended since ${name}`, 'it is sealed already');
  throw refused(
    runDir,
    `its log is shorter than ${name} says`,
    'check the run: a log is only ever appended to',
  );
}

/** SHA-256 of the whole and, on the way, of a prefix of it. */
class PrefixDigest {
  private readonly hash: Hash = createHash('sha256');
  private readonly prefixBytes: number;
  private prefixHash: Hash | undefined;
  private bytes = 0;

  constructor(prefixBytes = 0) {
    this.prefixBytes = prefixBytes;
  }

  update(bytes: Uint8Array): void {
    const missing = this.prefixBytes - this.bytes;
    const cut = missing > 0 && missing <= bytes.length ? missing : 0;
    if (cut > 0) {
      this.hash.update(bytes.subarray(0, cut));
      this.prefixHash = this.hash.copy();
    }
    this.hash.update(bytes.subarray(cut));
    this.bytes += bytes.length;
  }

  prefix(): string {
    return (this.prefixHash ?? createHash('sha256')).digest('hex');
  }

  whole(): string {
    return this.hash.digest('hex');
  }
}

function terminalOf(line: Uint8Array): Terminal | undefined {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  if (!text.includes('"run_completed"') && !text.includes('"run_aborted"')) return undefined;
  const event = objectOf(line);
  if (event?.['kind'] !== 'run_completed' && event?.['kind'] !== 'run_aborted') return undefined;
  const { runId, t } = event;
  return typeof runId === 'string' && typeof t === 'string' ? { runId, t } : undefined;
}

/** Hash of the last entry of the invocation chain; `null` where the run has none. */
export function chainHead(runDir: string, ops: FileOps): string | null {
  const path = join(runDir, RUN.invocations);
  if (ops.facts(path) === undefined) return null;
  const fd = ops.open(path, constants.O_RDONLY);
  try {
    let last: Uint8Array | undefined;
    for (const line of readLines({ ops, fd, end: ops.factsOf(fd).size })) {
      if (!line.ended)
        throw refused(runDir, `the last line of ${RUN.invocations} is torn`, 'recover the run first');
      if (!isBlank(line.bytes)) last = line.bytes.slice();
    }
    if (last === undefined) return null;
    const hash = objectOf(last)?.['entryHash'];
    if (typeof hash === 'string') return hash;
    throw refused(runDir, `the last line of ${RUN.invocations} is no entry`, 'check the run');
  } finally {
    ops.close(fd);
  }
}

/** Every regular file but the log, the seals and the writers' own, measured. A symlink is no file and is not followed. */
export function listFiles(runDir: string, ops: FileOps): Artifact[] {
  return listPaths(runDir, ops).map((path) => measureFile(runDir, path, ops));
}

/** Paths of the files that a seal lists, in byte order. */
export function listPaths(runDir: string, ops: FileOps): string[] {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of ops.list(join(runDir, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (path === RUN.log || path === RUN.writers || (folder === '' && sealNumber(name) !== undefined))
        continue;
      const type = ops.facts(join(runDir, path))?.type;
      if (type === 'folder') folders.push(path);
      else if (type === 'file') found.push(path);
    }
  }
  return found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function measureFile(runDir: string, path: string, ops: FileOps): Artifact {
  const fd = ops.open(join(runDir, path), constants.O_RDONLY);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const chunk of readChunks({ ops, fd, end: ops.factsOf(fd).size })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { path, bytes, sha256: hash.digest('hex') };
  } finally {
    ops.close(fd);
  }
}

/** The one sentence for everything that keeps a run from being sealed. */
export function refused(runDir: string, why: string, hint: string): HarnessError {
  return new HarnessError('invalid-input', `cannot seal ${runDir}: ${why}`, hint);
}
