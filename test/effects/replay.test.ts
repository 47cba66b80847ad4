/** Replaying calls: ranges, other interpreters and tools, and what is shown of a difference. */
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { toolbox } from '../../harness/core/tool.js';
import type { EffectTool, Tool } from '../../harness/core/tool.js';
import { divergence } from '../../harness/effects/divergence.js';
import { ReplayPort } from '../../harness/effects/replay-port.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import {
  effectBed,
  everyKind,
  getTool,
  GRANTS,
  INTERPRETER,
  replayAll,
  TOOLS,
} from '../support/effect-bed.js';

const OTHER = { digest: digestOf(Buffer.from('another')), release: '0.1.0' };

/** The tools of the bed, with one of them changed. */
function withTool(changed: Tool): ReadonlyMap<string, Tool> {
  return toolbox(TOOLS.map((tool) => (tool.name === changed.name ? changed : tool)));
}

describe('replay', () => {
  it('replay: a range of entries, and one by id or hash → only those', async () => {
    const bed = effectBed();
    const answers = await everyKind(bed);
    expect(replayAll(bed.runDir, { from: 2, to: 4 }).map(({ tool }) => tool)).toEqual([
      'number.note',
      'number.add',
      'number.get',
    ]);
    const { entryHash, invocationId } = answers[5]!;
    for (const invocation of [entryHash, invocationId])
      expect(replayAll(bed.runDir, { invocation }).map((entry) => entry.invocationId)).toEqual([
        invocationId,
      ]);
    expect(replayAll(bed.runDir, { invocation: 'run_effects:99' })).toEqual([]);
    // A call of another run has the same number, and is not here.
    expect(replayAll(bed.runDir, { invocation: 'run_other:5' })).toEqual([]);
  });

  it('replay: another interpreter → a divergence of its own, or, where that is allowed, a note', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    const [refused] = replayAll(bed.runDir, { interpreter: OTHER });
    expect(refused?.mismatch).toMatchObject({
      stage: 'interpreter',
      expected: OTHER.digest,
      found: INTERPRETER.digest,
    });
    const [allowed] = replayAll(bed.runDir, { interpreter: OTHER, allowInterpreter: true });
    expect(allowed).toMatchObject({
      mismatch: undefined,
      notes: [expect.stringMatching(/^the interpreter was/)],
    });
  });

  it('replay: a tool whose plan has changed → named at the source, and at the plan where that is allowed', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    const changed = withTool({
      ...getTool,
      plan: (input) => ({
        ...getTool.plan(input),
        effects: [{ ...getTool.plan(input).effects[0]!, payload: { name: 'b' } }],
      }),
    });
    expect(replayAll(bed.runDir, { toolbox: changed })[0]?.mismatch).toMatchObject({
      stage: 'interpreter',
      what: 'the source of the tool',
    });
    const [entry] = replayAll(bed.runDir, { toolbox: changed, allowInterpreter: true });
    expect(entry?.mismatch).toMatchObject({
      type: 'divergence',
      stage: 'plan',
      found: expect.stringContaining('"name":"a"'),
    });
  });

  it('replay: a finish that throws now → named as finish; one that says something else → as output', async () => {
    const bed = effectBed();
    await bed.call('number.note', { name: 'a', note: 1 });
    const [, , note] = TOOLS as [Tool, Tool, EffectTool];
    const throwing = {
      ...note,
      finish: () => {
        throw new Error('now');
      },
    };
    const options = { allowInterpreter: true };
    expect(replayAll(bed.runDir, { ...options, toolbox: withTool(throwing) })[0]?.mismatch).toMatchObject({
      stage: 'finish',
    });
    const other = { ...note, finish: () => ({ other: true }) };
    expect(replayAll(bed.runDir, { ...options, toolbox: withTool(other) })[0]?.mismatch).toMatchObject({
      stage: 'output',
    });
  });

  it('replay: a tool that is gone → the plan differs, and no handler is missed', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    const [entry] = replayAll(bed.runDir, { toolbox: toolbox([]), allowInterpreter: true });
    expect(entry?.mismatch).toMatchObject({ stage: 'plan' });
  });

  it('replay: long values → the piece around their first difference, and how much is left out', () => {
    const [same, rest] = ['s'.repeat(1000), 'r'.repeat(1000)];
    const { expected, found } = divergence('plan', 'x', { expected: `${same}a${rest}`, found: `${same}b` });
    expect(expected).toMatch(/^… 880 characters … s{120}ar{279} … 721 characters …$/);
    expect(found).toMatch(/^… 880 characters … s{120}b$/);
    expect(divergence('plan', 'x', { expected: 'ab', found: 'ac' })).toMatchObject({
      expected: 'ab',
      found: 'ac',
    });
  });
});

describe('replay port', () => {
  async function port(): Promise<{ port: ReplayPort; close: () => void }> {
    const bed = effectBed();
    bed.shelf.numbers.set('a', 4);
    await bed.call('number.get', { name: 'a' }, { callId: 'first' });
    await bed.broker.refuse(
      bed.broker.prepare({
        callId: 'second',
        tool: 'number.set',
        input: { name: 'a', value: 2 },
        caller: 'coder',
      }),
      {
        by: 'principal',
        reason: 'no',
      },
    );
    const run = RecordedRun.open(bed.runDir);
    const options = { toolbox: toolbox(TOOLS), interpreter: INTERPRETER, allowInterpreter: false };
    return { port: new ReplayPort(run, options), close: () => run.close() };
  }
  const first = { callId: 'first', tool: 'number.get', input: { name: 'a' }, caller: 'coder' };

  it('replay port: the same call again → the recorded answer', async () => {
    const { port: calls, close } = await port();
    calls.grant('main', GRANTS);
    const answer = await calls.execute(calls.prepare(first), 'main');
    expect(answer).toMatchObject({ status: 'executed', output: { found: true, value: 4 } });
    expect(calls.unasked).toEqual(['second']);
    close();
  });

  it('replay port: other grants, another input, another caller, an unknown call, another decision → stopped, and named', async () => {
    const { port: calls, close } = await port();
    expect(() => {
      calls.grant('main', []);
    }).toThrow(/grants/);
    expect(() => {
      calls.grant('other', []);
    }).toThrow(/grants/);
    const stops: readonly (readonly [object, string])[] = [
      [{ input: { name: 'b' } }, 'plan'],
      [{ caller: 'ops' }, 'receipt'],
      [{ callId: 'third' }, 'receipt'],
    ];
    for (const [over, stage] of stops) {
      await expect(calls.execute(calls.prepare({ ...first, ...over }), 'main')).rejects.toMatchObject({
        mismatch: { stage },
      });
    }
    await expect(calls.refuse(calls.prepare(first), { by: 'gate', reason: 'no' })).rejects.toMatchObject({
      mismatch: { stage: 'plan', what: 'the decision' },
    });
    await expect(calls.execute(calls.prepare(first), 'other')).rejects.toMatchObject({
      mismatch: { stage: 'effects', what: 'the purse', expected: 'other', found: 'main' },
    });
    close();
  });

  it('replay port: a call that was refused → refused in the same words, and neither run nor refused by another', async () => {
    const { port: calls, close } = await port();
    const prepared = calls.prepare({
      callId: 'second',
      tool: 'number.set',
      input: { name: 'a', value: 2 },
      caller: 'coder',
    });
    expect(await calls.refuse(prepared, { by: 'principal', reason: 'no' })).toMatchObject({
      status: 'refused',
      output: { refused: { by: 'principal', reason: 'no' } },
    });
    const others = [
      () => calls.execute(prepared, 'main'),
      () => calls.refuse(prepared, { by: 'gate', reason: 'no' }),
      () => calls.refuse(prepared, { by: 'principal', reason: 'no!' }),
      () => calls.refuse(prepared, { by: 'principal', reason: 'no', event: 'evt_1' }),
    ];
    for (const other of others)
      await expect(other()).rejects.toMatchObject({
        mismatch: { type: 'divergence', stage: 'plan', what: 'the decision' },
      });
    expect(calls.answered).toBe(1);
    close();
  });

  it('replay port: every kind of call asked again → the recorded answers, and nothing is left unasked', async () => {
    const bed = effectBed();
    const answers = await everyKind(bed);
    const done = bed.shelf.done.length;
    const run = RecordedRun.open(bed.runDir);
    const options = { toolbox: toolbox(TOOLS), interpreter: INTERPRETER, allowInterpreter: false };
    const calls = new ReplayPort(run, options);
    const again = await everyKind({
      ...bed,
      broker: calls as never,
      call: (tool, input, { callId = '', purse = 'main' } = {}) => {
        const id = callId === '' ? `call_${calls.answered + 1}` : callId;
        return calls.execute(calls.prepare({ callId: id, tool, input, caller: 'coder' }), purse);
      },
    });
    expect(again).toEqual(answers);
    expect(calls.unasked).toEqual([]);
    expect(bed.shelf.done).toHaveLength(done);
    run.close();
  });

  it('replay port: a call that nobody could do then → refused again, whoever asks for it now', async () => {
    const bed = effectBed({ handlers: new Map() });
    const answer = await bed.call('number.get', { name: 'a' }, { callId: 'first' });
    const run = RecordedRun.open(bed.runDir);
    const options = { toolbox: toolbox(TOOLS), interpreter: INTERPRETER, allowInterpreter: false };
    const calls = new ReplayPort(run, options);
    expect(await calls.execute(calls.prepare(first), 'main')).toEqual(answer);
    run.close();
  });
});
