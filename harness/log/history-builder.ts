/**
 * Turns scanned lines into the columns of a History, and everything else into faults.
 *
 * Decides per line whether it is a record (kept), a record with something wrong (kept, with a fault), or lost.
 * Fragments are never recovered into the history. It does no I/O beyond the line source it is given.
 */
import { isUtf8 } from 'node:buffer';
import { ByteColumn, FloatColumn, IntColumn, StringTable } from '../core/columns.js';
import { kindCode, LINE_READ_MAX_BYTES, UNKNOWN_KIND } from '../core/event.js';
import { History, type DuplicateId, type HistoryColumns, type LineSource } from '../core/history.js';
import { parseTime } from '../core/time.js';
import { DATA_MEMBER } from '../grammar/members.js';
import { repeatedName } from '../grammar/names.js';
import { MEMBER, type LineScan, type LineScanner } from '../grammar/scan.js';
import { FaultBook, type LinePlace, type Loss } from './fault-book.js';
import {
  checkFully,
  countNuls,
  faultFacts,
  flagsOf,
  hasMark,
  messagesOf,
  needsSchema,
  NO_PROBLEM,
  numberAt,
  parsedLine,
  spanText,
  tierOf,
  utf16Mark,
  type Facts,
  type FullCheck,
} from './line-parts.js';
import { isFragment, withoutNulTail } from './fragment.js';
import { isBlank } from './lines.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MARK_BYTES = 3;

const LOG_REPAIRED = kindCode('log_repaired');

/** One line as it is being judged: its bytes without a mark, where it stands, and how it came. */
interface LineAt {
  readonly line: Uint8Array;
  readonly place: LinePlace;
  readonly isText: boolean;
  readonly terminated: boolean;
}

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
  private readonly kindCodes = new Map<number, number>();
  private runNumber = 0;
  private lines = 0;
  private blank = 0;
  private repaired = 0;

  constructor(
    private readonly scanner: LineScanner,
    private readonly source: LineSource,
  ) {}

  /** Adds one line, given without its LF. `terminated` is false for a last line that has none. */
  addLine(bytes: Uint8Array, at: { line: number; offset: number; terminated: boolean }): void {
    this.lines++;
    const place: LinePlace = { line: at.line, offset: at.offset, bytes: bytes.length };
    const isMarked = hasMark(bytes);
    const line = isMarked ? bytes.subarray(MARK_BYTES) : bytes;
    if (isBlank(line)) this.blank++;
    else {
      const lost = this.record(line, place, at.terminated);
      if (lost !== undefined) this.book.lost(lost, place, line);
    }
    if (isMarked) this.book.soft({ rule: 'byte-order-mark', ...place, event: -1, id: '', facts: {} });
  }

  /** A line over the read limit, of which only the head was held. */
  addTooLong(head: Uint8Array, place: LinePlace): void {
    this.lines++;
    const facts = { bytes: place.bytes, maxBytes: LINE_READ_MAX_BYTES };
    this.book.lost({ rule: 'line-too-long', facts }, place, head);
  }

  finish(bytes: number): History {
    const { strings, id } = this.columns;
    return new History({
      columns: this.columns,
      run: this.runNumber === 0 ? null : strings.text(this.runNumber),
      faults: this.book.faults(this.runNumber === 0 ? null : strings.text(this.runNumber)),
      faultsOmitted: this.book.omitted,
      holes: this.book.holes(),
      repairs: this.book.repairs,
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
  private record(line: Uint8Array, place: LinePlace, terminated: boolean): Loss | undefined {
    const encoding = place.line === 1 ? utf16Mark(line) : undefined;
    if (encoding !== undefined) return { rule: 'invalid-utf8', facts: { encoding } };
    const nul = line.indexOf(0);
    if (nul >= 0) {
      const facts = { count: countNuls(line), column: nul + 1 };
      return { rule: 'nul-bytes', facts, isFragment: isFragment(this.scanner, withoutNulTail(line)) };
    }
    const isText = isUtf8(line);
    const scan = this.scanner.scan(line, 0, line.length);
    if (scan.fault !== undefined) {
      // A cut through a character is still a cut.
      if (!terminated && scan.fault === 'invalid-json')
        return { rule: 'torn-tail', facts: { complete: false } };
      const { fault } = scan;
      const facts = isText ? faultFacts(scan, line) : {};
      return { rule: isText ? fault : 'invalid-utf8', facts, isFragment: isFragment(this.scanner, line) };
    }
    const repeated = scan.needsNameCheck ? repeatedName(line) : undefined;
    if (repeated !== undefined)
      return { rule: 'duplicate-key', facts: { member: repeated.name, column: repeated.at + 1 } };
    return this.keep(scan, { line, place, isText, terminated });
  }

  private keep(scan: LineScan, at: LineAt): Loss | undefined {
    const { line } = at;
    const { strings } = this.columns;
    const id = this.internSpan(line, scan.start[MEMBER.id], scan.end[MEMBER.id]);
    const run = this.internSpan(line, scan.start[MEMBER.runId], scan.end[MEMBER.runId]);
    const kind = this.internSpan(line, scan.start[MEMBER.kind], scan.end[MEMBER.kind]);
    const full = needsSchema(line, scan) ? checkFully(line) : NO_PROBLEM;
    if (id === 0 || run === 0 || kind === 0) return { rule: 'schema', facts: { problems: messagesOf(full) } };
    if (this.runNumber === 0) this.runNumber = run;
    if (run !== this.runNumber) {
      this.book.foreignLine(at.place, at.line, { id: strings.text(id), run: strings.text(run) });
      return undefined;
    }
    const event = this.columns.id.size;
    const first = this.eventOfId(id) - 1;
    if (first >= 0 && this.noteRepeat(id, first, at)) return undefined;
    if (first < 0) this.columns.eventOfId.set(id, event + 1);
    const time = this.pushRow(scan, { ...at, id, kind: this.codeOfKind(kind) });
    if (isFaulty(scan, at) || full !== NO_PROBLEM || time !== '') {
      this.softFaults(scan, { ...at, event: { number: event, id: strings.text(id) }, full, time });
    }
    if (this.columns.kind.at(event) === LOG_REPAIRED) this.settleRepair(line);
    return undefined;
  }

  /** Notes a repeated id. True where the line is byte for byte the first one and so adds nothing. */
  private noteRepeat(id: number, first: number, at: LineAt): boolean {
    const { offset, bytes, id: ids } = this.columns;
    const whole = this.source.read(offset.at(first), bytes.at(first));
    const before = hasMark(whole) ? whole.subarray(MARK_BYTES) : whole;
    const identical = Buffer.compare(before, at.line) === 0;
    const entry = this.duplicates.get(id) ?? { first, repeats: [] };
    entry.repeats.push({ line: at.place.line, offset: at.place.offset, event: identical ? -1 : ids.size });
    this.duplicates.set(id, entry);
    return identical;
  }

  /** Column value of a kind, by the number of its name. */
  private codeOfKind(number: number): number {
    let code = this.kindCodes.get(number);
    if (code === undefined) {
      code = kindCode(this.columns.strings.text(number));
      // Kinds nobody knows may be as many as there are lines.
      if (code !== UNKNOWN_KIND) this.kindCodes.set(number, code);
    }
    return code;
  }

  private eventOfId(id: number): number {
    const { eventOfId } = this.columns;
    while (eventOfId.size <= id) eventOfId.push(0);
    return eventOfId.at(id);
  }

  /** Adds the event. @returns the rule its time breaks, or '' */
  private pushRow(scan: LineScan, row: LineAt & { readonly id: number; readonly kind: number }): string {
    const { columns } = this;
    const { line, place } = row;
    const parsed = parseTime(spanText(line, scan.start[MEMBER.t], scan.end[MEMBER.t]));
    const member = (name: number): number => this.internSpan(line, scan.start[name], scan.end[name]);
    const dataMember = (name: number): number =>
      this.internSpan(line, scan.dataStart[name], scan.dataEnd[name]);
    columns.kind.push(row.kind);
    columns.flags.push(flagsOf(line, scan));
    columns.tier.push(tierOf(line, scan));
    columns.id.push(row.id);
    columns.actor.push(member(MEMBER.actor));
    columns.task.push(dataMember(DATA_MEMBER.taskId));
    columns.proposal.push(dataMember(DATA_MEMBER.proposalId));
    columns.plan.push(dataMember(DATA_MEMBER.planId));
    columns.line.push(place.line);
    columns.bytes.push(place.bytes);
    columns.offset.push(place.offset);
    columns.timeMs.push(parsed.ok ? parsed.ms : NaN);
    columns.cause.push(member(MEMBER.causedBy));
    return parsed.ok ? (parsed.utc ? '' : 'non-utc-time') : 'invalid-time';
  }

  private softFaults(
    scan: LineScan,
    at: LineAt & {
      readonly event: { readonly number: number; readonly id: string };
      readonly full: FullCheck;
      readonly time: string;
    },
  ): void {
    const add = (rule: string, facts: Facts): void => {
      this.book.soft({ rule, ...at.place, event: at.event.number, id: at.event.id, facts });
    };
    if (!at.terminated) add('torn-tail', { complete: true });
    if (!at.isText) add('invalid-utf8', {});
    if (scan.loneSurrogateAt >= 0) add('lone-surrogate', { column: scan.loneSurrogateAt + 1 });
    if (scan.unsafeIntegerAt >= 0) add('unsafe-integer', { number: numberAt(at.line, scan.unsafeIntegerAt) });
    else if (at.full.unsafeCount !== undefined) add('unsafe-integer', { number: at.full.unsafeCount });
    const { problems } = at.full;
    if (problems.length > 0) add('schema', { problems: messagesOf(at.full) });
    const isTyped = !problems.some((problem) => problem.pointer === '/t');
    if (at.time !== '' && isTyped) add(at.time, { t: String(parsedLine(at.line).t) });
  }

  /** A `log_repaired` event accounts for the fragment whose byte range it names. */
  private settleRepair(line: Uint8Array): void {
    const data = parsedLine(line).data as { offset?: unknown; bytes?: unknown } | null | undefined;
    if (typeof data?.offset !== 'number' || typeof data.bytes !== 'number') return;
    if (this.book.settle(data.offset, data.bytes)) this.repaired++;
  }

  private internSpan(bytes: Uint8Array, start: number | undefined, end: number | undefined): number {
    if (start === undefined || end === undefined || start < 0 || bytes[start] !== QUOTE || end - start <= 2)
      return 0;
    for (let at = start + 1; at < end; at++) {
      if (bytes[at] === BACKSLASH) return this.columns.strings.internText(spanText(bytes, start, end));
    }
    return this.columns.strings.intern(bytes, start + 1, end - 1);
  }
}

/** Whether the bytes of a line that became an event have anything wrong with them. */
function isFaulty(scan: LineScan, at: LineAt): boolean {
  return !at.terminated || !at.isText || scan.loneSurrogateAt >= 0 || scan.unsafeIntegerAt >= 0;
}
