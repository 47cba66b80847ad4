/** Outputs: what they are made of, and reading the refusal back that one tells of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import type { JsonObject } from '../../harness/core/event.js';
import type { EffectResult, EffectTool } from '../../harness/core/tool.js';
import { outputBytes, pureOutputBytes, refusalIn, refusedOutputBytes } from '../../harness/effects/output.js';
import { planOf } from '../../harness/effects/plan.js';
import { addTool, getTool, setTool, swapTool } from '../support/effect-bed.js';

const REF = digestOf(Buffer.from('record'));

function composed(tool: EffectTool, input: JsonObject, results: readonly EffectResult[]): JsonObject {
  const links = results.map(({ id, status }) => ({ id, record: REF, status }));
  const planned = planOf(tool, input);
  const bytes = outputBytes({ tool, input, planned, plan: REF, results, links });
  return JSON.parse(Buffer.from(bytes).toString()) as JsonObject;
}

const OK: EffectResult = { id: 'e1', status: 'ok', value: { found: true } };
const world = (...effects: object[]): object => ({ effects, plan: REF });
const link = (id: string, status: string): object => ({ id, record: REF, status });

describe('output', () => {
  it('output: one effect without finish → its result where it was ok, and nothing where it failed or was denied', () => {
    expect(composed(getTool, { name: 'a' }, [OK])).toEqual({ found: true, world: world(link('e1', 'ok')) });
    const others: readonly EffectResult[] = [
      { id: 'e1', status: 'failed' },
      { id: 'e1', status: 'denied', denial: 'denied:scope' },
    ];
    for (const result of others)
      expect(composed(getTool, { name: 'a' }, [result])).toEqual({ world: world(link('e1', result.status)) });
  });

  it('output: several effects without finish → the results that were ok, by the names of their effects', () => {
    const tool: EffectTool = { ...swapTool, plan: (input) => ({ ...swapTool.plan(input), finish: false }) };
    const results: readonly EffectResult[] = [
      { id: 'read', status: 'failed' },
      { id: 'write', status: 'ok', value: { written: true } },
    ];
    expect(composed(tool, { name: 'a', note: 1 }, results)).toEqual({
      write: { written: true },
      world: world(link('read', 'failed'), link('write', 'ok')),
    });
  });

  it('output: no effect → the result of the plan, and a world without effects', () => {
    expect(composed(setTool, { name: 'a', value: 13 }, [])).toEqual({
      said: 'not that number',
      world: world(),
    });
  });

  it('output: with finish → what it makes of the results, in their order', () => {
    const results: readonly EffectResult[] = [
      { id: 'read', status: 'ok', value: { found: false } },
      { id: 'write', status: 'denied', denial: 'denied:budget' },
    ];
    expect(composed(swapTool, { name: 'a', note: 1 }, results)).toMatchObject({
      read: { found: false },
      statuses: ['ok', 'denied'],
    });
  });

  it('output: of a tool that only computes → what it computes, with no member of ours', () => {
    expect(Buffer.from(pureOutputBytes(addTool, { a: 1, b: 2 })).toString()).toBe('{"sum":3}');
  });

  it('output: of any refusal → the same refusal is read back', () => {
    const refusals = fc.record(
      { by: fc.string(), reason: fc.string(), event: fc.string() },
      { requiredKeys: ['by', 'reason'] },
    );
    fc.assert(
      fc.property(refusals, (refusal) => {
        const output = JSON.parse(
          Buffer.from(refusedOutputBytes(refusal, REF, REF)).toString(),
        ) as JsonObject;
        expect(refusalIn(output)).toEqual(refusal);
      }),
    );
  });

  it('output: that only looks like one of a refusal → none, so that no tool can say that it was refused', () => {
    const outputs: readonly JsonObject[] = [
      {},
      { refused: { by: 'gate', reason: 'no' } },
      { refused: { by: 'gate', reason: 'no' }, world: { effects: [], plan: REF } },
      { refused: { by: 'gate' }, world: { refusal: REF } },
      { refused: 'by the gate', world: { refusal: REF } },
      { world: { refusal: REF } },
    ];
    for (const output of outputs) expect(refusalIn(output), JSON.stringify(output)).toBeUndefined();
  });
});
