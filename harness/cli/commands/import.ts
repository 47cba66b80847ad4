/**
 * `counterproof import`: turns a foreign log into the protocol, saying what the source did not record.
 */
import type { CommandModule } from 'yargs';
import type { ImportArguments } from '../import-log.js';

export const importCommand: CommandModule<object, ImportArguments> = {
  command: 'import <dialect> <file>',
  describe: 'Convert a foreign log; what it did not record stays unknown and is listed',
  builder: (yargs) =>
    yargs
      .positional('dialect', { type: 'string', demandOption: true, describe: 'Name of the dialect, or auto' })
      .positional('file', { type: 'string', demandOption: true, describe: 'The foreign log, or -' })
      .option('output', { type: 'string', alias: 'o', describe: 'Write the log to this file' })
      .option('json', { type: 'boolean', default: false, describe: 'Print what is unknown as JSON' })
      .example('$0 import roster-runtime trace.jsonl -o run.jsonl', 'convert, then check run.jsonl'),
  handler: async (args) => {
    const { importLog } = await import('../import-log.js');
    importLog(args);
  },
};
