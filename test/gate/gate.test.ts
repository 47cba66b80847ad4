/** The gate's first parts: the matrix of tiers, the file tools, the policy, and approvers that follow a script. */
import { describe, expect, it } from 'vitest';
import type { ApprovalView } from '../../harness/core/ports.js';
import { TIERS } from '../../harness/core/tier.js';
import { scriptedApprover } from '../../harness/gate/approvers.js';
import { classify } from '../../harness/gate/classify/index.js';
import { decide } from '../../harness/gate/decide.js';
import { BLAST_RADII, REVERSIBILITIES, tierFor } from '../../harness/gate/classify/matrix.js';

describe('gate: tiers', () => {
  it('tiers: harder to undo, or further reaching → never a lower tier', () => {
    for (const [r, reversibility] of REVERSIBILITIES.entries()) {
      for (const [b, radius] of BLAST_RADII.entries()) {
        const rank = TIERS.indexOf(tierFor(reversibility, radius));
        if (r > 0)
          expect(rank).toBeGreaterThanOrEqual(TIERS.indexOf(tierFor(REVERSIBILITIES[r - 1]!, radius)));
        if (b > 0)
          expect(rank).toBeGreaterThanOrEqual(TIERS.indexOf(tierFor(reversibility, BLAST_RADII[b - 1]!)));
      }
    }
    expect(tierFor('read-only', 'critical')).toBe('T0');
    expect(tierFor('irreversible', 'critical')).toBe('T4');
    expect(tierFor('irreversible', 'bounded')).toBe('T3');
  });

  it('classify: each file tool, a folder, a path that leads out, a tool nobody knows → its tier', () => {
    const cases: readonly (readonly [string, object, string])[] = [
      ['fs.read', { path: 'a' }, 'T0'],
      ['fs.list', { path: '.' }, 'T0'],
      ['fs.write', { path: 'a', content: '' }, 'T1'],
      ['fs.delete', { path: 'a' }, 'T2'],
      ['fs.delete', { path: 'a', recursive: true }, 'T3'],
      ['fs.write', { path: '../a', content: '' }, 'T3'],
      ['fs.delete', { path: '/a' }, 'T4'],
      ['rm', {}, 'T4'],
    ];
    for (const [tool, input, tier] of cases)
      expect(classify(tool, input as never), `${tool} ${JSON.stringify(input)}`).toMatchObject({
        tier,
        reasons: [{ why: expect.any(String) }],
      });
  });
});

describe('gate: policy', () => {
  it('decide: no policy → the default of the tier', () => {
    expect(TIERS.map((tier) => decide('x', tier, {}).rule)).toEqual([
      'allow',
      'notify',
      'soft_gate',
      'require_approval',
      'require_approval',
    ]);
  });

  it('decide: the policy says more → that; less → the default stays', () => {
    expect(decide('x', 'T1', { T1: 'block' })).toEqual({ rule: 'block', policyLine: 'T1' });
    expect(decide('x', 'T3', { T3: 'allow' })).toEqual({
      rule: 'require_approval',
      policyLine: 'default T3',
    });
    expect(
      decide('fs.delete', 'T2', { perKind: { 'fs.delete': 'require_approval_and_two_person' } }),
    ).toEqual({
      rule: 'require_approval_and_two_person',
      policyLine: 'perKind fs.delete',
    });
    expect(decide('fs.read', 'T0', { perKind: { 'fs.delete': 'block' } }).rule).toBe('allow');
  });
});

describe('gate: approvers', () => {
  const view = (affected: string): ApprovalView => ({
    tier: 'T3',
    what: '',
    target: '',
    command: '',
    affected,
    reversibility: '',
  });

  it('approvers: always, never, one that reads the preview → as their names say; nobody else', () => {
    expect(scriptedApprover('always')?.(view('9'))).toMatchObject({ answer: 'approve' });
    expect(scriptedApprover('never')?.(view('0'))).toMatchObject({ answer: 'reject' });
    const reader = scriptedApprover('preview-reader')!;
    expect(['1 files', '2 files', 'unknown'].map((affected) => reader(view(affected)).answer)).toEqual([
      'approve',
      'reject',
      'reject',
    ]);
    expect(scriptedApprover('nobody')).toBeUndefined();
  });
});
