/**
 * Mutation testing of harness/oracle: what is mutated, what is left out, and which tests judge. The README beside this
 * file says how to run it and what came out. Stryker copies the repository and mutates the copy.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

export default {
  mutate: [
    'harness/oracle/**/*.ts',
    // Shapes and lists only, no decisions; explain.ts picks the lines that are shown and changes no verdict.
    '!harness/oracle/rule.ts',
    '!harness/oracle/explain.ts',
    '!harness/oracle/rules/index.ts',
  ],
  ignorePatterns: ['/runs', '/reports', '/dist', '/coverage', '/test/fixtures', '/tasks'],
  plugins: [here('./runner.mjs'), here('./ignorer.mjs')],
  ignorers: ['texts'],
  testRunner: 'suite',
  symlinkNodeModules: false,
  coverageAnalysis: 'perTest',
  checkers: [],
  concurrency: 1,
  timeoutMS: 20_000,
  disableTypeChecks: false,
  incrementalFile: 'test/tools/.stryker-incremental.json',
  tempDirName: join(tmpdir(), 'counterproof-mutation'),
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { reportTests: false, reportMutants: false, allowColor: false },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  htmlReporter: { fileName: 'reports/mutation/mutation.html' },
  thresholds: { high: 95, low: 90, break: 90 },
  warnings: { slow: false },
};
