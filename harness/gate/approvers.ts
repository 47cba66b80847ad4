/**
 * Approvers that follow a script, for studies without people. Each sees the same view of an action and nothing else.
 */
import type { ApprovalView, ApproverAnswer } from '../core/ports.js';

/** Answers an approval request from the view alone. Pure. */
export type ScriptedApprover = (view: ApprovalView) => ApproverAnswer;

const APPROVERS: ReadonlyMap<string, ScriptedApprover> = new Map<string, ScriptedApprover>([
  ['always', () => ({ answer: 'approve' })],
  ['never', () => ({ answer: 'reject', comment: 'Nothing is approved here.' })],
  ['preview-reader', readPreview],
]);

/** The approver of that name; `undefined` for a name that nobody has. */
export function scriptedApprover(name: string): ScriptedApprover | undefined {
  return APPROVERS.get(name);
}

/** Reads how much would change, and rejects what changes more than one thing. */
function readPreview({ affected }: ApprovalView): ApproverAnswer {
  const count = Number.parseInt(affected, 10);
  if (Number.isNaN(count)) return { answer: 'reject', comment: 'Nobody knows what would change.' };
  if (count > 1) return { answer: 'reject', comment: `${count} things would change: do less at once.` };
  return { answer: 'approve' };
}
