/**
 * The way of each proposal in a sweep: proposed once, asked for and decided at most once, executed at most once, each
 * the effect of the one before. Whatever goes another way is odd, and left for the rules to look at.
 */
import { kindCode } from '../../core/event.js';
import type { Case } from '../case.js';
import { EXECUTIONS } from '../kinds.js';
import type { ActionObserver } from './actions.js';
import type { GateObserver } from './gate.js';
import type { Glance } from './glance.js';

const PROPOSED = kindCode('action_proposed');
const REQUESTED = kindCode('approval_requested');

/** The events of one proposal, −1 where there is none. The same object for each. */
export interface Way {
  proposal: number;
  proposed: number;
  request: number;
  decision: number;
  execution: number;
}

export class ProposalObserver {
  /** Events by the number of the proposal's name, plus one; 0 for none. */
  private readonly proposed: Int32Array;
  private readonly request: Int32Array;
  private readonly decision: Int32Array;
  private readonly execution: Int32Array;
  private readonly isOdd: Uint8Array;

  constructor(
    c: Case,
    private readonly actions: ActionObserver,
    private readonly gate: GateObserver | undefined,
  ) {
    const names = c.history.stringCount;
    this.proposed = new Int32Array(names);
    this.request = new Int32Array(names);
    this.decision = new Int32Array(names);
    this.execution = new Int32Array(names);
    this.isOdd = new Uint8Array(names);
  }

  see({ event, kind, proposal, proposalEventAbove, isAboutPlan }: Glance): void {
    if (proposal === 0) return;
    const place = event + 1;
    if (kind === PROPOSED) {
      if (this.isKnown(proposal)) this.isOdd[proposal] = 1;
      this.proposed[proposal] = place;
      return;
    }
    const before = this.decision[proposal]! || this.request[proposal]! || this.proposed[proposal]!;
    // The event that leads here is the last one of the same proposal, and nothing of another stands between.
    if (before === 0 || proposalEventAbove !== before || isAboutPlan) this.isOdd[proposal] = 1;
    if (EXECUTIONS.has(kind)) {
      if (this.execution[proposal] !== 0) this.isOdd[proposal] = 1;
      this.execution[proposal] = place;
    } else {
      if (this.execution[proposal] !== 0 || this.decision[proposal] !== 0) this.isOdd[proposal] = 1;
      if (kind !== REQUESTED) this.decision[proposal] = place;
      else {
        if (this.request[proposal] !== 0) this.isOdd[proposal] = 1;
        this.request[proposal] = place;
      }
    }
  }

  prove(add: (rule: string, applied: number, left?: ReadonlySet<number>) => void): void {
    const odd = new Set<number>();
    const way: Way = { proposal: 0, proposed: -1, request: -1, decision: -1, execution: -1 };
    for (let proposal = 1; proposal < this.proposed.length; proposal++) {
      if (this.isOdd[proposal] === 1) odd.add(proposal);
      else if (this.proposed[proposal] !== 0) {
        way.proposal = proposal;
        way.proposed = this.proposed[proposal]! - 1;
        way.request = this.request[proposal]! - 1;
        way.decision = this.decision[proposal]! - 1;
        way.execution = this.execution[proposal]! - 1;
        if (!this.actions.isPlain(way) || this.gate?.isPlain(way) === false) odd.add(proposal);
        else {
          this.actions.count(way);
          this.gate?.count(way);
        }
      }
    }
    this.actions.prove(add, odd);
    this.gate?.prove(add, odd);
  }

  /** The event that made a proposal of this name last, or −1. */
  eventOf(proposal: number): number {
    return this.proposed[proposal]! - 1;
  }

  isOddSoFar(proposal: number): boolean {
    return this.isOdd[proposal] === 1;
  }

  private isKnown(proposal: number): boolean {
    return (
      this.proposed[proposal] !== 0 ||
      this.request[proposal] !== 0 ||
      this.decision[proposal] !== 0 ||
      this.execution[proposal] !== 0
    );
  }
}
