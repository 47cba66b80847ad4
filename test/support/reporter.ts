/**
 * A vitest reporter that ends a run with one plain line, `N passed, N failed`, for people and scripts.
 * A file that cannot be collected, a failing hook and an error outside any test each count as failed.
 * It does not replace the default reporter, which shows what failed and why.
 */
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts outcomes. A test that never finished, because the run was cut short, did not pass: it failed. */
export function tally(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Tally {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return counts;
}

/** The line itself, `2 passed, 0 failed` or `2 passed, 0 failed, 1 skipped`. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Prints the tally when the process ends, so that nothing another reporter prints can come after it. */
export class TallyReporter implements Reporter {
  #line = '';
  #watching = false;

  onInit(vitest: { readonly config: { readonly watch: boolean } }): void {
    this.#watching = vitest.config.watch;
    if (this.#watching) return;
    process.once('exit', () => {
      process.stdout.write(`${this.#line || tallyLine({ passed: 0, failed: 1, skipped: 0 })}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = tally(modules, unhandledErrors);
    const nothingRan = modules.length === 0 && counts.failed === 0;
    this.#line = tallyLine(nothingRan ? { ...counts, failed: 1 } : counts);
    if (this.#watching) process.stdout.write(`${this.#line}\n`);
  }
}
