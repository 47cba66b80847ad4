/**
 * Where a replay leaves the record: the stage, the place in it, and both values. And where it cannot tell, because
 * something is missing: that is a gap, and never a reason to ask the world again.
 */

/**
 * Stages in the order in which a call is replayed. `receipt`: the entry and its chain. `record`: what the entry names.
 * `interpreter`: what ran the tool. `event`: the log of the run, when a whole run is replayed.
 */
export const STAGES = [
  'receipt',
  'record',
  'interpreter',
  'plan',
  'request',
  'effects',
  'result',
  'finish',
  'output',
  'event',
] as const;
export type Stage = (typeof STAGES)[number];

/** The record says one thing and the replay another. */
export interface Divergence {
  readonly type: 'divergence';
  readonly stage: Stage;
  /** What differs, such as `request of effect e1`. */
  readonly what: string;
  /** What the replay gives, or what must hold; bounded. */
  readonly expected: string;
  /** What is recorded. */
  readonly found: string;
  /** Place in the plan, from 0, of the effect that it is about, where it is about one. */
  readonly effect?: number;
}

/** What cannot be replayed because it is not there. */
export interface Gap {
  readonly type: 'gap';
  readonly stage: Stage;
  readonly what: string;
  /** What is missing, by its digest or name. */
  readonly missing: string;
  /** As in a divergence. */
  readonly effect?: number;
}

export type Mismatch = Divergence | Gap;

/** Thrown where an agents' loop replays and cannot go on; carries what was found. */
export class ReplayStopped extends Error {
  readonly mismatch: Mismatch;
  readonly invocation: string;

  constructor(invocation: string, mismatch: Mismatch) {
    super(`${invocation}: ${mismatch.stage}: ${mismatch.what}`);
    this.name = 'ReplayStopped';
    this.invocation = invocation;
    this.mismatch = mismatch;
  }
}

const SHOWN_MAX = 400;
/** How much of what is the same is shown before the first difference. */
const SAME_SHOWN = 120;

/** A divergence; of long values the piece around their first difference is shown. */
export function divergence(
  stage: Stage,
  what: string,
  values: { readonly expected: unknown; readonly found: unknown },
): Divergence {
  const [expected, found] = [textOf(values.expected), textOf(values.found)];
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same += 1;
  const from = Math.max(0, same - SAME_SHOWN);
  return { type: 'divergence', stage, what, expected: piece(expected, from), found: piece(found, from) };
}

export function gap(stage: Stage, what: string, missing: string): Gap {
  return { type: 'gap', stage, what, missing };
}

/** A value for people, from a place on where it is long. */
function piece(text: string, from: number): string {
  if (text.length <= SHOWN_MAX) return text;
  const end = from + SHOWN_MAX;
  const rest = text.length - end;
  return `${from > 0 ? `… ${from} characters … ` : ''}${text.slice(from, end)}${rest > 0 ? ` … ${rest} characters …` : ''}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return JSON.stringify(value);
}
