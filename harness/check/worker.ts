/**
 * A worker thread of the pool: receives one run after the other and answers with its verdict, or with the one line
 * that says why it cannot. Holds no state between runs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isHarnessError, type ErrorCode } from '../core/errors.js';
import { checkRun, type CheckedRun, type CheckOptions } from './check-run.js';
import type { RunInput } from './inputs.js';

export type WorkerAnswer =
  | { readonly ok: true; readonly checked: CheckedRun }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string };

parentPort?.on('message', (input: RunInput) => {
  parentPort?.postMessage(answerFor(input, workerData as CheckOptions));
});

function answerFor(input: RunInput, options: CheckOptions): WorkerAnswer {
  try {
    return { ok: true, checked: checkRun(input, options) };
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    return { ok: false, code: error.code, message: error.message, hint: error.hint };
  }
}
