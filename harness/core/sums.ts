/**
 * What was counted while a log was read, so that nobody has to go over the whole history for it again.
 *
 * Sums are of plain lines. Where a line had to be looked at closer and a sum depends on it, the sum is not there, and
 * whoever wants it goes over the history.
 */

import { kindCode, KINDS } from './event.js';

/** Kinds whose events are kept track of one by one. */
export const LANDMARKS: readonly number[] = (
  [
    'run_started',
    'goal_received',
    'plan_drafted',
    'plan_revised',
    'snapshot_created',
    'snapshot_verified',
    'budget_exhausted',
    'writer_joined',
    'run_completed',
    'run_aborted',
  ] as const
).map(kindCode);

/** Stands for `model_called` by an approver or a judge, which is no agent's call. */
export const OTHERS_CALL = KINDS.length;

/** Token counts of usage blocks: every call once, blocks without a call id once each. */
export interface UsageSums {
  /** Blocks, those among them that stand on a model call, and those that name a call. No call has two. */
  readonly blocks: number;
  readonly calledBlocks: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly thinking: number;
  /** Blocks that do not say how much was thought. */
  readonly unknownThinking: number;
  /** The same two for calls of agents: not of an approver or a judge. */
  readonly agentsThinking: number;
  readonly agentsUnknownThinking: number;
}

export interface Sums {
  /** Events of each kind, by index of `KINDS`. */
  readonly kinds: readonly number[];
  /** Undefined where a call may have two blocks, a block names no model, or a line was not plain. */
  readonly usage: UsageSums | undefined;
  /** Lanes of the ids of our own writers, plus one; 0 stands for ids of any other make. */
  readonly lanes: ReadonlySet<number>;
  /** Events of the kinds that a run has few of (`LANDMARKS`), by index of `KINDS`, in the order of the file. */
  readonly landmarks: ReadonlyMap<number, readonly number[]>;
  /** For each actor, by the number of its name, 1 at the index of each kind it wrote, and at `OTHERS_CALL`. */
  readonly kindsByActor: ReadonlyMap<number, Uint8Array>;
  /** Names of those to whom tasks were dispatched. */
  readonly recipients: ReadonlySet<number>;
  /** Names of files in `data`. */
  readonly paths: number;
  /** Bits that the facts of any event have, and how many events have a `counterfactual` block. */
  readonly anyFacts: number;
  readonly counterfactuals: number;
  /** How much later than their causes events are stamped: how many could be compared, and the extremes. */
  readonly clocks: { readonly compared: number; readonly leastMs: number; readonly mostMs: number };
  /** Proposals whose action may be one that was refused before, 0 for actions without; undefined where any may be. */
  readonly mayReturn: ReadonlySet<number> | undefined;
}
