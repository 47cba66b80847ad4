/** The laws of plans: each kept and broken; and the grants that pay for them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectPlan, EffectTool } from '../../harness/core/tool.js';
import { PAYLOAD_BYTES_MAX, planOf } from '../../harness/effects/plan.js';
import { grantText, parseGrant, Purse } from '../../harness/effects/purse.js';
import { inputFault } from '../../harness/effects/tool-input.js';
import { getTool, setTool } from '../support/effect-bed.js';

const EFFECT = { id: 'e1', effect: 'Number.Get', scope: 'shelf', cost: 0, payload: {} };
const PLAN = { effects: [EFFECT], finish: false, result: null };

function planned(plan: unknown, tool: Partial<EffectTool> = {}): ReturnType<typeof planOf> {
  return planOf({ ...getTool, ...tool, plan: () => plan as EffectPlan }, { name: 'a' });
}

const BROKEN: readonly (readonly [string, unknown, RegExp])[] = [
  ['a member too many', { ...PLAN, more: 1 }, /members effects,finish,result/],
  ['a member too few', { effects: [EFFECT], result: null }, /members effects,finish,result/],
  ['effects that are no list', { ...PLAN, effects: {} }, /effects is a list/],
  ['finish that is no truth value', { ...PLAN, finish: 1 }, /finish is true or false/],
  ['a finish that the tool does not have', { ...PLAN, finish: true }, /the tool has none/],
  ['a result that is a list', { ...PLAN, effects: [], result: [] }, /result is an object or null/],
  ['neither effects nor a result', { ...PLAN, effects: [] }, /effects or a result/],
  ['both effects and a result', { ...PLAN, result: {} }, /effects or a result/],
  [
    'a result with the member world',
    { effects: [], finish: false, result: { world: 1 } },
    /world is no member/,
  ],
  [
    'an effect with a member too many',
    { ...PLAN, effects: [{ ...EFFECT, more: 1 }] },
    /an effect has the members/,
  ],
  ['an effect that is no object', { ...PLAN, effects: [null] }, /an effect has the members/],
  ['an empty id', { ...PLAN, effects: [{ ...EFFECT, id: '' }] }, /an id is 1 to 16/],
  ['an id of 17 characters', { ...PLAN, effects: [{ ...EFFECT, id: 'a'.repeat(17) }] }, /an id is 1 to 16/],
  ['an id in upper case', { ...PLAN, effects: [{ ...EFFECT, id: 'E1' }] }, /an id is 1 to 16/],
  ['two effects with one id', { ...PLAN, effects: [EFFECT, EFFECT] }, /no two effects/],
  [
    'an effect that is not declared',
    { ...PLAN, effects: [{ ...EFFECT, effect: 'Number.Set' }] },
    /does not declare/,
  ],
  [
    'a scope that is not declared',
    { ...PLAN, effects: [{ ...EFFECT, scope: 'drawer' }] },
    /does not declare/,
  ],
  ['a cost that is not declared', { ...PLAN, effects: [{ ...EFFECT, cost: 1 }] }, /does not declare/],
  [
    'a payload that is a list',
    { ...PLAN, effects: [{ ...EFFECT, payload: [] }] },
    /payload of e1 is an object/,
  ],
  [
    'a payload that is too large',
    { ...PLAN, effects: [{ ...EFFECT, payload: { text: 'x'.repeat(PAYLOAD_BYTES_MAX) } }] },
    /more than 1048576 bytes/,
  ],
  [
    'half a surrogate pair',
    { ...PLAN, effects: [{ ...EFFECT, payload: { text: '\ud800' } }] },
    /no plain JSON/,
  ],
  ['no object', 'plan', /no plain JSON/],
  ['nothing', undefined, /no plain JSON/],
];

describe('plans', () => {
  it('plan: a lawful one → its bytes in encoding A, with the name of their kind', () => {
    const { bytes, refusal } = planned(PLAN);
    expect(refusal).toBeUndefined();
    expect(Buffer.from(bytes).toString()).toBe(
      '{"effects":[{"cost":0,"effect":"Number.Get","id":"e1","payload":{},"scope":"shelf"}],"finish":false,"plan":"world/effect-plan/v1","result":null}',
    );
  });

  it('plan: a payload of just the size allowed → lawful', () => {
    const empty = '{"text":""}'.length;
    const text = 'x'.repeat(PAYLOAD_BYTES_MAX - empty);
    expect(planned({ ...PLAN, effects: [{ ...EFFECT, payload: { text } }] }).refusal).toBeUndefined();
  });

  it('plan: no effects and a result → lawful, and nothing is asked', () => {
    expect(planned({ effects: [], finish: false, result: { no: true } })).toMatchObject({
      effects: [],
      result: { no: true },
    });
  });

  for (const [what, plan, reason] of BROKEN) {
    it(`plan: ${what} → refused, by name of the law`, () => {
      const { refusal, effects } = planned(plan);
      expect(refusal).toMatchObject({ by: 'plan', reason: expect.stringMatching(reason) });
      expect(effects).toEqual([]);
    });
  }

  it('plan: a broken one that can be written → kept as it was; one that cannot → a refusal stands for it', () => {
    expect(Buffer.from(planned({ ...PLAN, more: 1 }).bytes).toString()).toContain('"more":1');
    expect(Buffer.from(planned(undefined).bytes).toString()).toContain('"refused"');
  });

  it('plan: a tool that throws → refused with the name of the error, and not with its text', () => {
    const tool: EffectTool = {
      ...getTool,
      plan: () => {
        throw new RangeError('/home/somebody/secret');
      },
    };
    expect(planOf(tool, { name: 'a' }).refusal).toEqual({ by: 'plan', reason: 'the tool threw RangeError' });
  });

  it('plan: an input that does not fit the schema → refused before the tool is asked', () => {
    let asked = false;
    const tool: EffectTool = {
      ...setTool,
      plan: (input) => {
        asked = true;
        return setTool.plan(input);
      },
    };
    expect(planOf(tool, { name: 'a', value: 'x', more: 1 }).refusal).toMatchObject({ by: 'input' });
    expect(asked).toBe(false);
    expect(inputFault(setTool, { name: '', value: 1, more: 2 })).toMatch(/name.*; .*more/);
  });
});

describe('grants', () => {
  it('grant: any that can be written → reads back the same', () => {
    const grants = fc.record(
      {
        effect: fc.stringMatching(/^[A-Za-z][A-Za-z0-9.]{0,20}$/),
        scope: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,20}$/),
        budget: fc.nat(),
        expiresAt: fc.nat(),
      },
      { requiredKeys: ['effect', 'scope', 'budget'] },
    );
    fc.assert(
      fc.property(grants, (grant) => {
        expect(parseGrant(grantText(grant))).toEqual(grant);
      }),
    );
  });

  it('grant: any other text → none', () => {
    for (const text of [
      '',
      'A=b',
      'A=b:',
      'A=b:-1',
      'A=b:01',
      'A=b:1.5',
      '=b:1',
      'A=:1',
      'A=b:1@',
      'A=b:1 ',
      'A=b c:1',
      'A=b:1\n',
    ])
      expect(parseGrant(text), text).toBeUndefined();
    expect(() => new Purse('x', [{ effect: 'A', scope: 'b', budget: -1 }])).toThrow(/is no grant/);
  });

  const ask = { effect: 'A', scope: 'x', cost: 1 };

  it('purse: the first grant that allows pays; of those that do not, the one that got furthest tells why', () => {
    const purse = new Purse('p', [
      { effect: 'A', scope: 'x', budget: 9, expiresAt: 10 },
      { effect: 'A', scope: 'x', budget: 1 },
      { effect: 'A', scope: 'x', budget: 5 },
    ]);
    expect(purse.decide(ask, 9)).toEqual({ allowed: true, before: 9, after: 8 });
    expect(purse.decide(ask, 10)).toEqual({ allowed: true, before: 1, after: 0 });
    expect(purse.decide(ask, 10)).toEqual({ allowed: true, before: 5, after: 4 });
    expect(purse.decide({ ...ask, cost: 5 }, 10)).toMatchObject({
      allowed: false,
      denial: 'denied:budget',
      before: 0,
    });
    expect(purse.decide({ ...ask, scope: 'y' }, 0)).toMatchObject({ denial: 'denied:scope' });
    expect(purse.decide({ ...ask, effect: 'B' }, 0)).toMatchObject({ denial: 'denied:effect-name' });
  });

  it('purse: before 1970, at the second of expiry, a negative or broken cost → denied', () => {
    const purse = new Purse('p', [{ effect: 'A', scope: 'x', budget: 9, expiresAt: 10 }]);
    for (const now of [-1, 10, 11])
      expect(purse.decide(ask, now)).toMatchObject({ denial: 'denied:expired' });
    for (const cost of [-1, 0.5, 10, Number.NaN, Infinity])
      expect(purse.decide({ ...ask, cost }, 1)).toMatchObject({ denial: 'denied:budget' });
    expect(purse.decide({ ...ask, cost: 9 }, 1)).toMatchObject({ allowed: true, after: 0 });
  });

  it('purse: nothing granted → everything denied', () => {
    expect(new Purse('p', []).decide(ask, 1)).toEqual({
      allowed: false,
      denial: 'denied:effect-name',
      before: 0,
      after: 0,
    });
  });

  it('purse: any sequence of asks → never spends more than was given', () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.array(fc.integer({ min: -3, max: 9 }), { maxLength: 40 }),
        (budget, costs) => {
          const purse = new Purse('p', [{ effect: 'A', scope: 'x', budget }]);
          let spent = 0;
          for (const cost of costs) if (purse.decide({ ...ask, cost }, 0).allowed) spent += cost;
          expect(spent).toBeLessThanOrEqual(budget);
        },
      ),
    );
  });
});
