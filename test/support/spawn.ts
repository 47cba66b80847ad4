/**
 * Runs a program to its end and hands back everything it said.
 * A program that fails is an outcome to look at, not an error; one that cannot be started is an error.
 */
import { spawn } from 'node:child_process';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `npm test` tells its scripts about this project; another npm must not take it for its own. */
const ABOUT_THIS_PACKAGE = /^(?:npm_(?:package|lifecycle)_|npm_config_(?:local|global)_prefix$|INIT_CWD$)/;

/** Starts `command` in `cwd` with the environment of an ordinary terminal, without input. */
export function runProgram(command: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const kept = Object.entries(process.env).filter(([name]) => !ABOUT_THIS_PACKAGE.test(name));
  const child = spawn(command, args, {
    cwd,
    env: Object.fromEntries(kept),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, ...said });
    });
  });
}
