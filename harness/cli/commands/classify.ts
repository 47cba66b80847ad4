/**
 * `counterproof classify`: says what an action would really do, and its tier.
 */
import type { CommandModule } from 'yargs';
import type { ClassifyArguments } from '../run-classify.js';

export const classifyCommand: CommandModule<object, ClassifyArguments> = {
  command: 'classify [action]',
  describe: 'Say what a command, statement or tool call would do, and its tier',
  builder: (yargs) =>
    yargs
      .positional('action', {
        type: 'string',
        describe: 'The text; without it, JSON lines are read from standard input',
      })
      .option('tool', {
        type: 'string',
        default: 'bash',
        describe: 'bash, sql, cmd, powershell, python, http, mcp …',
      })
      .option('environment', {
        type: 'string',
        describe: 'Where it would happen, in words; unknown is production',
      })
      .option('json', { type: 'boolean', default: false, describe: 'One JSON object a line' })
      .example("$0 classify 'rm -rf build ~/'", 'why is this dangerous?')
      .example(
        '$0 classify --tool sql --environment dev "DELETE FROM users WHERE 1=1"',
        'a condition that is none',
      )
      .epilogue(
        'JSON lines have {id?, tool, command, environment?}; other members are ignored.\nExit codes: 0 classified, whatever the tier · 64 usage · 66 nothing to classify',
      ),
  handler: async (args) => {
    const { runClassify } = await import('../run-classify.js');
    process.exitCode = await runClassify(args);
  },
};
