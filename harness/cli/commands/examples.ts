/**
 * `counterproof examples`: checks the example runs that come with the package, good and bad, and shows the verdicts.
 */
import type { CommandModule } from 'yargs';

export const examplesCommand: CommandModule<object, { verbose: boolean }> = {
  command: 'examples',
  describe: 'Check the bundled example runs, good and bad, and show the verdicts',
  builder: (yargs) =>
    yargs
      .option('verbose', {
        type: 'boolean',
        alias: 'v',
        default: false,
        describe: 'Show notes and rules that never applied',
      })
      .example('$0 examples', 'what a verdict looks like, in a second'),
  handler: async (args) => {
    const { showExamples } = await import('../show-examples.js');
    process.exitCode = await showExamples(args);
  },
};
