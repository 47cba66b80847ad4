/**
 * How findings of rules become a judgement: which verdict outweighs which, what is counted, kept and told apart.
 */
import { describe, expect, it } from 'vitest';
import type { FacetVerdict } from '../../harness/core/verdict.js';
import type { Case } from '../../harness/oracle/case.js';
import { judge, overall } from '../../harness/oracle/judge.js';
import type { Report, Rule } from '../../harness/oracle/rule.js';
import { caseOf } from '../support/case.js';
import { h } from '../support/history.js';
import { judgeText } from '../support/judge.js';
import { doing, GOOD_RUN } from './fixtures/fixture.js';
import { under } from './fixtures/folder.js';

/** A rule that does this and nothing else. */
function ruleOf(id: string, check: (c: Case, report: Report) => void, more: Partial<Rule> = {}): Rule {
  const texts = { title: '', why: '', example: '', mend: '' };
  return { id, facet: 'policy', severity: 'error', ...texts, check, say: () => 'so it is', ...more };
}

function finding(count: number): (c: Case, report: Report) => void {
  return (_, report) => {
    for (let at = 0; at < count; at++)
      report.found({
        events: [{ event: at % 12, role: 'x' }],
        subject: { kind: 'run' },
        facts: {},
        key: [String(at)],
      });
  };
}

describe('judge', () => {
  it('judge: several verdicts → the worst of them', () => {
    const cases: readonly (readonly [FacetVerdict[], FacetVerdict])[] = [
      [['pass', 'fail', 'unknown'], 'fail'],
      [['pass', 'unknown', 'not-applicable'], 'unknown'],
      [['not-applicable', 'pass'], 'pass'],
      [['not-applicable', 'not-applicable'], 'not-applicable'],
      [[], 'not-applicable'],
    ];
    for (const [verdicts, worst] of cases) expect(overall(verdicts)).toBe(worst);
  });

  it('judge: more found than is kept → each rule counts its own rest', () => {
    const rules = [
      ruleOf('test/few', finding(2)),
      ruleOf('test/some', finding(5)),
      ruleOf('test/many', finding(2004)),
    ];
    const judgement = judge(caseOf({ history: GOOD_RUN }), { violationsMax: 3, rules });
    expect(judgement.omitted).toEqual({ 'test/some': 2, 'test/many': 2001 });
    expect(judgement.rules.map(({ found }) => found)).toEqual([2, 5, 2004]);
    expect(judgement.findings.length).toBe(8);
  });

  it('judge: more of one rule than is folded → the rest is counted only', () => {
    const rules = [ruleOf('test/many', finding(2004))];
    const judgement = judge(caseOf({ history: GOOD_RUN }), { violationsMax: 5000, rules });
    expect([judgement.findings.length, judgement.omitted]).toEqual([2000, { 'test/many': 4 }]);
  });

  it('judge: a rule that cannot decide, twice for one reason and once for another → both, each once', () => {
    const doubts = ['dark', 'dark', 'late'];
    const rule = ruleOf('test/doubts', (_, report) => doubts.forEach((reason) => report.unknown(reason)));
    const judgement = judge(caseOf({ history: GOOD_RUN }), { violationsMax: 9, rules: [rule] });
    expect(judgement.facets.policy).toEqual({ verdict: 'unknown', reasons: ['dark', 'late'] });
    expect(judgement.rules).toEqual([
      { id: 'test/doubts', applied: 0, found: 0, status: 'unknown', reason: 'dark; late' },
    ]);
  });

  it('judge: documents that a rule needs cannot be read → said by name, unless a policy is given', () => {
    const files = { ...under(), 'condition.json': '{', 'gate-policy.json': '[]' };
    const reasonsOf = (needs: Rule['needs'], options = {}): readonly string[] => {
      const rule = ruleOf('test/needs', () => undefined, needs === undefined ? {} : { needs });
      const c = caseOf({ history: doing('p1?T3 a1 e1'), files, options });
      return judge(c, { violationsMax: 9, rules: [rule] }).facets.policy.reasons;
    };
    const [condition, policy] = ['condition.json cannot be read', 'gate-policy.json cannot be read'];
    expect(reasonsOf(['gate'])).toEqual([condition, policy]);
    expect(reasonsOf(['gate'], { policy: {} })).toEqual([condition]);
    expect(reasonsOf(['condition'])).toEqual([condition]);
    expect(reasonsOf(['folder'])).toEqual([]);
    expect(reasonsOf(undefined)).toEqual([]);
  });
});

describe('fingerprints', () => {
  const prints = (log: string): string[] => judgeText(log).findings.map(({ fingerprint }) => fingerprint);
  const named = (run: string, task: string): string =>
    h('run goal plan ask grant t1> t1! done').replaceAll('run_x1', run).replaceAll('task_t1', task);

  it('fingerprints: the name of the run in the name of a subject → the same in another run', () => {
    expect(prints(named('run.a+b', 'fix run.a+b in run.a+b'))).toEqual(
      prints(named('other', 'fix other in other')),
    );
    expect(prints(named('run', 'rerun runs run-2 run_3'))).not.toEqual(
      prints(named('job', 'rejob jobs job-2 job_3')),
    );
    expect(prints(named('a.b', 'fix axb'))).not.toEqual(prints(named('other', 'fix other')));
  });

  it('fingerprints: the same fault twice → told apart', () => {
    const twice = prints(h(doing('e-T2 e-T2')));
    expect(new Set(twice).size).toBe(2);
    expect(twice[0]).toBe(prints(h(doing('e-T2')))[0]);
  });
});

it('order: findings about lines and about events → as they stand in the log', () => {
  const lines = h(doing('e-T0-9 e-T0 e-T0')).split('\n');
  lines.splice(8, 0, '42', 'torn');
  lines.splice(11, 0, '[]');
  const { findings } = judgeText(lines.join('\n'));
  expect(findings.map(({ rule, events }) => `${events[0]?.line ?? '–'} ${rule}`)).toEqual([
    '8 causal/time-before-cause',
    '9 log/not-an-object',
    '10 log/invalid-json',
    '11 causal/time-before-cause',
    '12 log/not-an-object',
    '13 causal/time-before-cause',
  ]);
});
