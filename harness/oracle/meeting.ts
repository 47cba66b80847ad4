/**
 * Finds the finding that another one meets in a relation of consequence.ts. Each question is one look-up: the findings
 * of a rule are indexed by what they meet others in when a row of the table first asks.
 */
import type { Case } from './case.js';
import type { Consequence } from './consequence.js';
import type { Rule, Violation } from './rule.js';

export interface Raw {
  readonly rule: Rule;
  readonly violation: Violation;
  parent: Raw | undefined;
}

/** What two findings meet in: a number of an event or a subject, a path, the name of a task. */
type Key = string | number;

/** Findings of one rule, and the first of them that has each key. */
interface Index {
  readonly parents: readonly Raw[];
  readonly first: ReadonlyMap<Key, number>;
}

const NONE = 0x7fffffff;

export class Meeting {
  private readonly byRule = new Map<string, Raw[]>();
  private readonly indexes = new Map<string, Index>();
  private readonly columns = new Map<Index, Int32Array>();
  private triggers: Int32Array | undefined;

  constructor(
    private readonly c: Case,
    findings: readonly Raw[],
  ) {
    for (const raw of findings) {
      const same = this.byRule.get(raw.rule.id);
      if (same === undefined) this.byRule.set(raw.rule.id, [raw]);
      else same.push(raw);
    }
  }

  /** Findings of a rule. */
  of(rule: string): readonly Raw[] {
    return this.byRule.get(rule) ?? [];
  }

  /** First finding that `raw` follows from by this row of the table. */
  parent(raw: Raw, row: Consequence): Raw | undefined {
    if (!this.byRule.has(row.parent)) return undefined;
    const index = this.indexFor(row);
    const at = row.relation === 'under' ? this.lowest(index, raw) : first(index, this.keysOf(raw, row));
    const parent = index.parents[at];
    return parent === raw ? undefined : parent;
  }

  private indexFor(row: Consequence): Index {
    const name = `${row.parent} ${SHAPE[row.relation]} ${row.parentKinds?.join(' ') ?? ''}`;
    const known = this.indexes.get(name);
    if (known !== undefined) return known;
    const parents = this.of(row.parent).filter((parent) => this.isOfKind(parent, row.parentKinds));
    const keys = new Map<Key, number>();
    parents.forEach((parent, at) => {
      for (const key of this.keysOfParent(parent.violation, row)) if (!keys.has(key)) keys.set(key, at);
    });
    const index = { parents, first: keys };
    this.indexes.set(name, index);
    return index;
  }

  private isOfKind(parent: Raw, allowed: readonly string[] | undefined): boolean {
    return (
      allowed === undefined ||
      parent.violation.events.some(({ event }) => allowed.includes(this.c.history.kindName(event)))
    );
  }

  /** What a finding offers to those that may follow from it. */
  private keysOfParent(violation: Violation, row: Consequence): readonly Key[] {
    switch (SHAPE[row.relation]) {
      case 'run':
        return [0];
      case 'event':
        return violation.events.map(({ event }) => event);
      case 'under':
        return contrasted(violation);
      case 'path':
        return violation.path === undefined ? [] : [violation.path];
      case 'unmet':
        return typeof violation.facts['task'] === 'string' ? [violation.facts['task']] : [];
      case 'proposal':
        return numbers(proposalOf(this.c, violation));
      case 'task':
        return numbers(taskOf(this.c, violation));
    }
  }

  /** What a finding looks for in those that it may follow from. */
  private keysOf({ violation }: Raw, row: Consequence): readonly Key[] {
    const event = violation.events[0]?.event;
    const { c } = this;
    switch (row.relation) {
      case 'run':
        return [0];
      case 'late':
        return event !== undefined && c.terminals[0] !== undefined && c.isBefore(c.terminals[0], event)
          ? [0]
          : [];
      case 'event':
      case 'under':
        return event === undefined ? [] : [event];
      case 'cause':
        return event === undefined ? [] : [this.triggerOf(event)];
      case 'broken':
        return event === undefined ? [] : [c.brokenAt(event)];
      case 'path':
        return [violation.path, violation.facts['file']].filter((path) => typeof path === 'string');
      case 'unmet': {
        const unmet = violation.facts['unmet'];
        return Array.isArray(unmet) ? unmet.filter((task) => typeof task === 'string') : [];
      }
      case 'proposal':
        return numbers(proposalOf(c, violation));
      case 'task':
        return numbers(taskOf(c, violation));
    }
  }

  /** What set an event off: its cause, or that of the failed try it goes on from. */
  private triggerOf(event: number): number {
    if (this.triggers === undefined) {
      const { history } = this.c;
      this.triggers = new Int32Array(history.size);
      for (let place = 0; place < history.size; place++) {
        const at = history.lineage.at(place);
        const cause = history.lineage.cause(at);
        const isRetry = cause >= 0 && history.kind(cause) === 'action_failed';
        this.triggers[at] = isRetry ? (this.triggers[cause] as number) : cause;
      }
    }
    return this.triggers[event] as number;
  }

  /** First finding with an event that is that of `raw` or stands above it. */
  private lowest(index: Index, raw: Raw): number {
    const { lineage, size } = this.c.history;
    const event = raw.violation.events[0]?.event;
    if (event === undefined) return NONE;
    let column = this.columns.get(index);
    if (column === undefined) {
      column = new Int32Array(size);
      for (let place = 0; place < size; place++) {
        const at = lineage.at(place);
        const cause = lineage.cause(at);
        const above = cause < 0 ? NONE : (column[cause] as number);
        column[at] = Math.min(index.first.get(at) ?? NONE, above);
      }
      this.columns.set(index, column);
    }
    // Of two findings of one rule, the lower one follows from what stands above it.
    const from = index.parents[0]?.rule === raw.rule ? lineage.cause(event) : event;
    return from < 0 ? NONE : (column[from] as number);
  }
}

/** Relations that look at parents in the same way. */
const SHAPE = {
  run: 'run',
  late: 'run',
  event: 'event',
  cause: 'event',
  broken: 'event',
  under: 'under',
  path: 'path',
  unmet: 'unmet',
  proposal: 'proposal',
  task: 'task',
} as const;

function first(index: Index, keys: readonly Key[]): number {
  return Math.min(NONE, ...keys.map((key) => index.first.get(key) ?? NONE));
}

/** Events of a finding but the last, which is there for contrast; the only one where there is one. */
function contrasted(violation: Violation): number[] {
  const events = violation.events.map(({ event }) => event);
  return events.length > 1 ? events.slice(0, -1) : events;
}

function numbers(number: number): number[] {
  return number === 0 ? [] : [number];
}

function proposalOf(c: Case, violation: Violation): number {
  const { subject } = violation;
  if (subject.kind === 'proposal') return subject.number;
  const event = violation.events[0]?.event;
  return event === undefined ? 0 : c.proposalOf(event);
}

function taskOf(c: Case, violation: Violation): number {
  const { subject } = violation;
  if (subject.kind === 'task') return subject.number;
  const event = violation.events[0]?.event;
  return event === undefined ? 0 : c.taskOf(event);
}
