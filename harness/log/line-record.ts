/**
 * Makes the record of a line that wanted a closer look, as a scanner would have made it had the line been plain: the
 * same words, but no token counts. It judges nothing; what is wrong with the line is the builder's business.
 */
import type { Strings } from '../core/columns.js';
import { parseOwnId } from '../core/ids.js';
import { parseTime } from '../core/time.js';
import { textHash } from '../grammar/action-memory.js';
import { countPaths, factsOf, spanText } from '../grammar/line-facts.js';
import { DATA_MEMBER } from '../grammar/members.js';
import { HASH_NONE, RECORD_WORDS, TIME_DOUBLE, WORD, type LogScanner } from '../grammar/record.js';
import { MEMBER, type LineScan } from '../grammar/scan.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class LineRecord {
  readonly words = new Int32Array(RECORD_WORDS);
  readonly doubles = new Float64Array(this.words.buffer);

  constructor(private readonly scanner: LogScanner) {}

  /** Numbers of id and run, 0 where the line has none, and its kind. */
  name(line: Uint8Array, scan: LineScan): { id: number; run: number; kind: string } {
    const { ids, names } = this.scanner;
    return {
      id: intern(ids, line, spanOf(scan, MEMBER.id)),
      run: intern(names, line, spanOf(scan, MEMBER.runId)),
      kind: spanText(line, scan.start[MEMBER.kind], scan.end[MEMBER.kind]),
    };
  }

  /** Fills the record in. @returns the rule that the time of the line breaks, or '' */
  fill(line: Uint8Array, scan: LineScan, about: { readonly id: number; readonly kind: number }): string {
    const { words, doubles } = this;
    const { ids, names } = this.scanner;
    const parsed = parseTime(spanText(line, scan.start[MEMBER.t], scan.end[MEMBER.t]));
    const dataMember = (member: number): number => intern(names, line, dataSpanOf(scan, member));
    const lane = parseOwnId(ids.text(about.id))?.lane;
    words[WORD.kind] = about.kind;
    words[WORD.facts] = factsOf(line, scan, about.kind);
    words[WORD.id] = about.id;
    words[WORD.cause] = intern(ids, line, spanOf(scan, MEMBER.causedBy));
    words[WORD.actor] = intern(names, line, spanOf(scan, MEMBER.actor));
    words[WORD.task] = dataMember(DATA_MEMBER.taskId);
    words[WORD.proposal] = dataMember(DATA_MEMBER.proposalId);
    words[WORD.plan] = dataMember(DATA_MEMBER.planId);
    words[WORD.to] = dataMember(DATA_MEMBER.to);
    words[WORD.channel] = dataMember(DATA_MEMBER.channel);
    words[WORD.digestHash] = hashOf(line, dataSpanOf(scan, DATA_MEMBER.actionDigest));
    words[WORD.commandHash] = hashOf(line, dataSpanOf(scan, DATA_MEMBER.command));
    words[WORD.paths] = countPaths(line, scan);
    words[WORD.lane] = lane === undefined ? 0 : lane + 1;
    doubles[TIME_DOUBLE] = parsed.ok ? parsed.ms : NaN;
    return parsed.ok ? (parsed.utc ? '' : 'non-utc-time') : 'invalid-time';
  }
}

type Span = readonly [start: number, end: number];

function spanOf({ start, end }: LineScan, member: number): Span {
  return [start[member]!, end[member]!];
}

function dataSpanOf({ dataStart, dataEnd }: LineScan, member: number): Span {
  return [dataStart[member]!, dataEnd[member]!];
}

/** Number of a string span, 0 where it is absent, empty or no string. */
function intern(table: Strings, line: Uint8Array, [start, end]: Span): number {
  if (start < 0 || line[start] !== QUOTE || end - start <= 2) return 0;
  for (let at = start + 1; at < end; at++) {
    if (line[at] !== BACKSLASH) continue;
    const text = Buffer.from(spanText(line, start, end));
    return text.length === 0 ? 0 : table.intern(text, 0, text.length);
  }
  return table.intern(line, start + 1, end - 1);
}

/** Hash of the text of a string span, where it is one. */
function hashOf(line: Uint8Array, [start, end]: Span): number {
  return start < 0 || line[start] !== QUOTE ? HASH_NONE : textHash(spanText(line, start, end));
}
