/**
 * What the history builder reads off the spans of one scanned line: texts, whether the validator must be
 * asked, and the facts of a fault. Every function is about one line; none keeps anything.
 */
import { DEPTH_MAX } from '../core/event.js';
import { validate, type Problem } from '../core/schema.js';
import { isEventId } from '../grammar/line-facts.js';
import { MEMBER, type LineScan } from '../grammar/scan.js';

export type Facts = { [name: string]: string | number | boolean | null | string[] };

const QUOTE = 0x22;
const latin1 = new TextDecoder('latin1');
/** A mark at the start of a line is not a part of the record; elsewhere it is a character like any other. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Whether a UTF-8 byte-order mark stands in front. */
export function hasMark(line: Uint8Array): boolean {
  return line.length >= 3 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
}

export function utf16Mark(line: Uint8Array): string | undefined {
  if (line[0] === 0xff && line[1] === 0xfe) return 'utf-16le';
  if (line[0] === 0xfe && line[1] === 0xff) return 'utf-16be';
  return undefined;
}

export function countNuls(line: Uint8Array): number {
  let count = 0;
  for (const byte of line) if (byte === 0) count++;
  return count;
}

/** What a fault of the scan says to a reader. */
export function faultFacts(scan: LineScan, line: Uint8Array): Facts {
  const column = scan.faultAt + 1;
  if (scan.fault === 'duplicate-key') return { member: nameAt(line, scan.faultAt), column };
  if (scan.fault === 'too-deep') return { depthMax: DEPTH_MAX, column };
  if (scan.fault === 'not-an-object') return { found: firstCharacters(line, 20) };
  return { column };
}

function nameAt(line: Uint8Array, from: number): string {
  return utf8.decode(line.subarray(from, line.indexOf(QUOTE, from)));
}

/** At most `bytesMax` bytes of text, no character cut in half. */
function firstCharacters(line: Uint8Array, bytesMax: number): string {
  let end = Math.min(line.length, bytesMax);
  while (end < line.length && ((line[end] as number) & 0xc0) === 0x80) end--;
  return utf8.decode(line.subarray(0, end)).trim();
}

/** Whether the validator must decide: the scan settles plain lines without tokens and counterfactual blocks. */
export function needsSchema(bytes: Uint8Array, scan: LineScan): boolean {
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

/** What a full look at a line finds: what the event schema has against it, and a token count beyond 2^53 − 1. */
export interface FullCheck {
  readonly problems: readonly Problem[];
  /** The count as JavaScript reads it; the scan sees those without a fraction or exponent. */
  readonly unsafeCount?: string;
}

export const NO_PROBLEM: FullCheck = { problems: [] };

export function checkFully(line: Uint8Array): FullCheck {
  const value = JSON.parse(utf8.decode(line)) as { readonly tokens?: unknown };
  const checked = validate('event', value);
  const unsafe = Object.entries(value.tokens ?? {}).find(([, count]) => isUnsafe(count));
  // A count too large for a number is unsafe, and not of a wrong type as well.
  const counted = unsafe === undefined ? undefined : `/tokens/${unsafe[0]}`;
  const problems = checked.ok ? [] : checked.problems.filter((problem) => problem.pointer !== counted);
  if (unsafe !== undefined) return { problems, unsafeCount: String(unsafe[1]) };
  return problems.length === 0 ? NO_PROBLEM : { problems };
}

/** One sentence per problem, each with its JSON pointer in it. */
export function messagesOf(full: FullCheck): string[] {
  return full.problems.map((problem) => problem.message);
}

function isUnsafe(count: unknown): boolean {
  if (typeof count !== 'number' || Number.isSafeInteger(count)) return false;
  return Number.isInteger(count) || !Number.isFinite(count);
}

export function numberAt(line: Uint8Array, at: number): string {
  return /^-?[0-9]+/.exec(latin1.decode(line.subarray(at, at + 40)))?.[0] ?? '';
}

/** The line as JavaScript holds it; its types are for the caller to see. */
export function parsedLine(line: Uint8Array): { readonly t?: unknown; readonly data?: unknown } {
  return JSON.parse(utf8.decode(line)) as { t?: unknown; data?: unknown };
}
