/**
 * Reads the facts of a line (core/facts.ts) off its spans. Sound for any line that is JSON, plain or not: a text with
 * escapes is decoded where it decides, or said to want a look. What digest and command are beside those of the
 * proposal is for whoever remembers proposals.
 */
import { DATA_INLINE_MAX_BYTES, kindCode } from '../core/event.js';
import {
  BY,
  BY_OTHER,
  FIELD,
  FLAG,
  PREVENTED_BY,
  PREVENTED_BY_OTHER,
  SAMENESS,
  TIME_OUT_WORDS,
  WAITED_LONG_MS,
  withField,
} from '../core/facts.js';
import { isTier, tierRank } from '../core/tier.js';
import { COUNTERFACTUAL_MEMBER, DATA_MEMBER, fits, NameTable } from './members.js';
import { MEMBER, type LineScan } from './scan.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_T = 0x74;
const SLASH = 0x2f;
const POINT = 0x2e;
const PATH_BYTE = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/')
  PATH_BYTE[letter.charCodeAt(0)] = 1;
const MODEL_CALLED = kindCode('model_called');
const YES = new Set('agyAGY'.split('').map((letter) => letter.charCodeAt(0)));

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
const BY_NAMES = new NameTable(BY);
const PREVENTED_NAMES = new NameTable(PREVENTED_BY);
const ROLES = new NameTable(['approver', 'judge']);

/** Text of a string span, '' where the span is absent or no string. */
export function spanText(bytes: Uint8Array, start: number | undefined, end: number | undefined): string {
  if (start === undefined || end === undefined || start < 0 || bytes[start] !== QUOTE) return '';
  const body = utf8.decode(bytes.subarray(start, end));
  return body.includes('\\') ? String(JSON.parse(body)) : body.slice(1, -1);
}

export function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** The facts of a line; `digest` and `command` say `look` where the line has them. */
export function factsOf(bytes: Uint8Array, scan: LineScan, kind: number): number {
  const { start, end, dataStart, dataEnd } = scan;
  let facts = 0;
  if (start[MEMBER.tokens]! >= 0) facts |= FLAG.tokens;
  const data = start[MEMBER.data]!;
  if (data >= 0) {
    if (end[MEMBER.data]! - data > DATA_INLINE_MAX_BYTES) facts |= FLAG.bigData;
    facts |= dataFacts(bytes, scan);
    if (
      kind === MODEL_CALLED &&
      isNamed(ROLES, bytes, [dataStart[DATA_MEMBER.role]!, dataEnd[DATA_MEMBER.role]!]) >= 0
    )
      facts |= FLAG.othersCall;
  }
  if (start[MEMBER.counterfactual]! >= 0) facts |= FLAG.counterfactual | blockFacts(bytes, scan);
  return facts;
}

function dataFacts(bytes: Uint8Array, { dataStart, dataEnd }: LineScan): number {
  const has = (member: number): boolean => dataStart[member]! >= 0;
  let facts = 0;
  if (bytes[dataStart[DATA_MEMBER.auto]!] === LETTER_T) facts |= FLAG.auto;
  for (let member: number = DATA_MEMBER.firstPath; member <= DATA_MEMBER.lastPath; member++)
    if (has(member))
      facts |= isPlainPath(bytes, dataStart[member]!, dataEnd[member]!)
        ? FLAG.paths
        : FLAG.paths | FLAG.oddPaths;
  for (let member: number = DATA_MEMBER.firstClaim; member <= DATA_MEMBER.lastDoubt; member++)
    if (has(member) && (member < DATA_MEMBER.firstDoubt || bytes[dataStart[member]!] !== LETTER_T))
      facts |= FLAG.claims;
  if (has(DATA_MEMBER.tier))
    facts = withField(
      facts,
      FIELD.tier,
      tierCode(bytes, dataStart[DATA_MEMBER.tier]!, dataEnd[DATA_MEMBER.tier]!),
    );
  if (has(DATA_MEMBER.by) && bytes[dataStart[DATA_MEMBER.by]!] === QUOTE) {
    const by = isNamed(BY_NAMES, bytes, [dataStart[DATA_MEMBER.by]!, dataEnd[DATA_MEMBER.by]!]);
    facts = withField(facts, FIELD.by, by < 0 ? BY_OTHER : by + 1);
  }
  if (has(DATA_MEMBER.decision)) {
    const from = dataStart[DATA_MEMBER.decision]!;
    const to = dataEnd[DATA_MEMBER.decision]!;
    if (isTimeOutWord(bytes, from, to)) facts |= FLAG.maybeTimeOut;
    if (hasEscape(bytes, from, to) || !YES.has(bytes[from + 1]!)) facts |= FLAG.maybeNo;
  }
  if (
    has(DATA_MEMBER.reason) &&
    isTimeOutWord(bytes, dataStart[DATA_MEMBER.reason]!, dataEnd[DATA_MEMBER.reason]!)
  )
    facts |= FLAG.maybeTimeOut;
  if (has(DATA_MEMBER.waitedMs))
    facts = withField(
      facts,
      FIELD.waited,
      waitedCode(bytes, dataStart[DATA_MEMBER.waitedMs]!, dataEnd[DATA_MEMBER.waitedMs]!),
    );
  if (has(DATA_MEMBER.actionDigest)) facts = withField(facts, FIELD.digest, SAMENESS.look);
  if (has(DATA_MEMBER.command)) facts = withField(facts, FIELD.command, SAMENESS.look);
  return facts;
}

function blockFacts(bytes: Uint8Array, { blockStart, blockEnd }: LineScan): number {
  const truth = (member: number): number => {
    const from = blockStart[member]!;
    const byte = from < 0 ? 0 : bytes[from];
    return byte === LETTER_T ? 2 : byte === 0x66 ? 1 : 0;
  };
  let facts = withField(0, FIELD.would, truth(COUNTERFACTUAL_MEMBER.would));
  facts = withField(facts, FIELD.executed, truth(COUNTERFACTUAL_MEMBER.executed));
  const predicted = blockStart[COUNTERFACTUAL_MEMBER.predicted]!;
  if (predicted >= 0)
    facts = withField(
      facts,
      FIELD.predicted,
      tierCode(bytes, predicted, blockEnd[COUNTERFACTUAL_MEMBER.predicted]!),
    );
  const from = blockStart[COUNTERFACTUAL_MEMBER.preventedBy]!;
  if (from < 0 || bytes[from] !== QUOTE) return facts;
  const prevented = isNamed(PREVENTED_NAMES, bytes, [from, blockEnd[COUNTERFACTUAL_MEMBER.preventedBy]!]);
  return withField(facts, FIELD.preventedBy, prevented < 0 ? PREVENTED_BY_OTHER : prevented + 1);
}

/** 1 to 5 for T0 to T4, also when written with escapes; 0 for no tier. */
function tierCode(bytes: Uint8Array, from: number, to: number): number {
  if (fits('tier', bytes, { from, to })) return bytes[from + 2]! - 0x2f;
  const text = spanText(bytes, from, to);
  return isTier(text) ? tierRank(text) + 1 : 0;
}

function waitedCode(bytes: Uint8Array, from: number, to: number): number {
  const waitedMs = Number(utf8.decode(bytes.subarray(from, to)));
  return Number.isNaN(waitedMs) ? 0 : waitedMs >= WAITED_LONG_MS ? 2 : 1;
}

/** How many members of `data` name a file. */
export function countPaths(bytes: Uint8Array, { dataStart }: LineScan): number {
  let count = 0;
  for (let member: number = DATA_MEMBER.firstPath; member <= DATA_MEMBER.lastPath; member++)
    if (dataStart[member]! >= 0 && bytes[dataStart[member]!] === QUOTE) count++;
  return count;
}

/** Whether a string span is a name that plainly stays inside the run folder. */
function isPlainPath(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from] !== QUOTE || to - from <= 2 || bytes[from + 1] === SLASH) return false;
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at]!;
    if (PATH_BYTE[byte] === 0 || (byte === POINT && bytes[at + 1] === POINT)) return false;
  }
  return true;
}

/** Index of the name that a string span spells, or −1. */
function isNamed(table: NameTable, bytes: Uint8Array, [from, to]: readonly [number, number]): number {
  if (from < 0 || bytes[from] !== QUOTE) return -1;
  if (!hasEscape(bytes, from, to)) return table.find(bytes, from + 1, to - 1);
  const plain = encoder.encode(spanText(bytes, from, to));
  return table.find(plain, 0, plain.length);
}

/** Whether a string span is one of `TIME_OUT_WORDS` with small letters for capitals, or has escapes. */
function isTimeOutWord(bytes: Uint8Array, from: number, to: number): boolean {
  const length = to - from - 2;
  if (hasEscape(bytes, from, to)) return true;
  if (length !== 7 && length !== 9) return false;
  return TIME_OUT_WORDS.includes(utf8.decode(bytes.subarray(from + 1, to - 1)).toLowerCase());
}

const ID_BYTE = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-') {
  ID_BYTE[character.charCodeAt(0)] = 1;
}

/** The bytes form of `EVENT_ID`, for a span with quotes. */
export function isEventId(bytes: Uint8Array, start: number, end: number): boolean {
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
