/**
 * Sets of event kinds that several rules speak of, as column values. No rules here.
 */
import { kindCode, type Kind } from '../core/event.js';

/** A set of kinds as column values; asked once or more for nearly every event, so by a table. */
export class KindSet {
  private readonly table = new Uint8Array(256);

  constructor(readonly codes: readonly number[]) {
    for (const code of codes) this.table[code] = 1;
  }

  has(code: number): boolean {
    return this.table[code] === 1;
  }
}

export function kinds(...names: readonly Kind[]): KindSet {
  return new KindSet(names.map(kindCode));
}

/** All kinds of several sets. */
export function union(...sets: readonly KindSet[]): KindSet {
  return new KindSet(sets.flatMap((set) => set.codes));
}

export function is(set: KindSet, code: number): boolean {
  return set.has(code);
}

export const DRAFTS = kinds('plan_drafted', 'plan_revised');
/** What can end a request: decisions proper, and the two ways of getting no answer. */
export const DECISIONS = kinds(
  'action_approved',
  'action_rejected',
  'approval_granted',
  'approval_rejected',
  'approval_expired',
  'approval_unavailable',
);
/** Decisions proper: somebody or something said yes or no. */
export const PLAN_OR_PROPOSAL_DECISIONS = kinds(
  'action_approved',
  'action_rejected',
  'approval_granted',
  'approval_rejected',
);
export const APPROVALS = kinds('action_approved', 'approval_granted');
export const REJECTIONS = kinds('action_rejected', 'approval_rejected');
/** Requests and decisions that may be about a plan. */
export const APPROVAL_EVENTS = kinds(
  'approval_requested',
  'approval_granted',
  'approval_rejected',
  'approval_expired',
  'approval_unavailable',
);
export const EXECUTIONS = kinds('action_executed', 'action_failed');
export const ACTIONS = kinds('action_proposed', 'action_executed', 'action_failed');
export const TASK_EVENTS = kinds('task_dispatched', 'task_started', 'task_result');
export const GRANT = kinds('approval_granted');
export const GOAL = kinds('goal_received');

export function isApproval(kind: Kind | undefined): boolean {
  return kind === 'action_approved' || kind === 'approval_granted';
}

export function isRejection(kind: Kind | undefined): boolean {
  return kind === 'action_rejected' || kind === 'approval_rejected';
}
