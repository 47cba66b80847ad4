/**
 * The usage blocks of a run as columns, read once: which event, which call, how many tokens of each sort.
 *
 * Not the token ledger: no roles, prices or normalisation. A count that is no safe whole number is absent (−1).
 */
import { ByteColumn, FloatColumn, IntColumn, StringTable } from '../core/columns.js';
import type { JsonValue } from '../core/event.js';
import { FLAG } from '../core/facts.js';
import type { History } from '../core/history.js';
import { textOf } from './documents.js';

export const COUNTS = ['input', 'output', 'thinking', 'cacheRead', 'cacheWrite'] as const;
export type Count = (typeof COUNTS)[number];

const ABSENT = -1;

export class Usage {
  private readonly calls = new StringTable();
  private readonly event = new IntColumn();
  private readonly call = new IntColumn();
  private readonly hasModel = new ByteColumn();
  private readonly counts: Readonly<Record<Count, FloatColumn>> = {
    input: new FloatColumn(),
    output: new FloatColumn(),
    thinking: new FloatColumn(),
    cacheRead: new FloatColumn(),
    cacheWrite: new FloatColumn(),
  };

  constructor(history: History) {
    for (let event = 0; event < history.size; event++) {
      const tokens = history.has(event, FLAG.tokens) ? history.tokens(event) : undefined;
      if (tokens === undefined) continue;
      const callId = textOf(tokens, 'callId') ?? history.dataText(event, 'callId');
      this.event.push(event);
      this.call.push(callId === undefined ? 0 : this.calls.internText(callId));
      this.hasModel.push((textOf(tokens, 'model') ?? '') === '' ? 0 : 1);
      for (const name of COUNTS) this.counts[name].push(countOf(tokens[name]));
    }
  }

  /** Number of blocks. */
  get size(): number {
    return this.event.size;
  }

  eventAt(block: number): number {
    return this.event.at(block);
  }

  /** Number of the block's call: the same call, the same number; 0 where it names none. */
  callAt(block: number): number {
    return this.call.at(block);
  }

  /** How many call numbers there are, the 0 of "none" included. */
  get callCount(): number {
    return this.calls.size;
  }

  callId(call: number): string {
    return this.calls.text(call);
  }

  namesModel(block: number): boolean {
    return this.hasModel.at(block) === 1;
  }

  /** Tokens of one sort, or undefined where the block does not say. */
  count(block: number, name: Count): number | undefined {
    const value = this.counts[name].at(block);
    return value === ABSENT ? undefined : value;
  }
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : ABSENT;
}
