/**
 * One agent with all tools: it plans one task, works on it action by action, and says when it is done.
 *
 * The model speaks JSON, one object a turn (moves.ts). What it says wrongly goes back to it with what was wrong; when
 * that persists, the run ends as the agent's failure.
 */
import { ask } from '../core/agent.js';
import type { ActionReply, Agent } from '../core/agent.js';
import type { ModelRequest } from '../core/ports.js';
import type { Tool } from '../core/tool.js';
import { readMove } from './moves.js';
import type { Move } from './moves.js';

export interface SingleOptions {
  readonly goal: string;
  readonly tools: readonly Pick<Tool, 'name' | 'summary' | 'inputSchema'>[];
  /** Most turns of the model after which the run is given up. */
  readonly turnsMax?: number;
}

const ROLE = 'agent';
const TURNS_MAX = 40;
/** Answers that cannot be read, one after the other, until the agent is given up. */
const MISREADINGS_MAX = 3;

type Messages = ModelRequest['messages'][number][];

/** The agent of a run with one agent. */
export function* singleAgent(options: SingleOptions): Agent {
  const { goal, tools, turnsMax = TURNS_MAX } = options;
  const messages: Messages = [
    { role: 'system', content: instructions(tools) },
    { role: 'user', content: goal },
  ];
  let taskId: string | undefined;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const move: Move | undefined = yield* nextMove(messages, taskId);
    if (move === undefined) return { ended: 'aborted', summary: 'the model did not say what can be read' };
    if (move.move === 'plan') {
      const reply = yield* ask('plan', { draft: { tasks: [move.task] }, role: ROLE });
      if (!reply.granted) {
        messages.push({ role: 'tool', content: `The plan was not granted. ${reply.comment ?? ''}`.trim() });
        continue;
      }
      if (taskId === undefined) yield* ask('start', { taskId: move.task.id, role: ROLE });
      taskId = move.task.id;
      messages.push({ role: 'tool', content: 'The plan was granted.' });
      continue;
    }
    if (taskId === undefined) {
      messages.push({ role: 'tool', content: 'Plan first: nothing is done without a granted plan.' });
      continue;
    }
    if (move.move === 'done') {
      yield* ask('close', { taskId, role: ROLE, status: move.status, summary: move.summary });
      return { ended: 'completed', summary: move.summary };
    }
    const { action } = move;
    const reply = yield* ask('act', { action: { ...action, taskId, role: ROLE } });
    messages.push({ role: 'tool', content: told(reply) });
  }
  if (taskId !== undefined) {
    yield* ask('close', { taskId, role: ROLE, status: 'failure', summary: 'out of turns' });
    return { ended: 'completed', summary: 'The agent used up its turns.' };
  }
  return { ended: 'aborted', summary: 'no plan within the turns allowed' };
}

/** The next thing the model wants; `undefined` when it keeps saying what cannot be read. */
function* nextMove(messages: Messages, taskId: string | undefined): Agent<Move | undefined> {
  for (let misread = 0; misread < MISREADINGS_MAX; misread += 1) {
    const request = { role: ROLE, purpose: taskId === undefined ? 'plan' : 'act', messages: [...messages] };
    const { content } = yield* ask('model', { request, ...(taskId === undefined ? {} : { taskId }) });
    messages.push({ role: 'assistant', content });
    const read = readMove(content);
    if (read.ok) return read.move;
    messages.push({
      role: 'tool',
      content: `That could not be read: ${read.why}. Answer with one JSON object.`,
    });
  }
  return undefined;
}

function told(reply: ActionReply): string {
  if (reply.outcome === 'stopped') return `Not done. Stopped by ${reply.by}: ${reply.reason}`;
  return `${reply.outcome}: ${JSON.stringify(reply.output)}`;
}

function instructions(tools: SingleOptions['tools']): string {
  const listed = tools.map(
    ({ name, summary, inputSchema }) => `- ${name}: ${summary} ${JSON.stringify(inputSchema)}`,
  );
  return [
    'You work on one goal with tools. Answer every message with one JSON object and nothing else:',
    '{"plan":{"description":…,"capabilities":[…],"tier":"T0".."T4","successCriteria":…}} once, first;',
    '{"act":{"tool":…,"input":{…},"summary":…,"tier":…,"rationale":…,"reversibilityPlan":…}} for each action;',
    '{"done":{"status":"success"|"partial"|"failure","summary":…}} at the end.',
    'Tools:',
    ...listed,
  ].join('\n');
}
