/**
 * How the tests run. Limits are generous on purpose: a slow or shared machine must never decide a verdict.
 * The second reporter prints the tally that ends every run.
 */
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/support/reporter.js';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/tools/**', 'test/fixtures/**', 'node_modules/**'],
    globals: false,
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', new TallyReporter()],
    coverage: {
      include: ['harness/**/*.ts'],
      exclude: ['harness/*/generated/**', 'harness/grammar/assembly/**'],
    },
  },
});
