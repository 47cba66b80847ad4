/**
 * Real damaged logs and real approval bugs, each against what must be said about it (`expectRules` in MANIFEST.json).
 * `must`: root errors, complete · `folded`: allowed as consequences only · `mustNot`: not at all · `notes`: must appear.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkRun } from '../../harness/check/check-run.js';
import { resolveInputs } from '../../harness/check/inputs.js';
import { makeReport } from '../../harness/check/report.js';
import { FACETS, type VerdictReport } from '../../harness/core/verdict.js';
import { describeWithData } from '../support/data.js';

interface Expectation {
  readonly must: string[];
  readonly mustNot: string[];
  readonly exit: number;
  readonly lines?: { [rule: string]: number[] };
  readonly notes?: string[];
  readonly folded?: string[];
}

interface Entry {
  readonly file: string;
  readonly expectRules?: Expectation & { readonly afterScript?: Expectation & { readonly run: string } };
}

function check(path: string): VerdictReport {
  const inputs = resolveInputs([path]);
  const checked = inputs.runs.map((run) =>
    checkRun(run, { profile: 'strict', live: false, violationsMax: 100 }),
  );
  return makeReport(
    checked.map((run) => run.verdict),
    {
      harness: { name: 'counterproof', version: '0' },
      profile: 'strict',
      live: false,
      facets: FACETS,
      failOn: 'error',
    },
  );
}

/** Everything in which the report is not what was expected; empty where it is. */
function differences(report: VerdictReport, expected: Expectation): string[] {
  const findings = report.runs.flatMap((run) => run.findings);
  const roots = findings.filter((finding) => finding.consequenceOf === undefined);
  const errors = new Set(
    roots.filter((finding) => finding.severity === 'error').map((finding) => finding.rule),
  );
  const wrong: string[] = [];
  for (const rule of expected.must) if (!errors.has(rule)) wrong.push(`missing root ${rule}`);
  for (const rule of errors) if (!expected.must.includes(rule)) wrong.push(`unexpected root ${rule}`);
  for (const rule of expected.mustNot)
    if (findings.some((finding) => finding.rule === rule)) wrong.push(`forbidden ${rule}`);
  for (const finding of findings) {
    const isConsequence = finding.consequenceOf !== undefined && finding.severity === 'error';
    if (
      isConsequence &&
      !(expected.folded ?? []).includes(finding.rule) &&
      !expected.must.includes(finding.rule)
    ) {
      wrong.push(`consequence not foreseen ${finding.rule}`);
    }
  }
  for (const rule of expected.notes ?? []) {
    if (!roots.some((finding) => finding.rule === rule && finding.severity !== 'error'))
      wrong.push(`missing note ${rule}`);
  }
  for (const [rule, lines] of Object.entries(expected.lines ?? {})) {
    const named = findings
      .filter((finding) => finding.rule === rule)
      .flatMap((finding) => finding.events.map((event) => event.line));
    for (const line of lines) if (!named.includes(line)) wrong.push(`${rule} does not name line ${line}`);
  }
  if (report.exit !== expected.exit) wrong.push(`exit ${report.exit}, expected ${expected.exit}`);
  return wrong;
}

describeWithData('conformance', (dir) => {
  const manifest = JSON.parse(readFileSync(join(dir, 'MANIFEST.json'), 'utf8')) as Entry[];
  const cases = manifest.filter(
    (entry) => entry.expectRules !== undefined && existsSync(join(dir, entry.file)),
  );

  it(`conformance: the manifest holds cases → ${cases.length} run`, () => {
    expect(cases.length).toBeGreaterThan(30);
    process.stdout.write(`conformance: ${cases.length} cases of MANIFEST.json run\n`);
  });

  for (const entry of cases) {
    const expected = entry.expectRules as NonNullable<Entry['expectRules']>;
    it(`conformance: ${entry.file} → ${expected.must.join(', ') || 'no root error'}, exit ${expected.exit}`, () => {
      expect(differences(check(join(dir, entry.file)), expected)).toEqual([]);
    });
    const after = expected.afterScript;
    if (after === undefined) continue;
    it(`conformance: ${entry.file} as its script builds it → ${after.must.join(', ')}, exit ${after.exit}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'counterproof-links-'));
      const script = after.run.replace(/^node (\S+).*$/, '$1');
      const run = execFileSync(process.execPath, [join(dir, entry.file, '..', script), folder], {
        encoding: 'utf8',
      }).trim();
      const report = check(run);
      expect(differences(report, after)).toEqual([]);
      expect(JSON.stringify(report)).not.toContain('OUTSIDE-SECRET');
    });
  }
});
