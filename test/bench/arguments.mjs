/**
 * Arguments of the programs of this folder: `--help`, and one clear line for what was given wrongly. What they mean
 * is for each program to say.
 */
import { parseArgs } from 'node:util';

const EXIT_REFUSED = 1;

/** Values of the options, as `parseArgs` of Node reads them. Prints the help and ends where it is asked for. */
export function readArguments(options, help) {
  let values;
  try {
    ({ values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } }));
  } catch (error) {
    refuse(error.message.split('. ')[0]);
  }
  if (values.help === true) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  return values;
}

/** Ends the program with one line that says what is wrong. */
export function refuse(message) {
  process.stderr.write(`${message}\n  --help says how it is used\n`);
  process.exit(EXIT_REFUSED);
}
