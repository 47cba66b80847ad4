/**
 * Every rule against its fixtures: what keeps it passes after the rule was really applied; what breaks it is found as
 * a root, on the lines it should name, with everything else folded under it.
 */
import { expect, it } from 'vitest';
import { RULES } from '../../harness/oracle/rules/index.js';
import { h } from '../support/history.js';
import { judgeText } from '../support/judge.js';
import { doing, judgeInput } from './fixtures/fixture.js';
import { FIXTURES } from './fixtures/index.js';

it('fixtures: every rule → an entry with a passing and a failing history', () => {
  const complete = FIXTURES.filter(({ pass, fail }) => pass.length > 0 && fail.length > 0);
  expect(complete.map(({ rule }) => rule).sort()).toEqual(RULES.map(({ id }) => id).sort());
});

for (const { rule, pass, fail } of FIXTURES) {
  const severity = RULES.find(({ id }) => id === rule)?.severity;

  pass.forEach((input, index) => {
    it(`fixtures: ${rule}, good history ${index + 1} → applied, nothing found`, () => {
      const { run, findings, roots } = judgeInput(input);
      const tally = run.rules.find(({ id }) => id === rule);
      expect(findings.filter((finding) => finding.rule === rule)).toEqual([]);
      expect(roots.map((finding) => `${finding.rule}: ${finding.message}`)).toEqual([]);
      const isLive = input.options?.live === true;
      expect(tally?.applied, 'applied').toBeGreaterThan(isLive ? -1 : 0);
    });
  });

  fail.forEach((input, index) => {
    it(`fixtures: ${rule}, bad history ${index + 1} → found, and nothing else is a root`, () => {
      const { report, findings, rootRules, foldedRules } = judgeInput(input);
      const own = findings.filter((finding) => finding.rule === rule);
      const lines = own.flatMap((finding) => finding.events.map((event) => event.line));
      const root = input.root ?? rule;
      expect({
        roots: rootRules,
        folded: foldedRules,
        lines: [...new Set(lines)].sort((a, b) => a - b),
        exit: report.exit,
      }).toEqual({
        roots: severity === 'error' ? [root] : [],
        folded: [...(input.folded ?? [])].sort(),
        lines: input.lines,
        exit: input.exit ?? (severity === 'error' ? 1 : 0),
      });
      const heads = own.filter((finding) => finding.consequenceOf === undefined);
      expect(heads.length > 0, 'is a root').toBe(input.root === undefined);
    });
  });
}

it('fixtures: what a rule gives as its example in words → breaks that rule', () => {
  const spoken = RULES.filter(({ example }) =>
    /^(run|goal|[a-z]+\d*\?T\d|e-T\d|snap) ?/.test(example),
  ).filter(({ example }) => isHistory(example));
  for (const { id, example } of spoken) {
    const whole = /^(run|goal) /.test(example) ? example : doing(example);
    const found = judgeText(h(whole)).findings.map(({ rule }) => rule);
    expect(found, `${id}: ${whole}`).toContain(id);
  }
  expect(spoken.length).toBeGreaterThan(40);
});

function isHistory(text: string): boolean {
  try {
    return h(text) !== '';
  } catch (error) {
    if (/^no (such )?word/.test((error as Error).message)) return false;
    throw error;
  }
}
