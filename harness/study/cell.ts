/**
 * The one loop that answers an agent's requests, for every condition, live, replaying and forked alike: it cannot tell
 * which, because all that varies comes through the ports it is given.
 *
 * What it does is written as events while it is done. Deciding about actions is action.ts; the order of a run is here.
 */
import { singleAgent } from '../agents/single.js';
import type { ActionReply, Agent, AgentEnd, AgentReply, AgentRequest, Replies } from '../core/agent.js';
import { assert, unreachable } from '../core/errors.js';
import type { JsonObject } from '../core/event.js';
import { MODEL_TOOL } from '../core/journal.js';
import { modelAnswer } from '../models/model-tool.js';
import { EFFECTS_OF_CAPABILITY, WORKTREE_SCOPE } from '../testbed/tools.js';
import { act } from './action.js';
import type { Cell, CellPorts } from './cell-ports.js';
import { callHarness, HARNESS_GRANTS, MODEL_GRANTS } from './harness-calls.js';
import { closeTask, submitPlan } from './plan.js';
import { RunLog } from './run-log.js';

/** How a cell ended. `runDir` holds its log, not sealed yet. */
export interface CellEnd {
  readonly ended: AgentEnd['ended'] | 'budget-exhausted';
  readonly summary: string;
  /** Actions that ran, that were stopped by the gate, and that began or were to begin and did not get to their end. */
  readonly actions: { readonly done: number; readonly stopped: number; readonly failed: number };
  /** How the criteria and invariants of the task came out, in its order. */
  readonly outcomes: readonly string[];
}

type ConversationEnd = Pick<CellEnd, 'ended' | 'summary'>;

/** Effects of one kind that a task may have, whatever it is. */
const EFFECTS_A_TASK = 1000;

/** What is known while a cell runs. */
export class CellState {
  readonly cell: Cell;
  readonly ports: CellPorts;
  readonly log: RunLog;
  readonly counts = { model: 0, action: 0, harness: 0, plan: 0 };
  readonly actions = { done: 0, stopped: 0, failed: 0 };
  /** Thinking tokens of all calls so far. */
  thinkingTokens = 0;
  /** Event that the next one of a task follows from. */
  readonly lastOf = new Map<string, string>();
  /** The grant of the plan in force, and what it is of. */
  plan:
    { readonly granted: string; readonly capabilities: ReadonlyMap<string, readonly string[]> } | undefined;
  goalEvent = '';

  constructor(cell: Cell, ports: CellPorts, log: RunLog) {
    this.cell = cell;
    this.ports = ports;
    this.log = log;
  }

  /** The event that something about a task, or about none, follows from. */
  causeFor(taskId?: string): string {
    return (
      (taskId === undefined ? undefined : this.lastOf.get(taskId)) ?? this.plan?.granted ?? this.goalEvent
    );
  }

  isOverBudget(): boolean {
    const { thinkingTokens: cap, overrun } = this.cell.condition.budget;
    return cap !== null && overrun === 'end-run' && this.thinkingTokens > cap;
  }
}

/** Runs a cell to its end and closes its log. Faults of the harness are thrown; those of the agent end the run. */
export async function runCell(cell: Cell, ports: CellPorts): Promise<CellEnd> {
  const log = RunLog.open(cell, ports);
  try {
    const state = new CellState(cell, ports, log);
    await begin(state);
    const end = await converse(state, agentFor(state));
    const outcomes = await finish(state, end);
    return { ...end, actions: state.actions, outcomes };
  } finally {
    log.close();
  }
}

async function begin(state: CellState): Promise<void> {
  const { cell, ports, log } = state;
  const started = log.start();
  ports.calls.grant('harness', HARNESS_GRANTS);
  ports.calls.grant('models', MODEL_GRANTS);
  const reset = await callHarness(state, 'testbed.reset', {});
  log.event('testbed_reset', { data: { state: reset['state'] ?? null }, causedBy: started });
  log.artifact('goal.md', `${cell.task.task.goal}\n`);
  state.goalEvent = log.event('goal_received', {
    actor: 'principal',
    data: { goalPath: 'goal.md' },
    causedBy: started,
  });
}

function agentFor({ cell, ports }: CellState): Agent {
  assert(cell.condition.architecture === 'single', 'teams are not built yet');
  const { goal, context } = cell.task.task;
  return singleAgent({ goal: context === undefined ? goal : `${goal}\n\n${context}`, tools: ports.tools });
}

/** Answers the agent until it ends, or until the budget does. */
async function converse(state: CellState, agent: Agent): Promise<ConversationEnd> {
  let next = agent.next();
  while (next.done !== true) {
    const reply = await answer(state, next.value);
    if (state.isOverBudget()) {
      state.log.event('budget_exhausted', {
        data: { thinkingTokens: state.thinkingTokens, cap: state.cell.condition.budget.thinkingTokens },
        causedBy: state.causeFor(),
      });
      return { ended: 'budget-exhausted', summary: 'The thinking tokens of the run are spent.' };
    }
    next = agent.next(reply);
  }
  return next.value;
}

function answer(state: CellState, request: AgentRequest): Promise<AgentReply> | AgentReply {
  switch (request.ask) {
    case 'model':
      return callModel(state, request);
    case 'plan':
      return submitPlan(state, request);
    case 'start':
      startTask(state, request);
      return undefined;
    case 'act':
      return counted(state, act(state, request.action));
    case 'close':
      closeTask(state, request);
      return undefined;
  }
}

async function counted({ actions }: CellState, acting: Promise<ActionReply>): Promise<ActionReply> {
  const reply = await acting;
  if (reply.outcome === 'done' || reply.outcome === 'stopped') actions[reply.outcome] += 1;
  else actions.failed += 1;
  return reply;
}

async function callModel(
  state: CellState,
  { request, taskId }: Extract<AgentRequest, { ask: 'model' }>,
): Promise<Replies['model']> {
  const { ports, cell, log } = state;
  const callId = `call_${++state.counts.model}`;
  const { role, purpose, messages } = request;
  const input: JsonObject = {
    callId,
    model: cell.model,
    role,
    purpose,
    messages: messages.map((message) => ({ ...message })),
  };
  const prepared = ports.calls.prepare({ callId, tool: MODEL_TOOL, input, caller: role });
  const { output, status } = await ports.calls.execute(prepared, 'models');
  const said = modelAnswer(output) ?? unreachable(`a model call ended as ${status}`);
  ports.pass(said.durationMs);
  state.thinkingTokens += said.usage.thinking ?? 0;
  const { input: read = 0, output: written = 0, thinking = 0 } = said.usage;
  const event = log.event('model_called', {
    actor: role,
    data: { role, purpose, callId },
    tokens: { input: read, output: written, thinking, model: cell.model, callId },
    causedBy: state.causeFor(taskId),
  });
  if (taskId !== undefined) state.lastOf.set(taskId, event);
  return { content: said.content };
}

/** Hands the task out and gives it its rights: those its plan was granted, and no others. */
function startTask(state: CellState, { taskId, role }: Extract<AgentRequest, { ask: 'start' }>): void {
  const plan = state.plan ?? unreachable('a task starts under a granted plan');
  const dispatched = state.log.event('task_dispatched', {
    actor: role,
    data: { taskId, to: role },
    causedBy: plan.granted,
  });
  const started = state.log.event('task_started', { actor: role, data: { taskId }, causedBy: dispatched });
  state.lastOf.set(taskId, started);
  const capabilities = plan.capabilities.get(taskId) ?? [];
  const effects = capabilities.flatMap((token) => EFFECTS_OF_CAPABILITY[token] ?? []);
  const grants = effects.map((effect) => ({ effect, scope: WORKTREE_SCOPE, budget: EFFECTS_A_TASK }));
  state.ports.calls.grant(taskId, grants);
}

/** Checks what was reached, and ends the log. @returns the outcome of each criterion and invariant */
async function finish(state: CellState, end: ConversationEnd): Promise<string[]> {
  const { task } = state.cell.task;
  const criteria = [
    ...task.successCriteria.map(({ check, expectation, weight }) => ({ check, expectation, weight })),
    ...(task.safetyOracle.invariants ?? []).map((expectation) => ({
      check: 'invariant',
      expectation,
      weight: 0,
    })),
  ];
  const cause = [...state.lastOf.values()].at(-1) ?? state.causeFor();
  const { outcomes } = await callHarness(state, 'suite.check', {
    expectations: criteria.map(({ expectation }) => expectation),
  });
  assert(Array.isArray(outcomes) && outcomes.length === criteria.length, 'every criterion has an outcome');
  for (const [at, { check, expectation, weight }] of criteria.entries()) {
    const data = { criterion: check, expectation, outcome: outcomes[at] ?? 'unknown', weight };
    state.log.event('criterion_checked', { data, causedBy: cause });
  }
  const { ended, summary } = end;
  if (ended === 'completed') state.log.event('run_completed', { data: { summary }, causedBy: cause });
  else state.log.event('run_aborted', { data: { reason: ended, summary }, causedBy: cause });
  return outcomes.map(String);
}
