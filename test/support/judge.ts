/**
 * Judges logs and run folders that a test makes up, through the same path as `check`: bytes in, report out.
 * No expectation stands here; what must come out is the tests' business.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { checkRun, type CheckOptions } from '../../harness/check/check-run.js';
import { makeReport } from '../../harness/check/report.js';
import { FACETS, type Finding, type RunVerdict, type VerdictReport } from '../../harness/core/verdict.js';

/** Files of a run folder by path; objects become JSON. */
export type Files = Readonly<Record<string, string | Uint8Array | object>>;

export interface RunFolder {
  readonly runDir: string;
}

export interface Judged {
  readonly report: VerdictReport;
  readonly run: RunVerdict;
  readonly findings: readonly Finding[];
  /** Errors that follow from nothing else. */
  readonly roots: readonly Finding[];
  /** Rules of the roots, each once, sorted. */
  readonly rootRules: readonly string[];
  /** Rules of the errors folded under a root, each once, sorted. */
  readonly foldedRules: readonly string[];
}

let scratch: string | undefined;

/** A folder of this process for logs that are judged and forgotten. */
function scratchFolder(): string {
  if (scratch === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'counterproof-judge-'));
    process.once('exit', () => {
      rmSync(made, { recursive: true, force: true });
    });
    scratch = made;
  }
  return scratch;
}

/** Writes a run folder, removed when the test is over. `beside` goes into the study folder around it. */
export function runFolder(files: Files, log: string | Uint8Array, beside: Files = {}): RunFolder {
  const study = mkdtempSync(join(tmpdir(), 'counterproof-run-'));
  onTestFinished(() => {
    rmSync(study, { recursive: true, force: true });
  });
  const runDir = join(study, 'run_x1');
  writeFiles(runDir, { ...files, 'provenance.jsonl': log });
  writeFiles(study, beside);
  return { runDir };
}

function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const absolute = join(folder, path);
    mkdirSync(dirname(absolute), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(absolute, isRaw ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** Judges a bare log given as text or bytes, or a run folder. */
export function judgeText(
  input: string | Uint8Array | RunFolder,
  options: Partial<CheckOptions> = {},
): Judged {
  const full: CheckOptions = { profile: 'strict', live: false, violationsMax: 100, ...options };
  const isBare = typeof input === 'string' || input instanceof Uint8Array;
  const folder = isBare ? scratchFolder() : input.runDir;
  const logPath = join(folder, isBare ? 'log.jsonl' : 'provenance.jsonl');
  if (isBare) writeFileSync(logPath, input);
  const at = isBare ? { path: 'log.jsonl', logPath } : { path: 'run_x1', logPath, runDir: input.runDir };
  const { verdict } = checkRun(at, full);
  // Whatever a test judges also tests the certificates: without them the verdict is the same, count by count.
  expect(verdict).toEqual(checkRun(at, { ...full, certified: false }).verdict);
  return judged(verdict, full);
}

function judged(run: RunVerdict, options: CheckOptions): Judged {
  const report = makeReport([run], {
    harness: { name: 'counterproof', version: '0' },
    profile: options.profile,
    live: options.live,
    facets: FACETS,
    failOn: 'error',
  });
  const errors = run.findings.filter((finding) => finding.severity === 'error');
  const roots = errors.filter((finding) => finding.consequenceOf === undefined);
  const folded = errors.filter((finding) => finding.consequenceOf !== undefined);
  return {
    report,
    run,
    findings: run.findings,
    roots,
    rootRules: rulesOf(roots),
    foldedRules: rulesOf(folded),
  };
}

function rulesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map((finding) => finding.rule))].sort();
}
