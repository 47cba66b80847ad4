/**
 * `counterproof rules`: prints the catalogue, or one rule in full.
 */
import type { CommandModule } from 'yargs';

export const rulesCommand: CommandModule<object, { id: string | undefined; json: boolean }> = {
  command: 'rules [id]',
  describe: 'Show what is checked: what each rule means, why, and how to fix what breaks it',
  builder: (yargs) =>
    yargs
      .positional('id', {
        type: 'string',
        describe: 'A rule, as in task/start-missing, or a family, as in task',
      })
      .option('json', { type: 'boolean', default: false, describe: 'The catalogue as JSON' })
      .example('$0 rules', 'all rules, a line each')
      .example('$0 rules task/start-missing', 'one rule in full'),
  handler: async (args) => {
    const { showRules } = await import('../show-rules.js');
    showRules(args);
  },
};
