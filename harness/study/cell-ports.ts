/**
 * What a cell is, and the ports it runs on. Live they are a broker and a clock; in a replay, records.
 */
import type { ClockPort } from '../core/ports.js';
import type { Tool } from '../core/tool.js';
import type { Condition, GatePolicy } from '../core/types.js';
import type { CallPort } from '../effects/ports.js';
import type { LoadedTask } from '../suite/load.js';

/** One cell: task × condition × model × seed. Texts are the frozen files, byte for byte. */
export interface Cell {
  readonly studyId: string;
  readonly runId: string;
  readonly task: LoadedTask;
  readonly condition: Condition;
  readonly conditionText: string;
  readonly policy: GatePolicy;
  readonly policyText: string;
  readonly model: string;
  readonly seed: string | number;
  /** True where the models are scripts: its numbers are about the harness, not about agents. */
  readonly simulation: boolean;
}

export interface CellPorts {
  readonly runDir: string;
  readonly calls: CallPort;
  readonly clock: ClockPort;
  /** Lets time pass that something has taken. In a live run it has passed already. */
  readonly pass: (ms: number) => void;
  /** The tools that agents are told of. */
  readonly tools: readonly Tool[];
  /** Whether the log must survive a power failure. */
  readonly durable: boolean;
}
