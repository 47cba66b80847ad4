/** The boundary case by case: what a call leaves behind, what it never does, and that a replay needs no world. */
import { describe, expect, it } from 'vitest';
import { canonicalBytes } from '../../harness/core/canonical.js';
import { digestOf } from '../../harness/core/digest.js';
import { toolbox } from '../../harness/core/tool.js';
import type { EffectTool } from '../../harness/core/tool.js';
import { openBroker } from '../../harness/effects/broker.js';
import { recordedAnswer } from '../../harness/effects/recorded-answer.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { readEffectRecord } from '../../harness/effects/objects.js';
import type { EffectRecord } from '../../harness/effects/objects.js';
import type { CallAnswer } from '../../harness/effects/ports.js';
import {
  brokerOptions,
  effectBed,
  everyKind,
  GRANTS,
  makeRunFolder,
  replayAll,
  scanAll,
  Shelf,
  TOOLS,
} from '../support/effect-bed.js';

function recordsOf(runDir: string, { effects }: CallAnswer): EffectRecord[] {
  const run = RecordedRun.open(runDir);
  const records = effects.map(({ record }) => {
    const found = run.store.read(record, 'effectRecord');
    const read = found.ok ? readEffectRecord(found.bytes) : undefined;
    if (read?.ok !== true) throw new Error('no record');
    return read.value;
  });
  run.close();
  return records;
}

describe('effects: one call of every kind', () => {
  it('effects: every kind of call → one entry each in order, with the status it ended in', async () => {
    const bed = effectBed();
    const answers = await everyKind(bed);
    expect(answers.map(({ status }) => status)).toEqual([
      'executed',
      'executed',
      'executed',
      'executed',
      'failed',
      'failed',
      'denied',
      'denied',
      'denied',
      'denied',
      'refused',
      'refused',
      'refused',
      'refused',
    ]);
    const run = RecordedRun.open(bed.runDir);
    expect(run.entries.map(({ fields }) => fields.entryIndex)).toEqual(answers.map((_, at) => at));
    expect(run.entries.map(({ hash }) => hash)).toEqual(answers.map(({ entryHash }) => entryHash));
    for (const answer of answers)
      expect(recordedAnswer(run, answer.callId)).toEqual({ ok: true, value: answer });
    run.close();
  });

  it('effects: every kind of call → replays from the records alone, and no handler is called', async () => {
    const bed = effectBed();
    await everyKind(bed);
    const done = bed.shelf.done.length;
    const replayed = replayAll(bed.runDir);
    expect(replayed).toHaveLength(14);
    expect(replayed.filter(({ mismatch }) => mismatch !== undefined)).toEqual([]);
    expect(bed.shelf.done).toHaveLength(done);
  });

  it('effects: every kind of call → a scan finds nothing', async () => {
    const bed = effectBed();
    await everyKind(bed);
    bed.broker.close();
    expect(scanAll(bed.runDir).filter(({ field }) => field !== 'seal')).toEqual([]);
  });

  it('effects: denied four ways → each with its label, nothing spent, and its request kept', async () => {
    const bed = effectBed();
    const answers = (await everyKind(bed)).slice(6, 10);
    const records = answers.flatMap((answer) => recordsOf(bed.runDir, answer));
    expect(records.map(({ denial }) => denial)).toEqual([
      'denied:effect-name',
      'denied:scope',
      'denied:expired',
      'denied:budget',
    ]);
    for (const { allowed, failed, budgetBefore, budgetAfter, resultRef } of records)
      expect({ allowed, failed, spent: budgetBefore - budgetAfter, resultRef }).toEqual({
        allowed: false,
        failed: false,
        spent: 0,
        resultRef: '',
      });
    const run = RecordedRun.open(bed.runDir);
    for (const { requestRef } of records) expect(run.store.read(requestRef, 'request').ok).toBe(true);
    run.close();
    expect(bed.shelf.done.filter((done) => done === 'set c')).toEqual([]);
  });

  it('effects: a failed effect → debited, without a result, and its evidence is kept', async () => {
    const bed = effectBed();
    const answer = await bed.call('number.set', { name: 'guarded', value: 1 });
    expect(answer).toMatchObject({
      status: 'failed',
      evidence: [{ id: 'e1', value: { tripwire: 'shelf.guarded' } }],
    });
    expect(answer.output).toMatchObject({ world: { effects: [{ id: 'e1', status: 'failed' }] } });
    const [record] = recordsOf(bed.runDir, answer);
    expect(record).toMatchObject({ allowed: true, failed: true, denial: '', resultRef: '' });
    expect(record!.budgetBefore - record!.budgetAfter).toBe(1);
  });

  it('effects: with a finish → it makes the output; without → the result of the only effect is the output', async () => {
    const bed = effectBed();
    bed.shelf.numbers.set('a', 4);
    const without = await bed.call('number.get', { name: 'a' });
    const withFinish = await bed.call('number.note', { name: 'a', note: 1 });
    expect(without.output).toMatchObject({ found: true, value: 4 });
    expect(withFinish.output).toMatchObject({ read: { found: true, value: 4 }, statuses: ['ok', 'ok'] });
  });

  it('effects: a tool that only computes → a record of the older kind, and no plan', async () => {
    const bed = effectBed();
    const answer = await bed.call('number.add', { a: 1, b: 2 });
    expect(answer.output).toEqual({ sum: 3 });
    const run = RecordedRun.open(bed.runDir);
    expect(run.store.read(run.entries[0]!.fields.transitionRef, 'pureRecord').ok).toBe(true);
    run.close();
  });

  it('effects: a refused call → keeps the plan of the tool, and names who refused it', async () => {
    const bed = effectBed();
    const answer = (await everyKind(bed)).at(-1)!;
    expect(answer.output).toMatchObject({
      refused: { by: 'principal', reason: 'Leave a alone.', event: 'evt_1' },
      world: { effects: [] },
    });
    const world = answer.output['world'] as { plan: string; refusal: string };
    const run = RecordedRun.open(bed.runDir);
    const plan = run.store.read(world.plan as never, 'plan');
    expect(plan.ok && Buffer.from(plan.bytes).toString()).toContain('"effect":"Number.Set"');
    expect(run.store.read(world.refusal as never, 'refusal').ok).toBe(true);
    run.close();
    expect(bed.shelf.numbers.get('a')).toBe(4);
  });

  it('effects: the output of a call → the digests in it are those of plan and records', async () => {
    const bed = effectBed();
    const answer = await bed.call('number.get', { name: 'a' });
    const { world, ...body } = answer.output as { world: { effects: unknown[] } };
    expect(world.effects).toEqual(answer.effects);
    const run = RecordedRun.open(bed.runDir);
    expect(run.calls.get('call_1')?.outcome?.output).toBe(
      digestOf(canonicalBytes({ ...body, world } as never)),
    );
    run.close();
  });
});

describe('effects: what never happens twice, or at all', () => {
  it('effects: two calls at once on a budget of 1 → exactly one runs', async () => {
    const bed = effectBed();
    bed.broker.grant('one', [{ effect: 'Number.Set', scope: 'shelf', budget: 1 }]);
    const sets = ['a', 'b'].map((name) => bed.call('number.set', { name, value: 1 }, { purse: 'one' }));
    expect((await Promise.all(sets)).map(({ status }) => status).sort()).toEqual(['denied', 'executed']);
    expect(bed.shelf.done).toHaveLength(1);
  });

  it('effects: a call sent again, at once and later → the recorded answer, and nothing runs again', async () => {
    const bed = effectBed();
    const send = (): Promise<CallAnswer> => bed.call('number.set', { name: 'a', value: 1 }, { callId: 'x' });
    const [first, atOnce] = await Promise.all([send(), send()]);
    expect(atOnce).toEqual(first);
    expect(await send()).toEqual(first);
    expect(bed.shelf.done).toEqual(['set a']);
  });

  it('effects: a call sent again after the run was reopened → the recorded answer, and nothing runs again', async () => {
    const bed = effectBed();
    const first = await bed.call('number.set', { name: 'a', value: 1 }, { callId: 'x' });
    bed.broker.close();
    const again = effectBed({ runDir: bed.runDir });
    expect(await again.call('number.set', { name: 'a', value: 1 }, { callId: 'x' })).toEqual(first);
    expect(again.shelf.done).toEqual([]);
    const next = await again.call('number.get', { name: 'a' }, { callId: 'y' });
    expect(next.invocationId).toBe('run_effects:1');
  });

  it('effects: a name used again for something else → refused, and nothing runs', async () => {
    const bed = effectBed();
    await bed.call('number.set', { name: 'a', value: 1 }, { callId: 'x' });
    const other = bed.call('number.set', { name: 'b', value: 1 }, { callId: 'x' });
    await expect(other).rejects.toMatchObject({
      code: 'invalid-input',
      hint: expect.stringMatching(/name of its own/),
    });
    expect(bed.shelf.done).toEqual(['set a']);
  });

  it('effects: a run reopened → what was spent of a grant stays spent', async () => {
    const bed = effectBed();
    const grants = [{ effect: 'Number.Set', scope: 'shelf', budget: 1 }];
    bed.broker.grant('one', grants);
    await bed.call('number.set', { name: 'a', value: 1 }, { purse: 'one', callId: 'x' });
    bed.broker.close();
    const again = effectBed({ runDir: bed.runDir });
    again.broker.grant('one', grants);
    expect(
      (await again.call('number.set', { name: 'a', value: 2 }, { purse: 'one', callId: 'y' })).status,
    ).toBe('denied');
    expect(() => {
      again.broker.grant('one', [{ effect: 'Number.Set', scope: 'shelf', budget: 9 }]);
    }).toThrow(/other grants/);
  });

  it('effects: the folder of another cell → not written into', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    const options = brokerOptions(new Shelf(), { genesis: { runId: 'run_other', cell: {}, seed: 1 } });
    expect(() => openBroker(bed.runDir, options)).toThrow(/calls of another cell/);
  });

  it('effects: an effect, scope or cost that the tool does not declare → refused before anything is dispatched', async () => {
    const ask = (over: object): EffectTool => ({
      name: 'number.bad',
      summary: 'Asks for what it does not declare.',
      inputSchema: { type: 'object' },
      grants: [{ effect: 'Number.Set', scope: 'shelf', cost: 1 }],
      plan: () => ({
        effects: [
          {
            id: 'e1',
            effect: 'Number.Set',
            scope: 'shelf',
            cost: 1,
            payload: { name: 'a', value: 1 },
            ...over,
          },
        ],
        finish: false,
        result: null,
      }),
    });
    for (const over of [{ effect: 'Number.Get' }, { scope: 'drawer' }, { cost: 0 }]) {
      const bed = effectBed({ toolbox: toolbox([ask(over)]) });
      const answer = await bed.call('number.bad', {});
      expect(answer.status).toBe('refused');
      expect(answer.output['refused']).toMatchObject({
        by: 'plan',
        reason: expect.stringMatching(/does not declare/),
      });
      expect(bed.shelf.done).toEqual([]);
    }
  });

  it('effects: an effect that nobody here can do → refused before anything is dispatched', async () => {
    const bed = effectBed({ handlers: new Map() });
    const answer = await bed.call('number.get', { name: 'a' });
    expect(answer).toMatchObject({ status: 'refused', output: { refused: { by: 'broker' } } });
    expect(replayAll(bed.runDir).map(({ mismatch }) => mismatch)).toEqual([undefined]);
  });

  it('effects: a handler past its deadline → failed, its signal is aborted, and a late answer changes nothing', async () => {
    let aborted = false;
    let answerLate: (() => void) | undefined;
    const handlers = new Map([
      [
        'Number.Get',
        ({ signal }: { signal: AbortSignal }) => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          return new Promise<{ ok: true; value: object }>((resolve) => {
            answerLate = () => resolve({ ok: true, value: { late: true } });
          });
        },
      ],
    ]);
    const bed = effectBed({ handlers: handlers as never, deadlineMs: 5 });
    const answer = await bed.call('number.get', { name: 'a' });
    answerLate?.();
    expect(answer).toMatchObject({
      status: 'failed',
      evidence: [{ value: { reason: 'no answer within 5 ms' } }],
    });
    expect(aborted).toBe(true);
    expect(replayAll(bed.runDir).map(({ mismatch }) => mismatch)).toEqual([undefined]);
  });

  it('effects: a caller that goes away while the effect runs → record and entry still land', async () => {
    let finish: (() => void) | undefined;
    const handlers = new Map([
      [
        'Number.Get',
        () =>
          new Promise((resolve) => {
            finish = () => resolve({ ok: true, value: { found: false } });
          }),
      ],
    ]);
    const bed = effectBed({ handlers: handlers as never });
    const abandoned = bed.call('number.get', { name: 'a' });
    await Promise.race([abandoned, new Promise((resolve) => setImmediate(resolve))]);
    finish?.();
    // Nobody waits for the answer; the run does.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const run = RecordedRun.open(bed.runDir);
    expect(run.entries).toHaveLength(1);
    run.close();
    await abandoned;
  });

  it('effects: handlers that throw, return no object, or claim the member world → failed, and told so', async () => {
    const answers: unknown[] = [['list'], 5, { world: {} }, { bad: '\ud800' }, { bad: Number.NaN }];
    for (const value of answers) {
      const handlers = new Map([['Number.Get', () => Promise.resolve({ ok: true, value })]]);
      const bed = effectBed({ handlers: handlers as never });
      const answer = await bed.call('number.get', { name: 'a' });
      expect(answer.status).toBe('failed');
      expect(answer.output).toEqual({ world: expect.anything() });
    }
  });

  it('effects: a finish that throws, returns no object, or claims the member world → told in its place, and replays', async () => {
    const finishes = [
      () => {
        throw new RangeError('no');
      },
      () => [] as never,
      () => ({ world: {} }),
    ];
    for (const finish of finishes) {
      const [, , note] = TOOLS;
      const tools = toolbox([{ ...(note as EffectTool), finish }]);
      const bed = effectBed({ toolbox: tools });
      const answer = await bed.call('number.note', { name: 'a', note: 1 });
      expect(answer.output).toMatchObject({ broken: expect.any(String), world: { effects: [{}, {}] } });
      expect(replayAll(bed.runDir, { toolbox: tools }).map(({ mismatch }) => mismatch)).toEqual([undefined]);
    }
  });

  it('effects: grants given out while calls run → each is paid from its own', async () => {
    const bed = effectBed({ runDir: makeRunFolder() });
    bed.broker.grant('a', [{ ...GRANTS[1]!, budget: 2 }]);
    bed.broker.grant('b', [{ ...GRANTS[1]!, budget: 1 }]);
    const statuses: string[] = [];
    for (const purse of ['a', 'b', 'a', 'b', 'a'])
      statuses.push((await bed.call('number.set', { name: purse, value: 1 }, { purse })).status);
    expect(statuses).toEqual(['executed', 'executed', 'executed', 'denied', 'denied']);
    expect(scanAll(bed.runDir).filter(({ type }) => type === 'hole')).toEqual([]);
  });
});
