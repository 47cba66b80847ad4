/**
 * The ledger of a study: one line per sealed run, so that a log cut off after its seal, or gone with its folder, shows.
 * Append-only, written by every worker of a study; its order means nothing.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HarnessError } from '../core/errors.js';
import { validate } from '../core/schema.js';
import type { LedgerLine } from '../core/types.js';
import { attempt, nodeFileOps } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { isBlank, objectOf, readLines } from './lines.js';
import type { Line } from './lines.js';
import { LogFile } from './log-file.js';
import { STUDY } from './run-dir.js';
import { requireFolder, syncFolder } from './small-file.js';

export interface Ledger {
  readonly lines: readonly LedgerLine[];
  /** Numbers (from 1) of lines that are none, a torn last one among them. */
  readonly unreadable: readonly number[];
}

/** The ledger of a study folder; without a ledger file it is empty. */
export function readLedger(studyDir: string, ops: FileOps = nodeFileOps): Ledger {
  const path = join(studyDir, STUDY.ledger);
  return attempt(`reading ${path}`, () => {
    if (ops.facts(path) === undefined) return { lines: [], unreadable: [] };
    const fd = ops.open(path, constants.O_RDONLY);
    try {
      return ledgerOf(readLines({ ops, fd, end: ops.factsOf(fd).size }));
    } finally {
      ops.close(fd);
    }
  });
}

/**
 * Adds the line of a run, once: the same line again changes nothing.
 * @returns whether it was added
 * @throws HarnessError `invalid-input` when the ledger remembers the run differently
 */
export function appendLedger(studyDir: string, line: LedgerLine, ops: FileOps = nodeFileOps): boolean {
  const path = join(studyDir, STUDY.ledger);
  const checked = validate('ledger-line', line);
  if (!checked.ok) {
    const problems = checked.problems.map(({ message }) => message).join('; ');
    throw new HarnessError(
      'invalid-input',
      `no ledger line: ${problems}`,
      'see schemas/ledger-line.schema.json',
    );
  }
  attempt(`looking at ${studyDir}`, () => requireFolder(studyDir, ops));
  const known = readLedger(studyDir, ops).lines.find(({ runId }) => runId === line.runId);
  if (known !== undefined && isDeepStrictEqual(known, line)) return false;
  if (known !== undefined) {
    const hint = 'a run is sealed for the ledger once; check the run before trusting either';
    throw new HarnessError('invalid-input', `${path} remembers ${line.runId} differently`, hint);
  }
  attempt(`writing ${path}`, () => {
    appendTo(path, Buffer.from(`${JSON.stringify(line)}\n`), ops);
    syncFolder(studyDir, ops);
  });
  return true;
}

function ledgerOf(found: Iterable<Line>): Ledger {
  const lines: LedgerLine[] = [];
  const unreadable: number[] = [];
  let number = 0;
  for (const { bytes, ended } of found) {
    number += 1;
    if (isBlank(bytes)) continue;
    const checked = validate('ledger-line', ended ? objectOf(bytes) : undefined);
    if (checked.ok) lines.push(checked.value);
    else unreadable.push(number);
  }
  return { lines, unreadable };
}

/** As for a log: one write, behind an LF if the last line lacks one, read back before anybody relies on it. */
function appendTo(path: string, bytes: Buffer, ops: FileOps): void {
  const ledger = LogFile.open(path, ops, { create: true });
  try {
    const closing = Buffer.concat([Buffer.from('\n'), bytes]);
    const landed = ledger.append(ledger.tail() === undefined ? bytes : closing);
    if (landed.fused !== undefined) ledger.append(closing);
    ledger.sync();
  } finally {
    ledger.close();
  }
}
