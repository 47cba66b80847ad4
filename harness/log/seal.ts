/**
 * Seals a finished run: measures its log and every other file, so that any later change shows.
 *
 * A seal is a new file and never replaces one. Events that come later (corrections) stay outside of it, until another
 * seal covers the longer prefix. Whether a seal still holds is the judge's question.
 */
import { join } from 'node:path';
import { unreachable } from '../core/errors.js';
import type { ClockPort } from '../core/ports.js';
import { validate } from '../core/schema.js';
import { formatTime } from '../core/time.js';
import type { LedgerLine, Seal } from '../core/types.js';
import { attempt, nodeFileOps } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { objectOf } from './lines.js';
import { draftFile, sealFile, sealNumber } from './run-dir.js';
import { chainHead, listFiles, measureLog, refused } from './seal-measure.js';
import type { FoundSeal, LogMeasure } from './seal-measure.js';
import { publish, readSmall, requireFolder } from './small-file.js';

export interface SealOptions {
  readonly clock: ClockPort;
  /** Name and version of the program that seals. */
  readonly harness: Seal['harness'];
  readonly ops?: FileOps;
}

export interface Sealed {
  /** `seal.json`, `seal.2.json` … */
  readonly name: string;
  readonly seal: Seal;
  /** What the study's ledger remembers. It has one line per run, so this is always about the first seal. */
  readonly ledgerLine: LedgerLine;
}

const SEAL_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Writes the next seal of a run.
 *
 * @throws HarnessError `invalid-input` when the log has no terminal event or a torn last line, when nothing was
 *   appended since the last seal, or when what that one covers is no longer the same
 */
export function sealRun(runDir: string, options: SealOptions): Sealed {
  const { clock, harness, ops = nodeFileOps } = options;
  return attempt(`sealing ${runDir}`, () => {
    requireFolder(runDir, ops);
    const last = lastSeal(runDir, ops);
    const log = measureLog(runDir, { ops, last });
    const seal: Seal = {
      formatVersion: 1,
      logBytes: log.bytes,
      events: log.events,
      logDigest: `sha256:${log.sha256}`,
      head: chainHead(runDir, ops),
      harness,
      sealedAt: formatTime(clock.nowMs()),
      files: listFiles(runDir, ops),
    };
    const checked = validate('seal', seal);
    if (!checked.ok) unreachable(checked.problems.map(({ message }) => message).join('; '));
    const name = sealFile((last?.number ?? 0) + 1);
    const bytes = Buffer.from(`${JSON.stringify(seal, null, 2)}\n`);
    const draft = join(runDir, draftFile('seal'));
    if (!publish(join(runDir, name), bytes, { ops, draft, durable: true })) {
      throw refused(runDir, `${name} was written just now by another`, 'see what it covers, then seal again');
    }
    return { name, seal, ledgerLine: (last && ledgerLineOf(runDir, ops)) ?? ledgerLineFor(log, seal) };
  });
}

/**
 * The ledger line of a run that has been sealed already: for going on after a crash between seal and ledger.
 * `undefined` without a seal.
 */
export function ledgerLineOf(runDir: string, ops: FileOps = nodeFileOps): LedgerLine | undefined {
  return attempt(`reading the seal of ${runDir}`, () => {
    const first = readSeal(runDir, 1, ops);
    if (first === undefined) return undefined;
    return ledgerLineFor(measureLog(runDir, { ops, end: first.seal.logBytes }), first.seal);
  });
}

function lastSeal(runDir: string, ops: FileOps): FoundSeal | undefined {
  const numbers = ops.list(runDir).map((name) => sealNumber(name) ?? 0);
  const number = Math.max(0, ...numbers);
  return number === 0 ? undefined : readSeal(runDir, number, ops);
}

function readSeal(runDir: string, number: number, ops: FileOps): FoundSeal | undefined {
  const name = sealFile(number);
  const bytes = readSmall(join(runDir, name), SEAL_BYTES_MAX, ops);
  if (bytes === undefined) return undefined;
  const checked = validate('seal', objectOf(bytes));
  if (!checked.ok) throw refused(runDir, `${name} is no seal`, 'check the run: a seal is never rewritten');
  return { number, seal: checked.value };
}

function ledgerLineFor({ terminal }: LogMeasure, { events, logDigest, head }: Seal): LedgerLine {
  return { runId: terminal.runId, events, logDigest, head, at: terminal.t };
}
