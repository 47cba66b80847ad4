/**
 * `counterproof append`: records events through the log writer, so that a foreign runtime keeps a log we can trust.
 */
import type { CommandModule } from 'yargs';

export const appendCommand: CommandModule<
  object,
  { run: string; event: string; 'run-id': string | undefined }
> = {
  command: 'append <run> <event>',
  describe: 'Record events from a JSON file, or from standard input, one object a line',
  builder: (yargs) =>
    yargs
      .positional('run', { type: 'string', demandOption: true, describe: 'Run folder' })
      .positional('event', {
        type: 'string',
        demandOption: true,
        describe: 'File with one JSON object a line, or -',
      })
      .option('run-id', { type: 'string', describe: 'Id of a new run (default: the name of its folder)' })
      .example(
        'echo \'{"kind":"task_started","actor":"coder","causedBy":"evt_…","data":{"taskId":"t1"}}\' | $0 append runs/r1 -',
        'record one event',
      ),
  handler: async (args) => {
    const { appendEvents } = await import('../write-log.js');
    appendEvents(args);
  },
};
