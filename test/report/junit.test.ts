/**
 * JUnit: the exact document of a small fault, how cases follow the exit code, and XML that a strict parser takes
 * whatever a log says.
 */
import { describe, expect, test } from 'vitest';
import { junitReport } from '../../harness/report/junit.js';
import { FIXTURES } from '../oracle/fixtures/index.js';
import { logOf } from '../oracle/fixtures/fixture.js';
import { h } from '../support/history.js';
import { BAD, HOSTILE, parseXml, rendering, type Element, type Rendering } from '../support/report-bed.js';

const GOOD = h('run goal plan ask grant t1> t1! t1< done');

function junitOf({ report, context }: Rendering): Element {
  const text = junitReport(report, context);
  expect(junitReport(report, context)).toBe(text);
  const suites = parseXml(text);
  const cases = suites.children.flatMap((suite) => suite.children);
  const said = (name: string): string =>
    String(cases.filter((each) => each.children.some((child) => child.name === name)).length);
  expect(suites.attributes).toMatchObject({
    tests: String(cases.length),
    failures: said('failure'),
    errors: said('error'),
    skipped: said('skipped'),
    time: '0',
  });
  return suites;
}

/** What each facet came to, as `policy: skipped`. */
const outcomesOf = (suite: Element | undefined): string[] =>
  (suite?.children ?? []).map(
    ({ attributes, children }) => `${attributes['name'] ?? ''}: ${children[0]?.name ?? 'passed'}`,
  );

describe('junit', () => {
  test('junit: a result without a start → the whole document', () => {
    const { report, context } = rendering([{ log: h(BAD) }]);
    expect(junitReport(report, context)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="counterproof" tests="4" failures="1" errors="0" skipped="1" time="0">
  <testsuite name="log.jsonl" tests="4" failures="1" errors="0" skipped="1" time="0">
    <testcase classname="log.jsonl" name="well-formed" time="0">
      <failure type="counterproof" message="task/start-missing">✗ task/start-missing   log.jsonl:7
     6  task_dispatched  task_t1 → coder  dispatch, caused by line 5
     7  task_result      task_t1 success  needs a start, caused by line 6
  A result needs a task_started between its dispatch and itself; none exists for task_t1.
  smallest edit: insert task_started {&quot;taskId&quot;:&quot;task_t1&quot;} after line 6, caused by evt_006</failure>
    </testcase>
    <testcase classname="log.jsonl" name="evidence" time="0"/>
    <testcase classname="log.jsonl" name="policy" time="0"/>
    <testcase classname="log.jsonl" name="condition" time="0">
      <skipped message="not applicable"/>
    </testcase>
  </testsuite>
</testsuites>
`);
  });

  test('junit: several runs, a folder among them → a suite for each, named by its path', () => {
    const suites = junitOf(
      rendering([
        { log: GOOD, path: 'a "b" & c.jsonl' },
        { log: h(BAD), files: {}, path: 'runs/x' },
      ]),
    );
    expect(suites.children.map((suite) => suite.attributes['name'])).toEqual(['a "b" & c.jsonl', 'runs/x']);
    expect(outcomesOf(suites.children[0])).toContain('well-formed: passed');
    expect(outcomesOf(suites.children[1])).toContain('well-formed: failure');
  });

  test('junit: everything is known to the baseline → passes, and says it', () => {
    const { report } = rendering([{ log: h(BAD) }]);
    const known = new Set(report.runs.flatMap((run) => run.findings.map((finding) => finding.fingerprint)));
    const bed = rendering([{ log: h(BAD) }], { baseline: known });
    const [suite] = junitOf(bed).children;
    expect([bed.report.exit, outcomesOf(suite)[0]]).toEqual([0, 'well-formed: system-out']);
    expect(suite?.children[0]?.children[0]?.text).toContain('(known)');
  });

  test('junit: the failing facet was not asked for → skipped, with its text', () => {
    const bed = rendering([{ log: h(BAD) }], { facets: ['evidence'] });
    const [suite] = junitOf(bed).children;
    expect([bed.report.exit, outcomesOf(suite)[0]]).toEqual([0, 'well-formed: skipped']);
    expect(suite?.children[0]?.children[1]?.text).toContain('task/start-missing');
  });

  test('junit: a facet is unknown → an error with its reasons', () => {
    const { report, context } = rendering([{ log: GOOD }]);
    const run = report.runs[0] as (typeof report.runs)[number];
    const facets = {
      ...run.facets,
      policy: { verdict: 'unknown' as const, reasons: ['a <rule>\u0000 threw'] },
    };
    const outcomes = [
      { 'well-formed': 'pass', evidence: 'pass', policy: 'unknown', condition: 'pass' } as const,
    ];
    const suites = junitOf({
      report: { ...report, runs: [{ ...run, facets }] },
      context: { ...context, outcomes },
    });
    const error = suites.children[0]?.children[2]?.children[0];
    expect([error?.name, error?.attributes['message']]).toEqual(['error', 'unknown: a <rule>\\u0000 threw']);
  });

  test('junit: a fault that shows in another facet → said there, with its root', () => {
    const log = h('run goal plan ask grant t1> t1! p1?T2 a1 e1 t1< done').replace(
      /^(.*"evt_010".*)\}$/m,
      '$1',
    );
    const suites = junitOf(rendering([{ log }]));
    const wellFormed = suites.children[0]?.children[0];
    expect(wellFormed?.children.map((child) => child.text).join('')).toContain(
      'follows from log/invalid-json (evidence)',
    );
  });

  test('junit: words of a log that mean something in XML → text again after parsing', () => {
    const tweak = { data: { taskId: HOSTILE } };
    const path = 'runs/\u0001 ]]>\n\ufffe.jsonl';
    const suites = junitOf(rendering([{ log: h(BAD, { 't1>': tweak, 't1<': tweak }), path }]));
    const texts = suites.children[0]?.children.flatMap((each) => each.children.map((child) => child.text));
    expect(texts?.join('\n')).toContain(`]]> & <b>"'</pre></details>`);
    expect(texts?.join('\n')).toContain('\\u0000\\u001b[31m\\u202e');
    expect(suites.children[0]?.attributes['name']).toBe('runs/\\u0001 ]]>\\u000a\\ufffe.jsonl');
  });

  test('junit: every fixture of every rule → well formed, failures as the exit code says', () => {
    for (const { rule, pass, fail } of FIXTURES) {
      for (const input of [...pass, ...fail].filter((each) => each.files === undefined)) {
        const bed = rendering([{ log: logOf(input), options: input.options ?? {} }]);
        const { attributes } = junitOf(bed);
        const isGreen = attributes['failures'] === '0' && attributes['errors'] === '0';
        expect(isGreen, rule).toBe(bed.report.exit === 0);
      }
    }
  });
});
