/** The live broker: what a call leaves behind, and what it never does. */
import { describe, expect, it } from 'vitest';
import { effectBed } from '../support/effect-bed.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { recordedAnswer } from '../../harness/effects/recorded-answer.js';

describe('broker', () => {
  it('broker: a call with one effect → executed, one entry, and the same answer from its records', async () => {
    const bed = effectBed();
    bed.shelf.numbers.set('a', 4);
    const answer = await bed.call('number.get', { name: 'a' });
    expect(answer).toMatchObject({
      status: 'executed',
      invocationId: 'run_effects:0',
      output: { found: true, value: 4 },
    });
    const run = RecordedRun.open(bed.runDir);
    expect(run.entries).toHaveLength(1);
    expect(run.badLines).toEqual([]);
    expect(run.store.faults).toEqual([]);
    expect(recordedAnswer(run, answer.callId)).toEqual({ ok: true, value: answer });
    run.close();
  });

  it('broker: two calls at once on a budget of 1 → exactly one runs, the other is denied', async () => {
    const bed = effectBed();
    bed.broker.grant('one', [{ effect: 'Number.Set', scope: 'shelf', budget: 1 }]);
    const answers = await Promise.all(
      ['a', 'b'].map((name) => bed.call('number.set', { name, value: 1 }, { purse: 'one' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(['executed', 'denied']);
    expect(bed.shelf.done).toEqual(['set a']);
  });

  it('broker: the same call sent again → the recorded answer, and nothing runs again', async () => {
    const bed = effectBed();
    const first = await bed.call('number.set', { name: 'a', value: 1 }, { callId: 'x' });
    const again = await bed.call('number.set', { name: 'a', value: 1 }, { callId: 'x' });
    expect(again).toEqual(first);
    expect(bed.shelf.done).toEqual(['set a']);
    await expect(bed.call('number.set', { name: 'b', value: 1 }, { callId: 'x' })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('broker: one call of every kind → one entry each, in order', async () => {
    const bed = effectBed();
    const statuses = [
      await bed.call('number.get', { name: 'a' }),
      await bed.call('number.get', { name: 'broken' }),
      await bed.call('number.set', { name: 'guarded', value: 1 }),
      await bed.call('number.set', { name: 'a', value: 13 }),
      await bed.call('number.set', { name: 'a', value: 'x' }),
      await bed.call('number.none', {}),
      await bed.call('number.add', { a: 1, b: 2 }),
      await bed.call('number.note', { name: 'a', note: 1 }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([
      'executed',
      'failed',
      'failed',
      'refused',
      'refused',
      'refused',
      'executed',
      'executed',
    ]);
    const run = RecordedRun.open(bed.runDir);
    expect(run.entries.map(({ fields }) => fields.entryIndex)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    run.close();
  });
});
