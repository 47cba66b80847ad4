/**
 * `counterproof start`: the whole way once, on a small study: run, judge, replay.
 */
import type { CommandModule } from 'yargs';

export const startCommand: CommandModule = {
  command: 'start',
  describe: 'Run a small study from end to end: run it, judge its logs, replay it',
  builder: (yargs) =>
    yargs
      .example('$0 start', 'what this is about, in a second')
      .epilogue('Exit codes: 0 every log is well formed and every run replays · 1 one does not'),
  handler: async () => {
    const { startHere } = await import('../run-study.js');
    process.exitCode = await startHere();
  },
};
