/**
 * `counterproof recover <run>`: says what a crash left open. Runs nothing again.
 */
import type { CommandModule } from 'yargs';
import type { RecoverArguments } from '../run-recover.js';

export const recoverCommand: CommandModule<object, RecoverArguments> = {
  command: 'recover <run>',
  describe: 'Say what a crash left open: which effects may have happened, which did',
  builder: (yargs) =>
    yargs
      .positional('run', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Form of the answer',
      })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .example('$0 recover runs/first/run_tidy-reports_c2_scripted-hasty_1', 'after the machine went down')
      .epilogue('Exit codes: 0 nothing is open · 1 something is'),
  handler: async (args) => {
    const { runRecover } = await import('../run-recover.js');
    process.exitCode = runRecover(args);
  },
};
