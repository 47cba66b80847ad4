/** One agent: what it asks in which order, what it does with refusals, and with what cannot be read. */
import { describe, expect, it } from 'vitest';
import { readMove } from '../../harness/agents/moves.js';
import { singleAgent } from '../../harness/agents/single.js';
import type { AgentEnd, AgentReply, AgentRequest } from '../../harness/core/agent.js';

const PLAN =
  '{"plan":{"description":"d","capabilities":["read:worktree"],"tier":"T1","successCriteria":"s"}}';
const ACT = '{"act":{"tool":"fs.list","input":{"path":"."},"summary":"look","tier":"T0"}}';
const DONE = '{"done":{"status":"success","summary":"finished"}}';

interface Talk {
  readonly asked: AgentRequest[];
  readonly end: AgentEnd;
}

/** Lets an agent talk to a model that says these things in turn. */
function talk(
  says: readonly string[],
  replies: Partial<Record<AgentRequest['ask'], AgentReply>> = {},
  turnsMax = 20,
): Talk {
  const agent = singleAgent({
    goal: 'the goal',
    tools: [{ name: 'fs.list', summary: 'Lists.', inputSchema: {} }],
    turnsMax,
  });
  const asked: AgentRequest[] = [];
  let said = 0;
  let next = agent.next();
  while (next.done !== true) {
    asked.push(next.value);
    next = agent.next(answer(next.value.ask));
  }
  return { asked, end: next.value };

  function answer(ask: AgentRequest['ask']): AgentReply {
    if (ask === 'model') return { content: says[Math.min(said++, says.length - 1)]! };
    const given = replies[ask];
    if (given !== undefined) return given;
    if (ask === 'plan') return { granted: true };
    return ask === 'act' ? { outcome: 'done', output: { ok: 1 } } : undefined;
  }
}

/** What the model was last told. */
function lastTold({ asked }: Talk): string {
  const last = asked.findLast((request) => request.ask === 'model');
  return last?.ask === 'model' ? (last.request.messages.at(-1)?.content ?? '') : '';
}

describe('single agent', () => {
  it('agent: plan, action, end → asks for each in turn, with one task', () => {
    const { asked, end } = talk([PLAN, ACT, DONE]);
    expect(asked.map(({ ask }) => ask)).toEqual(['model', 'plan', 'start', 'model', 'act', 'model', 'close']);
    expect(end).toEqual({ ended: 'completed', summary: 'finished' });
    expect(asked[4]).toMatchObject({
      action: { tool: 'fs.list', input: { path: '.' }, tier: 'T0', taskId: 'task_1' },
    });
  });

  it('agent: an action before a plan → nothing is asked, and the model is told to plan', () => {
    const talked = talk([ACT, PLAN, DONE]);
    expect(talked.asked.map(({ ask }) => ask)).toEqual(['model', 'model', 'plan', 'start', 'model', 'close']);
    const second = talked.asked[1];
    expect(second?.ask === 'model' && second.request.messages.at(-1)?.content).toMatch(/Plan first/);
  });

  it('agent: a plan that is not granted → told why, and no task starts', () => {
    const talked = talk([PLAN, DONE], { plan: { granted: false, comment: 'Too broad.' } }, 3);
    expect(talked.asked.map(({ ask }) => ask)).not.toContain('start');
    expect(talked.end.ended).toBe('aborted');
    expect(
      talked.asked.flatMap((request) =>
        request.ask === 'model' ? [request.request.messages.at(-1)?.content] : [],
      ),
    ).toContain('The plan was not granted. Too broad.');
  });

  it('agent: an action that is stopped → told by whom and why', () => {
    const talked = talk([PLAN, ACT, DONE], { act: { outcome: 'stopped', by: 'principal', reason: 'no' } });
    expect(lastTold(talked)).toBe('Not done. Stopped by principal: no');
  });

  it('agent: what cannot be read → told what is wrong; three times in a row → given up', () => {
    const talked = talk(['nonsense', PLAN, '{"x":{}}', DONE]);
    expect(talked.end.ended).toBe('completed');
    const given = talk([PLAN, 'no', 'no', 'no', DONE]);
    expect(given.end).toEqual({ ended: 'aborted', summary: 'the model did not say what can be read' });
  });

  it('agent: never done → the task is closed as failed when the turns are used up', () => {
    const { asked, end } = talk([PLAN, ACT], {}, 5);
    expect(asked.at(-1)).toMatchObject({ ask: 'close', status: 'failure' });
    expect(end.ended).toBe('completed');
  });
});

describe('moves', () => {
  const WRONG: readonly (readonly [string, RegExp])[] = [
    ['', /invalid-json/],
    ['[]', /one member/],
    ['null', /one member/],
    ['{"plan":{},"act":{}}', /one member/],
    ['{"plan":1}', /must be an object/],
    ['{"fly":{}}', /is no move/],
    ['{"act":{"tool":"a","tool":"b"}}', /duplicate-key/],
    ['{"act":{"tool":"x","input":{"a":"\\ud800"},"summary":"s","tier":"T1"}}', /lone-surrogate/],
    ['{"plan":{"description":"","capabilities":[],"tier":"T1","successCriteria":""}}', /description/],
    ['{"plan":{"description":"d","capabilities":["root"],"tier":"T1","successCriteria":""}}', /capabilities/],
    ['{"plan":{"description":"d","capabilities":[],"tier":"T9","successCriteria":""}}', /tier/],
    ['{"plan":{"description":"d","capabilities":[],"tier":"T1"}}', /successCriteria/],
    ['{"act":{"input":{},"summary":"s","tier":"T1"}}', /act\.tool/],
    ['{"act":{"tool":"x","input":[],"summary":"s","tier":"T1"}}', /act\.input/],
    ['{"act":{"tool":"x","input":{},"summary":"","tier":"T1"}}', /act\.summary/],
    ['{"act":{"tool":"x","input":{},"summary":"s","tier":1}}', /act\.tier/],
    ['{"done":{"status":"ok","summary":"s"}}', /done\.status/],
    ['{"done":{"status":"success"}}', /done\.summary/],
  ];
  for (const [content, why] of WRONG) {
    it(`moves: ${content === '' ? 'nothing' : content} → refused, with what is wrong`, () => {
      expect(readMove(content)).toMatchObject({ ok: false, why: expect.stringMatching(why) });
    });
  }

  it('moves: reasons and plans to undo → kept where they are texts', () => {
    const content =
      '{"act":{"tool":"x","input":{},"summary":"s","tier":"T1","rationale":"r","reversibilityPlan":5}}';
    expect(readMove(content)).toEqual({
      ok: true,
      move: { move: 'act', action: { tool: 'x', input: {}, summary: 's', tier: 'T1', rationale: 'r' } },
    });
  });
});
