/**
 * Event ids of our own writers: `evt_` and 13 characters of lower-case Crockford base32, which sort as text in the
 * order in which a writer gave them. 9 characters of milliseconds, 2 of the writer's lane, 2 of sequence.
 *
 * The milliseconds order one writer's ids and keep them apart; they are no timestamp: a full millisecond borrows the
 * next, and a clock that stepped back is waited out. The time of an event is its `t`.
 */
import { assert, HarnessError } from './errors.js';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUE_OF: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (char, value) => [char, value]));

/** Writers one log can have had at the same time. */
export const LANES_MAX = 32 ** 2;
const SEQ_MAX = 32 ** 2 - 1;
/** The year 3084. */
const MS_MAX = 32 ** 9 - 1;

/** What an id of ours consists of. `lane` is 0 to 1023, `seq` 0 to 1023. */
export interface OwnId {
  readonly ms: number;
  readonly lane: number;
  readonly seq: number;
}

/** The id as it stands in the log. */
export function formatOwnId(id: OwnId): string {
  assert(isWithin(id.ms, MS_MAX), `an id needs a time from 1970 to 3084 in whole milliseconds: ${id.ms}`);
  assert(
    isWithin(id.lane, LANES_MAX - 1) && isWithin(id.seq, SEQ_MAX),
    `no lane or sequence: ${id.lane} ${id.seq}`,
  );
  return `evt_${base32(id.ms, 9)}${base32(id.lane, 2)}${base32(id.seq, 2)}`;
}

/** The parts of an id of ours; `undefined` for ids of any other make, upper case included. */
export function parseOwnId(text: string): OwnId | undefined {
  if (!/^evt_[0-9a-hjkmnp-tv-z]{13}$/.test(text)) return undefined;
  return {
    ms: fromBase32(text.slice(4, 13)),
    lane: fromBase32(text.slice(13, 15)),
    seq: fromBase32(text.slice(15, 17)),
  };
}

/** Two characters, as in `writers/<lane>` and in `data.lanes`. */
export function laneName(lane: number): string {
  assert(isWithin(lane, LANES_MAX - 1), `no lane: ${lane}`);
  return base32(lane, 2);
}

/** Gives the ids of one writer, strictly increasing whatever the clock does. */
export class IdSource {
  private readonly lane: number;
  private ms: number;
  private seq: number;

  /** @param after the highest id that stands for this lane already; all ids given come after it */
  constructor(lane: number, after?: OwnId) {
    this.lane = lane;
    this.ms = after?.ms ?? -1;
    this.seq = after?.seq ?? 0;
  }

  /** The last id given, by this writer or by the lane before it. */
  get last(): string | undefined {
    return this.ms < 0 ? undefined : formatOwnId({ ms: this.ms, lane: this.lane, seq: this.seq });
  }

  /** @param nowMs what the clock shows, in whole milliseconds since the Unix epoch */
  next(nowMs: number): string {
    const full = this.seq === SEQ_MAX;
    const ms = nowMs > this.ms ? nowMs : this.ms + (full ? 1 : 0);
    if (ms > MS_MAX) throw lastIdGiven(this.lane);
    this.seq = ms > this.ms ? 0 : this.seq + 1;
    this.ms = ms;
    return formatOwnId({ ms, lane: this.lane, seq: this.seq });
  }
}

/** Only a log with an id of the year 3084 gets here, so it is somebody's doing and not a fault of ours. */
function lastIdGiven(lane: number): HarnessError {
  return new HarnessError(
    'lanes-exhausted',
    `lane ${laneName(lane)} of this log has given its last possible event id`,
    'look for the line with an id of the year 3084; leave the lane claimed and write through another',
  );
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

function base32(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 32))
    text = `${ALPHABET[rest % 32]!}${text}`;
  return text;
}

function fromBase32(text: string): number {
  let value = 0;
  for (const char of text) value = value * 32 + (VALUE_OF.get(char) ?? 0);
  return value;
}
