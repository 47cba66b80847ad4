/**
 * What an importer of a foreign log format is, and what it says about its own work.
 *
 * An importer is pure: lines in, protocol lines and a report out. What the source did not record stays absent and is
 * reported; nothing is guessed, so that an imported log is judged for what it shows and no more.
 */
import type { JsonObject } from '../../core/event.js';

/** A member of an event, or of the whole log (line 0), that the source leaves unknown. */
export interface Unknown {
  /** Line of the source, from 1. Each stands on a line of its own in the output too, in the same order. */
  readonly line: number;
  /** As in `causedBy` or `data.taskId`. */
  readonly member: string;
  readonly why: string;
}

export interface ImportReport {
  /** Events written. */
  readonly events: number;
  /** Events whose kind has a counterpart in the protocol. */
  readonly mapped: number;
  /** Events that keep a kind of their own, which has no protocol meaning. */
  readonly kept: number;
  readonly unknown: readonly Unknown[];
  /** Lines of the source that are no event of this dialect, and are not in the output. */
  readonly skipped: readonly { readonly line: number; readonly why: string }[];
}

export interface Imported {
  /** Protocol lines without their LF. */
  readonly lines: readonly string[];
  readonly report: ImportReport;
}

export interface Dialect {
  /** As in `import --dialect`. */
  readonly name: string;
  /** Whether a line, parsed, is of this dialect. */
  detect(line: JsonObject): boolean;
  /** Lines of the source without their LF; blank ones are passed over. */
  convert(lines: readonly string[]): Imported;
}
