/**
 * Workflow annotations: the exact commands, the limits of the host, and that no log can write a command of its own.
 */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../harness/core/verdict.js';
import { githubReport } from '../../harness/report/github.js';
import { h } from '../support/history.js';
import { BAD, HOSTILE, rendering, ROOT_DIR, withFindings, type Rendering } from '../support/report-bed.js';

const MESSAGE = 'A result needs a task_started between its dispatch and itself; none exists for task_t1.';
const TITLE = 'title=task/start-missing%3A A dispatched task acts or ends without a start';

function linesOf({ report, context }: Rendering): string[] {
  const text = githubReport(report, context);
  expect(githubReport(report, context)).toBe(text);
  return text.split('\n').slice(0, -1);
}

function many(count: number, like: Finding, severity: Finding['severity']): Finding[] {
  return Array.from({ length: count }, (_, index) => ({
    ...like,
    severity,
    fingerprint: `${severity}${index}`,
  }));
}

describe('github', () => {
  test('github: a good log → nothing', () => {
    expect(linesOf(rendering([{ log: h('run goal plan ask grant t1> t1! t1< done') }]))).toEqual([]);
  });

  test.each([
    ['my runs/50%,a:b.jsonl', 'my runs/50%25%2Ca%3Ab.jsonl'],
    [`${ROOT_DIR}/runs/a.jsonl`, 'runs/a.jsonl'],
    ['/elsewhere/a.jsonl', '/elsewhere/a.jsonl'],
    ['a\n::error::b.jsonl', 'a%0A%3A%3Aerror%3A%3Ab.jsonl'],
  ])('github: a fault in %j → one command', (path, file) => {
    expect(linesOf(rendering([{ log: h(BAD), path }]))).toEqual([
      `::error file=${file},line=7,${TITLE}::${MESSAGE}`,
    ]);
  });

  test('github: a fault in a log from a pipe → no file, the line in words', () => {
    expect(linesOf(rendering([{ log: h(BAD), path: '<stdin>' }]))).toEqual([
      `::error ${TITLE}::line 7: ${MESSAGE}`,
    ]);
  });

  test('github: words of a log that look like commands → each command is ours, on one line', () => {
    const tweak = { data: { taskId: HOSTILE } };
    const lines = linesOf(rendering([{ log: h(BAD, { 't1>': tweak, 't1<': tweak }) }]));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines)
      expect(line).toMatch(/^::(?:error|warning|notice) (?:file=log\.jsonl,line=\d+,)?title=/);
    expect(lines.join('\n')).toContain('::error::x\\u000a::error file=a::y\\u000d');
    expect(lines.join('\n')).toContain('%250A 100%25');
  });

  test('github: 6,000 findings → ten errors, ten warnings, nine notices, and a last one that counts the rest', () => {
    const bed = rendering([{ log: h(BAD) }]);
    const like = bed.report.runs[0]?.findings[0] as Finding;
    const findings = [
      ...many(2000, like, 'note'),
      ...many(2000, like, 'warning'),
      ...many(2000, like, 'error'),
    ];
    const lines = linesOf(withFindings(bed, findings));
    const kinds = lines.map((line) => /^::(\w+) /.exec(line)?.[1]);
    expect(kinds).toEqual([
      ...Array<string>(10).fill('error'),
      ...Array<string>(10).fill('warning'),
      ...Array<string>(10).fill('notice'),
    ]);
    expect(lines.at(-1)).toBe(
      '::notice title=counterproof::Not shown here: 1990 more errors, 1990 more warnings, 1991 more notes.',
    );
  });

  test('github: known to the baseline → counted only', () => {
    const { report } = rendering([{ log: h(BAD) }]);
    const baseline = new Set([report.runs[0]?.findings[0]?.fingerprint ?? '']);
    expect(linesOf(rendering([{ log: h(BAD) }], { baseline }))).toEqual([
      '::notice title=counterproof::Not shown here: 1 known to the baseline.',
    ]);
  });

  test('github: a facet is unknown → an error, since it fails the check', () => {
    const { report, context } = rendering([
      { log: h('run goal plan ask grant t1> t1! t1< done'), path: 'r.jsonl' },
    ]);
    const run = { ...(report.runs[0] as (typeof report.runs)[number]), findings: [] };
    const facets = {
      ...run.facets,
      policy: { verdict: 'unknown' as const, reasons: ['a rule threw', 'so'] },
    };
    expect(linesOf({ report: { ...report, runs: [{ ...run, facets }] }, context })).toEqual([
      '::error file=r.jsonl,title=policy is unknown::a rule threw; so',
    ]);
  });
});
