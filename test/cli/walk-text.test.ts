/** The text of a walk: what somebody reads who knows neither the store nor its words. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preview } from '../../harness/cli/walk-story.js';
import { objectText, walkText } from '../../harness/cli/walk-text.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { walkEntry, walkObject } from '../../harness/effects/walk.js';
import { effectBed, everyKind } from '../support/effect-bed.js';
import type { EffectBed } from '../support/effect-bed.js';
import { flip, packedObjects } from '../support/tampering.js';

function textOf(runDir: string, at: number): string {
  const run = RecordedRun.open(runDir);
  try {
    return walkText(walkEntry(run, at));
  } finally {
    run.close();
  }
}

async function finished(): Promise<EffectBed> {
  const bed = effectBed();
  await everyKind(bed);
  return bed;
}

describe('walk text', () => {
  it('walk text: a call of each kind → who asked for what, whether it was allowed, what came back', async () => {
    const { runDir } = await finished();
    const expected: readonly (readonly [number, readonly string[]])[] = [
      [
        2,
        [
          'coder called the tool number.note with {"name":"a","note":1}',
          'It asked the world for 2 things, in this order:',
          '1. Number.Get on shelf, with {"name":"a"}',
          'Allowed, and done. Its result: {"found":true,"value":4}',
          '2. Number.Set on shelf, with {"name":"note","value":1}',
          'It cost 1: of a budget of 999999, 999998 is left.',
        ],
      ],
      [3, ['it asked the world for nothing', 'What the caller got back: {"sum":3}']],
      [4, ['Failed: ', 'Allowed and begun, but it failed', '{"reason":"the handler threw RangeError"}']],
      [5, ['Failed: ', 'What stopped it says: {"tripwire":"shelf.guarded"}']],
      [6, ['Denied: ', 'Not allowed, and not done', '(denied:effect-name)', 'Nothing was spent.']],
      [7, ['a right to this kind of effect, but not there (denied:scope)']],
      [8, ['had run out by then (denied:expired)']],
      [9, ['(denied:budget)', 'it would have cost 1, and 0 was left']],
      [10, ['Refused: ', 'Nobody stopped it: the tool itself answered', '{"said":"not that number"}']],
      [11, ['Refused: ', 'Its input is not what the tool takes: /value must be number']],
      [12, ['It could not be called: there is no tool called number.none']],
      [
        13,
        [
          'Refused: it was stopped before anything was done.',
          'Stopped by principal: Leave a alone. (event evt_1 of provenance.jsonl)',
          'What it would have asked the world for:',
          '- Number.Set on shelf, with {"name":"a","value":2}',
        ],
      ],
    ];
    for (const [at, sentences] of expected) {
      const text = textOf(runDir, at);
      for (const sentence of [...sentences, 'Every link holds.', `revision ${at}, sha256:`])
        expect(text).toContain(sentence);
      expect(text).not.toContain('✗');
    }
  });

  it('walk text: what an agent wrote has control characters, and no end → made visible, and cut', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: `\u001b[2J\u202e\u0007${'x'.repeat(5000)}` });
    const text = textOf(bed.runDir, 0);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text).toContain('characters)');
    expect(text.length).toBeLessThan(4000);
    expect(preview(`${'x'.repeat(159)}\u{1f600}x`)).toBe(`${'x'.repeat(159)} … (162 characters)`);
    expect(preview('short')).toBe('short');
  });

  it('walk text: any object damaged → said in the story or at its link, and never that all holds', async () => {
    const bed = effectBed();
    const calls = [
      () => bed.call('number.note', { name: 'a', note: 1 }),
      () => bed.call('number.set', { name: 'guarded', value: 1 }),
      () => bed.call('number.set', { name: 'a', value: 'much' }),
    ];
    for (const call of calls) await call();
    bed.broker.close();
    const pack = join(bed.runDir, 'objects.pack');
    const bytes = readFileSync(pack);
    for (const { kind, payload } of packedObjects(bed.runDir)) {
      if (kind === 'epochs') continue;
      writeFileSync(pack, bytes);
      flip(pack, payload.from + 2);
      const texts = calls.map((_, at) => textOf(bed.runDir, at));
      expect(
        texts.some((text) => text.includes('NOT every link holds') && /✗ .*DAMAGED|✗ entry/.test(text)),
        kind,
      ).toBe(true);
    }
  });

  it('walk text: an object by itself → what it is stored as, and the calls that lead to it', async () => {
    const { runDir } = await finished();
    const run = RecordedRun.open(runDir);
    const { input } = run.calls.get('call_1')!.outcome!;
    const text = objectText(input, walkObject(run, input));
    run.close();
    expect(text).toContain('ok, stored as world/invocation-input/v1 by caller');
    expect(text).toContain('by the index of their entry: 0');
    expect(text).toContain('{"tool":"number.get","input":{"name":"a"}}');
  });
});
