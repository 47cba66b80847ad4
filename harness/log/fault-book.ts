/**
 * Collects what is wrong with lines while a log is read: faults (what to report), holes (what a lost record
 * may explain), and lines of foreign runs. Bounded: at most 100 faults a rule are kept, the rest counted.
 */
import type { JsonValue } from '../core/event.js';
import type { Hole, LineFault } from '../core/history.js';

const FAULTS_KEPT_PER_RULE = 100;
const LOSSES_KEPT = 10_000;
/** How much of a lost line is searched for ids: enough for any line a writer of ours produces, and then some. */
const REMAINS_MAX_BYTES = 64 * 1024;

export interface LinePlace {
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
}

const NAMED_ID = /"(id|causedBy|taskId|proposalId|planId)"\s*:\s*"([^"\\]{1,256})"/g;
/** More names than these are not kept of one lost line; it may then be about anything. */
const NAMES_KEPT = 64;
/** Rules whose line holds a value that is no record at all, so nothing is missing because of it. */
const NEVER_A_RECORD = new Set(['not-an-object']);
/** Repairs that are kept to be shown. */
const REPAIRS_KEPT = 100;

/** Why a record is lost. */
export interface Loss {
  readonly rule: string;
  readonly facts: { readonly [name: string]: JsonValue };
  /** The line is what a write cut short leaves. A line that is whole and refused is no fragment, whatever an event says. */
  readonly isFragment?: boolean;
}

/** A lost record and where it stood, so that a later event can account for it. */
interface LostPlace extends LinePlace {
  readonly rule: string;
  readonly isFragment: boolean;
  readonly hole: Hole;
}

export class FaultBook {
  private readonly kept: LineFault[] = [];
  private readonly keptOf = new Map<string, number>();
  readonly omitted = new Map<string, number>();
  private readonly losses: LostPlace[] = [];
  private readonly foreign: { place: LinePlace; id: string; run: string }[] = [];
  private foreignCount = 0;
  /** Fragments that `log_repaired` events account for. */
  readonly repairs: LineFault[] = [];
  lostLines = 0;

  /** A fault of a line that was read all the same. `event` is −1 where the line became no event. */
  soft(fault: LineFault): void {
    this.keep(fault);
  }

  /** A fault that cost the record. `remains` is the line, or the head of it. */
  lost(loss: Loss, place: LinePlace, remains: Uint8Array): void {
    const { rule, facts, isFragment = false } = loss;
    this.lostLines++;
    const names = namedIn(remains);
    if (!NEVER_A_RECORD.has(rule)) this.addLoss({ rule, isFragment }, place, names);
    const seen: { [name: string]: JsonValue } =
      names.ids.length > 0 ? { idsSeen: names.ids.slice(0, 8) } : {};
    this.keep({ rule, ...place, event: -1, id: names.ids[0] ?? '', facts: { ...facts, ...seen } });
  }

  /** A whole line that belongs to another run. */
  foreignLine(place: LinePlace, remains: Uint8Array, line: { id: string; run: string }): void {
    this.lostLines++;
    this.foreignCount++;
    this.addLoss({ rule: 'wrong-run-id', isFragment: false }, place, namedIn(remains));
    if (this.foreign.length < FAULTS_KEPT_PER_RULE) this.foreign.push({ place, ...line });
  }

  /**
   * Drops the fault of a fragment that a later `log_repaired` event accounts for.
   * @returns whether a fragment stands at exactly this range
   */
  settle(offset: number, bytes: number): boolean {
    const at = this.losses.findLastIndex((loss) => loss.offset === offset);
    const loss = this.losses[at];
    if (loss === undefined || loss.bytes !== bytes || !loss.isFragment) return false;
    this.losses.splice(at, 1);
    this.lostLines--;
    const fault = this.kept.findLastIndex((kept) => kept.rule === loss.rule && kept.offset === offset);
    if (fault >= 0) this.kept.splice(fault, 1);
    this.uncount(loss.rule, fault < 0);
    this.noteRepair(loss);
    return true;
  }

  private noteRepair(loss: LostPlace): void {
    if (this.repairs.length >= REPAIRS_KEPT) return;
    const { line, offset, bytes, hole } = loss;
    const facts = { bytes, idsSeen: hole.ids.slice(0, 8) };
    this.repairs.push({ rule: 'repaired', line, offset, bytes, event: -1, id: hole.ids[0] ?? '', facts });
  }

  private uncount(rule: string, wasOmitted: boolean): void {
    const counts = wasOmitted ? this.omitted : this.keptOf;
    const left = (counts.get(rule) ?? 0) - 1;
    if (left > 0) counts.set(rule, left);
    else counts.delete(rule);
  }

  holes(): readonly Hole[] {
    return this.losses.map((loss) => loss.hole);
  }

  /** All kept faults; foreign lines are one fault that names every line. */
  faults(run: string | null): readonly LineFault[] {
    const [first] = this.foreign;
    if (first === undefined) return this.kept;
    const facts = {
      expected: run,
      found: [...new Set(this.foreign.map((line) => line.run))],
      lines: this.foreign.map((line) => line.place.line),
      offsets: this.foreign.map((line) => line.place.offset),
      ids: this.foreign.map((line) => line.id),
      count: this.foreignCount,
    };
    return [...this.kept, { rule: 'wrong-run-id', ...first.place, event: -1, id: first.id, facts }];
  }

  private addLoss(loss: { rule: string; isFragment: boolean }, place: LinePlace, names: Names): void {
    const { rule } = loss;
    const opaque = names.subjects.length === 0 || names.isCut;
    const hole = { line: place.line, rule, ids: names.ids, subjects: names.subjects, opaque };
    if (this.losses.length < LOSSES_KEPT) this.losses.push({ ...place, ...loss, hole });
    // Too many to tell apart: from here on any absence may be a lost line.
    else {
      const rest = { line: place.line, rule, ids: [], subjects: [], opaque: true };
      this.losses[LOSSES_KEPT - 1] = { ...place, rule, isFragment: false, hole: rest };
    }
  }

  private keep(fault: LineFault): void {
    const count = this.keptOf.get(fault.rule) ?? 0;
    if (count >= FAULTS_KEPT_PER_RULE) this.omitted.set(fault.rule, (this.omitted.get(fault.rule) ?? 0) + 1);
    else {
      this.keptOf.set(fault.rule, count + 1);
      this.kept.push(fault);
    }
  }
}

interface Names {
  readonly ids: string[];
  readonly subjects: string[];
  readonly isCut: boolean;
}

function namedIn(remains: Uint8Array): Names {
  const text = new TextDecoder('utf-8').decode(remains.subarray(0, REMAINS_MAX_BYTES));
  const ids: string[] = [];
  const subjects: string[] = [];
  let isCut = remains.length > REMAINS_MAX_BYTES;
  for (const [, name, value] of text.matchAll(NAMED_ID)) {
    if (name === 'causedBy') continue;
    const names = name === 'id' ? ids : subjects;
    if (names.length < NAMES_KEPT) names.push(value as string);
    else isCut = true;
  }
  return { ids, subjects, isCut };
}
