/**
 * The evidence port over a run folder: files, seals and ledger line, read when a rule asks and remembered.
 *
 * Nothing outside the folder is ever opened: every path goes through `resolveInside`. What is not there is
 * answered with its reason. Judging what was found is the oracle's business.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type {
  Absence,
  EvidencePort,
  FileEvidence,
  RecordLine,
  JsonEvidence,
  LedgerEvidence,
  PrefixMeasure,
} from '../core/evidence.js';
import { HarnessError } from '../core/errors.js';
import { parseExact, toPlain } from '../core/json.js';
import { pathEscapes, pathNames } from '../core/path.js';
import { readLedger, type Ledger } from './ledger.js';
import { resolveInside, rotatedPart, RUN, sealNumber, STUDY } from './run-dir.js';
import { errnoOf, NO_FOLLOW, nodeFileOps } from './file-ops.js';
import { isBlank, objectOf, readLines } from './lines.js';
import { listPaths } from './seal-measure.js';

const JSON_MAX_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

const NO_FILE = 'it is no regular file';
const NOT_APPLICABLE: Absence = { found: false, why: 'not-applicable' };

/** Evidence of a bare log: nothing but the log was given, so nothing else can be held against it. */
export function bareEvidence(): EvidencePort {
  return {
    isFolder: false,
    file: () => NOT_APPLICABLE,
    json: () => NOT_APPLICABLE,
    seals: () => [],
    prefix: () => NOT_APPLICABLE,
    presence: () => NOT_APPLICABLE,
    files: () => [],
    ledger: () => NOT_APPLICABLE,
    invocations: () => [],
    journal: () => [],
    rotatedParts: () => [],
  };
}

/** Evidence of the run folder at `runDir`. */
export function folderEvidence(runDir: string): EvidencePort {
  return new FolderEvidence(runDir);
}

class FolderEvidence implements EvidencePort {
  readonly isFolder = true;
  private readonly measured = new Map<string, FileEvidence>();
  private readonly documents = new Map<string, JsonEvidence>();
  private readonly prefixes = new Map<string, PrefixMeasure | Absence>();
  private studyLedger: Ledger | undefined;
  private names: readonly string[] | undefined;

  private readonly runDir: string;

  constructor(runDir: string) {
    // The ledger lies beside the folder itself, not beside a link to it.
    this.runDir = realpathOf(runDir);
  }

  presence(path: string): { readonly found: true } | Absence {
    return this.withFile(path, () => ({ found: true }) as const);
  }

  file(path: string): FileEvidence {
    return remembered(this.measured, this.nameOf(path), () => this.withFile(path, measure));
  }

  json(path: string): JsonEvidence {
    return remembered(this.documents, this.nameOf(path), () => this.withFile(path, readJson));
  }

  /** One name for all spellings of a path, so that no file is read twice. */
  private nameOf(path: string): string {
    return pathEscapes(path) === undefined ? pathNames(path).join('/') : path;
  }

  seals(): readonly string[] {
    return this.list()
      .filter((name) => sealNumber(name) !== undefined)
      .sort((a, b) => (sealNumber(a) as number) - (sealNumber(b) as number));
  }

  rotatedParts(): readonly string[] {
    return this.list()
      .filter((name) => rotatedPart(name) !== undefined)
      .sort((a, b) => (rotatedPart(a) as number) - (rotatedPart(b) as number));
  }

  prefix(bytes: number): PrefixMeasure | Absence {
    const find = (): PrefixMeasure | Absence => this.withFile(RUN.log, (file) => measurePrefix(file, bytes));
    return remembered(this.prefixes, String(bytes), find);
  }

  files(): readonly string[] {
    return listPaths(this.runDir, nodeFileOps);
  }

  ledger(runId: string | null): LedgerEvidence {
    const studyDir = dirname(this.runDir);
    const ledger = statSync(join(studyDir, STUDY.ledger), { throwIfNoEntry: false });
    if (ledger === undefined) return NOT_APPLICABLE;
    if (!ledger.isFile()) return { found: false, why: 'unreadable', detail: NO_FILE };
    this.studyLedger ??= readLedger(studyDir);
    const { lines, unreadable } = this.studyLedger;
    const names = [runId, basename(this.runDir)];
    const own = lines.filter((line) => names.includes(line.runId)).map((line) => ({ ...line }));
    return { found: true, lines: own, unreadable: unreadable.length > 0 };
  }

  invocations(): Generator<RecordLine> {
    return this.lines(RUN.invocations);
  }

  journal(): Generator<RecordLine> {
    return this.lines(RUN.journal);
  }

  private *lines(path: string): Generator<RecordLine> {
    const file = this.open(path);
    if (typeof file !== 'number') return;
    try {
      let number = 0;
      for (const { bytes, ended } of readLines({ ops: nodeFileOps, fd: file, end: fstatSync(file).size })) {
        number++;
        if (!isBlank(bytes)) yield { line: number, value: ended ? objectOf(bytes) : undefined };
      }
    } finally {
      closeSync(file);
    }
  }

  private list(): readonly string[] {
    try {
      this.names ??= readdirSync(this.runDir);
      return this.names;
    } catch (cause) {
      const code = errnoOf(cause) ?? String(cause);
      throw new HarnessError('no-input', `cannot list ${this.runDir}: ${code}`, {
        hint: 'check its permissions',
        cause,
      });
    }
  }

  /** Opens a regular file of the folder and hands it on; says why where it cannot. */
  private withFile<Found>(path: string, use: (file: number) => Found): Found | Absence {
    const file = this.open(path);
    if (typeof file !== 'number') return file;
    try {
      return use(file);
    } catch (error) {
      return absent(error);
    } finally {
      closeSync(file);
    }
  }

  /** A regular file inside the folder, opened for reading; the caller closes it. */
  private open(path: string): number | Absence {
    const resolved = resolveInside(this.runDir, path);
    if (!resolved.ok) return { found: false, why: 'escapes', how: resolved.how };
    try {
      // Not to be fooled by a link put there since, nor held up by a pipe.
      const file = openSync(resolved.absolute, constants.O_RDONLY | NO_FOLLOW | constants.O_NONBLOCK);
      if (fstatSync(file).isFile()) return file;
      closeSync(file);
      return { found: false, why: 'unreadable', detail: NO_FILE };
    } catch (error) {
      return absent(error);
    }
  }
}

/** The folder without links, or the path as it is where there is no such folder. */
function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return resolve(path);
  }
}

function absent(error: unknown): Absence {
  const code = errnoOf(error);
  if (code === undefined) throw error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { found: false, why: 'missing' };
  return { found: false, why: 'unreadable', detail: code };
}

function remembered<Value>(known: Map<string, Value>, path: string, find: () => Value): Value {
  let value = known.get(path);
  if (value === undefined) {
    value = find();
    known.set(path, value);
  }
  return value;
}

function* chunks(file: number, end: number): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(256 * 1024);
  let at = 0;
  while (at < end) {
    const count = readSync(file, chunk, 0, Math.min(chunk.length, end - at), at);
    if (count === 0) return;
    yield chunk.subarray(0, count);
    at += count;
  }
}

function measure(file: number): FileEvidence {
  const bytes = fstatSync(file).size;
  const hash = createHash('sha256');
  for (const chunk of chunks(file, bytes)) hash.update(chunk);
  return { found: true, bytes, sha256: hash.digest('hex') };
}

function readJson(file: number): JsonEvidence {
  const bytes = fstatSync(file).size;
  if (bytes > JSON_MAX_BYTES)
    return {
      found: false,
      why: 'invalid',
      detail: `it has ${bytes} bytes; at most ${JSON_MAX_BYTES} are read`,
    };
  const parsed = parseExact(readFileSync(file));
  if (!parsed.ok)
    return {
      found: false,
      why: 'invalid',
      detail: `${parsed.reason} at byte ${parsed.offset}: ${parsed.detail}`,
    };
  return { found: true, value: toPlain(parsed.value) };
}

/** Events are counted as a seal counts them: lines that are not blank. */
function measurePrefix(file: number, bytes: number): PrefixMeasure | Absence {
  if (fstatSync(file).size < bytes) return { found: false, why: 'missing' };
  const hash = createHash('sha256');
  let events = 0;
  let isBlank = true;
  for (const chunk of chunks(file, bytes)) {
    hash.update(chunk);
    for (const byte of chunk) {
      if (byte === LF) {
        if (!isBlank) events++;
        isBlank = true;
      } else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) isBlank = false;
    }
  }
  return { bytes, events: isBlank ? events : events + 1, sha256: hash.digest('hex') };
}
