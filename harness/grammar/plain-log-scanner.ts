/**
 * The scanner of logs written in TypeScript: the same records as the one in WebAssembly (record.ts), line by line
 * through plain-scanner.ts. For where WebAssembly or its SIMD is missing, and to hold the other one against.
 */
import { isUtf8 } from 'node:buffer';
import { StringTable } from '../core/columns.js';
import { kindCode, KINDS } from '../core/event.js';
import { FIELD, fieldOf, PREVENTED_BY } from '../core/facts.js';
import { parseTime } from '../core/time.js';
import { ActionMemory } from './action-memory.js';
import { countPaths, factsOf, hasEscape, isEventId } from './line-facts.js';
import { COUNTERFACTUAL_MEMBER, DATA_MEMBER, NameTable, TOKEN_MEMBER } from './members.js';
import { plainScanner } from './plain-scanner.js';
import {
  COUNT_MAX,
  INPUT_BYTES,
  RECORD_WORDS,
  RECORDS_MAX,
  TIME_DOUBLE,
  WORD,
  type LogScanner,
} from './record.js';
import { MEMBER, type LineScan } from './scan.js';

const LF = 0x0a;
const QUOTE = 0x22;
const LETTER_Z = 0x5a;
const KIND_NAMES = new NameTable(KINDS);
const LOOKED_AT = new Set([kindCode('correction'), kindCode('log_repaired')]);
const MODEL_CALLED = kindCode('model_called');
/** `evt_` and 13 characters, of which the tenth and the one behind it are the lane: core/ids.ts. */
const OWN_ID_BYTES = 17;
const BASE32 = new Int8Array(256).fill(-1);
Array.from('0123456789abcdefghjkmnpqrstvwxyz').forEach((letter, value) => {
  BASE32[letter.charCodeAt(0)] = value;
});
/** `"YYYY-MM-DDTHH:MM:SSZ"` and the same with a point and three digits. */
const TIME_MIN = 22;
const TIME_MAX = 26;
const latin1 = new TextDecoder('latin1');

export function plainLogScanner(): LogScanner {
  return new PlainLogScanner();
}

class PlainLogScanner implements LogScanner {
  ids = new StringTable();
  names = new StringTable();
  calls = new StringTable();
  scannedTo = 0;
  private readonly bytes = new Uint8Array(INPUT_BYTES);
  private readonly words = new Int32Array(RECORDS_MAX * RECORD_WORDS);
  private readonly times = new Float64Array(this.words.buffer);
  private readonly lines = plainScanner();
  private readonly actions = new ActionMemory();

  input(): Uint8Array {
    return this.bytes;
  }

  records(): Int32Array {
    return this.words;
  }

  doubles(): Float64Array {
    return this.times;
  }

  reset(): void {
    this.ids = new StringTable();
    this.names = new StringTable();
    this.calls = new StringTable();
    this.actions.clear();
  }

  scan(from: number, to: number): number {
    const { bytes, words } = this;
    const isText = isUtf8(bytes.subarray(from, bytes.lastIndexOf(LF, to - 1) + 1));
    let count = 0;
    let start = from;
    while (count < RECORDS_MAX) {
      const end = bytes.indexOf(LF, start);
      if (end < 0 || end >= to) break;
      const at = count * RECORD_WORDS;
      words[at + WORD.start] = start;
      words[at + WORD.bytes] = end - start;
      const isPlain = (isText || isUtf8(bytes.subarray(start, end))) && this.line(start, end, at);
      words[at + WORD.plain] = isPlain ? 1 : 0;
      count++;
      start = end + 1;
    }
    this.scannedTo = start;
    return count;
  }

  /** Fills the record of a line in; false where the line is not plain, whatever stands in the record then. */
  private line(from: number, to: number, at: number): boolean {
    const scan = this.lines.scan(this.bytes, from, to);
    if (scan.fault !== undefined || scan.needsNameCheck || scan.needsSchema || scan.hasLongNumber)
      return false;
    if (scan.loneSurrogateAt >= 0) return false;
    return this.envelope(scan, at) && this.inner(scan, at);
  }

  private envelope(scan: LineScan, at: number): boolean {
    const { bytes, words } = this;
    const { start, end } = scan;
    for (let member: number = MEMBER.id; member <= MEMBER.actor; member++)
      if (start[member]! < 0 || !this.isPlainText(start[member]!, end[member]!)) return false;
    const kind = KIND_NAMES.find(bytes, start[MEMBER.kind]! + 1, end[MEMBER.kind]! - 1);
    if (kind < 0 || LOOKED_AT.has(kind)) return false;
    if (!isEventId(bytes, start[MEMBER.id]!, end[MEMBER.id]!)) return false;
    const cause = start[MEMBER.causedBy]!;
    if (cause >= 0 && !isEventId(bytes, cause, end[MEMBER.causedBy]!)) return false;
    if (!this.time(start[MEMBER.t]!, end[MEMBER.t]!, at)) return false;
    words[at + WORD.kind] = kind;
    return true;
  }

  /** Everything that depends on what the members hold; numbers are given only once the line is known to be plain. */
  private inner(scan: LineScan, at: number): boolean {
    const { bytes, words } = this;
    const { start, end } = scan;
    const isObject = (member: number): boolean => start[member]! < 0 || bytes[start[member]!] === 0x7b;
    if (!isObject(MEMBER.data) || !isObject(MEMBER.tokens) || !isObject(MEMBER.counterfactual)) return false;
    const kind = words[at + WORD.kind]!;
    if (!this.isPlainData(scan, kind) || !this.isPlainBlock(scan) || !this.counts(scan, at)) return false;
    const facts = factsOf(bytes, scan, kind);
    const prevented = scan.blockStart[COUNTERFACTUAL_MEMBER.preventedBy]! >= 0;
    if (prevented && fieldOf(facts, FIELD.preventedBy) > PREVENTED_BY.length) return false;
    this.numbers(scan, at);
    words[at + WORD.facts] = this.actions.settle({
      bytes,
      scan,
      kind,
      facts,
      proposal: words[at + WORD.proposal]!,
    });
    words[at + WORD.digestHash] = this.actions.digestHash;
    words[at + WORD.commandHash] = this.actions.commandHash;
    words[at + WORD.paths] = countPaths(bytes, scan);
    words[at + WORD.lane] = this.lane(start[MEMBER.id]! + 1, end[MEMBER.id]! - 1);
    return true;
  }

  private numbers({ start, end, dataStart, dataEnd, tokenStart, tokenEnd }: LineScan, at: number): void {
    const { words, names } = this;
    words[at + WORD.id] = this.number(this.ids, start[MEMBER.id]!, end[MEMBER.id]!);
    words[at + WORD.cause] = this.number(this.ids, start[MEMBER.causedBy]!, end[MEMBER.causedBy]!);
    words[at + WORD.run] = this.number(names, start[MEMBER.runId]!, end[MEMBER.runId]!);
    words[at + WORD.actor] = this.number(names, start[MEMBER.actor]!, end[MEMBER.actor]!);
    words[at + WORD.task] = this.number(names, dataStart[DATA_MEMBER.taskId]!, dataEnd[DATA_MEMBER.taskId]!);
    words[at + WORD.proposal] = this.number(
      names,
      dataStart[DATA_MEMBER.proposalId]!,
      dataEnd[DATA_MEMBER.proposalId]!,
    );
    words[at + WORD.plan] = this.number(names, dataStart[DATA_MEMBER.planId]!, dataEnd[DATA_MEMBER.planId]!);
    words[at + WORD.to] = this.number(names, dataStart[DATA_MEMBER.to]!, dataEnd[DATA_MEMBER.to]!);
    words[at + WORD.channel] = this.number(
      names,
      dataStart[DATA_MEMBER.channel]!,
      dataEnd[DATA_MEMBER.channel]!,
    );
    words[at + WORD.call] = 0;
    if (start[MEMBER.tokens]! < 0) return;
    const call = this.number(this.calls, tokenStart[TOKEN_MEMBER.callId]!, tokenEnd[TOKEN_MEMBER.callId]!);
    words[at + WORD.call] =
      call > 0 ? call : this.number(this.calls, dataStart[DATA_MEMBER.callId]!, dataEnd[DATA_MEMBER.callId]!);
  }

  private number(table: StringTable, start: number, end: number): number {
    return start < 0 ? 0 : table.intern(this.bytes, start + 1, end - 1);
  }

  private isPlainData({ start, dataStart, dataEnd }: LineScan, kind: number): boolean {
    const { taskId, proposalId, planId, to, by, channel, callId, role, waitedMs } = DATA_MEMBER;
    for (const member of [taskId, proposalId, planId, to, by, channel])
      if (dataStart[member]! >= 0 && hasEscape(this.bytes, dataStart[member]!, dataEnd[member]!))
        return false;
    const isCallNamed = start[MEMBER.tokens]! >= 0 && dataStart[callId]! >= 0;
    if (isCallNamed && hasEscape(this.bytes, dataStart[callId]!, dataEnd[callId]!)) return false;
    if (
      kind === MODEL_CALLED &&
      dataStart[role]! >= 0 &&
      hasEscape(this.bytes, dataStart[role]!, dataEnd[role]!)
    )
      return false;
    return dataStart[waitedMs]! < 0 || this.count(dataStart[waitedMs]!, dataEnd[waitedMs]!) <= COUNT_MAX;
  }

  private isPlainBlock({ blockStart, blockEnd }: LineScan): boolean {
    const from = blockStart[COUNTERFACTUAL_MEMBER.preventedBy]!;
    return from < 0 || !hasEscape(this.bytes, from, blockEnd[COUNTERFACTUAL_MEMBER.preventedBy]!);
  }

  /** Token counts, −1 for those that are not there. */
  private counts({ start, tokenStart, tokenEnd }: LineScan, at: number): boolean {
    const hasTokens = start[MEMBER.tokens]! >= 0;
    for (let member = 0; member < TOKEN_MEMBER.model; member++) {
      const from = hasTokens ? tokenStart[member]! : -1;
      const value = from < 0 ? -1 : this.count(from, tokenEnd[member]!);
      if (value > COUNT_MAX) return false;
      this.words[at + WORD.input + member] = value;
    }
    if (!hasTokens) return true;
    const call = tokenStart[TOKEN_MEMBER.callId]!;
    return (
      tokenStart[TOKEN_MEMBER.model]! >= 0 &&
      (call < 0 || !hasEscape(this.bytes, call, tokenEnd[TOKEN_MEMBER.callId]!))
    );
  }

  /** Value of plain digits. */
  private count(from: number, to: number): number {
    let value = 0;
    for (let at = from; at < to; at++) value = value * 10 + this.bytes[at]! - 0x30;
    return value;
  }

  private time(from: number, to: number, at: number): boolean {
    if (to - from < TIME_MIN || to - from > TIME_MAX || this.bytes[to - 2] !== LETTER_Z) return false;
    if (this.bytes[from + 18] === 0x36) return false;
    const time = parseTime(latin1.decode(this.bytes.subarray(from + 1, to - 1)));
    if (!time.ok) return false;
    this.times[at / 2 + TIME_DOUBLE] = time.ms;
    return true;
  }

  /** 1 + the lane of an id of our own make, 0 for any other. */
  private lane(from: number, to: number): number {
    if (to - from !== OWN_ID_BYTES) return 0;
    for (let at = from + 4; at < to; at++) if (BASE32[this.bytes[at]!]! < 0) return 0;
    return 1 + 32 * BASE32[this.bytes[from + 13]!]! + BASE32[this.bytes[from + 14]!]!;
  }

  private isPlainText(from: number, to: number): boolean {
    return to - from > 2 && this.bytes[from] === QUOTE && !hasEscape(this.bytes, from, to);
  }
}
