/**
 * `counterproof scan <folder>`: verifies what was recorded of all calls.
 */
import type { CommandModule } from 'yargs';
import type { ScanArguments } from '../run-scan.js';

export const scanCommand: CommandModule<object, ScanArguments> = {
  command: 'scan <path>',
  describe: 'Verify what a run, a study or an exported store has recorded of its tool calls',
  builder: (yargs) =>
    yargs
      .positional('path', {
        type: 'string',
        demandOption: true,
        describe: 'Folder of a run, a study or an export',
      })
      .option('rows', { type: 'number', describe: 'Stop after so many rows' })
      .option('seconds', { type: 'number', describe: 'Stop after so many seconds' })
      .option('resume', { type: 'string', describe: 'Go on where an incomplete scan stopped' })
      .option('quiet', { type: 'boolean', alias: 'q', default: false, describe: 'Show holes, and no notes' })
      .option('verbose', {
        type: 'boolean',
        default: false,
        describe: 'Show the state after each call as well; --json always has them',
      })
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Form of the answer',
      })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .example('$0 scan runs/first', 'every run of a study, and its ledger')
      .example('$0 scan runs/first --seconds 2', 'two seconds of it; --resume goes on')
      .epilogue('Exit codes: 0 complete, no hole · 1 a hole · 2 incomplete, which is never called clean'),
  handler: async (args) => {
    const { runScan } = await import('../run-scan.js');
    process.exitCode = runScan(args);
  },
};
