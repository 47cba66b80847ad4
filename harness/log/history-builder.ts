/**
 * Turns scanned lines into the columns of a History, and everything else into faults.
 *
 * Decides per line whether it is a record (kept), a record with something wrong (kept, with a fault), or lost.
 * Fragments are never recovered into the history. It does no I/O beyond the line source it is given.
 */
import { isUtf8 } from 'node:buffer';
import { kindCode, LINE_READ_MAX_BYTES } from '../core/event.js';
import { History, type DuplicateId, type LineSource } from '../core/history.js';
import { textHash } from '../grammar/action-memory.js';
import { repeatedName } from '../grammar/names.js';
import { plainScanner } from '../grammar/plain-scanner.js';
import { HASH_LOOK, RECORD_WORDS, WORD, type LogScanner } from '../grammar/record.js';
import type { LineScan } from '../grammar/scan.js';
import { EventRows } from './event-rows.js';
import { FaultBook, type LinePlace, type Loss } from './fault-book.js';
import {
  checkFully,
  countNuls,
  faultFacts,
  hasMark,
  messagesOf,
  needsSchema,
  NO_PROBLEM,
  numberAt,
  parsedLine,
  utf16Mark,
  type Facts,
  type FullCheck,
} from './line-parts.js';
import { isFragment, withoutNulTail } from './fragment.js';
import { LineRecord } from './line-record.js';
import { isBlank } from './lines.js';
import { SumsBuilder } from './sums-builder.js';

const MARK_BYTES = 3;
/** Of an over-long line so much is kept to name it. */
export const HEAD_BYTES = 64 * 1024;

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
  private readonly rows = new EventRows();
  private readonly sums = new SumsBuilder();
  private readonly duplicates = new Map<
    number,
    { first: number; repeats: DuplicateId['repeats'][number][] }
  >();
  private readonly lineScanner = plainScanner();
  private readonly closer: LineRecord;
  private readonly place = { line: 0, offset: 0, bytes: 0 };
  private runNumber = 0;
  private lines = 0;
  private blank = 0;
  private repaired = 0;

  constructor(
    private readonly scanner: LogScanner,
    private readonly source: LineSource,
  ) {
    this.closer = new LineRecord(scanner);
  }

  /** Adds the lines that the scanner has just made records of. `offset` is that of the scanner's input in the log. */
  addRecords(count: number, first: { readonly line: number; readonly offset: number }): void {
    const record = { words: this.scanner.records(), doubles: this.scanner.doubles() };
    for (let index = 0; index < count;) {
      this.findPlace(record.words, index, first);
      const run = this.regularRun(record.words, index, count);
      if (run > 0) {
        this.rows.pushRun(record, { at: index * RECORD_WORDS, count: run }, this.place);
        this.countRun(record.words, index * RECORD_WORDS, run);
        index += run;
        continue;
      }
      this.addRecord(record, index * RECORD_WORDS);
      // Giving numbers to strings may have moved the memory that the records stand in.
      record.words = this.scanner.records();
      record.doubles = this.scanner.doubles();
      index++;
    }
  }

  private findPlace(words: Int32Array, index: number, first: { line: number; offset: number }): void {
    this.place.line = first.line + index;
    this.place.offset = first.offset + words[index * RECORD_WORDS + WORD.start]!;
    this.place.bytes = words[index * RECORD_WORDS + WORD.bytes]!;
  }

  /** How many records from one on are plain lines of this run, each with the next id number and a cause before it. */
  private regularRun(words: Int32Array, from: number, to: number): number {
    if (!this.rows.isCaughtUp) return 0;
    const first = this.rows.size + 1;
    let id = first;
    for (let index = from; index < to; index++, id++) {
      const at = index * RECORD_WORDS;
      if (words[at + WORD.plain] !== 1 || words[at + WORD.id] !== id) return index - from;
      const cause = words[at + WORD.cause]!;
      if (cause >= id || (cause !== 0 && cause < first && this.rows.eventOf(cause) < 0)) return index - from;
      if (words[at + WORD.run] !== this.runNumber || words[at + WORD.bytes]! > LINE_READ_MAX_BYTES)
        return index - from;
    }
    return to - from;
  }

  private addRecord(record: { words: Int32Array; doubles: Float64Array }, at: number): void {
    const { words } = record;
    if (words[at + WORD.plain] !== 1 || !this.isNext(words, at)) this.lookCloser(words[at + WORD.start]!);
    else {
      this.rows.push(record, at, this.place);
      this.countRun(words, at, 1);
    }
  }

  /** Counts records of plain lines that have just become events. */
  private countRun(words: Int32Array, at: number, count: number): void {
    for (let record = at; record < at + count * RECORD_WORDS; record += RECORD_WORDS) {
      if (words[record + WORD.commandHash] !== HASH_LOOK) continue;
      words[record + WORD.commandHash] = this.commandHash(words, record);
    }
    this.sums.addRun(words, { at, count }, this.rows.size - count);
    this.lines += count;
  }

  /** Hash of a command that its spelling hides. */
  private commandHash(words: Int32Array, at: number): number {
    const start = words[at + WORD.start]!;
    const { data } = parsedLine(this.scanner.input().subarray(start, start + words[at + WORD.bytes]!));
    return textHash(String((data as { command?: unknown }).command));
  }

  /** Whether a plain line is of this run, has an id of its own, and is not too long. */
  private isNext(words: Int32Array, at: number): boolean {
    const run = words[at + WORD.run]!;
    if (this.runNumber === 0) this.runNumber = run;
    return (
      run === this.runNumber &&
      words[at + WORD.bytes]! <= LINE_READ_MAX_BYTES &&
      this.rows.eventOf(words[at + WORD.id]!) < 0
    );
  }

  private lookCloser(start: number): void {
    const { line, offset, bytes } = this.place;
    const input = this.scanner.input();
    if (bytes > LINE_READ_MAX_BYTES)
      this.addTooLong(input.slice(start, start + HEAD_BYTES), { line, offset, bytes });
    else this.addLine(input.slice(start, start + bytes), { line, offset, terminated: true });
  }

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
    const { ids, names } = this.scanner;
    const run = this.runNumber === 0 ? null : names.text(this.runNumber);
    return new History({
      columns: this.rows.finish(ids, names),
      run,
      faults: this.book.faults(run),
      faultsOmitted: this.book.omitted,
      holes: this.book.holes(),
      repairs: this.book.repairs,
      duplicates: [...this.duplicates].map(([number, entry]) => ({ id: ids.text(number), ...entry })),
      counts: {
        bytes,
        lines: this.lines,
        blank: this.blank,
        events: this.rows.size,
        lost: this.book.lostLines,
        repaired: this.repaired,
      },
      sums: this.sums.finish(this.rows.clocks),
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
      return { rule: 'nul-bytes', facts, isFragment: isFragment(this.lineScanner, withoutNulTail(line)) };
    }
    const isText = isUtf8(line);
    const scan = this.lineScanner.scan(line, 0, line.length);
    if (scan.fault !== undefined) {
      // A cut through a character is still a cut.
      if (!terminated && scan.fault === 'invalid-json')
        return { rule: 'torn-tail', facts: { complete: false } };
      const { fault } = scan;
      const facts = isText ? faultFacts(scan, line) : {};
      return { rule: isText ? fault : 'invalid-utf8', facts, isFragment: isFragment(this.lineScanner, line) };
    }
    const repeated = scan.needsNameCheck ? repeatedName(line) : undefined;
    if (repeated !== undefined)
      return { rule: 'duplicate-key', facts: { member: repeated.name, column: repeated.at + 1 } };
    return this.keep(scan, { line, place, isText, terminated });
  }

  private keep(scan: LineScan, at: LineAt): Loss | undefined {
    const { line } = at;
    const { ids, names } = this.scanner;
    const { id, run, kind } = this.closer.name(line, scan);
    const full = needsSchema(line, scan) ? checkFully(line) : NO_PROBLEM;
    if (id === 0 || run === 0 || kind === '')
      return { rule: 'schema', facts: { problems: messagesOf(full) } };
    if (this.runNumber === 0) this.runNumber = run;
    if (run !== this.runNumber) {
      this.book.foreignLine(at.place, at.line, { id: ids.text(id), run: names.text(run) });
      return undefined;
    }
    const event = this.rows.size;
    const first = this.rows.eventOf(id);
    if (first >= 0 && this.noteRepeat(id, first, at)) return undefined;
    const time = this.closer.fill(line, scan, { id, kind: kindCode(kind) });
    this.rows.push(this.closer, 0, at.place);
    this.sums.addLookedAt(this.closer.words, 0, event);
    if (isFaulty(scan, at) || full !== NO_PROBLEM || time !== '') {
      this.softFaults(scan, { ...at, event: { number: event, id: ids.text(id) }, full, time });
    }
    if (this.rows.kindOf(event) === LOG_REPAIRED) this.settleRepair(line);
    return undefined;
  }

  /** Notes a repeated id. True where the line is byte for byte the first one and so adds nothing. */
  private noteRepeat(id: number, first: number, at: LineAt): boolean {
    const whole = this.source.read(this.rows.offset(first), this.rows.bytes(first));
    const before = hasMark(whole) ? whole.subarray(MARK_BYTES) : whole;
    const identical = Buffer.compare(before, at.line) === 0;
    const entry = this.duplicates.get(id) ?? { first, repeats: [] };
    const { line, offset } = at.place;
    entry.repeats.push({ line, offset, event: identical ? -1 : this.rows.size });
    this.duplicates.set(id, entry);
    return identical;
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
}

/** Whether the bytes of a line that became an event have anything wrong with them. */
function isFaulty(scan: LineScan, at: LineAt): boolean {
  return !at.terminated || !at.isText || scan.loneSurrogateAt >= 0 || scan.unsafeIntegerAt >= 0;
}
