/**
 * The lines of the journal: what was about to be done, how it ended, and what varied. Encoding B, one line each.
 *
 * An intent is on stable storage before its effect starts, so a crash leaves an intent without an outcome, and never an
 * effect that nobody knows of. Scalars are what a replay cannot work out: clock readings, draws, turns of tasks.
 */
import { struct, structBytes } from '../core/canonical.js';
import type { StructFields } from '../core/canonical.js';
import type { Digest } from '../core/digest.js';
import { LINE } from '../core/journal.js';
import { plainLine } from './journal-patterns.js';
import { STATUSES } from './objects.js';
import type { EffectStatus } from './objects.js';
import { mismatch, readStruct } from './struct.js';
import type { Members, Read } from './struct.js';

/** A call is about to run its effects. */
export interface CallIntent {
  readonly line: 'callIntent';
  readonly callId: string;
  readonly tool: string;
  readonly input: Digest;
  readonly plan: Digest;
}

/** An effect was allowed and is about to be handed to its handler. */
export interface EffectIntent {
  readonly line: 'effectIntent';
  readonly callId: string;
  readonly effectId: string;
  readonly effect: string;
  readonly scope: string;
  readonly cost: number;
  /** Whole Unix seconds. */
  readonly now: number;
  /** Name of the purse that pays. */
  readonly purse: string;
  readonly request: Digest;
}

/** How an effect ended. A denied one has no intent. */
export interface EffectOutcome {
  readonly line: 'effectOutcome';
  readonly callId: string;
  readonly effectId: string;
  readonly status: EffectStatus;
  readonly purse: string;
  readonly record: Digest;
  /** What a failed effect left to say for itself, if anything. */
  readonly evidence: Digest | '';
}

/** The call has its entry. */
export interface CallOutcome {
  readonly line: 'callOutcome';
  readonly callId: string;
  readonly input: Digest;
  readonly entryIndex: number;
  readonly entryHash: Digest;
  readonly output: Digest;
}

/** Grants that were given out, before anything is paid from them. */
export interface PurseLine {
  readonly line: 'purse';
  readonly purse: string;
  /** Each `EFFECT=SCOPE:BUDGET`, with `@<unix seconds>` behind it where it expires. */
  readonly grants: readonly string[];
}

/** Values that a replay must be given. `clock` in milliseconds; `draw` in [0, 1); `turn` the number of a lane. */
export interface Scalar {
  readonly port: 'clock' | 'draw' | 'turn';
  readonly value: number;
}

export interface ScalarsLine {
  readonly line: 'scalars';
  readonly values: readonly Scalar[];
}

export type JournalLine = CallIntent | EffectIntent | EffectOutcome | CallOutcome | PurseLine | ScalarsLine;

export function journalBytes(line: JournalLine): Uint8Array {
  return structBytes(fieldsOf(line));
}

/** Reads one line, without its LF. */
export function readJournalLine(bytes: Uint8Array): Read<JournalLine> {
  const plain = plainLine(bytes);
  if (plain !== undefined) return { ok: true, value: plain };
  return readStruct(bytes, takeLine, fieldsOf);
}

function takeLine(m: Members): JournalLine {
  switch (m.text('kind')) {
    case LINE.callIntent:
      return {
        line: 'callIntent',
        callId: m.text('callId'),
        tool: m.text('tool'),
        input: m.digest('input'),
        plan: m.digest('plan'),
      };
    case LINE.effectIntent:
      return {
        line: 'effectIntent',
        callId: m.text('callId'),
        effectId: m.text('effectId'),
        effect: m.text('effect'),
        scope: m.text('scope'),
        cost: m.integer('cost'),
        now: m.integer('now'),
        purse: m.text('purse'),
        request: m.digest('request'),
      };
    case LINE.effectOutcome:
      return takeEffectOutcome(m);
    case LINE.callOutcome:
      return {
        line: 'callOutcome',
        callId: m.text('callId'),
        input: m.digest('input'),
        entryIndex: m.integer('entryIndex'),
        entryHash: m.digest('entryHash'),
        output: m.digest('output'),
      };
    case LINE.purse:
      return { line: 'purse', purse: m.text('purse'), grants: m.texts('grants') };
    case LINE.scalars:
      return { line: 'scalars', values: m.list('values', takeScalar) };
    default:
      return mismatch('no kind of line');
  }
}

function takeEffectOutcome(m: Members): EffectOutcome {
  const status = STATUSES.find((known) => known === m.text('status'));
  return {
    line: 'effectOutcome',
    callId: m.text('callId'),
    effectId: m.text('effectId'),
    status: status ?? mismatch('no status in "status"'),
    purse: m.text('purse'),
    record: m.digest('record'),
    evidence: m.digestOrNone('evidence'),
  };
}

function takeScalar(m: Members): Scalar {
  for (const port of ['clock', 'draw', 'turn'] as const) {
    if (m.has(port)) return { port, value: m.number(port) };
  }
  return mismatch('no port in a scalar');
}

function fieldsOf(line: JournalLine): StructFields {
  switch (line.line) {
    case 'callIntent':
      return [
        ['kind', LINE.callIntent],
        ['callId', line.callId],
        ['tool', line.tool],
        ['input', line.input],
        ['plan', line.plan],
      ];
    case 'effectIntent':
      return [
        ['kind', LINE.effectIntent],
        ['callId', line.callId],
        ['effectId', line.effectId],
        ['effect', line.effect],
        ['scope', line.scope],
        ['cost', line.cost],
        ['now', line.now],
        ['purse', line.purse],
        ['request', line.request],
      ];
    case 'effectOutcome':
      return [
        ['kind', LINE.effectOutcome],
        ['callId', line.callId],
        ['effectId', line.effectId],
        ['status', line.status],
        ['purse', line.purse],
        ['record', line.record],
        ['evidence', line.evidence],
      ];
    case 'callOutcome':
      return [
        ['kind', LINE.callOutcome],
        ['callId', line.callId],
        ['input', line.input],
        ['entryIndex', line.entryIndex],
        ['entryHash', line.entryHash],
        ['output', line.output],
      ];
    case 'purse':
      return [
        ['kind', LINE.purse],
        ['purse', line.purse],
        ['grants', line.grants],
      ];
    case 'scalars':
      return [
        ['kind', LINE.scalars],
        ['values', line.values.map(({ port, value }) => struct([[port, value]]))],
      ];
  }
}
