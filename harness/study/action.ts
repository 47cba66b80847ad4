/**
 * One action from proposal to end: classified, tried on a shadow, decided, and then run or stopped.
 *
 * The same in every condition; only who decides differs. What was stopped is recorded with what it would have done.
 */
import type { ActionDraft, ActionReply } from '../core/agent.js';
import { actionDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { JsonObject } from '../core/event.js';
import { maxTier, tierRank } from '../core/tier.js';
import type { Tier } from '../core/tier.js';
import type { CallAnswer, PreparedCall } from '../effects/ports.js';
import { classify } from '../gate/classify/index.js';
import { decide } from '../gate/decide.js';
import type { GateDecision } from '../gate/decide.js';
import { proposalFile } from '../log/run-dir.js';
import type { CellState } from './cell.js';
import { counterfactualOf } from './counterfactual.js';
import type { ActionEnd } from './counterfactual.js';
import { passGate } from './gate-pass.js';
import { callHarness, textIn } from './harness-calls.js';
import { fileText } from './run-log.js';

/** What one tool call takes in simulated time. */
const TOOL_MS = 50;
/** From this tier on an action is tried on a shadow before it is decided on. */
const SHADOW_FROM = tierRank('T2');

/** An action with all that is known before it is decided on. */
export interface Proposed {
  readonly action: ActionDraft;
  readonly prepared: PreparedCall;
  readonly proposalId: string;
  readonly tier: Tier;
  readonly blastRadius: string;
  readonly reversibility: string;
  readonly digest: Digest;
  readonly decision: GateDecision;
  /** What it did on a copy of the testbed; absent below T2. */
  readonly shadow: JsonObject | undefined;
  /** Event that proposed it. */
  readonly event: string;
}

/** Takes an action through the gate and, if it may, to the broker. */
export async function act(state: CellState, action: ActionDraft): Promise<ActionReply> {
  const { calls } = state.ports;
  const { tool, input, role } = action;
  const callId = `act_${++state.counts.action}`;
  const prepared = calls.prepare({ callId, tool, input, caller: role });
  const reading = classify(tool, input);
  const tier = maxTier(action.tier, reading.tier) ?? reading.tier;
  const { blastRadius, reversibility } = reading;
  const decision = decide(tool, tier, state.cell.policy);
  const digest = actionDigest({ tool, input });
  const known = { action, prepared, tier, blastRadius, reversibility, decision, digest };
  if (tier === 'T0')
    return run(
      state,
      { ...known, proposalId: '', shadow: undefined, event: '' },
      state.causeFor(action.taskId),
    );
  const isTried = prepared.refusal === undefined && tierRank(tier) >= SHADOW_FROM;
  const shadow = isTried ? await callHarness(state, 'testbed.shadow', { tool, input }) : undefined;
  const proposed = propose(state, { ...known, proposalId: `prop_${state.counts.action}`, shadow });
  if (prepared.refusal !== undefined) return run(state, proposed, proposed.event);
  const passed = await passGate(state, proposed);
  if (passed.may) return run(state, proposed, passed.event);
  const { by, reason, event } = passed;
  await calls.refuse(prepared, { by, reason, event });
  const recorded = shadow === undefined ? event : recordShadow(state, proposed, { shadow, event });
  state.lastOf.set(action.taskId, recorded);
  return { outcome: 'stopped', by, reason };
}

/** Files the proposal and says that it was made. */
function propose(state: CellState, known: Omit<Proposed, 'event'>): Proposed {
  const { action, proposalId, tier, shadow, digest } = known;
  const { taskId, role, tool, input, summary, rationale, reversibilityPlan } = action;
  const proposalPath = proposalFile(proposalId);
  const preview = shadow === undefined ? {} : { diffPreview: textIn(shadow, 'summary') };
  const proposal = {
    id: proposalId,
    runId: state.cell.runId,
    taskId,
    proposedBy: role,
    action: { kind: tool, summary, tool, input },
    riskTier: tier,
    ...(rationale === undefined ? {} : { rationale }),
    ...(reversibilityPlan === undefined ? {} : { reversibilityPlan }),
    ...preview,
  };
  state.log.artifact(proposalPath, fileText(proposal));
  const data = { proposalId, proposalPath, taskId, kind: tool, tier, summary, actionDigest: digest };
  const event = state.log.event('action_proposed', { actor: role, data, causedBy: state.causeFor(taskId) });
  return { ...known, event };
}

/** Runs an action that may run, and says how it ended. */
async function run(state: CellState, proposed: Proposed, causedBy: string): Promise<ActionReply> {
  const { action, prepared } = proposed;
  const answer = await state.ports.calls.execute(prepared, action.taskId);
  state.ports.pass(TOOL_MS);
  const cause = answer.status === 'failed' ? recordTripwires(state, answer, causedBy) : causedBy;
  const isDone = answer.status === 'executed';
  const event = state.log.event(isDone ? 'action_executed' : 'action_failed', {
    actor: action.role,
    data: endOf(proposed, answer),
    causedBy: cause,
    counterfactual: counterfactualOf(proposed, END[answer.status]),
  });
  state.lastOf.set(action.taskId, event);
  return {
    outcome: isDone ? 'done' : answer.status,
    output: answer.output,
  };
}

const END: Readonly<Record<CallAnswer['status'], ActionEnd>> = {
  executed: { wouldHaveExecuted: true, actuallyExecuted: true, preventedBy: 'none' },
  failed: { wouldHaveExecuted: true, actuallyExecuted: false, preventedBy: 'tripwire' },
  denied: { wouldHaveExecuted: false, actuallyExecuted: false, preventedBy: 'none' },
  refused: { wouldHaveExecuted: false, actuallyExecuted: false, preventedBy: 'none' },
};

/** Who ended an action that did not run to its end. */
const ENDED_BY: Readonly<Record<CallAnswer['status'], string | undefined>> = {
  executed: undefined,
  failed: 'testbed',
  denied: 'broker',
  refused: 'broker',
};

function endOf({ action, proposalId, tier, digest, decision }: Proposed, answer: CallAnswer): JsonObject {
  const by = ENDED_BY[answer.status];
  return {
    taskId: action.taskId,
    kind: action.tool,
    summary: action.summary,
    tier,
    invocation: answer.entryHash,
    actionDigest: digest,
    ...(proposalId === '' ? {} : { proposalId }),
    ...(by === undefined ? {} : { by, reason: answer.status }),
    predicted: { gate: 'action', decision: decision.rule, policyLine: decision.policyLine },
  };
}

/** A detector's own event for each effect that it stopped. @returns the last of them */
function recordTripwires(state: CellState, answer: CallAnswer, causedBy: string): string {
  let last = causedBy;
  for (const { value } of answer.evidence) {
    const { tripwire, severity } = value;
    if (typeof tripwire !== 'string') continue;
    const data = { tripwire, severity: severity ?? 'T3', evidence: value, blocked: true };
    last = state.log.event('tripwire_triggered', { actor: 'testbed', data, causedBy });
  }
  return last;
}

/** What a stopped action would have done, as its shadow showed. */
function recordShadow(
  state: CellState,
  { proposalId }: Proposed,
  about: { shadow: JsonObject; event: string },
): string {
  const { change, affected } = about.shadow;
  const data = { proposalId, stateChange: change ?? null, affected: affected ?? null };
  return state.log.event('counterfactual_recorded', { data, causedBy: about.event });
}
