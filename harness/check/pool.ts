/**
 * Checks many runs on all cores. The order of results is that of the inputs, whatever finishes first.
 *
 * A few small logs are checked right here: starting a worker costs more than they do. A large one goes to a worker
 * even when it is the only one, so that this thread can be interrupted.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { assert, HarnessError } from '../core/errors.js';
import { checkRun, type CheckedRun, type CheckOptions } from './check-run.js';
import type { RunInput } from './inputs.js';
import type { WorkerAnswer } from './worker.js';

/** Below this many bytes in all, workers are not worth their start. */
const WORTH_WORKERS_BYTES = 16 * 1024 * 1024;
/** Logs up to this are read fast enough for an interrupt to wait for their end. */
const QUICK_LOG_BYTES = 32 * 1024 * 1024;

export interface PoolOptions {
  readonly check: CheckOptions;
  /** Workers at most; undefined for one per core. */
  readonly jobs?: number;
  /** Told after each run how many are done. */
  readonly onDone?: (done: number) => void;
}

/** Checks every input. @throws HarnessError of the first input, in order, that cannot be read */
export async function checkRuns(inputs: readonly RunInput[], options: PoolOptions): Promise<CheckedRun[]> {
  const jobs = Math.min(options.jobs ?? availableParallelism(), inputs.length);
  const sizes = inputs.map(sizeOf);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const areQuick = sizes.every((size) => size < QUICK_LOG_BYTES);
  if (bytes < WORTH_WORKERS_BYTES || (jobs === 1 && areQuick)) return here(inputs, options);
  return inWorkers(inputs, jobs, options);
}

/** Checks in this thread, and listens between runs. */
async function here(inputs: readonly RunInput[], options: PoolOptions): Promise<CheckedRun[]> {
  const checked: CheckedRun[] = [];
  for (const input of inputs) {
    checked.push(checkRun(input, options.check));
    options.onDone?.(checked.length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return checked;
}

async function inWorkers(
  inputs: readonly RunInput[],
  jobs: number,
  options: PoolOptions,
): Promise<CheckedRun[]> {
  const answers = new Array<WorkerAnswer | undefined>(inputs.length);
  let next = 0;
  let done = 0;
  const serve = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options.check });
    try {
      while (next < inputs.length) {
        const index = next++;
        answers[index] = await ask(worker, inputs[index] as RunInput);
        options.onDone?.(++done);
      }
    } catch (error) {
      // A fault of ours: the others need not go on.
      next = inputs.length;
      throw error;
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: jobs }, serve));
  return answers.map((answer) => {
    assert(answer !== undefined, 'a run was not checked');
    if (answer.ok) return answer.checked;
    throw new HarnessError(answer.code, answer.message, answer.hint);
  });
}

function ask(worker: Worker, input: RunInput): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number): void => {
      reject(new Error(`counterproof bug: a worker ended with code ${code}`));
    };
    worker.once('message', (answer: WorkerAnswer) => {
      worker.off('error', reject);
      worker.off('exit', onExit);
      resolve(answer);
    });
    worker.once('error', reject);
    worker.once('exit', onExit);
    worker.postMessage(input);
  });
}

/** Bytes of a log; 0 where there is nothing to read. */
function sizeOf(input: RunInput): number {
  if (input.missing !== undefined) return 0;
  return statSync(input.logPath, { throwIfNoEntry: false })?.size ?? 0;
}
