/**
 * What was counted while a log was read, so that nobody has to go over the whole history for it again.
 *
 * Sums are of plain lines. Where a line had to be looked at closer and a sum depends on it, the sum is not there, and
 * whoever wants it goes over the history.
 */

/** Token counts of usage blocks: every call once, blocks without a call id once each. */
export interface UsageSums {
  /** Blocks, and those among them that name a call. No call has two. */
  readonly blocks: number;
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
  /** Names of those to whom tasks were dispatched. */
  readonly recipients: ReadonlySet<number>;
  /** An action may be one that was refused before. */
  readonly mayReturn: boolean;
}
