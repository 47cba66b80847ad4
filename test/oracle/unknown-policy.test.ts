/**
 * Doubt about actions and budgets is never a pass: a tier that nobody recorded, a proposal whose file is not at hand,
 * a call that does not say how much it thought.
 */
import { describe, expect, it } from 'vitest';
import type { Tweaks } from '../support/history.js';
import { doing, judgeInput, type Input } from './fixtures/fixture.js';
import { FOLDER, proposalOf, under } from './fixtures/folder.js';

const BUDGET: Tweaks = { run: { data: { budget: { thinkingTokens: 100 } } } };
const silent: Tweaks = {
  ...BUDGET,
  model: { tokens: { input: 1, output: 1, model: 'scripted', callId: 'call_1' } },
};

function reasons(input: Input, facet: 'policy' | 'evidence'): string[] {
  const { run, rootRules } = judgeInput(input);
  expect(rootRules).toEqual([]);
  expect(run.facets[facet].verdict).toBe('unknown');
  return [...run.facets[facet].reasons];
}

describe('unknown', () => {
  it('unknown: an action is executed whose tier is nowhere recorded → the policy facet, naming it', () => {
    expect(reasons({ history: doing('p1?T1 a1 e1 e-T0{tier:-}') }, 'policy')).toEqual([
      'the tier of evt_011 is not recorded',
    ]);
    expect(reasons({ history: doing('p1?T1{tier:-} a1 e1{tier:-}') }, 'policy')).toEqual([
      'the tier of prop_1 is not recorded',
    ]);
  });

  it('unknown: only the file of the proposal gives its tier → judged by that', () => {
    const files = {
      ...FOLDER,
      'proposals/prop_1.json': proposalOf({
        riskTier: 'T3',
        action: { kind: 'shell.run', summary: 'step 1', command: 'make step-1' },
      }),
    };
    expect(judgeInput({ history: doing('p1?T1 e1'), files: { ...under(), ...files } }).rootRules).toEqual([
      'gate/ungated-high-tier',
    ]);
  });

  it('unknown: a T3 proposal without a file in the run folder → its preview and its plan to undo it', () => {
    expect(reasons({ history: doing('p1?T3 a1 e1'), files: FOLDER }, 'policy')).toEqual([
      'the proposal prop_1 is not at hand',
    ]);
  });

  it('unknown: a call does not say what it thought, and the rest is within the budget → the evidence facet', () => {
    expect(reasons({ history: doing('model model2 e-T0'), tweaks: silent }, 'evidence')).toEqual([
      'how much 1 of the calls thought is not recorded, so the budget may be overrun',
    ]);
  });

  it('unknown: a call says elsewhere what it thought → known', () => {
    const tweaks = {
      ...silent,
      model2: { tokens: { input: 1, output: 1, thinking: 9, model: 'scripted', callId: 'call_1' } },
    };
    const { run } = judgeInput({ history: doing('model model2 e-T0'), tweaks });
    expect(run.facets.evidence.reasons).toEqual([]);
  });
});
