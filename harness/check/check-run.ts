/**
 * Checks one run: reads its log, gathers its evidence, has it judged, and keeps the lines that explain the findings.
 * Everything it returns is plain data, so that it can be done in a worker.
 */
import type { JsonObject } from '../core/event.js';
import type { Profile, RunVerdict } from '../core/verdict.js';
import { bareEvidence, folderEvidence } from '../log/folder-evidence.js';
import { readLog } from '../log/reader.js';
import { Case, type Opinion } from '../oracle/case.js';
import { explain, type Slice } from '../oracle/explain.js';
import { judge } from '../oracle/judge.js';
import type { RunInput } from './inputs.js';
import { missingRun } from './missing-run.js';

export interface CheckOptions {
  readonly profile: Profile;
  readonly live: boolean;
  /** Findings kept per rule. */
  readonly violationsMax: number;
  /** Classifier opinions by event id. */
  readonly opinions?: { readonly [eventId: string]: Opinion };
  readonly policy?: JsonObject;
  /** False to hold every rule against everything; the verdict is the same, and takes longer. */
  readonly certified?: boolean;
}

export interface CheckedRun {
  readonly verdict: RunVerdict;
  /** One slice per finding, in the same order. */
  readonly slices: readonly Slice[];
}

/**
 * @throws HarnessError where the log cannot be opened or read
 */
export function checkRun(
  input: RunInput,
  options: CheckOptions,
  onProgress?: (bytes: number) => void,
): CheckedRun {
  if (input.missing !== undefined) return missingRun(input.path, input.missing);
  const log = readLog(input.logPath, onProgress === undefined ? {} : { onProgress });
  try {
    const evidence = input.runDir === undefined ? bareEvidence() : folderEvidence(input.runDir);
    const c = new Case(log.history, evidence, {
      profile: options.profile,
      live: options.live,
      ...(options.opinions === undefined ? {} : { opinions: new Map(Object.entries(options.opinions)) }),
      ...(options.policy === undefined ? {} : { policy: options.policy }),
    });
    const judgement = judge(c, {
      violationsMax: options.violationsMax,
      certified: options.certified !== false,
    });
    const verdict: RunVerdict = {
      path: input.path,
      input: input.runDir === undefined ? 'log' : 'folder',
      ...judgement,
    };
    return { verdict, slices: judgement.findings.map((finding) => explain(c, finding)) };
  } finally {
    log.close();
  }
}
