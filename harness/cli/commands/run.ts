/**
 * `counterproof run <study.json>`: runs every cell of a study and seals it.
 */
import type { CommandModule } from 'yargs';
import type { RunArguments } from '../run-study.js';

type Options = RunArguments & { 'archive-node': boolean };

export const runCommand: CommandModule<object, Options> = {
  command: 'run <study>',
  describe: 'Run the cells of a study, and seal each run',
  builder: (yargs) =>
    yargs
      .positional('study', { type: 'string', demandOption: true, describe: 'The study, a JSON file' })
      .option('output', {
        type: 'string',
        alias: 'o',
        describe: 'Folder to make for it; default runs/<id of the study>',
      })
      .option('archive-node', {
        type: 'boolean',
        default: false,
        describe: 'Keep the Node binary beside the runs as well (about 100 MB)',
      })
      .option('json', { type: 'boolean', default: false, describe: 'One JSON object a cell' })
      .example('$0 run conditions/first.study.json', 'one task, without a gate and with one')
      .epilogue(
        'Exit codes: 0 the cells were run; what agents do wrong is a result · 1 the study cannot be run',
      ) as never,
  handler: async (args) => {
    const { runStudyCommand } = await import('../run-study.js');
    process.exitCode = await runStudyCommand({ ...args, archiveNode: args['archive-node'] });
  },
};
