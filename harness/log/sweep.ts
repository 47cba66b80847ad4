/**
 * Finds unreadable lines that a death kept from being reported, so that the next writer can report them.
 *
 * Two deaths do that: in the middle of a repair (the fragment is closed, its report is torn itself, be it behind the
 * whole `writer_joined` of the same write), and between a line that fused with a fragment and its repetition. Only these two shapes are taken: any other unreadable line may
 * be damage to a record that was acknowledged, and is for the judge to see.
 */
import type { Fragment, LogFile } from './log-file.js';
import { isBlank, LF, objectOf } from './lines.js';
import type { RepairReason } from './repair.js';
import { isFused } from './fragment.js';
import { plainScanner } from '../grammar/plain-scanner.js';

/** Deaths are swept soon after; what stands further up was swept by an earlier writer. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const REPORT = 'log_repaired';

export interface Unreported extends Fragment {
  readonly reason: RepairReason;
}

interface SeenLine extends Fragment {
  readonly text: Uint8Array;
  readonly isReadable: boolean;
  readonly kind: unknown;
}

/** Fragments and fused lines near the end of the log that no `log_repaired` event names, in file order. */
export function unreported(log: LogFile): Unreported[] {
  const { lines, reported } = lookBack(log);
  const found: Unreported[] = [];
  // From the end, since a repair can be torn more than once.
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] as SeenLine;
    if (line.isReadable || reported.has(line.offset)) continue;
    const isClosedByTornRepair = isTornRepair(lines.slice(index + 1, index + 3), reported);
    if (!isClosedByTornRepair && !isFused(plainScanner(), line.text)) continue;
    reported.add(line.offset);
    const { offset, bytes } = line;
    found.unshift({ offset, bytes, reason: isClosedByTornRepair ? 'torn-line' : 'fused-line' });
  }
  return found;
}

/** Whether lines are what a repair leaves that was cut off inside its report. */
function isTornRepair([first, second]: readonly SeenLine[], reported: ReadonlySet<number>): boolean {
  if (first === undefined) return false;
  if (reported.has(first.offset)) return !first.isReadable || first.kind === 'writer_joined';
  if (first.kind !== 'writer_joined' || second === undefined || second.isReadable) return false;
  // Behind a writer that has just joined it could be its first event as well.
  return reported.has(second.offset) && mayReport(Buffer.from(second.text).toString('latin1'));
}

/** The beginning of a report, or one too short to say of what kind it is. */
function mayReport(text: string): boolean {
  const [, kind = '', end = ''] = /"kind":"([^"]*)("?)/.exec(text) ?? [];
  return end === '' ? REPORT.startsWith(kind) : kind === REPORT;
}

function lookBack(log: LogFile): { lines: SeenLine[]; reported: Set<number> } {
  const size = log.size();
  const from = Math.max(0, size - WINDOW_BYTES);
  const bytes = log.read(from, size - from);
  const lines: SeenLine[] = [];
  const reported = new Set<number>();
  // The first line of a window is a whole one only at the start of the file.
  for (let at = from === 0 ? 0 : bytes.indexOf(LF) + 1; at < bytes.length;) {
    const end = bytes.indexOf(LF, at);
    if (end < 0) break;
    const text = bytes.subarray(at, end);
    if (!isBlank(text)) {
      const event = objectOf(text);
      const data = event?.['kind'] === REPORT ? event['data'] : undefined;
      const offset =
        typeof data === 'object' && data !== null && !Array.isArray(data) ? data['offset'] : undefined;
      if (typeof offset === 'number') reported.add(offset);
      const isReadable = event !== undefined;
      lines.push({ offset: from + at, bytes: end - at, text, isReadable, kind: event?.['kind'] });
    }
    at = end + 1;
  }
  return { lines, reported };
}
