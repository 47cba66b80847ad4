/**
 * `counterproof check`: judges run logs and says exactly why they are not well formed.
 */
import type { CommandModule } from 'yargs';
import { FACETS, PROFILES } from '../../core/verdict.js';
import type { CheckArguments } from '../check-arguments.js';

export const checkCommand: CommandModule<object, CheckArguments> = {
  command: 'check <paths..>',
  describe: 'Judge run folders, logs, studies or globs; - reads a log from standard input',
  builder: (yargs) =>
    yargs
      .positional('paths', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Run folder, provenance.jsonl, study, glob, or -',
      })
      .option('profile', {
        choices: PROFILES,
        default: PROFILES[0],
        describe: 'collapsed allows a single agent without tasks and approvals',
      })
      .option('live', {
        type: 'boolean',
        default: false,
        describe: 'The log is still being written: what is unfinished is no fault',
      })
      .option('facet', {
        choices: FACETS,
        array: true,
        nargs: 1,
        describe: 'Only this facet decides the exit code; may be given again',
      })
      .option('fail-on', {
        choices: ['error', 'warning'] as const,
        default: 'error' as const,
        describe: 'Lowest severity that fails',
      })
      .option('baseline', {
        type: 'string',
        describe: 'Earlier JSON report: only findings new since then fail',
      })
      .option('policy', { type: 'string', describe: 'Gate policy to judge by, instead of the run’s own' })
      .option('opinions', {
        type: 'string',
        describe: 'JSON file of classifier opinions: event id → { tier, reasons }',
      })
      .option('max-violations', {
        type: 'number',
        default: 100,
        describe: 'Findings kept per rule; the rest are counted',
      })
      .option('jobs', { type: 'number', describe: 'Runs checked at once (default: one per core)' })
      .option('format', {
        choices: ['text', 'json', 'jsonl'] as const,
        default: 'text' as const,
        describe: 'Form of the report',
      })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .option('output', { type: 'string', alias: 'o', describe: 'Write the report to this file' })
      .option('verbose', {
        type: 'boolean',
        alias: 'v',
        default: false,
        describe: 'Show notes and every rule that never applied',
      })
      .example('$0 check runs/study-1', 'judge every run of a study')
      .example('$0 check runs/*/provenance.jsonl --format json -o verdict.json', 'a report for machines')
      .example('cat run.jsonl | $0 check - --live', 'a log that is still growing'),
  handler: async (args) => {
    const { runCheck } = await import('../run-check.js');
    process.exitCode = await runCheck(args);
  },
};
