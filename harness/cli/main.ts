#!/usr/bin/env node
/**
 * The command line: parses, calls, prints. The only place where errors are caught and become exit codes.
 *
 * Commands load what they need when they run, so that `--help` and small checks start quickly.
 */
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { EXIT, isHarnessError } from '../core/errors.js';
import { appendCommand } from './commands/append.js';
import { checkCommand } from './commands/check.js';
import { classifyCommand } from './commands/classify.js';
import { correctCommand } from './commands/correct.js';
import { examplesCommand } from './commands/examples.js';
import { importCommand } from './commands/import.js';
import { recoverCommand } from './commands/recover.js';
import { replayCommand } from './commands/replay.js';
import { rulesCommand } from './commands/rules.js';
import { runCommand } from './commands/run.js';
import { scanCommand } from './commands/scan.js';
import { sealCommand } from './commands/seal.js';
import { startCommand } from './commands/start.js';
import { walkCommand } from './commands/walk.js';
import { printError } from './output.js';
import { harnessInfo } from './version.js';

const EXIT_CODES = `Exit codes: 0 every deciding facet passes · 1 a facet fails · 2 a facet is unknown and none fails ·
64 usage · 66 no such input, empty input or nothing matched · 70 our own fault · 74 input or output failed · 130 interrupted`;

/** A message of the argument parser: what is wrong with the call itself. */
class UsageError extends Error {}

/** The parser loses an operand that is a mere `-`, so it is handed over under another name and given back. */
const STANDARD_INPUT = '/dev/stdin';
const MANY: readonly string[] = ['_', 'paths', 'facet'];

/** Gives `-` back, and refuses an option that is given twice where one is meant: the parser makes a list of it. */
function mend(args: { [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(args)) {
    if (value === STANDARD_INPUT) args[name] = '-';
    else if (Array.isArray(value)) {
      if (!MANY.includes(name)) throw new UsageError(`--${name} is given more than once`);
      args[name] = value.map((item: unknown) => (item === STANDARD_INPUT ? '-' : item));
    }
  }
}

async function run(): Promise<void> {
  if (process.argv.includes('--version') && process.argv.includes('--json')) {
    const { printVersion } = await import('./print-version.js');
    printVersion();
    return;
  }
  await yargs(hideBin(process.argv).map((word) => (word === '-' ? STANDARD_INPUT : word)))
    .scriptName('counterproof')
    .usage(
      '$0 <command>\n\nKeeps causal logs of agent runs, judges whether they are well formed, and says exactly why not.',
    )
    .command(startCommand)
    .command(runCommand)
    .command(checkCommand)
    .command(replayCommand)
    .command(walkCommand)
    .command(scanCommand)
    .command(recoverCommand)
    .command(classifyCommand)
    .command(rulesCommand)
    .command(appendCommand)
    .command(correctCommand)
    .command(sealCommand)
    .command(importCommand)
    .command(examplesCommand)
    .demandCommand(1, 'Name a command.')
    .middleware(mend)
    .strict()
    // All of it in one language: only the parser's own words are translated.
    .detectLocale(false)
    .recommendCommands()
    .version(harnessInfo().version)
    .alias('h', 'help')
    .epilogue(EXIT_CODES)
    .wrap(Math.min(110, process.stdout.columns || 110))
    .fail((message, error) => {
      throw (error as Error | undefined) ?? new UsageError(message);
    })
    .parseAsync();
}

function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) {
    printError(`counterproof: ${error.message}\nTry counterproof --help.\n`);
    return EXIT.usage;
  }
  if (isHarnessError(error)) {
    printError(`counterproof: ${error.message}\n  ${error.hint}\n`);
    return error.exitCode;
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`counterproof: this is a fault of ours, please report it:\n${shown}\n`);
  return EXIT.internal;
}

process.once('SIGINT', () => {
  printError('\ncounterproof: interrupted\n');
  process.exit(EXIT.interrupted);
});

run().catch((error: unknown) => {
  process.exitCode = exitCodeFor(error);
});
