/**
 * The gate in the loop: what the policy says of a proposal is done, and written down as it is done. Where the gate only
 * classifies, everything passes and the log says that nobody decided. What nobody answers for does not pass.
 */
import { APPROVAL_VIEW_FIELDS } from '../core/ports.js';
import type { ApprovalView } from '../core/ports.js';
import type { JsonObject } from '../core/event.js';
import type { Proposed } from './action.js';
import type { CellState } from './cell.js';
import { counterfactualOf } from './counterfactual.js';
import { callHarness, numberIn, textIn } from './harness-calls.js';

/** `event` is the decision. */
export type Passed =
  | { readonly may: true; readonly event: string }
  | { readonly may: false; readonly by: string; readonly reason: string; readonly event: string };

const VETO_WINDOW_SECONDS = 15 * 60;
/** Fields of the view, without the one that may tell an approver which condition this is. */
const SHOWN = APPROVAL_VIEW_FIELDS.filter((field) => field !== 'rationale');

/** Decides a proposal and records the decision. */
export async function passGate(state: CellState, proposed: Proposed): Promise<Passed> {
  const { condition, policy } = state.cell;
  if (condition.actionGate !== 'active') return approve(state, proposed, { auto: true, by: 'policy' });
  const { rule, policyLine } = proposed.decision;
  switch (rule) {
    case 'allow':
    case 'notify':
      return approve(state, proposed, { by: 'policy', reason: policyLine });
    case 'soft_gate': {
      const waitedMs = (policy.vetoWindowSeconds ?? VETO_WINDOW_SECONDS) * 1000;
      state.ports.pass(waitedMs);
      return approve(state, proposed, { auto: true, by: 'veto-window', waitedMs });
    }
    case 'require_approval':
      // Without a verified backup a T4 action is not even shown to anybody.
      if (proposed.tier === 'T4')
        return reject(state, proposed, { by: 'policy', reason: 'no verified backup' });
      return askApprover(state, proposed);
    case 'require_approval_and_two_person':
      return reject(state, proposed, { by: 'gate', reason: 'there is no second approver' });
    case 'block':
      return reject(state, proposed, { by: 'policy', reason: policyLine });
  }
}

async function askApprover(state: CellState, proposed: Proposed): Promise<Passed> {
  const { proposalId, tier, digest, event } = proposed;
  const asked = state.log.event('approval_requested', {
    actor: 'gate',
    data: { proposalId, tier, channel: 'scripted', actionDigest: digest, shown: [...SHOWN] },
    causedBy: event,
  });
  const { answer, comment, waitedMs } = await callHarness(state, 'approver.ask', { ...viewOf(proposed) });
  if (typeof waitedMs === 'number') state.ports.pass(waitedMs);
  // What is decided follows from the request.
  const shown = { ...proposed, event: asked };
  const said = typeof comment === 'string' ? { comment } : {};
  if (answer === 'approve') {
    return approve(state, shown, { by: 'principal', decision: 'approve', ...said });
  }
  const decision = answer === 'request_changes' ? 'request_changes' : 'reject';
  const reason = typeof comment === 'string' ? comment : 'The approver said no.';
  return reject(state, shown, { by: 'principal', reason, decision, ...said });
}

/** The fixed list of what an approver sees. */
function viewOf({ action, tier, shadow, blastRadius, reversibility }: Proposed): ApprovalView {
  return {
    tier,
    what: action.summary,
    target: textIn(action.input, 'path'),
    command: `${action.tool} ${JSON.stringify(action.input)}`,
    affected: shadow === undefined ? 'unknown' : `${numberIn(shadow, 'affected')} files (${blastRadius})`,
    reversibility,
  };
}

function approve(state: CellState, { proposalId, event: causedBy }: Proposed, data: JsonObject): Passed {
  const actor = data['by'] === 'principal' ? 'principal' : 'gate';
  const approved = state.log.event('action_approved', { actor, data: { proposalId, ...data }, causedBy });
  return { may: true, event: approved };
}

function reject(
  state: CellState,
  proposed: Proposed,
  data: JsonObject & { readonly by: string; readonly reason: string },
): Passed {
  const { by, reason } = data;
  const isPrincipal = by === 'principal';
  const event = state.log.event('action_rejected', {
    actor: isPrincipal ? 'principal' : 'gate',
    data: { proposalId: proposed.proposalId, ...data },
    causedBy: proposed.event,
    counterfactual: counterfactualOf(proposed, {
      wouldHaveExecuted: true,
      actuallyExecuted: false,
      preventedBy: isPrincipal ? 'principal_veto' : 'action_gate',
    }),
  });
  return { may: false, by: isPrincipal ? 'principal' : 'gate', reason, event };
}
