/**
 * Collects what is wrong with lines while a log is read: faults (what to report), holes (what a lost record
 * may explain), and lines of foreign runs. Bounded: at most 100 faults a rule are kept, the rest counted.
 */
import type { JsonValue } from '../core/event.js';
import type { Hole, LineFault } from '../core/history.js';

const FAULTS_KEPT_PER_RULE = 100;
const HOLES_KEPT = 10_000;
/** How much of a lost line is searched for ids: enough for any line a writer of ours produces, and then some. */
const REMAINS_MAX_BYTES = 64 * 1024;

export interface LinePlace {
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
}

const NAMED_ID = /"(id|causedBy|taskId|proposalId|planId)"\s*:\s*"([^"\\]{1,256})"/g;
/** Rules whose line holds a value that is no record at all, so nothing is missing because of it. */
const NEVER_A_RECORD = new Set(['not-an-object']);

export class FaultBook {
  private readonly kept: LineFault[] = [];
  private readonly keptOf = new Map<string, number>();
  readonly omitted = new Map<string, number>();
  private readonly holeList: Hole[] = [];
  private readonly foreign: { place: LinePlace; id: string; run: string }[] = [];
  private foreignCount = 0;
  lostLines = 0;

  /** A fault of a line that still became event number `event`. */
  soft(
    rule: string,
    place: LinePlace,
    event: { number: number; id: string },
    facts: LineFault['facts'],
  ): void {
    this.keep({ rule, ...place, event: event.number, id: event.id, facts });
  }

  /** A fault that cost the record. `remains` is the line, or the head of it. */
  lost(rule: string, place: LinePlace, remains: Uint8Array, facts: { [name: string]: JsonValue }): void {
    this.lostLines++;
    const names = namedIn(remains);
    if (!NEVER_A_RECORD.has(rule)) this.addHole(rule, place, names);
    const seen: { [name: string]: JsonValue } =
      names.ids.length > 0 ? { idsSeen: names.ids.slice(0, 8) } : {};
    this.keep({ rule, ...place, event: -1, id: names.ids[0] ?? '', facts: { ...facts, ...seen } });
  }

  /** A whole line that belongs to another run. */
  foreignLine(place: LinePlace, remains: Uint8Array, line: { id: string; run: string }): void {
    this.lostLines++;
    this.foreignCount++;
    this.addHole('wrong-run-id', place, namedIn(remains));
    if (this.foreign.length < FAULTS_KEPT_PER_RULE) this.foreign.push({ place, ...line });
  }

  /** Drops the fault of a fragment that a later `log_repaired` event accounts for. */
  settle(offset: number, bytes: number): boolean {
    const at = this.kept.findIndex(
      (fault) => fault.offset === offset && fault.bytes === bytes && fault.event < 0,
    );
    if (at < 0) return false;
    const [fault] = this.kept.splice(at, 1) as [LineFault];
    const hole = this.holeList.findIndex((candidate) => candidate.line === fault.line);
    if (hole >= 0) this.holeList.splice(hole, 1);
    this.lostLines--;
    return true;
  }

  holes(): readonly Hole[] {
    return this.holeList;
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

  private addHole(rule: string, place: LinePlace, names: { ids: string[]; subjects: string[] }): void {
    if (this.holeList.length >= HOLES_KEPT) {
      // Too many to tell apart: from here on any absence may be a lost line.
      this.holeList[HOLES_KEPT - 1] = { line: place.line, rule, ids: [], subjects: [], opaque: true };
      return;
    }
    this.holeList.push({ line: place.line, rule, ...names, opaque: names.subjects.length === 0 });
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

function namedIn(remains: Uint8Array): { ids: string[]; subjects: string[] } {
  const text = new TextDecoder('utf-8').decode(remains.subarray(0, REMAINS_MAX_BYTES));
  const ids: string[] = [];
  const subjects: string[] = [];
  for (const [, name, value] of text.matchAll(NAMED_ID)) {
    if (name === 'id') ids.push(value as string);
    else if (name !== 'causedBy') subjects.push(value as string);
  }
  return { ids, subjects };
}
