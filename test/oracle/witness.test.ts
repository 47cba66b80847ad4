/**
 * What a report says can be checked without the oracle: a plain script agrees with every place and witness, and what
 * a finding offers as a fix does mend it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeWithData } from '../support/data.js';
import { applyFix } from '../support/fix.js';
import { judgeText } from '../support/judge.js';
import { judgeInput, logOf } from './fixtures/fixture.js';
import { FAILING } from './fixtures/index.js';

const SCRIPT = resolve(import.meta.dirname, '../support/witness.mjs');
const folder = mkdtempSync(join(tmpdir(), 'counterproof-witness-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Pair {
  readonly report: object;
  readonly log: string | Uint8Array;
}

/** What the script has to say about reports and their logs; empty where it agrees. */
function objections(pairs: readonly Pair[]): string {
  const paths = pairs.flatMap(({ report, log }, index) => {
    const written = [join(folder, `${index}.json`), join(folder, `${index}.jsonl`)] as const;
    writeFileSync(written[0], JSON.stringify(report));
    writeFileSync(written[1], log);
    return written;
  });
  try {
    return execFileSync(process.execPath, [SCRIPT, ...paths], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

describe('witness', () => {
  it('witness: every failing fixture → the script agrees with each place, line and value', () => {
    const pairs = FAILING.map(({ input }) => ({ report: judgeInput(input).report, log: logOf(input) }));
    expect(objections(pairs)).toBe('');
    expect(pairs.length).toBeGreaterThan(150);
  });

  it('witness: a report of another log → the script objects', () => {
    const [bad] = FAILING.filter(({ rule }) => rule === 'task/start-missing');
    const report = judgeInput(bad?.input ?? {}).report;
    const log = logOf(bad?.input ?? {}) as string;
    expect(objections([{ report, log: `\n${log}` }])).toContain('starts at');
    const mended = log.replace('"kind":"task_result"', '"kind":"task_started"');
    expect(objections([{ report, log: mended }])).toContain('which should be absent');
  });

  it('witness: a finding that says something is missing everywhere → carries a witness', () => {
    const bare = FAILING.filter(({ rule }) =>
      /^(task|run)\/(start|result|goal|terminal)-missing$/.test(rule),
    );
    for (const { name, rule, input } of bare) {
      const own = judgeInput(input).findings.filter((finding) => finding.rule === rule);
      expect(
        own.every((finding) => finding.witness !== undefined),
        name,
      ).toBe(true);
    }
  });
});

describeWithData('witness', (data) => {
  it('witness: the public logs → the script agrees', () => {
    const paths = ['corruption', 'policy/logs', 'roster'].flatMap((name) =>
      readdirSync(join(data, name))
        .filter((file) => file.endsWith('.jsonl'))
        .map((file) => join(data, name, file)),
    );
    const logs = paths.map((path) => readFileSync(path));
    expect(objections(logs.map((log) => ({ report: judgeText(log).report, log })))).toBe('');
  });
});

describe('fix', () => {
  for (const { name, rule, input } of FAILING) {
    const log = logOf(input);
    if (typeof log !== 'string' || input.files !== undefined) continue;
    it(`fix: ${name}, where a fix is offered → the finding is gone and no root is new`, () => {
      const before = judgeInput(input);
      const offered = before.findings.find((finding) => finding.rule === rule && finding.fix !== undefined);
      expect(before.findings.length).toBeGreaterThan(0);
      if (offered?.fix === undefined) return;
      const after = judgeText(applyFix(log, offered.fix), input.options);
      const count = (judged: typeof after): number =>
        judged.findings.filter((finding) => finding.fingerprint === offered.fingerprint).length;
      const known = [...before.rootRules, ...before.foldedRules];
      const fresh = after.rootRules.filter((root) => !known.includes(root));
      expect({ fresh, more: count(after) > count(before) }).toEqual({ fresh: [], more: false });
      const found = (judged: typeof after): number =>
        judged.findings.filter((each) => each.rule === rule).length;
      const isSmaller = found(after) < found(before) || linesOf(after, rule) < linesOf(before, rule);
      expect(isSmaller, 'less of it').toBe(true);
    });
  }
});

/** How many lines the findings of a rule name. */
function linesOf(judged: ReturnType<typeof judgeText>, rule: string): number {
  return judged.findings
    .filter((finding) => finding.rule === rule)
    .reduce((sum, finding) => sum + finding.events.length, 0);
}
