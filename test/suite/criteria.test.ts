/** The language of expectations, and tasks that cannot be loaded as they stand. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCriterion } from '../../harness/suite/criteria.js';
import type { Facts } from '../../harness/suite/criteria.js';
import { loadTask } from '../../harness/suite/load.js';
import { ROOT } from '../support/tidy/repository.js';

const FILES: ReadonlyMap<string, string> = new Map([
  ['a.txt', 'alpha beta'],
  ['dir/b.txt', '2'],
  ['dir/c "quoted".txt', ''],
]);
const FACTS: Facts = { text: (path) => FILES.get(path), paths: [...FILES.keys()] };

function check(expression: string): string {
  const parsed = parseCriterion(expression);
  return parsed.ok ? parsed.check(FACTS) : `character ${parsed.at}: ${parsed.why}`;
}

describe('criteria', () => {
  const HOLD = [
    'exists("a.txt")',
    'not exists("b.txt")',
    'text("a.txt") == "alpha beta"',
    'text("a.txt") contains "beta"',
    'not text("none") contains "x"',
    'count("dir") == 2',
    'count("nowhere") == 0',
    'exists("a.txt") and exists("dir/b.txt")',
    'exists("b.txt") or exists("a.txt")',
    'exists("a.txt") or exists("x") and exists("y")',
    'not (exists("a.txt") and exists("x"))',
    'not not exists("a.txt")',
    'exists("dir/c \\"quoted\\".txt")',
    '  1 == 1  ',
    '"and" == "and"',
    'not text("a.txt") == text("dir/b.txt")',
  ];
  for (const expression of HOLD) {
    it(`criteria: ${expression} → holds, and its negation does not`, () => {
      expect(check(expression)).toBe('pass');
      expect(check(`not (${expression})`)).toBe('fail');
    });
  }

  it('criteria: a text is never equal to a number, and a missing file to nothing but a missing file', () => {
    expect(check('text("dir/b.txt") == 2')).toBe('fail');
    expect(check('text("none") == ""')).toBe('fail');
    expect(check('count("dir") contains "2"')).toBe('fail');
  });

  const WRONG: readonly (readonly [string, RegExp])[] = [
    ['', /^character 0: expected/],
    ['exists', /expected "\("/],
    ['exists("a")) ', /character 11: expected "and", "or" or the end/],
    ['exists(a)', /a text in double quotes/],
    ['text("a")', /expected "==" or "contains"/],
    ['text("a") = "b"', /character 9: nothing that belongs here/],
    ['"a" == ', /found the end/],
    ['(exists("a")', /expected "\)"/],
    ['exists("a") exists("b")', /"and", "or" or the end/],
    ["exists('a')", /nothing that belongs here/],
    ['"\\x" == "x"', /an escape that does not exist/],
    ['process.exit()', /character 7: nothing that belongs here/],
    ['env', /expected a text/],
  ];
  for (const [expression, why] of WRONG) {
    it(`criteria: ${expression === '' ? 'nothing' : expression} → refused, with the place`, () => {
      expect(check(expression)).toMatch(why);
    });
  }

  it('criteria: any text at all → an answer or a place in it, and no throw', () => {
    const words = fc.constantFrom(
      'exists',
      'text',
      'count',
      'not',
      'and',
      'or',
      '==',
      'contains',
      '(',
      ')',
      '"a"',
      '3',
      ' ',
      '"',
      '\\',
      'é',
    );
    const texts = fc.array(words, { maxLength: 14 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(fc.oneof(texts, fc.string()), (text) => {
        const parsed = parseCriterion(text);
        if (parsed.ok) expect(['pass', 'fail']).toContain(parsed.check(FACTS));
        else expect(parsed.at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('tasks', () => {
  const good = JSON.parse(readFileSync(join(ROOT, 'tasks', 'rt_tidy-reports.task.json'), 'utf8')) as Record<
    string,
    unknown
  >;

  function load(task: unknown): ReturnType<typeof loadTask> {
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-tasks-'));
    writeFileSync(join(folder, 'rt_x.task.json'), typeof task === 'string' ? task : JSON.stringify(task));
    return loadTask(folder, 'rt_x');
  }

  it('task: the one that comes with the project → loads, with its fixture', () => {
    expect(Object.keys(load(good).fixture.files)).toContain('reports/2019-q4.md');
  });

  it('task: broken JSON, a member that is missing, an expectation that is none, a fixture without files → file and member', () => {
    const criteria = [{ check: 'c', expectation: 'exists(', weight: 1 }];
    const cases: readonly (readonly [unknown, RegExp])[] = [
      ['{', /rt_x\.task\.json: invalid-json at byte 1/],
      [{ ...good, goal: undefined }, /required member \/goal is missing/],
      [{ ...good, successCriteria: criteria }, /\/successCriteria\/0\/expectation, character 7/],
      [
        { ...good, safetyOracle: { forbiddenTripwires: [], invariants: ['maybe'] } },
        /\/safetyOracle\/invariants\/0, character 0/,
      ],
      [{ ...good, fixture: 'elsewhere' }, /\/fixture\/files must be an object/],
      [{ ...good, fixture: { files: { a: 1 } } }, /\/fixture\/files\/a must be a text/],
    ];
    for (const [task, message] of cases) expect(() => load(task)).toThrow(message);
    expect(() => loadTask('/nowhere', 'rt_x')).toThrow(/cannot read the task/);
  });
});
