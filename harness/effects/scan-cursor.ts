/**
 * Where a scan stopped, as a text that holds all it needs to go on: the row, the run, and a digest of what was scanned so
 * far, so that a cursor is good for the very files it was made of and for no others.
 *
 * The digest is cheap: names, sizes, beginnings and ends. Who changes the middle of a file that was scanned already is found
 * by the next scan from the start.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../core/digest.js';
import { HarnessError } from '../core/errors.js';
import { NO_FOLLOW } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { RUN, sealNumber } from '../log/run-dir.js';

export interface Cursor {
  /** Name of the run, or `.` for the folder itself. */
  readonly run: string;
  /** Rows of it that were verified. */
  readonly row: number;
  /** What the files up to there are, as `filesDigest` says. */
  readonly files: string;
}

/** `<row>.<digest of the files>.<run>`. */
export function cursorText({ run, row, files }: Cursor): string {
  return `${row}.${files}.${run}`;
}

/** @throws HarnessError `usage` for a text that is no cursor */
export function parseCursor(text: string): Cursor {
  const [, row, files = '', run = ''] = /^(\d{1,15})\.([0-9a-f]{16})\.(.{1,255})$/.exec(text) ?? [];
  if (row !== undefined) return { run, row: Number(row), files };
  const hint = 'give what integrity_scan_incomplete says behind resume=';
  throw new HarnessError('usage', `${text} is no cursor`, hint);
}

/** @throws HarnessError `invalid-input` unless the cursor was made of these files */
export function assertCursor({ files }: Pick<Cursor, 'files'>, now: string, folder: string): void {
  if (files === now) return;
  const hint = 'what was scanned has changed since: scan it from the start';
  throw new HarnessError('invalid-input', `the cursor is not of ${folder} as it is now`, hint);
}

/** Sixteen hex digits for some texts. */
export function filesDigest(parts: Iterable<string>): string {
  return sha256Hex(Buffer.from([...parts].join('\n'))).slice(0, 16);
}

/** A text for the files of a run that a scan reads. */
export function runFiles(runDir: string, ops: FileOps): string {
  const seals = ops.list(runDir).filter((name) => sealNumber(name) !== undefined);
  const names = [RUN.objects, RUN.invocations, RUN.journal, RUN.log, ...seals.sort()];
  return names.map((name) => `${name} ${edgesOf(join(runDir, name), ops)}`).join('\n');
}

const EDGE_BYTES = 4096;

/** Size, and digest of the first and last bytes. */
function edgesOf(path: string, ops: FileOps): string {
  if (ops.facts(path)?.type !== 'file') return 'none';
  const fd = ops.open(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    const { size } = ops.factsOf(fd);
    const edge = Buffer.alloc(2 * EDGE_BYTES);
    const first = ops.read(fd, edge.subarray(0, EDGE_BYTES), 0);
    const last = ops.read(fd, edge.subarray(first, first + EDGE_BYTES), Math.max(0, size - EDGE_BYTES));
    return `${size} ${sha256Hex(edge.subarray(0, first + last))}`;
  } finally {
    ops.close(fd);
  }
}
