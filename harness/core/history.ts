/**
 * The history: the events of one run as columns, with accessors that rules read and never the arrays behind them.
 *
 * A few tens of bytes per event stay in memory; `data` is parsed from the log's bytes when a rule asks for it.
 * What could not become an event (torn, garbled, foreign lines) stands in `faults`, so nothing is skipped in silence.
 */
import type { Strings } from './columns.js';
import { KINDS, UNKNOWN_KIND, type JsonObject, type JsonValue, type Kind } from './event.js';
import { FIELD, fieldOf, FLAG } from './facts.js';
import type { LinePlaces } from './line-places.js';
import { Lineage } from './lineage.js';
import { SEGMENT, type PackedColumn } from './packed-column.js';
import { DANGLING, type Parents } from './parents.js';
import type { SparseColumn } from './sparse-column.js';
import type { Sums } from './sums.js';
import { TIERS, type Tier } from './tier.js';
import type { TimeColumn } from './time-column.js';
import type { EventRef, LogCounts } from './verdict.js';

/** Random access to the bytes of the log, for lines that are looked at again. */
export interface LineSource {
  read(offset: number, bytes: number): Uint8Array;
}

/** Something wrong with a line itself, found while reading. `rule` is the part after `log/`. */
export interface LineFault {
  readonly rule: string;
  readonly line: number;
  readonly offset: number;
  /** Length of the line in bytes, without its LF. */
  readonly bytes: number;
  /** The event the line became, or −1 where its record is lost. */
  readonly event: number;
  readonly id: string;
  readonly facts: { readonly [name: string]: JsonValue };
}

/** A lost record: what its remains still say, so that what follows from the loss is not held against the run. */
export interface Hole {
  readonly line: number;
  readonly rule: string;
  readonly ids: readonly string[];
  readonly subjects: readonly string[];
  /** Nothing readable tells which record stood here: it could have been any. */
  readonly opaque: boolean;
}

/** An id that occurs on more than one line; `identical` repeats are not events of the history. */
export interface DuplicateId {
  readonly id: string;
  readonly first: number;
  readonly repeats: readonly { readonly line: number; readonly offset: number; readonly event: number }[];
}

export interface HistoryColumns {
  /** Event ids, and everything else that has a name: actors, tasks, proposals, plans. */
  readonly ids: Strings;
  readonly names: Strings;
  readonly kind: PackedColumn;
  readonly facts: PackedColumn;
  /** Number of the event's id, less the event's own. */
  readonly id: PackedColumn;
  readonly actor: PackedColumn;
  readonly task: PackedColumn;
  readonly proposal: PackedColumn;
  readonly plan: PackedColumn;
  readonly timeMs: TimeColumn;
  /** Names of channels, for requests and decisions that name one. */
  readonly channel: SparseColumn;
  readonly places: LinePlaces;
  readonly parents: Parents;
  /** Id numbers that events name as their cause and no event has. */
  readonly lostCauses: SparseColumn;
}

export interface HistoryParts {
  readonly columns: HistoryColumns;
  readonly run: string | null;
  readonly faults: readonly LineFault[];
  /** Faults beyond those kept, by rule. */
  readonly faultsOmitted: ReadonlyMap<string, number>;
  readonly holes: readonly Hole[];
  /** Fragments that `log_repaired` events account for: no faults, yet to be shown. */
  readonly repairs: readonly LineFault[];
  readonly duplicates: readonly DuplicateId[];
  readonly counts: LogCounts;
  readonly sums: Sums;
  readonly source: LineSource;
}

/** A stretch of events as arrays, for whoever goes over all of them once: indexed by event number less `first`. */
export class EventBlock {
  first = 0;
  size = 0;
  readonly kind = new Int32Array(SEGMENT);
  readonly facts = new Int32Array(SEGMENT);
  readonly parent = new Int32Array(SEGMENT);
  readonly task = new Int32Array(SEGMENT);
  readonly proposal = new Int32Array(SEGMENT);
  readonly plan = new Int32Array(SEGMENT);
}

const text = new TextDecoder('utf-8');
/** A power of two. */
const PARSED_KEPT = 64;

export class History {
  readonly lineage: Lineage;
  private readonly columns: HistoryColumns;
  /** The lines parsed last, by the low bits of their event number: rules look at neighbours again and again. */
  private readonly parsed = new Array<{ event: number; value: JsonObject } | undefined>(PARSED_KEPT);

  constructor(readonly parts: HistoryParts) {
    this.columns = parts.columns;
    this.lineage = new Lineage(parts.columns.parents);
  }

  get size(): number {
    return this.columns.kind.size;
  }

  /** Fills the block with its next stretch of events. @returns false when there are no more */
  readOn(block: EventBlock): boolean {
    const { columns } = this;
    block.first += block.size;
    if (block.first >= this.size) return false;
    const segment = block.first / SEGMENT;
    block.size = columns.kind.read(segment, block.kind);
    columns.facts.read(segment, block.facts);
    columns.parents.read(segment, block.parent);
    columns.task.read(segment, block.task);
    columns.proposal.read(segment, block.proposal);
    columns.plan.read(segment, block.plan);
    return true;
  }

  /** Events of one of the kinds that a run has few of (`LANDMARKS`), in canonical order. */
  landmarks(code: number): readonly number[] {
    const events = this.parts.sums.landmarks.get(code) ?? [];
    if (this.lineage.isWhole) return events;
    return [...events].sort((a, b) => this.lineage.place(a) - this.lineage.place(b));
  }

  get run(): string | null {
    return this.parts.run;
  }

  /** Column value of the kind: an index of `KINDS`, or `UNKNOWN_KIND`. */
  kindCode(event: number): number {
    return this.columns.kind.at(event);
  }

  /** The kind, or undefined where it is none of the protocol's. */
  kind(event: number): Kind | undefined {
    return KINDS[this.columns.kind.at(event)];
  }

  kindName(event: number): string {
    const code = this.columns.kind.at(event);
    if (code !== UNKNOWN_KIND) return KINDS[code] as string;
    const kind = this.raw(event)['kind'];
    return typeof kind === 'string' ? kind : '';
  }

  id(event: number): string {
    return this.columns.ids.text(event + this.columns.id.at(event));
  }

  actor(event: number): string {
    return this.columns.names.text(this.columns.actor.at(event));
  }

  actorNumber(event: number): number {
    return this.columns.actor.at(event);
  }

  /** String numbers of the subjects named in `data`; 0 where the event names none. */
  taskNumber(event: number): number {
    return this.columns.task.at(event);
  }

  proposalNumber(event: number): number {
    return this.columns.proposal.at(event);
  }

  planNumber(event: number): number {
    return this.columns.plan.at(event);
  }

  /** Name number of the channel that a request or approval names, 0 for none. */
  channelNumber(event: number): number {
    return this.columns.channel.of(event) ?? 0;
  }

  /** Text of a string number. */
  text(number: number): string {
    return this.columns.names.text(number);
  }

  /** String number of a text that occurs in the log as an actor or subject; else 0. */
  numberOf(text: string): number {
    return this.columns.names.numberOf(text);
  }

  /** How many string numbers there are: the size for tables indexed by subject. */
  get stringCount(): number {
    return this.columns.names.size;
  }

  line(event: number): number {
    return this.columns.places.line(event);
  }

  offset(event: number): number {
    return this.columns.places.offset(event);
  }

  /** Milliseconds since the epoch, or undefined where `t` is not a time. */
  timeMs(event: number): number | undefined {
    const value = this.columns.timeMs.at(event);
    return Number.isNaN(value) ? undefined : value;
  }

  /** The same, NaN where `t` is not a time. */
  clockMs(event: number): number {
    return this.columns.timeMs.at(event);
  }

  tier(event: number): Tier | undefined {
    return TIERS[fieldOf(this.columns.facts.at(event), FIELD.tier) - 1];
  }

  has(event: number, flag: number): boolean {
    return (this.columns.facts.at(event) & flag) !== 0;
  }

  /** What the event says in a word; see facts.ts. */
  facts(event: number): number {
    return this.columns.facts.at(event);
  }

  /** Id of the cause as written, where there is one. */
  causeId(event: number): string | undefined {
    const parent = this.columns.parents.at(event);
    if (parent >= 0) return this.id(parent);
    return parent === DANGLING ? this.columns.ids.text(this.columns.lostCauses.of(event) ?? 0) : undefined;
  }

  /** The whole line, parsed. Only its envelope's types are known. */
  raw(event: number): JsonObject {
    const slot = event & (PARSED_KEPT - 1);
    const known = this.parsed[slot];
    if (known?.event === event) return known.value;
    const bytes = this.parts.source.read(this.offset(event), this.columns.places.bytes(event));
    const parsed: unknown = JSON.parse(text.decode(bytes));
    const value = isJsonObject(parsed) ? parsed : {};
    this.parsed[slot] = { event, value };
    return value;
  }

  /** `data`, or an empty object. */
  data(event: number): JsonObject {
    return member(this.raw(event), 'data');
  }

  tokens(event: number): JsonObject | undefined {
    return this.has(event, FLAG.tokens) ? member(this.raw(event), 'tokens') : undefined;
  }

  counterfactual(event: number): JsonObject | undefined {
    return this.has(event, FLAG.counterfactual) ? member(this.raw(event), 'counterfactual') : undefined;
  }

  /** A string member of `data`, where it is one. */
  dataText(event: number, name: string): string | undefined {
    const data = this.data(event);
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  ref(event: number, role: string): EventRef {
    return { id: this.id(event), line: this.line(event), offset: this.offset(event), role };
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
}
