/**
 * How facets, severities, a baseline and empty logs decide the exit code: the table in the README, row
 * by row. The verdicts are made up here; how they come about is the judge's business.
 */
import { describe, expect, test } from 'vitest';
import { makeReport, type ReportOptions } from '../../harness/check/report.js';
import { validate } from '../../harness/core/schema.js';
import { FACETS } from '../../harness/core/verdict.js';
import type { Facet, FacetVerdict, Finding, RunVerdict } from '../../harness/core/verdict.js';

type Facets = { readonly [Name in Facet]?: FacetVerdict };

function finding(rule: string, facet: Facet, more: Partial<Finding> = {}): Finding {
  return {
    rule,
    severity: 'error',
    facet,
    run: 'run_x',
    events: [{ id: 'evt_1', line: 1, offset: 0, role: 'this line' }],
    facts: {},
    message: 'wrong.',
    fingerprint: `${rule.replace(/\W/g, '-')}-0`,
    ...more,
  };
}

function verdict(
  facets: Facets,
  findings: readonly Finding[] = [],
  more: Partial<RunVerdict> = {},
): RunVerdict {
  const judged = Object.fromEntries(
    FACETS.map((facet) => [facet, { verdict: facets[facet] ?? 'not-applicable', reasons: [] }]),
  ) as unknown as RunVerdict['facets'];
  return {
    run: 'run_x',
    path: 'run_x',
    input: 'folder',
    verdict: 'pass',
    facets: judged,
    counts: { bytes: 100, lines: 1, blank: 0, events: 1, lost: 0, repaired: 0 },
    tokens: { blocks: 0, calls: 0, input: 0, output: 0, thinking: 0, unknownThinking: 0 },
    findings,
    omitted: {},
    rules: [],
    withheld: [],
    unknownKinds: {},
    ...more,
  };
}

function exitOf(runs: readonly RunVerdict[], options: Partial<ReportOptions> = {}): number {
  return makeReport(runs, {
    harness: { name: 'counterproof', version: '0' },
    profile: 'strict',
    live: false,
    facets: FACETS,
    failOn: 'error',
    ...options,
  }).exit;
}

const POLICY_ERROR = finding('gate/proposal-missing', 'policy');
const FORM_ERROR = finding('task/start-missing', 'well-formed');
const LINE_ERROR = finding('log/invalid-json', 'evidence');
const MARK = finding('log/byte-order-mark', 'evidence', { severity: 'warning' });
const INLINE = finding('reference/payload-inline', 'evidence', { severity: 'warning' });
const NOTE = finding('log/unknown-kind', 'evidence', { severity: 'note' });

const PASS = verdict({ 'well-formed': 'pass', evidence: 'pass', policy: 'pass' });
const UNKNOWN = verdict({ 'well-formed': 'unknown', evidence: 'pass' });
const POLICY_FAIL = verdict({ 'well-formed': 'pass', evidence: 'pass', policy: 'fail' }, [POLICY_ERROR]);
const FORM_FAIL = verdict({ 'well-formed': 'fail', evidence: 'pass' }, [FORM_ERROR]);
const LINE_FAIL = verdict({ 'well-formed': 'unknown', evidence: 'fail' }, [LINE_ERROR]);
const WARNED = verdict({ 'well-formed': 'pass', evidence: 'pass' }, [MARK, INLINE, NOTE]);
const EMPTY = verdict(
  { 'well-formed': 'unknown', evidence: 'fail' },
  [finding('log/empty-log', 'evidence')],
  {
    counts: { bytes: 0, lines: 0, blank: 0, events: 0, lost: 0, repaired: 0 },
  },
);

describe('report: exit code', () => {
  test.each<[string, readonly RunVerdict[], Partial<ReportOptions>, number]>([
    ['all pass', [PASS, PASS], {}, 0],
    ['nothing applies', [verdict({})], {}, 0],
    ['one unknown', [PASS, UNKNOWN], {}, 2],
    ['one fails', [PASS, FORM_FAIL], {}, 1],
    ['a failure outweighs an unknown', [UNKNOWN, POLICY_FAIL], {}, 1],
    ['a failure and an unknown in one run', [LINE_FAIL], {}, 1],
    ['a facet not asked for fails', [POLICY_FAIL], { facets: ['well-formed', 'evidence'] }, 0],
    ['the facet asked for fails', [POLICY_FAIL], { facets: ['policy'] }, 1],
    ['a facet not asked for is unknown', [UNKNOWN], { facets: ['evidence'] }, 0],
    ['the facet asked for is unknown', [UNKNOWN], { facets: ['well-formed'] }, 2],
    ['a line is bad and its facet not asked for', [LINE_FAIL], { facets: ['policy'] }, 1],
    ['warnings', [WARNED], {}, 0],
    ['warnings that count', [WARNED], { failOn: 'warning' }, 1],
    [
      'warnings that count, their facet not asked for',
      [verdict({}, [INLINE])],
      { failOn: 'warning', facets: ['policy'] },
      0,
    ],
    [
      'a warning about a line always counts then',
      [verdict({}, [MARK])],
      { failOn: 'warning', facets: ['policy'] },
      1,
    ],
    ['notes never count', [verdict({ evidence: 'pass' }, [NOTE])], { failOn: 'warning' }, 0],
    ['a log still being written is decided the same way', [UNKNOWN], { live: true }, 2],
    ['only empty logs', [EMPTY, EMPTY], {}, 66],
    ['an empty log among good ones', [PASS, EMPTY], {}, 66],
    ['an empty log beside a failure', [EMPTY, FORM_FAIL], {}, 1],
    ['an empty log beside an unknown', [UNKNOWN, EMPTY], {}, 66],
    ['an empty log, its facet not asked for', [EMPTY], { facets: ['policy'] }, 66],
  ])('report: %s → as the table says', (_, runs, options, exit) => {
    expect(exitOf(runs, options)).toBe(exit);
  });

  const known = (...findings: Finding[]): Partial<ReportOptions> => ({
    baseline: new Set(findings.map((each) => each.fingerprint)),
  });
  const CHILD = finding('causal/untraceable-action', 'well-formed', {
    consequenceOf: FORM_ERROR.fingerprint,
  });

  test.each<[string, readonly RunVerdict[], Partial<ReportOptions>, number]>([
    ['everything known', [FORM_FAIL], known(FORM_ERROR), 0],
    ['nothing known', [FORM_FAIL], known(), 1],
    [
      'one of two known',
      [verdict({ 'well-formed': 'fail' }, [FORM_ERROR, POLICY_ERROR])],
      known(FORM_ERROR),
      1,
    ],
    [
      'a new consequence of a known root',
      [verdict({ 'well-formed': 'fail' }, [FORM_ERROR, CHILD])],
      known(FORM_ERROR),
      1,
    ],
    [
      'known, and something unknown',
      [verdict({ 'well-formed': 'fail', evidence: 'unknown' }, [FORM_ERROR])],
      known(FORM_ERROR),
      2,
    ],
    ['a new fault in a facet not asked for', [POLICY_FAIL], { ...known(), facets: ['well-formed'] }, 0],
    ['a new fault of a line', [LINE_FAIL], { ...known(), facets: ['policy'] }, 1],
    ['a new warning', [WARNED], known(), 0],
    ['a new warning that counts', [WARNED], { ...known(MARK), failOn: 'warning' }, 1],
    ['an empty log that is known', [EMPTY], { baseline: new Set(['log-empty-log-0']) }, 66],
    ['more faults than kept', [{ ...FORM_FAIL, omitted: { 'task/start-missing': 3 } }], known(FORM_ERROR), 1],
    [
      'more faults than kept, of a rule not shown',
      [{ ...PASS, omitted: { 'task/start-missing': 3 } }],
      known(),
      1,
    ],
    ['more notes than kept', [{ ...WARNED, omitted: { 'log/unknown-kind': 3 } }], known(), 0],
    [
      'more faults than kept in a facet not asked for',
      [{ ...POLICY_FAIL, omitted: { 'gate/proposal-missing': 3 } }],
      { ...known(), facets: ['evidence'] },
      0,
    ],
  ])('report: baseline, %s → as the table says', (_, runs, options, exit) => {
    expect(exitOf(runs, options)).toBe(exit);
  });
});

describe('report: summary', () => {
  test('report: runs and roots → counted, consequences not', () => {
    const child = finding('causal/orphan', 'well-formed', { consequenceOf: FORM_ERROR.fingerprint });
    const report = makeReport(
      [PASS, UNKNOWN, WARNED, verdict({ 'well-formed': 'fail' }, [FORM_ERROR, child])],
      {
        harness: { name: 'counterproof', version: '0' },
        profile: 'collapsed',
        live: true,
        facets: ['well-formed'],
        failOn: 'error',
      },
    );
    expect(report).toMatchObject({
      formatVersion: 1,
      profile: 'collapsed',
      live: true,
      facets: ['well-formed'],
      exit: 1,
      summary: { runs: 4, pass: 2, fail: 1, unknown: 1, errors: 1, warnings: 2, notes: 1 },
    });
    expect(validate('verdict-report', JSON.parse(JSON.stringify(report)))).toMatchObject({ ok: true });
  });
});
