/**
 * `counterproof replay <run>`: executes recorded calls, or the whole run, again from the records alone.
 */
import type { CommandModule } from 'yargs';
import type { ReplayArguments } from '../run-replay.js';

type Options = ReplayArguments & { 'allow-interpreter': boolean };

export const replayCommand: CommandModule<object, Options> = {
  command: 'replay <run>',
  describe: 'Execute recorded tool calls again from their records, and compare byte for byte',
  builder: (yargs) =>
    yargs
      .positional('run', { type: 'string', demandOption: true, describe: 'Folder of a run' })
      .option('invocation', { type: 'string', describe: 'Only this call: its id, or the hash of its entry' })
      .option('from', { type: 'number', describe: 'First entry, from 0' })
      .option('to', { type: 'number', describe: 'Last entry' })
      .option('whole', {
        type: 'boolean',
        default: false,
        describe: 'Run agents, gate and protocol again as well, and compare the log',
      })
      .option('allow-interpreter', {
        type: 'boolean',
        default: false,
        describe: 'Go on where another version of harness or tool made the record',
      })
      .option('format', {
        choices: ['text', 'json'] as const,
        default: 'text' as const,
        describe: 'Form of the answer',
      })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .example('$0 replay runs/first/run_tidy-reports_c1_scripted-hasty_1', 'every call of the run')
      .epilogue('Exit codes: 0 all replayed · 1 a divergence · 2 something is missing') as never,
  handler: async (args) => {
    const { runReplay } = await import('../run-replay.js');
    process.exitCode = await runReplay({ ...args, allowInterpreter: args['allow-interpreter'] });
  },
};
