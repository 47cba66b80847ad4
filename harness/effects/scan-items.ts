/**
 * What a scan finds: holes, where what must hold does not, and notes, which decide nothing.
 */
import type { Digest } from '../core/digest.js';

export const TABLES = ['objects', 'entries', 'journal', 'files', 'ledger', 'export'] as const;
export type Table = (typeof TABLES)[number];

export interface ScanItem {
  readonly type: 'hole' | 'note';
  readonly table: Table;
  /** Row of the table, from 0 for entries and from 1 for lines; or the object it is about. */
  readonly index?: number;
  readonly ref?: Digest;
  /** Name of a file, where it is about one. */
  readonly file?: string;
  /** Member that does not hold. */
  readonly field: string;
  /** A phrase; what is of a fixed set is written with `-`. */
  readonly reason: string;
}

/** Gets what is found, in the order of the rows. */
export type OnItem = (item: ScanItem) => void;
