/**
 * One case of a hostile log and what must be said about it, in the form of the public conformance set.
 */
import { expect, it } from 'vitest';
import { judgeText } from './judge.js';

export interface Hostile {
  readonly name: string;
  readonly log: string | Uint8Array;
  readonly must: readonly string[];
  readonly folded?: readonly string[];
  readonly notes?: readonly string[];
  /** Lines that the first rule of `must` names, or of `notes` where nothing must be found. */
  readonly lines?: readonly number[];
  readonly exit?: number;
}

/** Declares a test for each case. */
export function expectEach(cases: readonly Hostile[]): void {
  for (const { name, log, must, folded = [], notes = [], lines, exit } of cases) {
    it(`hostile: ${name} → ${must.join(', ') || 'no error'}`, () => {
      const judged = judgeText(log);
      const mild = judged.findings.filter(({ severity }) => severity !== 'error').map(({ rule }) => rule);
      expect({ must: judged.rootRules, folded: judged.foldedRules, exit: judged.report.exit }).toEqual({
        must,
        folded: [...folded].sort(),
        exit: exit ?? (must.length > 0 ? 1 : 0),
      });
      expect(mild).toEqual(expect.arrayContaining([...notes]));
      if (lines === undefined) return;
      const own = judged.findings.filter(({ rule }) => rule === (must[0] ?? notes[0]));
      const named = own.flatMap(({ events }) => events.map((event) => event.line));
      expect([...new Set(named)].sort((a, b) => a - b)).toEqual(lines);
    });
  }
}
