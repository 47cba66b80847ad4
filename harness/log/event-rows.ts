/**
 * The columns of a history while it is being read: takes one record after the other, finds the event that each names
 * as its cause, and settles at the end which causes stand further down or nowhere.
 */
import type { Strings } from '../core/columns.js';
import { LinePlaces } from '../core/line-places.js';
import type { HistoryColumns } from '../core/history.js';
import { PackedColumn, type Strided } from '../core/packed-column.js';
import { DANGLING, NO_CAUSE, Parents } from '../core/parents.js';
import { SparseColumn } from '../core/sparse-column.js';
import { TimeColumn } from '../core/time-column.js';
import { RECORD_WORDS, TIME_DOUBLE, WORD } from '../grammar/record.js';

/** A record, in an array of them, and the same memory as doubles. */
export interface RecordAt {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
}

export class EventRows {
  private readonly kind = new PackedColumn();
  private readonly facts = new PackedColumn();
  private readonly id = new PackedColumn();
  private readonly actor = new PackedColumn();
  private readonly task = new PackedColumn();
  private readonly proposal = new PackedColumn();
  private readonly plan = new PackedColumn();
  private readonly timeMs = new TimeColumn();
  private readonly channel = new SparseColumn();
  private readonly places = new LinePlaces();
  private readonly parents = new Parents();
  /** Event that has an id, plus one, less the id's number; `−number` where none has. */
  private readonly events = new PackedColumn();
  /** Id numbers of causes that no event had yet. */
  private readonly pending = new SparseColumn();
  /** How much later than their causes events are stamped, as far as both have a time. */
  readonly clocks = { compared: 0, leastMs: Infinity, mostMs: -Infinity };

  constructor() {
    // The number of "no id".
    this.events.push(0);
  }

  get size(): number {
    return this.kind.size;
  }

  /** Event with the id of a number, or −1. */
  eventOf(id: number): number {
    return id < this.events.size ? this.events.at(id) + id - 1 : -1;
  }

  kindOf(event: number): number {
    return this.kind.at(event);
  }

  offset(event: number): number {
    return this.places.offset(event);
  }

  bytes(event: number): number {
    return this.places.bytes(event);
  }

  /** Adds the event of the record that begins at word `at`; the first with its id stays the event of that id. */
  push(
    { words, doubles }: RecordAt,
    at: number,
    place: { line: number; offset: number; bytes: number },
  ): void {
    const event = this.kind.size;
    const id = words[at + WORD.id]!;
    this.kind.push(words[at + WORD.kind]!);
    this.facts.push(words[at + WORD.facts]!);
    this.id.push(id - event);
    this.actor.push(words[at + WORD.actor]!);
    this.task.push(words[at + WORD.task]!);
    this.proposal.push(words[at + WORD.proposal]!);
    this.plan.push(words[at + WORD.plan]!);
    this.timeMs.push(doubles[at / 2 + TIME_DOUBLE]!);
    this.places.push(place.line, place.offset, place.bytes);
    if (words[at + WORD.channel] !== 0) this.channel.push(event, words[at + WORD.channel]!);
    this.claim(id, event);
    this.link(event, words[at + WORD.cause]!);
  }

  /** Whether all ids that have a number have an event, so that the next number is the next event's. */
  get isCaughtUp(): boolean {
    return this.events.size === this.kind.size + 1;
  }

  /**
   * Adds events of records that follow each other in the log, each with the next number for its id, and causes that
   * have an event before it.
   */
  pushRun(
    { words, doubles }: RecordAt,
    run: { readonly at: number; readonly count: number },
    place: { readonly line: number; readonly offset: number },
  ): void {
    const { at, count } = run;
    const event = this.kind.size;
    const of = (word: number): Strided<Int32Array> => ({
      values: words,
      at: at + word,
      stride: RECORD_WORDS,
      count,
    });
    this.kind.pushAll(of(WORD.kind));
    this.facts.pushAll(of(WORD.facts));
    this.id.pushSame(1, count);
    this.events.pushSame(0, count);
    this.actor.pushAll(of(WORD.actor));
    this.task.pushAll(of(WORD.task));
    this.proposal.pushAll(of(WORD.proposal));
    this.plan.pushAll(of(WORD.plan));
    this.timeMs.pushAll({ values: doubles, at: at / 2 + TIME_DOUBLE, stride: RECORD_WORDS / 2, count });
    this.places.pushAll(place.line, place.offset, of(WORD.bytes));
    for (let index = 0; index < count; index++) {
      const record = at + index * RECORD_WORDS;
      const cause = words[record + WORD.cause]!;
      const own = event + index;
      const parent = cause === 0 ? own : this.eventOf(cause);
      this.parents.pushAbove(own - parent);
      if (cause !== 0) this.compareClocks(own, parent);
      if (words[record + WORD.channel] !== 0) this.channel.push(own, words[record + WORD.channel]!);
    }
  }

  private claim(id: number, event: number): void {
    while (this.events.size < id) this.events.push(-this.events.size);
    if (this.events.size === id) this.events.push(event + 1 - id);
    else if (this.eventOf(id) < 0) this.events.set(id, event + 1 - id);
  }

  private link(event: number, cause: number): void {
    if (cause === 0) this.parents.push(NO_CAUSE);
    else {
      const parent = this.eventOf(cause);
      this.parents.push(parent < 0 ? DANGLING : parent);
      if (parent < 0) this.pending.push(event, cause);
      else this.compareClocks(event, parent);
    }
  }

  private compareClocks(event: number, parent: number): void {
    const laterMs = this.timeMs.at(event) - this.timeMs.at(parent);
    if (Number.isNaN(laterMs)) return;
    const { clocks } = this;
    clocks.compared++;
    if (laterMs < clocks.leastMs) clocks.leastMs = laterMs;
    if (laterMs > clocks.mostMs) clocks.mostMs = laterMs;
  }

  /** The columns, complete. */
  finish(ids: Strings, names: Strings): HistoryColumns {
    const lostCauses = new SparseColumn();
    for (let index = 0; index < this.pending.size; index++) {
      const event = this.pending.eventAt(index);
      const cause = this.pending.valueAt(index);
      const parent = this.eventOf(cause);
      if (parent < 0) lostCauses.push(event, cause);
      else this.parents.set(event, parent);
    }
    const { kind, facts, id, actor, task, proposal, plan, timeMs, channel, places, parents } = this;
    return {
      ids,
      names,
      kind,
      facts,
      id,
      actor,
      task,
      proposal,
      plan,
      timeMs,
      channel,
      places,
      parents,
      lostCauses,
    };
  }
}
