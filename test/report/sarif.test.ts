/**
 * SARIF: the exact document of a small fault, the schema held against every fixture and the public logs, and the
 * limits of hosts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../harness/core/verdict.js';
import { sarifReport } from '../../harness/report/sarif.js';
import { FIXTURES } from '../oracle/fixtures/index.js';
import { logOf } from '../oracle/fixtures/fixture.js';
import { describeWithData } from '../support/data.js';
import { h } from '../support/history.js';
import {
  BAD,
  HOSTILE,
  rendering,
  ROOT_DIR,
  sarifProblems,
  withFindings,
  type Rendering,
} from '../support/report-bed.js';

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  baselineState?: string;
  codeFlows?: { threadFlows: { locations: unknown[] }[] }[];
  relatedLocations?: unknown[];
  properties: { facts: object; consequenceCount?: number; consequences?: { rule: string }[] };
}

interface Run {
  tool: { driver: { rules: { id: string }[] } };
  invocations: [
    {
      executionSuccessful: boolean;
      exitCode: number;
      toolExecutionNotifications?: { descriptor: { id: string }; level: string; message: { text: string } }[];
    },
  ];
  results: Result[];
}

function sarifOf({ report, context }: Rendering): Run {
  const text = sarifReport(report, context);
  expect(sarifProblems(text)).toEqual([]);
  expect(sarifReport(report, context)).toBe(text);
  const { runs } = JSON.parse(text) as { runs: Run[] };
  expect(runs).toHaveLength(1);
  return runs[0] as Run;
}

const notificationsOf = (run: Run): string[] =>
  (run.invocations[0].toolExecutionNotifications ?? []).map(({ descriptor }) => descriptor.id);

/** So many findings like the one given, each with a fingerprint of its own. */
function many(count: number, like: Finding, more: Partial<Finding> = {}): Finding[] {
  return Array.from({ length: count }, (_, index) => ({
    ...like,
    fingerprint: `${more.severity ?? ''}${index}`,
    ...more,
  }));
}

describe('sarif: one fault', () => {
  test('sarif: a result without a start, in a path to be encoded → the whole document', () => {
    const run = sarifOf(rendering([{ log: h(BAD), path: `${ROOT_DIR}/my runs/50%.jsonl` }]));
    const at = (startLine: number): object => ({
      artifactLocation: { uri: 'my%20runs/50%25.jsonl', uriBaseId: '%SRCROOT%' },
      region: { startLine },
    });
    expect(run).toMatchObject({
      tool: {
        driver: {
          name: 'counterproof',
          version: '0.0.1',
          rules: [
            {
              id: 'task/start-missing',
              name: 'TaskStartMissing',
              shortDescription: { text: expect.any(String) },
              fullDescription: { text: expect.any(String) },
              help: { text: expect.stringContaining('Example') },
              defaultConfiguration: { level: 'error' },
            },
          ],
        },
      },
      invocations: [{ executionSuccessful: true, exitCode: 1 }],
    });
    expect(run.tool.driver).not.toHaveProperty('informationUri');
    expect(run.results).toEqual([
      {
        ruleId: 'task/start-missing',
        ruleIndex: 0,
        level: 'error',
        message: {
          text: 'A result needs a task_started between its dispatch and itself; none exists for task_t1.',
        },
        locations: [{ physicalLocation: at(7) }],
        partialFingerprints: { 'counterproofFingerprint/v1': expect.stringMatching(/^[0-9a-f]{16}$/) },
        codeFlows: [
          {
            threadFlows: [
              {
                locations: [
                  {
                    location: {
                      physicalLocation: at(6),
                      message: {
                        text: expect.stringMatching(/^task_dispatched task_t1 .*caused by line 5\)$/),
                      },
                    },
                  },
                  {
                    location: {
                      physicalLocation: at(7),
                      message: { text: expect.stringMatching(/^task_result task_t1 .*caused by line 6\)$/) },
                    },
                  },
                ],
              },
            ],
          },
        ],
        relatedLocations: [{ id: 0, physicalLocation: at(6), message: { text: 'dispatch' } }],
        properties: expect.objectContaining({ facet: 'well-formed', run: 'run_x1', event: 'evt_007' }),
      },
    ]);
  });

  test('sarif: what follows from a fault → counted and named with its root, no result', () => {
    const run = sarifOf(
      rendering([{ log: h('run goal plan ask grant t1> t1! p1?T3 a1(coder) e1 t1< done') }]),
    );
    expect(run.results.map((result) => result.ruleId)).toEqual(['gate/approver-not-principal']);
    expect(run.results[0]?.message.text).toMatch(
      /1 more finding follows from it: gate\/ungated-high-tier\.$/,
    );
    expect(run.results[0]?.properties).toMatchObject({
      consequenceCount: 1,
      consequences: [{ rule: 'gate/ungated-high-tier' }],
    });
  });

  test('sarif: a folder and two logs → one run, each result in its own log', () => {
    const text = sarifReport(
      ...inOrder(
        rendering([
          { log: h(BAD), files: {}, path: 'runs/x' },
          { log: h(BAD) },
          { log: h(BAD), path: '<stdin>' },
        ]),
      ),
    );
    expect(sarifProblems(text)).toEqual([]);
    for (const uri of ['runs/x/provenance.jsonl', 'log.jsonl', '%3Cstdin%3E'])
      expect(text).toContain(`"uri": "${uri}"`);
  });

  test('sarif: words of a log that mean something elsewhere → no link, no control character', () => {
    const { report, context } = rendering([{ log: hostileLog() }]);
    const text = sarifReport(report, context);
    expect(sarifProblems(text)).toEqual([]);
    const [result] = sarifOf({ report, context }).results.filter((each) =>
      each.message.text.includes('evil'),
    );
    expect(result?.message.text).toContain('\\[x\\](https://evil.example)');
    expect(result?.message.text).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

function inOrder({ report, context }: Rendering): [Rendering['report'], Rendering['context']] {
  return [report, context];
}

function hostileLog(): string {
  return h(BAD, { 't1>': { data: { taskId: HOSTILE } }, 't1<': { data: { taskId: HOSTILE } } });
}

describe('sarif: baseline and doubt', () => {
  test('sarif: a baseline → known results are unchanged and stand last, the others new', () => {
    const logs = [{ log: h(`${BAD} run`) }];
    const first = rendering(logs);
    const [known] = first.report.runs[0]?.findings ?? [];
    const run = sarifOf(rendering(logs, { baseline: new Set([known?.fingerprint ?? '']) }));
    const states = run.results.map((result) => [result.level, result.baselineState]);
    expect(states).toContainEqual(['error', 'new']);
    expect(states.filter(([, state]) => state === 'unchanged')).toHaveLength(1);
    expect(states.filter(([level]) => level === 'error').at(-1)).toEqual(['error', 'unchanged']);
    expect(sarifOf(first).results.some((result) => 'baselineState' in result)).toBe(false);
  });

  test('sarif: a facet is unknown → said in a notification, and not a success', () => {
    const { report, context } = rendering([{ log: h(BAD) }]);
    const run = report.runs[0] as (typeof report.runs)[number];
    const facets = { ...run.facets, policy: { verdict: 'unknown' as const, reasons: ['a rule threw'] } };
    const doubtful = sarifOf({ report: { ...report, runs: [{ ...run, facets }] }, context });
    expect(doubtful.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [
        {
          descriptor: { id: 'counterproof/facet-unknown' },
          level: 'error',
          message: { text: 'policy is unknown: a rule threw.' },
        },
      ],
    });
    const unasked = sarifOf({
      report: { ...report, facets: ['evidence'], runs: [{ ...run, facets }] },
      context,
    });
    expect(unasked.invocations[0]).toMatchObject({
      executionSuccessful: true,
      toolExecutionNotifications: [{ level: 'warning' }],
    });
  });
});

describe('sarif: limits', () => {
  const one = (): Rendering => rendering([{ log: h(BAD) }]);
  const findingOf = (bed: Rendering): Finding => bed.report.runs[0]?.findings[0] as Finding;

  test('sarif: 6,000 findings → the 5,000 worst, and how many were left out', () => {
    const bed = one();
    const like = findingOf(bed);
    const run = sarifOf(
      withFindings(bed, [
        ...many(3000, like, { severity: 'note' }),
        ...many(2999, like, { severity: 'warning' }),
        like,
      ]),
    );
    expect(run.results).toHaveLength(5000);
    expect(run.results.map((result) => result.level).slice(0, 2)).toEqual(['error', 'warning']);
    expect(run.results.filter((result) => result.level === 'note')).toHaveLength(2000);
    expect(notificationsOf(run)).toEqual(['counterproof/results-cut']);
    expect(run.invocations[0].toolExecutionNotifications?.[0]?.message.text).toContain('1000 of 6000');
  });

  test('sarif: a finding of 150 lines and a slice of 1,200 → 100 places, 1,000 steps, and what was cut', () => {
    const bed = one();
    const like = findingOf(bed);
    const events = Array.from({ length: 150 }, (_, index) => ({
      id: `evt_${index}`,
      line: index + 1,
      offset: 0,
      role: 'this line',
    }));
    const slice = Array.from({ length: 1200 }, (_, index) => ({
      line: index + 1,
      kind: 'k',
      about: '',
      role: 'r',
    }));
    const long = withFindings(bed, [{ ...like, events }]);
    const run = sarifOf({ ...long, context: { ...long.context, slices: [[slice]] } });
    expect(run.results[0]?.relatedLocations).toHaveLength(99);
    expect(run.results[0]?.codeFlows?.[0]?.threadFlows[0]?.locations).toHaveLength(1000);
    expect(notificationsOf(run)).toEqual(['counterproof/lines-cut']);
    expect(run.invocations[0].toolExecutionNotifications?.[0]?.message.text).toMatch(/^250 lines/);
  });

  test('sarif: facts of 100 KB → left out, the short ones stay', () => {
    const bed = one();
    const facts = { task: 't', text: 'x'.repeat(100_000) };
    const run = sarifOf(withFindings(bed, [{ ...findingOf(bed), facts }]));
    expect(run.results[0]?.properties.facts).toEqual({ task: 't' });
  });

  test('sarif: findings that were not kept, and a thousand doubtful runs → said, but not a thousand times', () => {
    const { report, context } = one();
    const run = report.runs[0] as (typeof report.runs)[number];
    const facets = { ...run.facets, policy: { verdict: 'unknown' as const, reasons: [] } };
    const runs = Array.from({ length: 1000 }, () => ({
      ...run,
      facets,
      omitted: { 'task/start-missing': 3 },
    }));
    const ids = notificationsOf(sarifOf({ report: { ...report, runs }, context }));
    expect(ids).toHaveLength(200);
    expect(ids).toContain('counterproof/findings-omitted');
    expect(ids.at(-1)).toBe('counterproof/more');
  });
});

describe('sarif: schema', () => {
  test('sarif: the schema → refuses what is no SARIF', () => {
    expect(sarifProblems('{"version":"2.1.0","runs":[{"results":[]}]}')).not.toEqual([]);
    expect(sarifProblems('{"version":"2.0.0","runs":[]}')).not.toEqual([]);
  });

  test('sarif: every fixture of every rule → valid, each root a result', () => {
    let results = 0;
    for (const { rule, pass, fail } of FIXTURES) {
      const inputs = [...pass, ...fail].map((input) => ({
        log: logOf(input),
        ...(input.files === undefined ? {} : { files: input.files }),
        ...(input.beside === undefined ? {} : { beside: input.beside }),
        ...(input.options === undefined ? {} : { options: input.options }),
      }));
      const bed = rendering(inputs);
      const run = sarifOf(bed);
      const { errors, warnings, notes } = bed.report.summary;
      expect(run.results.length, rule).toBe(errors + warnings + notes);
      results += run.results.length;
    }
    expect(results).toBeGreaterThan(FIXTURES.length);
  });
});

describeWithData('sarif: public data', (dir) => {
  test('sarif: the worked example and every damaged log → valid', () => {
    const damaged = readdirSync(join(dir, 'corruption')).filter((name) => name.endsWith('.jsonl'));
    const files = [...damaged.map((name) => `corruption/${name}`), 'roster/provenance.sample.jsonl'];
    const logs = files.map((name) => ({ log: readFileSync(join(dir, name)), path: name }));
    expect(files.length).toBeGreaterThan(25);
    const run = sarifOf(rendering(logs));
    expect(run.results.length).toBeGreaterThan(files.length / 2);
    expect(run.results.every((result) => run.tool.driver.rules[result.ruleIndex]?.id === result.ruleId)).toBe(
      true,
    );
  });
});
