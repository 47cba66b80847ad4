/**
 * Good runs, spoiled in one place: the named rule is found as the only root, and everything else is folded under it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { history, jsonl } from '../support/history.js';
import { judgeText } from '../support/judge.js';
import { MUTANTS } from '../support/mutants.js';
import { completedRun, goodRun } from '../support/runs.js';

const OPTIONS = { numRuns: 250, seed: 20260528 };

describe('mutants', () => {
  for (const mutant of MUTANTS) {
    it(`mutants: ${mutant.name} → the named rule, and no other root`, () => {
      let applied = 0;
      fc.assert(
        fc.property(mutant.alsoAborted === true ? goodRun : completedRun, fc.nat(), (notation, pick) => {
          const events = history(notation);
          const spots = events.flatMap((_, at) => mutant.spoil(events, at) ?? []);
          const spoiled = spots[pick % Math.max(spots.length, 1)];
          if (spoiled === undefined) return;
          applied++;
          const { roots, report } = judgeText(jsonl(spoiled.events));
          expect(roots.map(({ rule }) => rule)).toEqual([spoiled.rule]);
          expect(report.exit).toBe(1);
        }),
        OPTIONS,
      );
      expect(applied).toBeGreaterThan(OPTIONS.numRuns / 10);
    });
  }
});
