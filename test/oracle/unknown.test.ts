/**
 * Doubt is never a pass: a rule that throws, evidence that cannot be read, records that are lost, a log without
 * events. And a rule that was never applied shows that it was not.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HarnessError } from '../../harness/core/errors.js';
import { FACETS, type Facet } from '../../harness/core/verdict.js';
import { bareEvidence } from '../../harness/log/folder-evidence.js';
import { readLog } from '../../harness/log/reader.js';
import { Case } from '../../harness/oracle/case.js';
import { judge } from '../../harness/oracle/judge.js';
import type { Rule } from '../../harness/oracle/rule.js';
import { RULES } from '../../harness/oracle/rules/index.js';
import { h } from '../support/history.js';
import { judgeText, runFolder, type Files, type Judged } from '../support/judge.js';
import { doing, GOOD_RUN } from './fixtures/fixture.js';
import { FOLDER, under, without } from './fixtures/folder.js';

const LOG = h(GOOD_RUN);

/** The good run as a case of its own, to be judged by other rules. */
function goodCase(): Case {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-unknown-'));
  const path = join(folder, 'log.jsonl');
  writeFileSync(path, LOG);
  const log = readLog(path);
  onTestFinished(() => {
    log.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return new Case(log.history, bareEvidence(), { profile: 'strict', live: false });
}

function throwing(facet: Facet, error: Error): Rule {
  const rule = RULES.find(({ id }) => id === 'task/result-missing') as Rule;
  return {
    ...rule,
    id: 'test/throws',
    facet,
    check() {
      throw error;
    },
  };
}

function unknownFacets({ run }: Judged): string[] {
  return FACETS.filter((facet) => run.facets[facet].verdict === 'unknown');
}

describe('unknown', () => {
  for (const facet of FACETS) {
    it(`unknown: a rule of facet ${facet} throws → that facet is unknown, and says which rule`, () => {
      const rules = [...RULES, throwing(facet, new Error('out of cheese'))];
      const judgement = judge(goodCase(), { violationsMax: 100, rules });
      expect(judgement.facets[facet]).toEqual({
        verdict: 'unknown',
        reasons: ['the rule test/throws failed: out of cheese'],
      });
      expect(judgement.verdict).toBe('unknown');
      const tally = judgement.rules.find(({ id }) => id === 'test/throws');
      expect(tally).toMatchObject({ status: 'unknown', applied: 0 });
    });
  }

  it('unknown: a rule throws after something was found → fail, with the reason', () => {
    const found = RULES.find(({ id }) => id === 'causal/orphan') as Rule;
    const both: Rule = {
      ...found,
      check(_, report) {
        report.found({
          events: [{ event: 3, role: 'x' }],
          subject: { kind: 'run' },
          facts: { kind: 'x' },
          key: [],
        });
        throw new Error('late');
      },
    };
    const judgement = judge(goodCase(), { violationsMax: 100, rules: [both] });
    expect(judgement.facets['well-formed']).toEqual({
      verdict: 'fail',
      reasons: ['the rule causal/orphan failed: late'],
    });
  });

  it('unknown: reading fails while judging → the error goes to the operator', () => {
    const rules = [throwing('evidence', new HarnessError('io-failed', 'disk gone', 'look at it'))];
    expect(() => judge(goodCase(), { violationsMax: 100, rules })).toThrow('disk gone');
  });

  const FOLDERS: readonly (readonly [what: string, path: string, facets: readonly Facet[], files: Files])[] =
    [
      ['a result', 'results/task_t1.json', ['evidence'], FOLDER],
      ['the goal', 'goal.md', ['evidence'], FOLDER],
      ['the plan', 'plans/plan_v1.json', ['well-formed', 'evidence'], FOLDER],
      ['the condition', 'condition.json', ['policy', 'condition'], FOLDER],
      ['the policy', 'gate-policy.json', ['policy'], FOLDER],
      ['the seal', 'seal.json', ['evidence'], FOLDER],
    ];
  for (const [what, path, facets, files] of FOLDERS) {
    it(`unknown: ${what} is there and cannot be read → exit 2, never a pass`, () => {
      const folder = runFolder(without(path, files), LOG);
      mkdirSync(join(folder.runDir, path), { recursive: true });
      const judged = judgeText(folder);
      expect(unknownFacets(judged)).toEqual(facets);
      expect({ exit: judged.report.exit, roots: judged.rootRules }).toEqual({ exit: 2, roots: [] });
    });
  }

  it('unknown: the condition is a link out of the folder → not followed, and unknown', () => {
    const folder = runFolder(FOLDER, LOG, { 'outside.json': under()['condition.json'] as object });
    symlinkSync('../outside.json', join(folder.runDir, 'condition.json'));
    expect(judgeText(folder).report.exit).toBe(2);
  });

  it('unknown: the plan that the log names is missing → the file is, and whether tasks are planned is unknown', () => {
    const judged = judgeText(runFolder(without('plans/plan_v1.json'), LOG));
    expect(judged.rootRules).toEqual(['reference/file-missing']);
    expect(unknownFacets(judged)).toEqual(['well-formed']);
  });

  it('unknown: a proposal file is missing → what it says of preview and backup is unknown', () => {
    const log = h(doing('p1?T4{proposalPath:proposals/p.json} ask1 a1 e1'));
    const judged = judgeText(runFolder(FOLDER, log));
    expect(judged.rootRules).toEqual(['reference/file-missing']);
    expect(unknownFacets(judged)).toEqual(['policy']);
    expect(judgeText(log).report.exit).toBe(2);
  });

  it('unknown: a backup is claimed and nothing bears it out → exit 2', () => {
    const claim =
      '{recoverabilityState.backupVerified:true,recoverabilityState.verifiedAt:2026-05-28T14:50:00Z}';
    const judged = judgeText(h(doing(`p1?T4${claim} a1 e1`)));
    expect({ facets: unknownFacets(judged), exit: judged.report.exit }).toEqual({
      facets: ['policy'],
      exit: 2,
    });
  });

  it('unknown: no line can be read → one root, and well-formed is no pass', () => {
    for (const log of ['\0\0\n', 'garbage\n', '{"a":1}\n{"b":2}\n', '\n\n', '[]\n42\n']) {
      const judged = judgeText(log);
      expect(judged.run.facets['well-formed'].verdict, log).toBe('unknown');
      expect(judged.roots.length, log).toBe(1);
      expect(judged.report.exit, log).toBe(1);
    }
  });

  it('unknown: a lost line may be the record that is missing → withheld, not held against the run', () => {
    const lines = LOG.split('\n');
    lines[6] = 'torn'; // the task_started
    const judged = judgeText(lines.join('\n'));
    expect(judged.rootRules).toEqual(['log/invalid-json']);
    expect(judged.run.withheld.map(({ rule }) => rule)).toContain('task/start-missing');
    expect(judged.run.facets['well-formed'].verdict).toBe('unknown');
  });
});

describe('vacuity', () => {
  it('vacuity: a rule that met nothing to judge → 0 applications in the report', () => {
    const { run } = judgeText(h('run goal abort'));
    const tally = new Map(run.rules.map((rule) => [rule.id, rule]));
    expect(run.rules.map(({ id }) => id)).toEqual(RULES.map(({ id }) => id));
    expect(tally.get('action/executed-twice')).toEqual({
      id: 'action/executed-twice',
      applied: 0,
      found: 0,
      status: 'ran',
    });
    expect(tally.get('causal/orphan')).toMatchObject({ applied: 2, status: 'ran' });
    expect(tally.get('seal/missing')).toMatchObject({ applied: 0, status: 'not-applicable' });
  });

  it('vacuity: facets that met nothing at all → not-applicable, never pass', () => {
    const { run } = judgeText(h('run goal plan e-T1 done'), { profile: 'collapsed' });
    expect(run.facets.policy.verdict).toBe('not-applicable');
    expect(run.facets.condition.verdict).toBe('not-applicable');
  });

  it('vacuity: more findings than are kept → counted as omitted', () => {
    const steps = Array.from({ length: 9 }, () => 'e-T2').join(' ');
    const { run } = judgeText(h(doing(steps)), { violationsMax: 4 });
    expect(run.findings.length).toBe(4);
    expect(run.omitted).toEqual({ 'gate/proposal-missing': 5 });
    expect(run.rules.find(({ id }) => id === 'gate/proposal-missing')).toMatchObject({ found: 9 });
  });
});
