/**
 * Turns scanned lines into the columns of a History, and everything else into faults.
 *
 * Decides per line whether it is a record (kept), a record with something wrong (kept, with a fault), or lost.
 * Fragments are never recovered into the history. It does no I/O beyond the line source it is given.
 */
import { isUtf8 } from 'node:buffer';
import { ByteColumn, FloatColumn, IntColumn, StringTable } from '../core/columns.js';
import {
  DATA_INLINE_MAX_BYTES,
  DEPTH_MAX,
  kindCode,
  LINE_READ_MAX_BYTES,
  UNKNOWN_KIND,
} from '../core/event.js';
import {
  FLAG,
  History,
  NO_TIER,
  type DuplicateId,
  type HistoryColumns,
  type LineSource,
} from '../core/history.js';
import { parseExact } from '../core/json.js';
import { validate } from '../core/schema.js';
import { parseTime } from '../core/time.js';
import { DATA_MEMBER } from '../grammar/members.js';
import { MEMBER, type LineScan, type LineScanner } from '../grammar/scan.js';
import { FaultBook, type LinePlace } from './fault-book.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const latin1 = new TextDecoder('latin1');
const utf8 = new TextDecoder('utf-8');

type Facts = { [name: string]: string | number | boolean | null | string[] };

const LOG_REPAIRED = kindCode('log_repaired');

export class HistoryBuilder {
  private readonly book = new FaultBook();
  private readonly duplicates = new Map<
    number,
    { first: number; repeats: DuplicateId['repeats'][number][] }
  >();
  private readonly columns: HistoryColumns = {
    strings: new StringTable(),
    kind: new ByteColumn(),
    flags: new ByteColumn(),
    tier: new ByteColumn(),
    id: new IntColumn(),
    actor: new IntColumn(),
    task: new IntColumn(),
    proposal: new IntColumn(),
    plan: new IntColumn(),
    line: new IntColumn(),
    bytes: new IntColumn(),
    offset: new FloatColumn(),
    timeMs: new FloatColumn(),
    cause: new IntColumn(),
    eventOfId: new IntColumn(),
  };
  private runNumber = 0;
  private lines = 0;
  private blank = 0;
  private repaired = 0;

  constructor(
    private readonly scanner: LineScanner,
    private readonly source: LineSource,
  ) {}

  /** Adds `bytes[from, to)`, one line without its LF. `terminated` is false for a last line that has none. */
  addLine(
    bytes: Uint8Array,
    from: number,
    to: number,
    at: { line: number; offset: number; terminated: boolean },
  ): void {
    this.lines++;
    const place: LinePlace = { line: at.line, offset: at.offset, bytes: to - from };
    const hasMark =
      bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf && to - from >= 3;
    const start = hasMark ? from + 3 : from;
    if (isBlank(bytes, start, to)) {
      this.blank++;
      return;
    }
    const line = bytes.subarray(start, to);
    const lost = this.record(line, place, at.terminated);
    if (lost !== undefined) this.book.lost(lost.rule, place, line, lost.facts);
    if (hasMark) this.book.soft('byte-order-mark', place, { number: -1, id: '' }, {});
  }

  /** A line over the read limit, of which only the head was held. */
  addTooLong(head: Uint8Array, place: LinePlace): void {
    this.lines++;
    this.book.lost('line-too-long', place, head, { bytes: place.bytes, maxBytes: LINE_READ_MAX_BYTES });
  }

  finish(bytes: number): History {
    const { strings, id } = this.columns;
    return new History({
      columns: this.columns,
      run: this.runNumber === 0 ? null : strings.text(this.runNumber),
      faults: this.book.faults(this.runNumber === 0 ? null : strings.text(this.runNumber)),
      faultsOmitted: this.book.omitted,
      holes: this.book.holes(),
      duplicates: [...this.duplicates].map(([number, entry]) => ({ id: strings.text(number), ...entry })),
      counts: {
        bytes,
        lines: this.lines,
        blank: this.blank,
        events: id.size,
        lost: this.book.lostLines,
        repaired: this.repaired,
      },
      source: this.source,
    });
  }

  /** Keeps the line as an event, or says why it is lost. */
  private record(
    line: Uint8Array,
    place: LinePlace,
    terminated: boolean,
  ): { rule: string; facts: Facts } | undefined {
    const encoding = place.line === 1 ? utf16Mark(line) : undefined;
    if (encoding !== undefined) return { rule: 'invalid-utf8', facts: { encoding } };
    const nul = line.indexOf(0);
    if (nul >= 0) return { rule: 'nul-bytes', facts: { count: countNuls(line), column: nul + 1 } };
    const isText = isUtf8(line);
    let bytes = line;
    let scan = this.scanner.scan(bytes, 0, bytes.length);
    if (scan.fault !== undefined) {
      if (!isText) return { rule: 'invalid-utf8', facts: {} };
      if (!terminated) return { rule: 'torn-tail', facts: { complete: false } };
      return { rule: scan.fault, facts: faultFacts(scan, bytes) };
    }
    if (scan.needsFullParse) {
      const exact = parseExact(bytes);
      if (!exact.ok && exact.reason === 'duplicate-key')
        return { rule: 'duplicate-key', facts: { member: exact.detail } };
      // Member names written with escapes: scan the same record again in its plain spelling.
      bytes = new TextEncoder().encode(JSON.stringify(JSON.parse(utf8.decode(bytes))));
      const { loneSurrogateAt, unsafeIntegerAt } = scan;
      scan = this.scanner.scan(bytes, 0, bytes.length);
      scan.loneSurrogateAt = Math.max(scan.loneSurrogateAt, loneSurrogateAt);
      scan.unsafeIntegerAt = Math.max(scan.unsafeIntegerAt, unsafeIntegerAt);
      scan.needsSchema = true;
    }
    return this.keep(bytes, scan, { place, line, isText, terminated });
  }

  private keep(
    bytes: Uint8Array,
    scan: LineScan,
    at: { place: LinePlace; line: Uint8Array; isText: boolean; terminated: boolean },
  ): { rule: string; facts: Facts } | undefined {
    const { strings } = this.columns;
    const id = this.internSpan(bytes, scan.start[MEMBER.id], scan.end[MEMBER.id]);
    const run = this.internSpan(bytes, scan.start[MEMBER.runId], scan.end[MEMBER.runId]);
    const kindText = spanText(bytes, scan.start[MEMBER.kind], scan.end[MEMBER.kind]);
    const problems = needsSchema(bytes, scan) ? schemaProblems(bytes) : [];
    if (id === 0 || run === 0 || kindText === '') return { rule: 'schema', facts: { problems } };
    if (this.runNumber === 0) this.runNumber = run;
    if (run !== this.runNumber) {
      this.book.foreignLine(at.place, at.line, { id: strings.text(id), run: strings.text(run) });
      return undefined;
    }
    const event = { number: this.columns.id.size, id: strings.text(id) };
    const first = this.eventOfId(id) - 1;
    if (first >= 0 && this.noteRepeat(id, first, at)) return undefined;
    if (first < 0) this.columns.eventOfId.set(id, event.number + 1);
    const time = this.pushRow(bytes, scan, { place: at.place, id, kind: kindCode(kindText) });
    this.softFaults(scan, { ...at, event, problems, time });
    if (this.columns.kind.at(event.number) === LOG_REPAIRED) this.settleRepair(bytes);
    return undefined;
  }

  /** Notes a repeated id. True where the line is byte for byte the first one and so adds nothing. */
  private noteRepeat(id: number, first: number, at: { place: LinePlace; line: Uint8Array }): boolean {
    const { offset, bytes, id: ids } = this.columns;
    const before = this.source.read(offset.at(first), bytes.at(first));
    const identical = Buffer.compare(before, at.line) === 0;
    const entry = this.duplicates.get(id) ?? { first, repeats: [] };
    entry.repeats.push({ line: at.place.line, offset: at.place.offset, event: identical ? -1 : ids.size });
    this.duplicates.set(id, entry);
    return identical;
  }

  private eventOfId(id: number): number {
    const { eventOfId } = this.columns;
    while (eventOfId.size <= id) eventOfId.push(0);
    return eventOfId.at(id);
  }

  private pushRow(
    bytes: Uint8Array,
    scan: LineScan,
    row: { place: LinePlace; id: number; kind: number },
  ): string {
    const { columns } = this;
    const time = spanText(bytes, scan.start[MEMBER.t], scan.end[MEMBER.t]);
    const parsed = parseTime(time);
    columns.kind.push(row.kind === UNKNOWN_KIND ? UNKNOWN_KIND : row.kind);
    columns.flags.push(flagsOf(bytes, scan));
    columns.tier.push(tierOf(bytes, scan));
    columns.id.push(row.id);
    columns.actor.push(this.internSpan(bytes, scan.start[MEMBER.actor], scan.end[MEMBER.actor]));
    columns.task.push(
      this.internSpan(bytes, scan.dataStart[DATA_MEMBER.taskId], scan.dataEnd[DATA_MEMBER.taskId]),
    );
    columns.proposal.push(
      this.internSpan(bytes, scan.dataStart[DATA_MEMBER.proposalId], scan.dataEnd[DATA_MEMBER.proposalId]),
    );
    columns.plan.push(
      this.internSpan(bytes, scan.dataStart[DATA_MEMBER.planId], scan.dataEnd[DATA_MEMBER.planId]),
    );
    columns.line.push(row.place.line);
    columns.bytes.push(row.place.bytes);
    columns.offset.push(row.place.offset);
    columns.timeMs.push(parsed.ok ? parsed.ms : NaN);
    columns.cause.push(this.internSpan(bytes, scan.start[MEMBER.causedBy], scan.end[MEMBER.causedBy]));
    return parsed.ok ? (parsed.utc ? '' : 'non-utc-time') : 'invalid-time';
  }

  private softFaults(
    scan: LineScan,
    at: {
      place: LinePlace;
      line: Uint8Array;
      isText: boolean;
      terminated: boolean;
      event: { number: number; id: string };
      problems: string[];
      time: string;
    },
  ): void {
    const add = (rule: string, facts: Facts): void => {
      this.book.soft(rule, at.place, at.event, facts);
    };
    if (!at.terminated) add('torn-tail', { complete: true });
    if (!at.isText) add('invalid-utf8', {});
    if (scan.loneSurrogateAt >= 0) add('lone-surrogate', { column: scan.loneSurrogateAt + 1 });
    if (scan.unsafeIntegerAt >= 0) add('unsafe-integer', { number: numberAt(at.line, scan.unsafeIntegerAt) });
    if (at.problems.length > 0) add('schema', { problems: at.problems });
    const isTyped = !at.problems.some((problem) => problem.startsWith('/t '));
    if (at.time !== '' && isTyped) add(at.time, { t: String(timeAt(at.line)) });
  }

  /** A `log_repaired` event accounts for the fragment whose byte range it names. */
  private settleRepair(bytes: Uint8Array): void {
    const { data } = JSON.parse(utf8.decode(bytes)) as { data?: { offset?: unknown; bytes?: unknown } };
    if (typeof data?.offset !== 'number' || typeof data.bytes !== 'number') return;
    if (this.book.settle(data.offset, data.bytes)) this.repaired++;
  }

  private internSpan(bytes: Uint8Array, start: number | undefined, end: number | undefined): number {
    if (start === undefined || end === undefined || start < 0 || bytes[start] !== QUOTE || end - start <= 2)
      return 0;
    const escaped = bytes.subarray(start, end).indexOf(BACKSLASH) >= 0;
    if (escaped) return this.columns.strings.internText(spanText(bytes, start, end));
    return this.columns.strings.intern(bytes, start + 1, end - 1);
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}

function utf16Mark(line: Uint8Array): string | undefined {
  if (line[0] === 0xff && line[1] === 0xfe) return 'utf-16le';
  if (line[0] === 0xfe && line[1] === 0xff) return 'utf-16be';
  return undefined;
}

function countNuls(line: Uint8Array): number {
  let count = 0;
  for (const byte of line) if (byte === 0) count++;
  return count;
}

function faultFacts(scan: LineScan, bytes: Uint8Array): Facts {
  if (scan.fault === 'duplicate-key')
    return { member: nameAt(bytes, scan.faultAt), column: scan.faultAt + 1 };
  if (scan.fault === 'too-deep') return { depthMax: DEPTH_MAX, column: scan.faultAt + 1 };
  if (scan.fault === 'not-an-object') return { found: latin1.decode(bytes.subarray(0, 20)).trim() };
  return { column: scan.faultAt + 1 };
}

function nameAt(bytes: Uint8Array, from: number): string {
  const end = bytes.indexOf(QUOTE, from);
  return utf8.decode(bytes.subarray(from, end < 0 ? from + 40 : end));
}

/** Text of a string span, '' where the span is absent or no string. */
function spanText(bytes: Uint8Array, start: number | undefined, end: number | undefined): string {
  if (start === undefined || end === undefined || start < 0 || bytes[start] !== QUOTE) return '';
  const body = utf8.decode(bytes.subarray(start, end));
  return body.includes('\\') ? String(JSON.parse(body)) : body.slice(1, -1);
}

function flagsOf(bytes: Uint8Array, scan: LineScan): number {
  let flags = 0;
  if (bytes[scan.dataStart[DATA_MEMBER.auto] ?? -1] === 0x74) flags |= FLAG.auto;
  if ((scan.start[MEMBER.tokens] as number) >= 0) flags |= FLAG.tokens;
  if ((scan.start[MEMBER.counterfactual] as number) >= 0) flags |= FLAG.counterfactual;
  const dataStart = scan.start[MEMBER.data] as number;
  if (dataStart >= 0) flags |= FLAG.data;
  if (dataStart >= 0 && (scan.end[MEMBER.data] as number) - dataStart > DATA_INLINE_MAX_BYTES)
    flags |= FLAG.bigData;
  for (let member: number = DATA_MEMBER.firstPath; member <= DATA_MEMBER.lastPath; member++) {
    if ((scan.dataStart[member] as number) >= 0) flags |= FLAG.paths;
  }
  return flags;
}

function tierOf(bytes: Uint8Array, scan: LineScan): number {
  const start = scan.dataStart[DATA_MEMBER.tier] as number;
  if (start < 0 || (scan.dataEnd[DATA_MEMBER.tier] as number) - start !== 4 || bytes[start + 1] !== 0x54)
    return NO_TIER;
  const digit = (bytes[start + 2] as number) - 0x30;
  return digit >= 0 && digit <= 4 ? digit : NO_TIER;
}

/** Whether the validator must decide: the scan settles plain lines without tokens and counterfactual blocks. */
function needsSchema(bytes: Uint8Array, scan: LineScan): boolean {
  if (scan.needsSchema) return true;
  if ((scan.start[MEMBER.tokens] as number) >= 0 || (scan.start[MEMBER.counterfactual] as number) >= 0)
    return true;
  for (const member of [MEMBER.runId, MEMBER.t, MEMBER.kind, MEMBER.actor]) {
    const start = scan.start[member] as number;
    if (start < 0 || bytes[start] !== QUOTE || (scan.end[member] as number) - start <= 2) return true;
  }
  const data = scan.start[MEMBER.data] as number;
  if (data >= 0 && bytes[data] !== 0x7b) return true;
  if (!isEventId(bytes, scan.start[MEMBER.id] as number, scan.end[MEMBER.id] as number)) return true;
  const cause = scan.start[MEMBER.causedBy] as number;
  return cause >= 0 && !isEventId(bytes, cause, scan.end[MEMBER.causedBy] as number);
}

const ID_BYTE = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-') {
  ID_BYTE[character.charCodeAt(0)] = 1;
}

/** The bytes form of `EVENT_ID`, for a span with quotes. */
function isEventId(bytes: Uint8Array, start: number, end: number): boolean {
  if (start < 0 || end - start < 7 || bytes[start] !== QUOTE) return false;
  if (
    bytes[start + 1] !== 0x65 ||
    bytes[start + 2] !== 0x76 ||
    bytes[start + 3] !== 0x74 ||
    bytes[start + 4] !== 0x5f
  ) {
    return false;
  }
  for (let at = start + 5; at < end - 1; at++) if (ID_BYTE[bytes[at] as number] === 0) return false;
  return true;
}

function schemaProblems(bytes: Uint8Array): string[] {
  const checked = validate('event', JSON.parse(utf8.decode(bytes)));
  return checked.ok ? [] : checked.problems.map((problem) => `${problem.pointer} ${problem.message}`);
}

function numberAt(line: Uint8Array, at: number): string {
  return /^-?[0-9]+/.exec(latin1.decode(line.subarray(at, at + 40)))?.[0] ?? '';
}

function timeAt(line: Uint8Array): unknown {
  return (JSON.parse(utf8.decode(line)) as { t?: unknown }).t;
}
