/**
 * `counterproof seal`: seals a finished run, so that later changes show.
 */
import type { CommandModule } from 'yargs';

export const sealCommand: CommandModule<object, { run: string; ledger: boolean; json: boolean }> = {
  command: 'seal <run>',
  describe: 'Seal a finished run: digests of its log and of every file beside it',
  builder: (yargs) =>
    yargs
      .positional('run', { type: 'string', demandOption: true, describe: 'Run folder' })
      .option('ledger', {
        type: 'boolean',
        default: false,
        describe: 'Also record the run in ledger.jsonl of its study',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print the seal as JSON' })
      .example('$0 seal runs/study-1/run_7 --ledger', 'seal a run and record it in its study'),
  handler: async (args) => {
    const { sealFolder } = await import('../write-log.js');
    sealFolder(args);
  },
};
