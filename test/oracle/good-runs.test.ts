/**
 * Good runs pass, whole and as any prefix with `--live`; judged twice they give the same bytes.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { h } from '../support/history.js';
import { judgeText } from '../support/judge.js';
import { collapsedRun, goodRun } from '../support/runs.js';

const OPTIONS = { numRuns: 300, seed: 20260528 };

it('good runs: any → pass with no error and exit 0', () => {
  fc.assert(
    fc.property(goodRun, (notation) => {
      const { findings, report, run } = judgeText(h(notation));
      expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
      expect({ exit: report.exit, verdict: run.verdict }).toEqual({ exit: 0, verdict: 'pass' });
    }),
    OPTIONS,
  );
});

it('good runs: collapsed → pass under their profile, fail under strict where they act', () => {
  fc.assert(
    fc.property(collapsedRun, (notation) => {
      const log = h(notation);
      expect(judgeText(log, { profile: 'collapsed' }).report.exit).toBe(0);
      const strict = judgeText(log).rootRules;
      expect(strict).toEqual([/ [ef]-/.test(notation) ? 'task/action-outside-task' : 'plan/never-granted']);
    }),
    OPTIONS,
  );
});

it('good runs: every prefix with --live, cut at any byte → no error', () => {
  fc.assert(
    fc.property(goodRun, fc.double({ min: 0, max: 1, noNaN: true }), (notation, part) => {
      const log = h(notation);
      const lines = log.split('\n');
      const whole = lines.slice(0, 1 + Math.floor(part * (lines.length - 2))).join('\n') + '\n';
      for (const prefix of [whole, log.slice(0, 300 + Math.floor(part * (log.length - 300)))]) {
        const { findings, report } = judgeText(prefix, { live: true });
        expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(report.exit).not.toBe(1);
      }
    }),
    OPTIONS,
  );
});

it('good runs: judged twice → the same bytes', () => {
  fc.assert(
    fc.property(goodRun, (notation) => {
      const once = JSON.stringify(judgeText(h(notation)).report);
      expect(JSON.stringify(judgeText(h(notation)).report)).toBe(once);
    }),
    { ...OPTIONS, numRuns: 100 },
  );
});
