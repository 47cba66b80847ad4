/**
 * Makes events of drafts: gives them id, time, run and actor, and writes the events that a writer records about itself.
 */
import type { RawEvent } from '../core/event.js';
import { formatOwnId, IdSource } from '../core/ids.js';
import type { ClockPort } from '../core/ports.js';
import { formatTime } from '../core/time.js';
import type { EventDraft } from './event-line.js';
import type { Lane } from './lanes.js';
import type { Fragment } from './log-file.js';
import type { RepairReason } from './repair.js';

export interface StampOptions {
  readonly runId: string;
  readonly clock: ClockPort;
  readonly lane: Lane;
  /** Actor of drafts that name none, and of the writer's own events. */
  readonly actor: string;
}

export class Stamp {
  private readonly options: StampOptions;
  private readonly ids: IdSource;

  constructor(options: StampOptions) {
    this.options = options;
    this.ids = new IdSource(options.lane.number, options.lane.after);
  }

  /** The last id of this lane. */
  get lastId(): string | undefined {
    return this.ids.last;
  }

  /** The event as it happens now. Reads the clock once: id and time agree unless the clock stepped back. */
  event(draft: EventDraft): RawEvent {
    const nowMs = this.options.clock.nowMs();
    return this.withEnvelope(draft, this.ids.next(nowMs), formatTime(nowMs));
  }

  /** The same with an id and a time of the right form that are never used: for checking before anything is done. */
  rehearsal(draft: EventDraft): RawEvent {
    const id = formatOwnId({ ms: 0, lane: this.options.lane.number, seq: 0 });
    return this.withEnvelope(draft, id, formatTime(0));
  }

  /** First event of a writer that comes to a run which has started. */
  joined(startId: string): RawEvent {
    return this.event({ kind: 'writer_joined', data: { lane: this.options.lane.name }, causedBy: startId });
  }

  /** Report about bytes that are no line. They stay where they are. */
  repaired(fragment: Fragment, reason: RepairReason, startId: string): RawEvent {
    const data = { offset: fragment.offset, bytes: fragment.bytes, reason };
    return this.event({ kind: 'log_repaired', data, causedBy: startId });
  }

  private withEnvelope(draft: EventDraft, id: string, t: string): RawEvent {
    const { runId, actor, lane } = this.options;
    const event = { ...draft, id, runId, t, actor: draft.actor ?? actor };
    return draft.kind === 'run_started' ? { ...event, data: { ...draft.data, lanes: [lane.name] } } : event;
  }
}
