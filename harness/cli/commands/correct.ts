/**
 * `counterproof correct`: records what an event should have said. The event itself stays as it is.
 */
import type { CommandModule } from 'yargs';
import type { Correction } from '../write-log.js';

export const correctCommand: CommandModule<object, Correction> = {
  command: 'correct <run> <event>',
  describe: 'Correct a recorded event by a new event that names it',
  builder: (yargs) =>
    yargs
      .positional('run', { type: 'string', demandOption: true, describe: 'Run folder' })
      .positional('event', { type: 'string', demandOption: true, describe: 'Id of the event that is wrong' })
      .option('path', {
        type: 'string',
        demandOption: true,
        describe: 'JSON pointer into the event, as in /data/tier',
      })
      .option('value', { type: 'string', demandOption: true, describe: 'What it should have said, as JSON' })
      .option('reason', { type: 'string', demandOption: true, describe: 'Why' })
      .option('actor', { type: 'string', default: 'principal', describe: 'Who says so' })
      .example(
        '$0 correct runs/r1 evt_… --path /data/tier --value \'"T3"\' --reason "was a shared branch"',
        'mend a tier',
      ),
  handler: async (args) => {
    const { correctEvent } = await import('../write-log.js');
    correctEvent(args);
  },
};
