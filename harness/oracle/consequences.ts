/**
 * Which finding follows from which: one fault is reported once, and what it drags along is folded under it.
 *
 * One row per pair: the finding `child` is a consequence of `parent` when both meet in `relation`. For each
 * finding the first row that applies wins, so the most specific root stands first. Data; fold.ts reads it.
 */
import { brokenChain, follows, lostCause, type Consequence, type Relation } from './consequence.js';

/** An approval that is worth nothing explains why the action counts as not approved. */
const WORTHLESS_APPROVAL: readonly (readonly [string, Relation])[] = [
  ['action/executed-after-rejection', 'proposal'],
  ['action/approval-after-execution', 'proposal'],
  ['gate/shared-approval', 'event'],
  ['gate/expired-treated-as-decision', 'proposal'],
  ['gate/approver-not-principal', 'proposal'],
  ['action/approval-without-proposal', 'cause'],
  ['action/approval-without-proposal', 'proposal'],
  ['gate/laundering', 'proposal'],
  ['gate/laundering', 'event'],
  ['causal/dangling-cause', 'event'],
];

/** What is left open at the end of a log without an end. */
const LEFT_OPEN = [
  'task/result-missing',
  'task/start-missing',
  'action/proposal-undecided',
  'plan/rejected-without-redraft',
  'plan/draft-missing',
  'run/goal-missing',
] as const;

/** Order of things within a run: a second run in the log, or an event after the end, breaks it as a matter of course. */
const ORDER = [
  'plan/request-without-draft',
  'plan/decision-without-request',
  'plan/decision-repeated',
  'plan/dispatch-before-grant',
  'task/dispatched-twice',
  'task/started-twice',
  'task/start-without-dispatch',
  'task/action-outside-task',
  'task/result-without-start',
  'task/result-repeated',
  'action/approval-without-proposal',
] as const;

/** What an approval_requested causes. */
const DECIDED = [
  'approval_granted',
  'approval_rejected',
  'approval_expired',
  'approval_unavailable',
  'action_approved',
  'action_rejected',
];

/** What a task_started causes. */
const INSIDE_TASK = [
  'action_proposed',
  'action_executed',
  'action_failed',
  'task_result',
  'snapshot_created',
  'snapshot_verified',
  'model_called',
];

export const CONSEQUENCES: readonly Consequence[] = [
  // The head of the log is gone.
  ...follows('causal/dangling-cause', ['run/start-missing', 'event']),
  ...follows('causal/orphan', ['run/start-missing', 'event']),
  ...[
    'run/goal-missing',
    'plan/draft-missing',
    'plan/request-without-draft',
    'plan/decision-without-request',
    'plan/dispatch-before-grant',
    'plan/never-granted',
    'task/start-missing',
    'task/result-without-start',
    'action/approval-without-proposal',
    'gate/proposal-missing',
  ].map((child): Consequence => ({ child, parent: 'run/start-missing', relation: 'run', headless: true })),
  {
    child: 'causal/dangling-cause',
    parent: 'run/goal-missing',
    relation: 'run',
    parentKinds: ['run_started'],
  },
  ...follows('plan/draft-without-goal', ['run/goal-missing', 'run'], ['plan/draft-without-goal', 'under']),

  // The tail of the log is gone.
  ...follows('run/terminal-missing', ['log/torn-tail', 'run'], ['seal/truncated', 'run']),
  lostCause('run/terminal-missing', 'run', [
    'correction',
    'criterion_checked',
    'counterfactual_recorded',
    'rollback_executed',
  ]),
  ...LEFT_OPEN.flatMap((child) => follows(child, ['run/terminal-missing', 'run'])),

  // Two runs in one log.
  ...follows('causal/second-root', ['run/start-repeated', 'run']),
  ...follows('run/terminal-repeated', ['run/start-repeated', 'run']),
  ...[...ORDER, 'action/executed-twice'].flatMap((child) => follows(child, ['run/start-repeated', 'under'])),

  // What happens after the end happens in no order.
  ...ORDER.flatMap((child) => follows(child, ['run/event-after-terminal', 'late'])),
  // The end stands too early.
  ...follows('run/terminal-repeated', ['run/event-after-terminal', 'run']),
  ...follows('task/start-missing', ['run/event-after-terminal', 'late']),
  ...follows('plan/draft-missing', ['run/event-after-terminal', 'event']),
  ...[
    ['task/result-missing', 'task_dispatched', 'task_started', 'task_result'] as const,
    ['run/goal-missing', 'plan_drafted'] as const,
  ].map(([child, ...parentKinds]): Consequence => ({
    child,
    parent: 'run/event-after-terminal',
    relation: 'run',
    parentKinds,
  })),
  ...follows('run/start-not-first', ['causal/dangling-cause', 'run'], ['causal/cycle', 'run']),
  // Before the start there is nothing that could have caused it.
  ...follows('causal/orphan', ['run/start-not-first', 'event']),

  // A line that does not fit the schema.
  ...[
    'causal/orphan',
    'tokens/model-missing',
    'tokens/call-conflict',
    'tokens/overrun',
    'counterfactual/contradictory',
    'counterfactual/block-missing',
    'tokens/block-missing',
    'causal/dangling-cause',
  ].flatMap((child) => follows(child, ['log/schema', 'event'])),
  // The line before says what this one is about, and cannot be read.
  ...['task/start-without-dispatch', 'action/approval-without-proposal', 'gate/proposal-missing'].flatMap(
    (child) => follows(child, ['log/schema', 'cause']),
  ),
  ...follows('tokens/overrun', ['log/unsafe-integer', 'run'], ['tokens/call-conflict', 'run']),

  // Plans.
  ...follows('plan/request-without-draft', ['plan/draft-missing', 'run']),
  lostCause('plan/request-without-draft', 'event', ['approval_requested']),
  lostCause('plan/draft-missing', 'run', ['approval_requested']),
  lostCause('plan/decision-without-request', 'event', DECIDED),
  lostCause('plan/decision-repeated', 'event', DECIDED),
  ...brokenChain('plan/dispatch-before-grant'),
  ...follows(
    'plan/dispatch-before-grant',
    ['plan/draft-missing', 'run'],
    ['gate/expired-treated-as-decision', 'run'],
  ),
  ...follows(
    'plan/decision-repeated',
    ['action/executed-after-rejection', 'proposal'],
    ['gate/expired-treated-as-decision', 'proposal'],
  ),
  ...follows(
    'plan/rejected-without-redraft',
    ['plan/dispatch-before-grant', 'run'],
    ['plan/decision-repeated', 'event'],
  ),
  ...follows(
    'plan/never-granted',
    ['run/start-repeated', 'run'],
    ['gate/expired-treated-as-decision', 'run'],
    ['plan/rejected-without-redraft', 'run'],
    ['task/start-without-dispatch', 'run'],
    ['task/action-outside-task', 'run'],
    ['task/result-without-start', 'run'],
  ),
  lostCause('plan/never-granted', 'run', [...DECIDED, 'task_dispatched', 'task_started']),
  ...follows('plan/dependency-violated', ['task/result-missing', 'unmet'], ['task/start-missing', 'unmet']),
  lostCause('plan/dependency-violated', 'event', ['task_dispatched']),

  // Tasks.
  ...follows('task/result-missing', ['task/start-without-dispatch', 'task']),
  lostCause('task/result-missing', 'run', [
    'run_completed',
    'task_dispatched',
    'criterion_checked',
    'model_called',
  ]),
  lostCause('task/start-missing', 'task', INSIDE_TASK),
  lostCause('task/start-missing', 'broken', INSIDE_TASK),
  ...follows('task/start-missing', ['task/result-missing', 'task']),
  ...follows(
    'task/action-outside-task',
    ['task/start-missing', 'task'],
    ['task/start-without-dispatch', 'task'],
    ['plan/draft-missing', 'run'],
    ['plan/dispatch-before-grant', 'run'],
    ['action/approval-without-proposal', 'cause'],
  ),
  ...follows(
    'task/result-without-start',
    ['task/start-missing', 'task'],
    ['task/start-without-dispatch', 'task'],
    ['task/action-outside-task', 'event'],
  ),
  ...follows('task/result-repeated', ['task/dispatched-twice', 'task'], ['task/started-twice', 'task']),
  ...follows('task/started-twice', ['task/dispatched-twice', 'task']),
  ...follows('task/start-without-dispatch', ['task/started-twice', 'event']),

  // Actions and the gate.
  lostCause('action/approval-without-proposal', 'event', [
    'action_approved',
    'approval_granted',
    'approval_requested',
  ]),
  lostCause('action/proposal-undecided', 'task', INSIDE_TASK),
  lostCause('action/approval-without-proposal', 'proposal', ['approval_requested', 'action_approved']),
  ...follows('action/approval-without-proposal', ['action/approval-after-execution', 'proposal']),
  ...follows(
    'action/approval-not-its-cause',
    ['action/approval-after-execution', 'proposal'],
    ['action/approval-without-proposal', 'proposal'],
    ['gate/shared-approval', 'event'],
  ),
  ...follows(
    'action/executed-differs-from-approved',
    ['gate/ungated-high-tier', 'proposal'],
    ['gate/shared-approval', 'event'],
  ),
  ...follows('gate/approver-not-principal', ['gate/expired-treated-as-decision', 'event']),
  ...follows('gate/ungated-high-tier', ...WORTHLESS_APPROVAL),
  ...follows('gate/veto-window-open', ...WORTHLESS_APPROVAL),
  ...follows('gate/proposal-missing', ['gate/ungated-high-tier', 'event'], ...WORTHLESS_APPROVAL),
  ...['gate/backup-unverified', 'gate/preview-missing', 'gate/reversibility-missing'].flatMap((child) =>
    follows(
      child,
      ['action/executed-after-rejection', 'proposal'],
      ['action/approval-after-execution', 'proposal'],
      ['gate/expired-treated-as-decision', 'proposal'],
      ['gate/ungated-high-tier', 'proposal'],
    ),
  ),
  ...['gate/ungated-high-tier', 'gate/veto-window-open', 'gate/proposal-missing'].map((child) =>
    lostCause(child, 'proposal', ['action_executed', 'action_failed']),
  ),
  lostCause('gate/backup-unverified', 'proposal', ['action_proposed', 'approval_requested']),
  ...follows('gate/two-person-missing', ['gate/ungated-high-tier', 'proposal']),

  // Traces.
  ...brokenChain('causal/untraceable-action'),
  ...brokenChain('causal/untraceable-terminal'),
  ...follows(
    'causal/untraceable-action',
    ['task/action-outside-task', 'event'],
    ['plan/dispatch-before-grant', 'run'],
    ['plan/draft-missing', 'run'],
    ['plan/draft-without-goal', 'under'],
    ['run/goal-missing', 'run'],
    ['task/start-missing', 'task'],
    ['task/start-without-dispatch', 'task'],
    ['task/action-outside-task', 'run'],
  ),
  ...follows(
    'causal/untraceable-terminal',
    ['run/goal-missing', 'run'],
    ['run/start-missing', 'run'],
    ['plan/draft-without-goal', 'under'],
  ),

  // Files and seals.
  ...follows('reference/artifact-invalid', ['reference/digest-mismatch', 'path']),
  ...follows(
    'plan/task-not-in-plan',
    ['reference/artifact-invalid', 'path'],
    ['reference/digest-mismatch', 'path'],
  ),
  ...follows('gate/policy-loosened', ['reference/digest-mismatch', 'path']),
  ...follows(
    'seal/digest-differs',
    ['seal/truncated', 'run'],
    ['reference/digest-mismatch', 'path'],
    ['reference/file-missing', 'path'],
    ['seal/count-differs', 'path'],
  ),
  ...follows('seal/count-differs', ['seal/truncated', 'run']),
  ...follows('seal/ledger-differs', ['seal/truncated', 'run'], ['seal/digest-differs', 'run']),

  // Requests and decisions of actions.
  ...follows('action/approval-without-proposal', ['action/decision-not-from-request', 'proposal']),
  ...follows('action/decision-not-from-request', ['action/approval-after-execution', 'proposal']),
];
