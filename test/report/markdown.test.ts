/**
 * The job page: the exact text of a small fault, its limit, and that no log can write markup of its own.
 */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../harness/core/verdict.js';
import { markdownReport } from '../../harness/report/markdown.js';
import { h } from '../support/history.js';
import { BAD, HOSTILE, rendering, withFindings, type Rendering } from '../support/report-bed.js';

const MIB = 1024 * 1024;

function markdownOf({ report, context }: Rendering): string {
  const text = markdownReport(report, context);
  expect(markdownReport(report, context)).toBe(text);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MIB);
  return text;
}

describe('markdown', () => {
  test('markdown: a fault → a table and the finding to unfold', () => {
    expect(markdownOf(rendering([{ log: h(BAD), path: 'runs/a|b.jsonl' }])))
      .toBe(`### <code>counterproof</code>: 1 run, 0 pass, 1 fail, 0 unknown

1 error, 0 warnings, 0 notes; exit code 1.

| run | well-formed | evidence | policy | condition | events |
| --- | --- | --- | --- | --- | ---: |
| <code>runs/a&#124;b&#46;jsonl</code> | **FAIL** | pass | pass | n/a | 8 |

<details>
<summary>error: <code>task/start-missing</code> <code>runs/a|b.jsonl:7</code></summary>

<pre>✗ task/start-missing   runs/a|b.jsonl:7
     6  task_dispatched  task_t1 → coder  dispatch, caused by line 5
     7  task_result      task_t1 success  needs a start, caused by line 6
  A result needs a task_started between its dispatch and itself; none exists for task_t1.
  smallest edit: insert task_started {"taskId":"task_t1"} after line 6, caused by evt_006</pre>

</details>
`);
  });

  test('markdown: words of a log and a path that are markup → text', () => {
    const tweak = { data: { taskId: HOSTILE } };
    const path = `runs/${HOSTILE.replaceAll('/', '')}\n\n# title.jsonl`;
    const text = markdownOf(rendering([{ log: h(BAD, { 't1>': tweak, 't1<': tweak }), path }]));
    expect(text).toContain(']]&gt; &amp; &lt;b&gt;');
    expect(text.match(/<[^>]*>/g)?.filter((tag) => !/^<\/?(?:code|pre|details|summary)>$/.test(tag))).toEqual(
      [],
    );
    expect(text.match(/<\/pre>/g)?.length).toBe(text.match(/<details>/g)?.length);
    const row = text.split('\n').find((line) => line.startsWith('| <code>')) ?? '';
    expect(row.split('|')).toHaveLength(8);
    expect(row.replace(/&#\d+;/g, '')).not.toMatch(/[`@[\]\\]/);
    expect(text).not.toMatch(/^# title/m);
  });

  test('markdown: 6,000 long findings → at most 1 MiB, the worst first, the rest counted', () => {
    const bed = rendering([{ log: h(BAD) }]);
    const like = bed.report.runs[0]?.findings[0] as Finding;
    const findings = Array.from({ length: 6000 }, (_, index) => ({
      ...like,
      severity: index === 5999 ? ('error' as const) : ('warning' as const),
      message: 'ü'.repeat(300),
      fingerprint: String(index),
    }));
    const text = markdownOf(withFindings(bed, findings));
    const shown = text.match(/<details>/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(500);
    expect(/<summary>(\w+)/.exec(text)?.[1]).toBe('error');
    expect(text).toContain(`\n${6000 - shown} more findings left out: a page holds at most 1 MiB.\n`);
  });

  test('markdown: 20,000 runs → the table is cut too, and says so', () => {
    const { report, context } = rendering([{ log: h(BAD), path: `runs/${'r'.repeat(80)}` }]);
    const run = report.runs[0] as (typeof report.runs)[number];
    const text = markdownOf({
      report: { ...report, runs: Array.from({ length: 20_000 }, () => run) },
      context,
    });
    const rows = text.match(/^\| <code>/gm)?.length ?? 0;
    expect(rows).toBeGreaterThan(1000);
    expect(text).toContain(`\n${20_000 - rows} more runs left out: a page holds at most 1 MiB.\n`);
  });

  test('markdown: known findings and unknown facets → said', () => {
    const first = rendering([{ log: h(BAD) }]);
    const baseline = new Set([first.report.runs[0]?.findings[0]?.fingerprint ?? '']);
    const { report, context } = rendering([{ log: h(BAD) }], { baseline });
    const run = report.runs[0] as (typeof report.runs)[number];
    const facets = { ...run.facets, policy: { verdict: 'unknown' as const, reasons: ['a *rule* threw'] } };
    const text = markdownOf({ report: { ...report, runs: [{ ...run, facets }] }, context });
    expect(text).toContain('<summary>error, known: <code>task/start-missing</code>');
    expect(text).toContain('policy is unknown: <code>a &#42;rule&#42; threw</code>');
  });
});
