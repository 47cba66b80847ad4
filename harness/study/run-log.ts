/**
 * The log and the files of one run, as its cell writes them.
 */
import { digestOf } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import { RUN } from '../log/run-dir.js';
import { openWriter } from '../log/writer.js';
import type { LogWriter } from '../log/writer.js';
import type { Cell, CellPorts } from './cell-ports.js';

/** An event to write. The harness is its actor where none is named. */
export interface EventParts {
  readonly actor?: string;
  readonly data: JsonObject;
  readonly causedBy: string;
  readonly tokens?: JsonObject;
  readonly counterfactual?: JsonObject;
}

export class RunLog {
  private readonly cell: Cell;
  private readonly writer: LogWriter;

  private constructor(cell: Cell, writer: LogWriter) {
    this.cell = cell;
    this.writer = writer;
  }

  static open(cell: Cell, { runDir, clock, durable }: CellPorts): RunLog {
    const durability = durable ? 'commit' : 'none';
    return new RunLog(cell, openWriter(runDir, { runId: cell.runId, clock, durability }));
  }

  /** Freezes what is run, and writes the first event. @returns its id */
  start(): string {
    const { cell } = this;
    const digests = {
      task: this.artifact(RUN.task, cell.task.text),
      condition: this.artifact(RUN.condition, cell.conditionText),
      policy: this.artifact(RUN.gatePolicy, cell.policyText),
    };
    const data = {
      formatVersion: 1,
      studyId: cell.studyId,
      condition: cell.condition.id,
      task: cell.task.task.id,
      model: cell.model,
      seed: cell.seed,
      mediation: 'full',
      digests,
      budget: { thinkingTokens: cell.condition.budget.thinkingTokens },
      containment: cell.task.task.containment ?? 'block',
      ...(cell.simulation ? { simulation: true } : {}),
    };
    return this.writer.append({ kind: 'run_started', data }).id;
  }

  /** Writes an event. @returns its id */
  event(kind: string, { actor = 'harness', ...parts }: EventParts): string {
    return this.writer.append({ kind, actor, ...parts }).id;
  }

  /** Writes a file of the run. @returns the digest of its bytes */
  artifact(path: string, content: string): Digest {
    this.writer.writeArtifact(path, content);
    return digestOf(Buffer.from(content));
  }

  close(): void {
    this.writer.close();
  }
}

/** A value as a file of a run holds it. */
export function fileText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
