/**
 * The case that an input makes, for tests that look at what the oracle derives rather than at a report. Read and closed
 * as `check` does; nothing is expected here.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bareEvidence, folderEvidence } from '../../harness/log/folder-evidence.js';
import { readLog } from '../../harness/log/reader.js';
import { Case } from '../../harness/oracle/case.js';
import { logOf, type Input } from '../oracle/fixtures/fixture.js';
import { runFolder } from './judge.js';

let scratch: string | undefined;

/** A folder of this process for logs that are read and forgotten. */
function scratchFolder(): string {
  if (scratch === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'counterproof-case-'));
    process.once('exit', () => {
      rmSync(made, { recursive: true, force: true });
    });
    scratch = made;
  }
  return scratch;
}

/** Lasts until the test is over. */
export function caseOf(input: Input): Case {
  const isBare = input.files === undefined;
  const folder = isBare ? scratchFolder() : runFolder(input.files, logOf(input), input.beside).runDir;
  const path = join(folder, 'provenance.jsonl');
  if (isBare) writeFileSync(path, logOf(input));
  const log = readLog(path, { chunkBytes: 1 << 16 });
  onTestFinished(() => {
    log.close();
  });
  const { opinions, policy, profile = 'strict', live = false } = input.options ?? {};
  return new Case(log.history, isBare ? bareEvidence() : folderEvidence(folder), {
    profile,
    live,
    ...(opinions === undefined ? {} : { opinions: new Map(Object.entries(opinions)) }),
    ...(policy === undefined ? {} : { policy }),
  });
}
