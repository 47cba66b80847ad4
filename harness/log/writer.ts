/**
 * The one way an event gets into a log of ours: checked, stamped with id and time, written in one piece, read back.
 *
 * Any number of writers may work on one run, in one process or many; each has its lane. What `append` returned is in
 * the log; what it threw on may or may not be (then nobody was told so). It judges no history: whether an event may
 * follow another is the oracle's question, asked when the run is over.
 */
import { assert, HarnessError } from '../core/errors.js';
import type { JsonValue, Kind } from '../core/event.js';
import type { ClockPort } from '../core/ports.js';
import { writeArtifact } from './artifact.js';
import type { Artifact } from './artifact.js';
import { checkDraft, checkEvent, checkFiles } from './event-line.js';
import type { EventDraft } from './event-line.js';
import { attempt, nodeFileOps } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { hasEvent } from './head.js';
import { claimLane, releaseLane } from './lanes.js';
import type { Lane } from './lanes.js';
import { Recorder } from './recorder.js';
import type { Appended } from './recorder.js';
import { requireFolder } from './small-file.js';

/**
 * When an acknowledged event is on stable storage, not only with the operating system: `event` at once, `commit` at
 * the next event of `COMMIT_KINDS`, `none` when the system pleases. It survives the death of the process in any case.
 */
export type Durability = 'none' | 'commit' | 'event';

/** Events after which somebody acts on what the log says, so that it must not be forgotten. */
export const COMMIT_KINDS: ReadonlySet<string> = new Set<Kind>([
  'run_started',
  'approval_requested',
  'approval_granted',
  'approval_rejected',
  'approval_expired',
  'approval_unavailable',
  'action_approved',
  'action_rejected',
  'action_executed',
  'action_failed',
  'tripwire_triggered',
  'task_result',
  'correction',
  'run_completed',
  'run_aborted',
]);

export interface WriterOptions {
  readonly runId: string;
  readonly clock: ClockPort;
  readonly durability: Durability;
  /** Actor of drafts that name none, and of the writer's own events. Default `harness`. */
  readonly actor?: string;
  readonly ops?: FileOps;
}

export interface CorrectionDraft {
  /** Id of the event that is wrong. */
  readonly causedBy: string;
  /** JSON pointer into it. */
  readonly path: string;
  readonly value: JsonValue;
  readonly reason: string;
  readonly actor: string;
}

/**
 * Claims a lane of the run and opens its log. The folder must exist, the log need not: then the first event is
 * `run_started`. A torn last line is closed and reported at once.
 *
 * @throws HarnessError `no-input` without a folder, `invalid-input` for the log of another run
 */
export function openWriter(runDir: string, options: WriterOptions): LogWriter {
  return attempt(`opening ${runDir} for writing`, () => openFolder(runDir, options));
}

function openFolder(runDir: string, options: WriterOptions): LogWriter {
  const ops = options.ops ?? nodeFileOps;
  requireFolder(runDir, ops);
  const lane = claimLane(runDir, ops);
  const { runId, clock, durability, actor = 'harness' } = options;
  const mustSync = (kind: string): boolean =>
    durability === 'event' || (durability === 'commit' && COMMIT_KINDS.has(kind));
  const recorder = new Recorder(runDir, { runId, clock, ops, lane, actor, mustSync });
  try {
    recorder.open();
    return new LogWriter(runDir, { ops, lane, recorder, durable: durability !== 'none' });
  } catch (error) {
    try {
      recorder.close({ sync: false });
    } finally {
      // Without a memory, the next writer on this lane looks into the log.
      releaseLane(runDir, lane, { ops, lastId: undefined });
    }
    throw error;
  }
}

interface Parts {
  readonly ops: FileOps;
  readonly lane: Lane;
  readonly recorder: Recorder;
  readonly durable: boolean;
}

/** Made by `openWriter`. */
export class LogWriter {
  private readonly runDir: string;
  private readonly parts: Parts;
  private closed = false;

  constructor(runDir: string, parts: Parts) {
    this.runDir = runDir;
    this.parts = parts;
  }

  /** Two characters that stand in every id this writer gives. */
  get lane(): string {
    return this.parts.lane.name;
  }

  /**
   * Records an event. The first of a run is `run_started`, into which the writer puts its lane; a writer that comes
   * later records `writer_joined` by itself before its first event.
   *
   * @throws HarnessError `invalid-input` or `line-too-long` before anything is written; `disk-full`, `run-removed` or
   *   `io-failed` when it could not be written. The writer can be used again after all of these but a failed sync.
   */
  append(draft: EventDraft): Appended {
    this.assertOpen();
    const { recorder, ops } = this.parts;
    checkDraft(draft);
    const event = recorder.stamp.rehearsal(draft);
    checkEvent(event);
    return attempt(`writing the log of ${this.runDir}`, () => {
      checkFiles(this.runDir, event, ops);
      return draft.kind === 'run_started' ? recorder.start(draft) : recorder.record(draft);
    });
  }

  /** Records an event that came as JSON from outside, without `id`, `t` and `runId`. */
  appendEvent(value: JsonValue): Appended {
    checkDraft(value);
    return this.append(value);
  }

  /** Records what an event should have said. The event itself stays as it is. */
  correct({ causedBy, path, value, reason, actor }: CorrectionDraft): Appended {
    this.assertOpen();
    if (!hasEvent(this.runDir, causedBy, this.parts.ops)) {
      throw new HarnessError(
        'invalid-input',
        `no event ${causedBy} in ${this.runDir}`,
        'name the event that is wrong',
      );
    }
    return this.append({ kind: 'correction', actor, causedBy, data: { path, value, reason } });
  }

  /** Writes a file of the run, once. Events may name it from now on. */
  writeArtifact(path: string, content: string | Uint8Array): Artifact {
    this.assertOpen();
    const { ops, lane, durable } = this.parts;
    return writeArtifact({ runDir: this.runDir, ops, lane: lane.name, durable }, path, content);
  }

  /** Returns when everything acknowledged is on stable storage. */
  flush(): void {
    this.assertOpen();
    this.parts.recorder.sync();
  }

  /** Gives the lane back. Further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { recorder, lane, ops, durable } = this.parts;
    try {
      attempt(`closing the log of ${this.runDir}`, () => recorder.close({ sync: durable }));
    } finally {
      releaseLane(this.runDir, lane, { ops, lastId: recorder.stamp.lastId });
    }
  }

  private assertOpen(): void {
    assert(!this.closed, `the writer of ${this.runDir} was used after it was closed`);
  }
}
