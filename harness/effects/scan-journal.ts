/**
 * The third table of a scan: the lines of the journal, paired with each other and with the entries, and every budget
 * followed from the grant to the last effect it paid for.
 */
import { join } from 'node:path';
import { RUN } from '../log/run-dir.js';
import { readJournalLine } from './journal-lines.js';
import type { CallOutcome, EffectIntent, EffectOutcome, JournalLine, PurseLine } from './journal-lines.js';
import { linesOf } from './line-log.js';
import { effectStatusOf } from './objects.js';
import { parseGrant, Purse } from './purse.js';
import type { Decided } from './purse.js';
import type { EntriesTable, ScannedEntry } from './scan-entries.js';
import type { OnItem } from './scan-items.js';
import { isTornText } from './torn-line.js';

/** A call without its end so far. */
interface OpenCall {
  readonly line: number;
  /** False where only denials are known of it: then nothing was about to happen. */
  readonly isIntended: boolean;
  /** Effects that ended, each with how. */
  readonly ended: string[];
  /** Effects said to be about to happen, and not yet said how they ended. */
  readonly effects: Map<
    string,
    { readonly line: number; readonly intent: EffectIntent; readonly decided: Decided | undefined }
  >;
}

/** Verifies the journal. @returns false when the budget has ended before its last line */
export function scanJournal(table: EntriesTable, entries: readonly ScannedEntry[]): boolean {
  const scan = new JournalScan(table, entries);
  for (const line of linesOf(join(table.runDir, RUN.journal), table.ops)) {
    const row = table.rows.next();
    if (row === 'stop') return false;
    scan.report = row === 'due' ? table.onItem : () => undefined;
    scan.line = line.number;
    const read = readJournalLine(line.bytes);
    if (read.ok && line.ended) scan.take(read.value);
    else scan.unreadable(read.ok ? 'no LF at its end' : read.why, !line.ended || isTornText(line.bytes));
  }
  return scan.end();
}

class JournalScan {
  report: OnItem = () => undefined;
  line = 0;
  private readonly table: EntriesTable;
  private readonly entries: readonly ScannedEntry[];
  private readonly open = new Map<string, OpenCall>();
  private readonly purses = new Map<string, Purse>();
  /** Entries that the journal knows of. */
  private readonly known = new Set<number>();
  private byIndex: Map<number, ScannedEntry> | undefined;

  constructor(table: EntriesTable, entries: readonly ScannedEntry[]) {
    this.table = table;
    this.entries = entries;
  }

  take(line: JournalLine): void {
    switch (line.line) {
      case 'purse':
        this.takePurse(line);
        return;
      case 'scalars':
        return;
      case 'callIntent':
        if (this.open.get(line.callId)?.isIntended === true)
          this.hole('callId', `${line.callId} is open already`);
        this.open.set(line.callId, openCall(this.line, true));
        for (const [ref, kind] of [
          [line.input, 'input'],
          [line.plan, 'plan'],
        ] as const) {
          const found = this.table.facts.reach(ref, kind);
          if (typeof found === 'string') this.hole(kind, found);
        }
        return;
      case 'effectIntent':
        this.takeIntent(line);
        return;
      case 'effectOutcome':
        this.takeOutcome(line);
        return;
      case 'callOutcome':
        this.takeEnd(line);
    }
  }

  unreadable(why: string, isTorn: boolean): void {
    const reason = isTorn ? `torn: ${why}` : why;
    this.report({
      type: isTorn ? 'note' : 'hole',
      table: 'journal',
      index: this.line,
      field: 'line',
      reason,
    });
  }

  /** What is left open. These rows have no line of their own. @returns false when the budget ended */
  end(): boolean {
    for (const [callId, call] of this.open) {
      if (!this.goOn(call.line)) return false;
      this.leftOpen(callId, call);
    }
    for (const { index } of this.entries) {
      if (this.known.has(index)) continue;
      const row = this.table.rows.next();
      if (row === 'stop') return false;
      if (row === 'due')
        this.table.onItem({
          type: 'hole',
          table: 'entries',
          index,
          field: 'journal',
          reason: 'no outcome of its call',
        });
    }
    return true;
  }

  private leftOpen(callId: string, { isIntended, ended, effects }: OpenCall): void {
    const see = 'see counterproof recover';
    if (!isIntended) {
      const reason = `${callId} was denied and has no entry; nothing happened`;
      this.report({ type: 'note', table: 'journal', index: this.line, field: 'outcome', reason });
      return;
    }
    if (ended.length > 0)
      this.hole(
        'outcome',
        `orphan-effect: ${ended.join(', ')} of ${callId}, whose entry is not known; ${see}`,
      );
    const ids = [...effects.keys()].join(', ');
    if (ids !== '')
      this.hole('outcome', `missing: ${callId}, effects ${ids}, which may have happened; ${see}`);
    else if (ended.length === 0) this.hole('outcome', `missing: ${callId}; ${see}`);
  }

  private goOn(line: number): boolean {
    const row = this.table.rows.next();
    this.line = line;
    this.report = row === 'due' ? this.table.onItem : () => undefined;
    return row !== 'stop';
  }

  private takePurse({ purse, grants }: PurseLine): void {
    const parsed = grants.map(parseGrant);
    if (this.purses.has(purse)) this.hole('purse', `${purse} was given out before`);
    else if (parsed.includes(undefined)) this.hole('grants', 'no grant');
    else
      this.purses.set(
        purse,
        new Purse(
          purse,
          parsed.filter((grant) => grant !== undefined),
        ),
      );
  }

  private takeIntent(intent: EffectIntent): void {
    const { callId, effectId, request: ref, effect, scope, cost, now } = intent;
    const call = this.open.get(callId);
    if (call === undefined) this.hole('callId', `${callId} is not open`);
    else if (call.effects.has(effectId)) this.hole('effectId', `${effectId} is open already`);
    const number = this.table.facts.reach(ref, 'request');
    const asked = typeof number === 'number' ? this.table.facts.requests.get(number) : undefined;
    if (typeof number === 'string') this.hole('request', number);
    if (
      asked !== undefined &&
      (asked.effect !== effect || asked.scope !== scope || asked.cost !== cost || asked.now !== now)
    )
      this.hole('request', 'the request says otherwise');
    const purse = this.purses.get(intent.purse);
    if (purse === undefined) this.hole('purse', `${intent.purse} was never given out`);
    const decided = purse?.decide(intent, now);
    if (decided?.allowed === false)
      this.hole('purse', `${intent.purse} does not allow it: ${decided.denial}`);
    call?.effects.set(effectId, { line: this.line, intent, decided });
  }

  private takeOutcome(outcome: EffectOutcome): void {
    const { callId, effectId, status, record: ref, evidence, purse } = outcome;
    const { facts } = this.table;
    const number = facts.reach(ref, 'effectRecord');
    if (typeof number === 'string') this.hole('record', number);
    const record = typeof number === 'number' ? facts.effectRecords.get(number) : undefined;
    if (evidence !== '') {
      const found = facts.reach(evidence, 'evidence');
      if (typeof found === 'string') this.hole('evidence', found);
    }
    if (record !== undefined) {
      const recorded = effectStatusOf(record);
      if (recorded !== undefined && recorded !== status) this.hole('status', `the record says ${recorded}`);
    }
    let call = this.open.get(callId);
    if (call === undefined && status === 'denied') {
      call = openCall(this.line, false);
      this.open.set(callId, call);
    }
    const intended = call?.effects.get(effectId);
    call?.effects.delete(effectId);
    if (status !== 'denied') call?.ended.push(`${effectId} (${status})`);
    if (status === 'denied') {
      if (intended !== undefined) this.hole('status', 'a denied effect has no intent');
      return;
    }
    if (intended === undefined) {
      this.hole('effectId', `${effectId} of ${callId} is not open`);
      return;
    }
    const { intent, decided } = intended;
    if (intent.purse !== purse) this.hole('purse', `the intent says ${intent.purse}`);
    if (record === undefined) return;
    if (record.requestRef !== intent.request) this.hole('record', 'it answers another request');
    if (
      decided !== undefined &&
      (record.budgetBefore !== decided.before || record.budgetAfter !== decided.after)
    )
      this.hole(
        'budget',
        `${record.budgetBefore} → ${record.budgetAfter} recorded, ${decided.before} → ${decided.after} left in ${purse}`,
      );
  }

  private takeEnd({ callId, entryIndex, entryHash, input, output }: CallOutcome): void {
    const call = this.open.get(callId);
    this.open.delete(callId);
    for (const effectId of call?.effects.keys() ?? [])
      this.hole('effectId', `${effectId} of ${callId} has no outcome`);
    const entry = this.entryAt(entryIndex);
    if (entry === undefined) {
      this.hole('entryIndex', `there is no entry ${entryIndex}`);
      return;
    }
    if (this.known.has(entryIndex))
      this.hole('entryIndex', `entry ${entryIndex} is the outcome of two calls`);
    this.known.add(entryIndex);
    if (entry.hash !== entryHash) this.hole('entryHash', `entry ${entryIndex} says ${entry.hash}`);
    if (entry.record !== undefined && (entry.record.input !== input || entry.record.output !== output))
      this.hole('output', `the record of entry ${entryIndex} says otherwise`);
  }

  /** Entries stand at their index, unless one before is lost. */
  private entryAt(index: number): ScannedEntry | undefined {
    const at = this.entries[index];
    if (at?.index === index) return at;
    this.byIndex ??= new Map(this.entries.map((entry) => [entry.index, entry]));
    return this.byIndex.get(index);
  }

  private hole(field: string, reason: string): void {
    this.report({ type: 'hole', table: 'journal', index: this.line, field, reason });
  }
}

function openCall(line: number, isIntended: boolean): OpenCall {
  return { line, isIntended, ended: [], effects: new Map() };
}
