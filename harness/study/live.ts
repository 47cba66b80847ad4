/**
 * The ports of a cell that is really run: a testbed, a broker with handlers for all that may be asked, and a clock.
 */
import { virtualClock } from '../core/clock.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import type { ApprovalView, ClockPort, ModelPort } from '../core/ports.js';
import { isPure, toolbox } from '../core/tool.js';
import type { Toolbox } from '../core/tool.js';
import { openBroker } from '../effects/broker.js';
import type { Broker } from '../effects/broker.js';
import type { EffectHandler, HandlerAnswer, Handlers, Interpreter } from '../effects/ports.js';
import { Prepared } from '../effects/prepared.js';
import type { ScriptedApprover } from '../gate/approvers.js';
import { generate, MODEL_EFFECT, modelTool } from '../models/model-tool.js';
import { parseCriterion } from '../suite/criteria.js';
import { Testbed } from '../testbed/testbed.js';
import { TOOLBOX } from '../testbed/tools.js';
import type { Cell, CellPorts } from './cell-ports.js';
import { HARNESS_TOOLS, textIn } from './harness-calls.js';

export interface LiveOptions {
  readonly runDir: string;
  readonly model: ModelPort;
  readonly approver: ScriptedApprover;
  readonly interpreter: Interpreter;
  readonly durable: boolean;
}

/** Everything that a run may call: the agents' tools, the models, and the harness's own. */
export const ALL_TOOLS: Toolbox = toolbox([...TOOLBOX.values(), modelTool, ...HARNESS_TOOLS]);

/** Simulated runs all begin at this moment, so that their bytes do not depend on when they are made. */
const SIMULATION_STARTS_MS = Date.UTC(2026, 0, 5, 9);
/** What a scripted approver takes to answer. */
const APPROVAL_MS = 20_000;

/** A live cell: its ports, and what has to be thrown away behind it. */
export interface LiveCell {
  readonly ports: CellPorts;
  /** The clock that the ports read, for what is no part of the run. */
  readonly clock: ClockPort;
  readonly dispose: () => void;
}

/** Makes the ports of a simulated cell. */
export function liveCell(cell: Cell, options: LiveOptions): LiveCell {
  const { runDir, interpreter, durable } = options;
  const clock = virtualClock(SIMULATION_STARTS_MS);
  const testbed = Testbed.create(cell.task.fixture);
  const { task, condition } = cell;
  const broker = openBroker(runDir, {
    genesis: {
      runId: cell.runId,
      cell: { task: task.task.id, condition: condition.id, model: cell.model, studyId: cell.studyId },
      seed: cell.seed,
    },
    toolbox: ALL_TOOLS,
    handlers: handlersOf(testbed, options),
    clock,
    interpreter,
    durable,
  });
  const ports: CellPorts = {
    runDir,
    calls: broker,
    clock: recordedClock(clock, broker),
    pass: (ms) => clock.advance(ms),
    tools: [...TOOLBOX.values()],
    durable,
  };
  const dispose = (): void => {
    broker.close();
    testbed.dispose();
  };
  return { ports, clock, dispose };
}

/** A clock whose every reading is kept for a replay. */
function recordedClock(clock: ClockPort, broker: Broker): ClockPort {
  return {
    nowMs: () => {
      const value = clock.nowMs();
      broker.keep({ port: 'clock', value });
      return value;
    },
  };
}

function handlersOf(testbed: Testbed, { model, approver }: LiveOptions): Handlers {
  const harness: readonly (readonly [string, EffectHandler])[] = [
    [MODEL_EFFECT.effect, async ({ payload }) => ok(await generate(model, payload))],
    ['Testbed.Reset', () => Promise.resolve(ok({ state: testbed.digest() }))],
    ['Testbed.Shadow', ({ payload }) => shadow(testbed, payload)],
    [
      'Suite.Check',
      ({ payload }) => Promise.resolve(ok({ outcomes: check(testbed, payload['expectations']) })),
    ],
    [
      'Approver.Ask',
      // The cell makes the view; the tool's schema only says that it is an object.
      ({ payload }) =>
        Promise.resolve(ok({ ...approver(payload as unknown as ApprovalView), waitedMs: APPROVAL_MS })),
    ],
  ];
  return new Map([...testbed.handlers(), ...harness]);
}

function ok(value: JsonObject): HandlerAnswer {
  return { ok: true, value };
}

/** Does an action on a copy of the testbed, and says what is different there. */
async function shadow(testbed: Testbed, payload: JsonObject): Promise<HandlerAnswer> {
  const copy = testbed.clone();
  try {
    const failed = await perform(copy, payload);
    const change = testbed.changeTo(copy);
    const { added, changed, removed } = change;
    const affected = added.length + changed.length + removed.length;
    const summary = `${added.length} added, ${changed.length} changed, ${removed.length} removed`;
    return ok({
      summary: failed ? `${summary}; it does not run to its end` : summary,
      affected,
      change: { added: [...added], changed: [...changed], removed: [...removed] },
    });
  } finally {
    copy.dispose();
  }
}

/** Runs the effects of a call, without a broker. Returns whether one of them failed. */
async function perform(testbed: Testbed, payload: JsonObject): Promise<boolean> {
  const tool = ALL_TOOLS.get(textIn(payload, 'tool'));
  if (tool === undefined || isPure(tool)) return false;
  const input = payload['input'] as JsonObject;
  const { planned } = new Prepared({ callId: 'shadow', tool: tool.name, input, caller: 'harness' }, tool);
  const handlers = testbed.handlers();
  let failed = false;
  for (const { effect, scope, payload: asked } of planned?.effects ?? []) {
    const handler = handlers.get(effect);
    const signal = new AbortController().signal;
    const answer = await handler?.({ callId: 'shadow', effect, scope, payload: asked, now: 0, signal });
    if (answer?.ok !== true) failed = true;
  }
  return failed;
}

function check(testbed: Testbed, expectations: JsonValue | undefined): string[] {
  const paths = [...testbed.worktree.state().keys()];
  const text = (path: string): string | undefined => {
    const found = testbed.worktree.read(path);
    return found.ok ? found.value : undefined;
  };
  return (Array.isArray(expectations) ? expectations : []).map((expectation) => {
    const criterion = parseCriterion(typeof expectation === 'string' ? expectation : '');
    return criterion.ok ? criterion.check({ text, paths }) : 'unknown';
  });
}
