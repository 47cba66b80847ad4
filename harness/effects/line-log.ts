/**
 * A file of ours that holds one record a line and is only appended to: the journal, and the log of invocations.
 *
 * A last line that a crash left without LF is closed before the next one, and stays where it is as a line that is none.
 */
import { constants } from 'node:fs';
import { attempt, NO_FOLLOW } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { isBlank, readLines } from '../log/lines.js';
import { LogFile } from '../log/log-file.js';

const LF = Buffer.from('\n');

export class LineLog {
  private readonly file: LogFile;
  private isTorn: boolean;

  private constructor(file: LogFile) {
    this.file = file;
    this.isTorn = file.tail() !== undefined;
  }

  static open(path: string, ops: FileOps): LineLog {
    const file = LogFile.open(path, ops, { create: true });
    try {
      return new LineLog(file);
    } catch (error) {
      ops.close(file.fd);
      throw error;
    }
  }

  /** Appends lines in one write. What it throws on is not acknowledged, and may be there in part. */
  append(lines: readonly Uint8Array[]): void {
    const parts = lines.flatMap((line) => [line, LF]);
    const bytes = Buffer.concat(this.isTorn ? [LF, ...parts] : parts);
    this.isTorn = false;
    // Another writer has torn its line in front of ours: say it again on a line of its own.
    if (this.file.append(bytes).fused !== undefined) this.file.append(Buffer.concat([LF, ...parts]));
  }

  /** Everything appended is on stable storage. */
  sync(): void {
    this.file.sync();
  }

  close(): void {
    this.file.close();
  }
}

/** One line that is not blank. `number` counts from 1. Its bytes are good until the next line is asked for. */
export interface NumberedLine {
  readonly number: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** False for a last line without LF. */
  readonly ended: boolean;
}

/** The lines of a file, none where there is no file. */
export function* linesOf(path: string, ops: FileOps): Generator<NumberedLine, void, undefined> {
  const fd = attempt(`opening ${path}`, () =>
    ops.facts(path)?.type === 'file' ? ops.open(path, constants.O_RDONLY | NO_FOLLOW) : undefined,
  );
  if (fd === undefined) return;
  try {
    let number = 0;
    for (const { offset, bytes, ended } of readLines({ ops, fd, end: ops.factsOf(fd).size })) {
      number += 1;
      if (!isBlank(bytes)) yield { number, offset, bytes, ended };
    }
  } finally {
    ops.close(fd);
  }
}
