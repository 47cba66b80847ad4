/**
 * What one writer does to one log: start or join it, close what others left torn, append line by line.
 *
 * Drafts reach it checked (event-line.ts), events are made in stamp.ts, bytes go through log-file.ts; what callers see
 * is in writer.ts. Here is only the order of things, and what must not happen twice.
 */
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import type { RawEvent } from '../core/event.js';
import { encodeLine } from './event-line.js';
import type { EventDraft } from './event-line.js';
import { attempt } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { findStart } from './head.js';
import { LogFile } from './log-file.js';
import { reasonOf, settledTail, withRepairLock } from './repair.js';
import { RUN } from './run-dir.js';
import { syncFolder } from './small-file.js';
import { Stamp } from './stamp.js';
import type { StampOptions } from './stamp.js';
import { unreported } from './sweep.js';

/** An event as it stands in the log. `line` is its text without the LF. */
export interface Appended {
  readonly id: string;
  readonly t: string;
  readonly line: string;
}

export interface RecorderOptions extends StampOptions {
  readonly ops: FileOps;
  /** Events after which the log must be on stable storage. */
  readonly mustSync: (kind: string) => boolean;
}

const NEWLINE = Buffer.from('\n');

export class Recorder {
  readonly stamp: Stamp;
  private readonly runDir: string;
  private readonly path: string;
  private readonly options: RecorderOptions;
  private log: LogFile | undefined;
  private startId: string | undefined;
  private joined = false;
  private failed: HarnessError | undefined;

  constructor(runDir: string, options: RecorderOptions) {
    this.runDir = runDir;
    this.path = join(runDir, RUN.log);
    this.options = options;
    this.stamp = new Stamp(options);
  }

  /** Opens the log, if there is one, and repairs it. @throws HarnessError when it belongs to another run */
  open(): void {
    this.log = LogFile.open(this.path, this.options.ops, { create: false });
    const startId = this.findStart();
    if (startId === undefined) return;
    this.mendIfTorn(this.openLog(), startId);
    this.sweep(this.openLog(), startId);
  }

  /** Appends the first event. One writer at a time may try, so that a log has one beginning. */
  start(draft: EventDraft): Appended {
    this.assertWorking();
    const { ops } = this.options;
    return this.locked(() => {
      const log = (this.log ??= LogFile.open(this.path, ops, { create: true }));
      if (this.findStart() !== undefined) throw alreadyStarted(this.path);
      const fragment = settledTail(log);
      const event = this.stamp.event(draft);
      const line = encodeLine(event);
      const lines = [line];
      if (fragment !== undefined) {
        // Only now there is an event that the report can be caused by, so it comes second here.
        const report = this.stamp.repaired(fragment, reasonOf(log, fragment), event.id);
        lines.unshift(NEWLINE);
        lines.push(encodeLine(report));
      }
      if (log.append(Buffer.concat(lines)).fused !== undefined) throw notAlone(this.path);
      this.startId = event.id;
      this.joined = true;
      if (this.commit(event.kind)) attempt(`writing ${this.runDir}`, () => syncFolder(this.runDir, ops));
      return acknowledgement(event, line);
    });
  }

  /** Appends an event to a log that has started. */
  record(draft: EventDraft): Appended {
    this.assertWorking();
    const startId = this.findStart();
    if (startId === undefined) throw notStarted(this.path);
    const log = this.openLog();
    this.mendIfTorn(log, startId);
    this.join(startId);
    return this.appendEvent(() => this.stamp.event(draft), startId);
  }

  /** Announces this writer before its first event. */
  private join(startId: string): void {
    if (this.joined) return;
    this.appendEvent(() => this.stamp.joined(startId), startId);
    this.joined = true;
  }

  sync(): void {
    this.assertWorking();
    this.guardedSync();
  }

  /** Says nothing more about a sync that has failed before. */
  close(options: { readonly sync: boolean }): void {
    try {
      if (options.sync && this.failed === undefined) this.log?.sync();
    } finally {
      this.log?.close();
    }
  }

  /** One write for one event. If another writer tore its line just before, the event is written again behind that. */
  private appendEvent(makeEvent: () => RawEvent, startId: string): Appended {
    const log = this.openLog();
    let event = makeEvent();
    let line = encodeLine(event);
    const { fused } = log.append(line);
    if (fused !== undefined) {
      // With an LF in front these lines cannot fuse with anything. The id inside the unreadable line is used up.
      const report = encodeLine(this.stamp.repaired(fused, 'fused-line', startId));
      event = makeEvent();
      line = encodeLine(event);
      log.append(Buffer.concat([NEWLINE, report, line]));
    }
    this.commit(event.kind);
    return acknowledgement(event, line);
  }

  /** Closes a last line without LF and reports it, in one write. */
  private mendIfTorn(log: LogFile, startId: string): void {
    if (log.tail() === undefined) return;
    this.locked(() => {
      const fragment = settledTail(log);
      if (fragment === undefined) return;
      const lines: Buffer[] = [NEWLINE];
      if (!this.joined) lines.push(encodeLine(this.stamp.joined(startId)));
      const report = this.stamp.repaired(fragment, reasonOf(log, fragment), startId);
      lines.push(encodeLine(report));
      log.append(Buffer.concat(lines));
      this.joined = true;
      this.commit(report.kind);
    });
  }

  /** Reports what a death kept another writer from reporting. */
  private sweep(log: LogFile, startId: string): void {
    if (unreported(log).length === 0) return;
    this.locked(() => {
      for (const { reason, ...fragment } of unreported(log)) {
        this.join(startId);
        this.appendEvent(() => this.stamp.repaired(fragment, reason, startId), startId);
      }
    });
  }

  private locked<T>(act: () => T): T {
    const { ops, lane } = this.options;
    return withRepairLock(this.runDir, { ops, lane: lane.name }, act);
  }

  private findStart(): string | undefined {
    return (this.startId ??= findStart(this.runDir, this.options.runId, this.options.ops));
  }

  private openLog(): LogFile {
    this.log ??= LogFile.open(this.path, this.options.ops, { create: false });
    if (this.log === undefined) throw notStarted(this.path);
    return this.log;
  }

  /** True when the event's kind asked for stable storage, and it is there. */
  private commit(kind: string): boolean {
    if (!this.options.mustSync(kind)) return false;
    this.guardedSync();
    return true;
  }

  /** After a failed sync nobody knows what is on the disk, and a second one would not tell: the writer is done. */
  private guardedSync(): void {
    try {
      this.log?.sync();
    } catch (error) {
      if (error instanceof HarnessError) this.failed = error;
      throw error;
    }
  }

  private assertWorking(): void {
    if (this.failed !== undefined) throw this.failed;
  }
}

function acknowledgement(event: RawEvent, line: Buffer): Appended {
  return { id: event.id, t: event.t, line: line.toString('utf8', 0, line.length - 1) };
}

function notStarted(path: string): HarnessError {
  return new HarnessError(
    'invalid-input',
    `${path} has no events yet`,
    'the first event of a run is run_started',
  );
}

function alreadyStarted(path: string): HarnessError {
  return new HarnessError(
    'invalid-input',
    `${path} has its run_started already`,
    'a run starts once; append to it',
  );
}

function notAlone(path: string): HarnessError {
  const hint = 'see what else writes to this log, then start the run in a new folder';
  return new HarnessError('io-failed', `${path} was written by something else while it was started`, hint);
}
