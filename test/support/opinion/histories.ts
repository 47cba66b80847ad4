/**
 * Random histories for the second opinion: good runs with up to four random edits, and small graphs of events that
 * never were a run. Every line is a whole event of one run, so that what is compared is causes and subjects only.
 */
import fc from 'fast-check';
import { history, jsonl, RUN_ID, type TestEvent } from '../history.js';
import { goodRun } from '../runs.js';

const KINDS = [
  ...[
    'run_started',
    'goal_received',
    'plan_drafted',
    'plan_revised',
    'approval_requested',
    'approval_granted',
  ],
  ...['approval_rejected', 'approval_expired', 'approval_unavailable', 'task_dispatched', 'task_started'],
  ...[
    'task_result',
    'action_proposed',
    'action_approved',
    'action_rejected',
    'action_executed',
    'action_failed',
  ],
  ...['run_completed', 'run_aborted', 'model_called', 'correction', 'criterion_checked', 'council_synthesis'],
  ...['log_repaired', 'writer_joined', 'rollback_executed', 'tripwire_triggered', 'something_else'],
];
const ACTORS = ['principal', 'human:ann', 'planner', 'coder', 'gate', 'policy'];
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  planId: ['plan_v1', 'plan_v2', 'plan_v3'],
  taskId: ['task_t1', 'task_t2', 'task_t3'],
  proposalId: ['prop_1', 'prop_2', 'prop_3'],
  command: ['make step-1', 'make step-2'],
  actionDigest: [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`],
};
const START_MS = Date.parse('2026-05-28T15:00:00.000Z');

/** Choices for one edit; each edit takes of them what it needs. */
interface Dice {
  readonly at: number;
  readonly other: number;
  readonly pick: number;
}

type Edit = (events: readonly TestEvent[], dice: Dice) => TestEvent[];

const EDITS: readonly Edit[] = [
  function drop(events, { at }) {
    return events.filter((_, index) => index !== at);
  },
  function dropAndCloseGap(events, { at }) {
    const gone = events[at] as TestEvent;
    const rest = events.filter((_, index) => index !== at);
    return rest.map((event) => (event.causedBy === gone.id ? caused(event, gone.causedBy) : event));
  },
  function repeat(events, { at, other }) {
    const again = { ...(events[at] as TestEvent), id: `evt_again_${at}_${other}` };
    return [...events.slice(0, other + 1), again, ...events.slice(other + 1)];
  },
  function copyLine(events, { at, other }) {
    return [...events.slice(0, other + 1), events[at] as TestEvent, ...events.slice(other + 1)];
  },
  function takeAnId(events, { at, other }) {
    return changed(events, at, (event) => ({ ...event, id: (events[other] as TestEvent).id }));
  },
  function swap(events, { at, other }) {
    const swapped = [...events];
    [swapped[at], swapped[other]] = [events[other] as TestEvent, events[at] as TestEvent];
    return swapped;
  },
  function relink(events, { at, other, pick }) {
    const by = pick % 12 === 0 ? undefined : pick % 12 === 1 ? 'evt_zzz' : events[other]?.id;
    return changed(events, at, (event) => caused(event, by));
  },
  function changeKind(events, { at, pick }) {
    return changed(events, at, (event) => ({ ...event, kind: KINDS[pick % KINDS.length] as string }));
  },
  function changeActor(events, { at, pick }) {
    return changed(events, at, (event) => ({ ...event, actor: ACTORS[pick % ACTORS.length] as string }));
  },
  function changeSubject(events, { at, pick }) {
    const names = Object.keys(SUBJECTS);
    const name = names[pick % names.length] as string;
    const values = [...(SUBJECTS[name] as readonly string[]), undefined];
    return changed(events, at, (event) => withData(event, name, values[(pick >> 4) % values.length]));
  },
  function retime(events, { at, pick }) {
    const t = new Date(START_MS + (pick - 500) * 1000).toISOString();
    return changed(events, at, (event) => ({ ...event, t }));
  },
];

function changed(
  events: readonly TestEvent[],
  at: number,
  change: (event: TestEvent) => TestEvent,
): TestEvent[] {
  return events.map((event, index) => (index === at ? change(event) : event));
}

function caused(event: TestEvent, by: string | undefined): TestEvent {
  const changed = { ...event };
  if (by === undefined) delete changed.causedBy;
  else changed.causedBy = by;
  return changed;
}

function withData(event: TestEvent, name: string, value: string | undefined): TestEvent {
  const data = { ...event.data };
  if (value === undefined) Reflect.deleteProperty(data, name);
  else data[name] = value;
  return { ...event, data };
}

/** A good run with 0 to 4 edits at random places. */
export const editedRun: fc.Arbitrary<string> = fc
  .record({
    notation: goodRun,
    edits: fc.array(
      fc.record({
        edit: fc.constantFrom(...EDITS),
        at: fc.nat(9999),
        other: fc.nat(9999),
        pick: fc.nat(999),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ notation, edits }) => {
    let events = history(notation);
    for (const { edit, at, other, pick } of edits) {
      if (events.length > 1)
        events = edit(events, { at: at % events.length, other: other % events.length, pick });
    }
    return jsonl(events);
  });

/** What kinds of events usually name; a graph leaves it out or names something else now and then. */
const OWN: readonly (readonly [RegExp, string])[] = [
  [/^plan_|^approval_/, 'planId'],
  [/^task_/, 'taskId'],
  [/^action_/, 'proposalId'],
];

const subjects = fc.record(
  Object.fromEntries(Object.entries(SUBJECTS).map(([name, values]) => [name, fc.constantFrom(...values)])),
);

interface Node {
  readonly kind: string;
  readonly actor: string;
  readonly subjects: Readonly<Record<string, string>>;
  /** Which names are turned round: left out where usual, there where not. */
  readonly odd: readonly string[];
  /** How far back the cause stands; 0 is the event itself, below that lies what comes later. */
  readonly back: number | 'none' | 'lost';
}

const node: fc.Arbitrary<Node> = fc.record({
  kind: fc.constantFrom(...KINDS),
  actor: fc.constantFrom(...ACTORS),
  subjects,
  odd: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray(Object.keys(SUBJECTS), { maxLength: 2 }) },
  ),
  back: fc.oneof(
    { weight: 40, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: -3, max: 0 }) },
    { weight: 1, arbitrary: fc.constantFrom('none' as const, 'lost' as const) },
  ),
});

/** 5 to 25 events of any kind about few subjects, mostly below a start, a goal and a plan that is granted. */
export const anyGraph: fc.Arbitrary<string> = fc
  .record({
    head: fc.constantFrom(0, 2, 5),
    nodes: fc.array(node, { minLength: 5, maxLength: 20, size: 'max' }),
  })
  .map(({ head, nodes }) => {
    const first = history('run goal plan ask grant').slice(0, head);
    return jsonl([...first, ...nodes.map((each, index) => graphEvent(each, head + index))]);
  });

function graphEvent({ kind, actor, subjects: all, odd, back }: Node, index: number): TestEvent {
  const usual = OWN.find(([kinds]) => kinds.test(kind))?.[1];
  const names = Object.keys(all).filter((name) => (name === usual) !== odd.includes(name));
  const event: TestEvent = {
    id: idOf(index),
    runId: RUN_ID,
    t: new Date(START_MS + index * 1000).toISOString(),
    kind,
    actor,
    data: Object.fromEntries(names.map((name) => [name, all[name] as string])),
  };
  if (back === 'none') return event;
  return {
    ...event,
    causedBy: back === 'lost' ? 'evt_zzz' : idOf(back > 0 ? Math.max(index - back, 0) : index - back),
  };
}

function idOf(index: number): string {
  return `evt_${String(index + 1).padStart(3, '0')}`;
}
