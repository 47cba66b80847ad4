/**
 * `counterproof walk <run> <from>`: follows one call through all that was recorded of it.
 */
import type { CommandModule } from 'yargs';
import type { WalkArguments } from '../run-walk.js';

export const walkCommand: CommandModule<object, WalkArguments> = {
  command: 'walk <run> <from>',
  describe: 'Follow one tool call through all that was recorded of it, and verify each link',
  builder: (yargs) =>
    yargs
      .positional('run', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .positional('from', {
        type: 'string',
        demandOption: true,
        describe: 'Index or hash of an entry, id of a call or event, any digest, or - for an output on stdin',
      })
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Form of the answer',
      })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .example('$0 walk runs/first/run_tidy-reports_c2_scripted-hasty_1 3', 'the fourth call of the run')
      .epilogue('Exit codes: 0 every link holds · 1 one does not · 66 nothing there is called so'),
  handler: async (args) => {
    const { runWalk } = await import('../run-walk.js');
    process.exitCode = runWalk(args);
  },
};
