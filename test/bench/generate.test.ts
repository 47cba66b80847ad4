/**
 * The generator of logs: what it writes passes every rule and gives no note, the same seed gives the same bytes, and
 * each defect it injects is the one root at its line.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { VerdictReport } from '../../harness/core/verdict.js';
import { counterproof, run } from '../support/command.js';
import { ROOT } from '../support/tidy/repository.js';

interface Spoiled {
  readonly defect: string;
  readonly rule: string;
  readonly run: string;
  readonly line: number;
}

const GENERATOR = join(ROOT, 'test', 'bench', 'generate.mjs');
const folder = mkdtempSync(join(tmpdir(), 'counterproof-generate-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function generated(name: string, ...args: string[]): Promise<string> {
  const out = join(folder, name);
  expect(await run(process.execPath, [GENERATOR, '--out', out, ...args])).toMatchObject({ code: 0 });
  return out;
}

async function judged(path: string): Promise<VerdictReport> {
  const logs = path.endsWith('.jsonl') ? [path] : readdirSync(path).map((name) => join(path, name));
  const { stdout } = await counterproof(['check', ...logs, '--json']);
  return JSON.parse(stdout) as VerdictReport;
}

/** `run:line rule` of all root findings, sorted. */
function rootsOf(report: VerdictReport, truth: readonly Spoiled[]): string[] {
  const lines = new Set(truth.map(({ run, line }) => `${run}:${line}`));
  const roots = report.runs.flatMap(({ path, findings }) =>
    findings
      .filter(({ consequenceOf }) => consequenceOf === undefined)
      .map(({ rule, events }) => {
        const places = events.map(({ line }) => `${/(run_[^/]*)\.jsonl$/.exec(path)?.[1]}:${line}`);
        return `${places.find((place) => lines.has(place)) ?? places.join(' ')} ${rule}`;
      }),
  );
  return roots.sort();
}

describe('generate', () => {
  test('runs in a folder → each passes, nothing is found', async () => {
    const report = await judged(await generated('runs', '--runs', '5', '--events', '1200', '--seed', '7'));
    expect(report).toMatchObject({
      exit: 0,
      summary: { runs: 5, pass: 5, errors: 0, warnings: 0, notes: 0 },
    });
    expect(report.runs.map(({ counts }) => counts.events)).toEqual([1200, 1200, 1200, 1200, 1200]);
    expect(report.runs.flatMap(({ findings }) => findings)).toEqual([]);
  });

  test('a long run with new plans → passes, nothing is found', async () => {
    const report = await judged(await generated('long.jsonl', '--events', '30000', '--seed', '2'));
    expect(report).toMatchObject({ exit: 0, runs: [{ findings: [] }] });
  });

  test('the same seed → the same bytes; another seed → others', async () => {
    const logs = [];
    for (const [name, seed] of Object.entries({ a: '3', b: '3', c: '4' }))
      logs.push(readFileSync(await generated(`${name}.jsonl`, '--events', '800', '--seed', seed)));
    expect(logs[0]?.equals(logs[1] as Buffer)).toBe(true);
    expect(logs[0]?.equals(logs[2] as Buffer)).toBe(false);
  });

  for (const [name, runs, defects] of [
    ['spoiled', '4', '39'],
    ['run_bench-1-0001.jsonl', '1', '24'],
  ] as const) {
    test(`${defects} defects in ${runs} run(s) → one root each, of the rule named, at the line named`, async () => {
      const path = await generated(name, '--runs', runs, '--events', '4000', '--defects', defects);
      const truth = JSON.parse(readFileSync(`${path}.truth.json`, 'utf8')) as Spoiled[];
      expect(truth).toHaveLength(Number(defects));
      const wanted = truth.map(({ run, line, rule }) => `${run}:${line} ${rule}`).sort();
      expect(rootsOf(await judged(path), truth)).toEqual(wanted);
    });
  }
});
