/**
 * `counterproof check`: judges run logs and says exactly why they are not well formed.
 */
import type { CommandModule } from 'yargs';
import { CHECK_OPTIONS, type CheckArguments } from '../check-arguments.js';

export const checkCommand: CommandModule<object, CheckArguments> = {
  command: 'check <paths..>',
  describe: 'Judge run folders, logs, studies or globs; - reads a log from standard input',
  builder: (yargs) =>
    yargs
      .positional('paths', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Run folder, provenance.jsonl, study, glob, or -',
      })
      .options(CHECK_OPTIONS)
      .example('$0 check runs/study-1', 'judge every run of a study')
      .example('$0 check "runs/**" --json -o verdict.json', 'a report for machines')
      .example('$0 check runs --format sarif -o runs.sarif', 'a report for the host of the code')
      .example('cat run.jsonl | $0 check - --live', 'a log that is still growing'),
  handler: async (args) => {
    const { runCheck } = await import('../run-check.js');
    process.exitCode = await runCheck(args);
  },
};
