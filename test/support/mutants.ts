/**
 * Ways to spoil a good history, each with the one rule that must be found as the root of it.
 *
 * A mutant says at which events it can be applied and what becomes of the log. Nothing here judges: the expectation
 * is the name of a rule, taken from the protocol's table.
 */
import { causeOf, find, isOf, missing, REPEATED, shortcut } from './expected-rules.js';
import type { TestEvent } from './history.js';

type Events = readonly TestEvent[];

export interface Spoiled {
  readonly events: readonly TestEvent[];
  readonly rule: string;
}

export interface Mutant {
  readonly name: string;
  /** It means the same where the run is aborted half-way. */
  readonly alsoAborted?: true;
  /** The log spoiled at event `at`, or undefined where it does not apply there. */
  readonly spoil: (events: Events, at: number) => Spoiled | undefined;
}

/** The events without one; its effects pass to its cause. */
function without(events: Events, at: number): TestEvent[] {
  const gone = events[at] as TestEvent;
  return events
    .filter((event) => event !== gone)
    .map((event) => (event.causedBy === gone.id ? caused(event, gone.causedBy) : event));
}

function caused(event: TestEvent, by: string | undefined): TestEvent {
  const changed = { ...event };
  if (by === undefined) delete changed.causedBy;
  else changed.causedBy = by;
  return changed;
}

function relinked(events: Events, at: number, by: string | undefined): TestEvent[] {
  return events.map((event, index) => (index === at ? caused(event, by) : event));
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'drop and close the gap',
    spoil(events, at) {
      const rule = missing(events, at);
      return rule === undefined ? undefined : { events: without(events, at), rule };
    },
  },
  {
    name: 'drop and leave its effects dangling',
    spoil(events, at) {
      const gone = events[at] as TestEvent;
      if (!events.some(({ causedBy }) => causedBy === gone.id)) return undefined;
      const rule =
        gone.kind === 'run_started'
          ? 'run/start-missing'
          : gone.kind === 'goal_received'
            ? 'run/goal-missing'
            : 'causal/dangling-cause';
      return { events: events.filter((event) => event !== gone), rule };
    },
  },
  {
    name: 'the same line twice',
    alsoAborted: true,
    spoil: (events, at) => ({
      events: [...events.slice(0, at + 1), ...events.slice(at)],
      rule: 'causal/duplicate-id',
    }),
  },
  {
    name: 'the same event twice, with an id of its own',
    spoil(events, at) {
      const event = events[at] as TestEvent;
      const rule = REPEATED[event.kind];
      if (
        rule === undefined ||
        (event.kind === 'action_executed' && event.data?.['proposalId'] === undefined)
      )
        return undefined;
      return {
        events: [...events.slice(0, at + 1), { ...event, id: 'evt_again' }, ...events.slice(at + 1)],
        rule,
      };
    },
  },
  {
    name: 'relink to nothing that exists',
    alsoAborted: true,
    spoil: (events, at) => ({ events: relinked(events, at, 'evt_zzz'), rule: 'causal/dangling-cause' }),
  },
  {
    name: 'relink to itself',
    alsoAborted: true,
    spoil: (events, at) => ({ events: relinked(events, at, events[at]?.id), rule: 'causal/cycle' }),
  },
  {
    name: 'swap cause and effect: both cause each other',
    alsoAborted: true,
    spoil(events, at) {
      const event = events[at] as TestEvent;
      const cause = events.findIndex(({ id }) => id === event.causedBy);
      return cause < 0 ? undefined : { events: relinked(events, cause, event.id), rule: 'causal/cycle' };
    },
  },
  {
    name: 'take the cause away',
    alsoAborted: true,
    spoil: (events, at) =>
      isOf(events[at], 'run_started')
        ? undefined
        : { events: relinked(events, at, undefined), rule: 'causal/orphan' },
  },
  {
    name: 'relink past what should have caused it',
    spoil(events, at) {
      const found = shortcut(events, at);
      if (found?.by === undefined || found.by.id === events[at]?.causedBy) return undefined;
      return { events: relinked(events, at, found.by.id), rule: found.rule };
    },
  },
  {
    name: 'execute early',
    alsoAborted: true,
    spoil(events, at) {
      const event = events[at] as TestEvent;
      const proposal = event.data?.['proposalId'];
      const approval = find(events, 'action_approved', proposal);
      const before = causeOf(events, approval);
      if (
        !isOf(event, 'action_executed') ||
        proposal === undefined ||
        event.causedBy !== approval?.id ||
        before === undefined
      )
        return undefined;
      const rest = events.filter((each) => each !== event);
      const early = rest.indexOf(approval as TestEvent);
      const moved = [...rest.slice(0, early), caused(event, before.id), ...rest.slice(early)];
      return { events: moved, rule: 'action/approval-after-execution' };
    },
  },
  {
    name: 'approve another proposal',
    alsoAborted: true,
    spoil(events, at) {
      const event = events[at] as TestEvent;
      if (!isOf(event, 'action_approved')) return undefined;
      const other = { ...event, data: { ...event.data, proposalId: `prop_other_${at}` } };
      return {
        events: events.map((each) => (each === event ? other : each)),
        rule: 'action/approval-without-proposal',
      };
    },
  },
  {
    name: 'execute what was rejected',
    alsoAborted: true,
    spoil(events, at) {
      const event = events[at] as TestEvent;
      if (!isOf(event, 'action_rejected')) return undefined;
      const proposed = find(events, 'action_proposed', event.data?.['proposalId']);
      const data = { ...proposed?.data };
      const late = {
        ...event,
        id: 'evt_late',
        kind: 'action_executed',
        actor: 'coder',
        data,
        causedBy: event.id,
      };
      return {
        events: [...events.slice(0, at + 1), late, ...events.slice(at + 1)],
        rule: 'action/executed-after-rejection',
      };
    },
  },
  {
    name: 'go on after the end',
    spoil(events, at) {
      const event = events[at] as TestEvent;
      const start = find(events, 'task_started');
      if (!isOf(event, 'run_completed') || start === undefined) return undefined;
      const late = {
        ...event,
        id: 'evt_late',
        kind: 'action_executed',
        actor: 'coder',
        data: { tier: 'T0' },
        causedBy: start.id,
      };
      return { events: [...events, late], rule: 'run/event-after-terminal' };
    },
  },
  {
    name: 'cut between lines',
    spoil: (events, at) =>
      events.slice(0, at).every((event) => !isOf(event, 'run_completed', 'run_aborted')) && at > 0
        ? { events: events.slice(0, at), rule: 'run/terminal-missing' }
        : undefined,
  },
];
