/**
 * Which rule a change of a good history breaks, from the protocol's table: what is missing, what is repeated, and
 * what an event skips that should have caused it.
 */
import type { Kind } from '../../harness/core/event.js';
import type { TestEvent } from './history.js';

type Events = readonly TestEvent[];

export function isOf(event: TestEvent | undefined, ...kinds: readonly Kind[]): boolean {
  return event !== undefined && (kinds as readonly string[]).includes(event.kind);
}

export function find(events: Events, kind: Kind, proposal?: unknown): TestEvent | undefined {
  return events.find(
    (event) => event.kind === kind && (proposal === undefined || event.data?.['proposalId'] === proposal),
  );
}

export function causeOf(events: Events, event: TestEvent | undefined): TestEvent | undefined {
  return events.find(({ id }) => id === event?.causedBy);
}

/** Whether a proposal runs: what its approval is worth shows only then. */
function isExecuted(events: Events, proposal: unknown): boolean {
  return find(events, 'action_executed', proposal) !== undefined;
}

/** What the log misses when the event is gone and nothing dangles. */
export function missing(events: Events, at: number): string | undefined {
  const event = events[at] as TestEvent;
  const proposal = event.data?.['proposalId'];
  switch (event.kind) {
    case 'run_started':
      return 'run/start-missing';
    case 'goal_received':
      return 'run/goal-missing';
    case 'plan_drafted':
    case 'plan_revised':
      return events.filter((each) => isOf(each, 'plan_drafted', 'plan_revised')).length === 1
        ? 'plan/draft-missing'
        : 'plan/request-without-draft';
    case 'approval_requested':
      return proposal === undefined && !isAskedAgain(events, event)
        ? 'plan/decision-without-request'
        : undefined;
    case 'approval_granted':
      return 'plan/dispatch-before-grant';
    case 'task_dispatched':
      return 'task/start-without-dispatch';
    case 'task_started':
      return 'task/start-missing';
    case 'task_result':
      return 'task/result-missing';
    case 'run_completed':
      return 'run/terminal-missing';
    case 'action_proposed':
      if (find(events, 'action_approved', proposal) !== undefined) return 'action/approval-without-proposal';
      return isExecuted(events, proposal) ? 'gate/proposal-missing' : undefined;
    case 'action_approved':
      return isExecuted(events, proposal) ? unapproved(event, events) : undefined;
    case 'snapshot_verified':
      return events.filter((each) => isOf(each, 'snapshot_verified')).length === 1
        ? 'gate/backup-unverified'
        : undefined;
    default:
      return undefined;
  }
}

function isAskedAgain(events: Events, ask: TestEvent): boolean {
  const same = events.filter(
    (each) => isOf(each, 'approval_requested') && each.data?.['planId'] === ask.data?.['planId'],
  );
  return same.length > 1;
}

function unapproved(approval: TestEvent, events: Events): string | undefined {
  const tier = find(events, 'action_proposed', approval.data?.['proposalId'])?.data?.['tier'];
  if (tier === 'T3' || tier === 'T4') return 'gate/ungated-high-tier';
  return tier === 'T2' ? 'gate/veto-window-open' : undefined;
}

/** What a second event of the same kind breaks. */
export const REPEATED: Readonly<Partial<Record<string, string>>> = {
  run_started: 'run/start-repeated',
  approval_granted: 'plan/decision-repeated',
  approval_rejected: 'plan/decision-repeated',
  approval_expired: 'plan/decision-repeated',
  approval_unavailable: 'plan/decision-repeated',
  action_approved: 'plan/decision-repeated',
  action_rejected: 'plan/decision-repeated',
  task_dispatched: 'task/dispatched-twice',
  task_result: 'task/result-repeated',
  action_executed: 'action/executed-twice',
  run_completed: 'run/terminal-repeated',
};

/** Where an event hangs when it skips what should have caused it, and what that breaks. */
export function shortcut(
  events: Events,
  at: number,
): { by: TestEvent | undefined; rule: string } | undefined {
  const event = events[at] as TestEvent;
  const goal = find(events, 'goal_received');
  switch (event.kind) {
    case 'plan_drafted':
    case 'plan_revised':
      return { by: find(events, 'run_started'), rule: 'plan/draft-without-goal' };
    case 'approval_requested':
      return event.data?.['proposalId'] === undefined
        ? { by: goal, rule: 'plan/request-without-draft' }
        : undefined;
    case 'approval_granted':
      return { by: goal, rule: 'plan/decision-without-request' };
    case 'task_dispatched':
      return { by: goal, rule: 'plan/dispatch-before-grant' };
    case 'task_started':
      return { by: find(events, 'approval_granted'), rule: 'task/start-without-dispatch' };
    case 'task_result':
      return { by: find(events, 'approval_granted'), rule: 'task/result-without-start' };
    case 'action_approved':
      return {
        by: causeOf(events, find(events, 'action_proposed', event.data?.['proposalId'])),
        rule: 'action/approval-without-proposal',
      };
    case 'action_executed': {
      const proposal = event.data?.['proposalId'];
      const approved = proposal !== undefined && find(events, 'action_approved', proposal) !== undefined;
      return approved
        ? { by: find(events, 'action_proposed', proposal), rule: 'action/approval-not-its-cause' }
        : undefined;
    }
    case 'run_completed':
      return { by: find(events, 'run_started'), rule: 'causal/untraceable-terminal' };
    default:
      return undefined;
  }
}
