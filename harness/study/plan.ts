/**
 * Plans and results of a cell: what is drafted, who grants it, and how a task ends.
 */
import type { AgentRequest, PlanDraft, Replies } from '../core/agent.js';
import type { JsonObject } from '../core/event.js';
import { tierRank } from '../core/tier.js';
import type { Tier } from '../core/tier.js';
import { planFile, resultFile, RUN } from '../log/run-dir.js';
import type { CellState } from './cell.js';
import { fileText } from './run-log.js';

type PlanRequest = Extract<AgentRequest, { ask: 'plan' }>;
type CloseRequest = Extract<AgentRequest, { ask: 'close' }>;

/** Files a plan and has it decided on. */
export function submitPlan(state: CellState, { draft, role }: PlanRequest): Replies['plan'] {
  const { cell, log, counts } = state;
  const version = ++counts.plan;
  const planId = `plan_${version}`;
  const text = fileText({
    id: planId,
    version,
    runId: cell.runId,
    goal: { text: cell.task.task.goal },
    tasks: draft.tasks,
    createdBy: role,
    ...(draft.notes === undefined ? {} : { notes: draft.notes }),
  });
  const digest = log.artifact(planFile(planId), text);
  if (version === 1) log.artifact(RUN.planDraft, text);
  const planPath = version === 1 ? RUN.planDraft : planFile(planId);
  const data = { planId, version, planPath, taskCount: draft.tasks.length, maxRiskTier: highestTier(draft) };
  const kind = version === 1 ? 'plan_drafted' : 'plan_revised';
  const drafted = log.event(kind, { actor: role, data, causedBy: state.causeFor() });
  const asked = log.event('approval_requested', {
    actor: 'gate',
    data: { planId, channel: 'none', actionDigest: digest },
    causedBy: drafted,
  });
  return grant(state, { planId, text, draft, asked });
}

interface Asked {
  readonly planId: string;
  readonly text: string;
  readonly draft: PlanDraft;
  readonly asked: string;
}

/** With the plan gate off a plan is granted by nobody, and the log says so. */
function grant(state: CellState, { planId, text, draft, asked }: Asked): Replies['plan'] {
  const granted = state.log.event('approval_granted', {
    actor: 'gate',
    data: { planId, auto: true, by: 'policy' },
    causedBy: asked,
  });
  if (state.plan === undefined) state.log.artifact(RUN.planRatified, text);
  const capabilities = new Map(draft.tasks.map((task) => [task.id, task.requiredCapabilities] as const));
  state.plan = { granted, capabilities };
  return { granted: true };
}

function highestTier({ tasks }: PlanDraft): Tier {
  return tasks.map(({ riskTier }) => riskTier).reduce((a, b) => (tierRank(a) >= tierRank(b) ? a : b), 'T0');
}

/** Files the result of a task and closes it. */
export function closeTask(state: CellState, { taskId, role, status, summary }: CloseRequest): void {
  const { cell, log } = state;
  const result: JsonObject = { taskId, runId: cell.runId, status, completedBy: role, summary };
  const resultPath = resultFile(taskId);
  log.artifact(resultPath, fileText(result));
  const data = { taskId, status, resultPath };
  const event = log.event('task_result', { actor: role, data, causedBy: state.causeFor(taskId) });
  state.lastOf.set(taskId, event);
}
