/**
 * The built command as a user runs it, and small logs to run it on. What it says and how it ends is handed back.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './tidy/repository.js';

export const COMMAND = join(ROOT, 'dist', 'cli', 'main.js');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** What comes in on standard input; without it the input is empty. */
  readonly input?: string | Uint8Array;
  /** Called with the process once it has started. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs a program to its end. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(program, args, { cwd: options.cwd ?? ROOT, stdio: ['pipe', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  // A program that ends before it has read everything is an outcome like any other.
  child.stdin.on('error', () => undefined);
  if (options.onStart === undefined) child.stdin.end(options.input ?? '');
  else options.onStart((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...said });
    });
  });
}

/** `counterproof …` */
export function counterproof(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run(process.execPath, [COMMAND, ...args], options);
}

/** A shell command in which `$CP` is the command. */
export function shell(script: string, cwd: string): Promise<Ended> {
  return run('bash', ['-c', `CP="${process.execPath} ${COMMAND}"; ${script}`], { cwd });
}

/** A log without a fault: a run given up before it had a plan. */
export function goodLog(runId = 'run_good'): string {
  const at = (id: string, kind: string, data: object, causedBy?: string): string =>
    `${JSON.stringify({ id, runId, t: '2026-05-28T15:00:00.000Z', kind, actor: 'planner', data, ...(causedBy === undefined ? {} : { causedBy }) })}\n`;
  return (
    at('evt_0', 'run_started', {}) +
    at('evt_1', 'goal_received', { goalPath: 'goal.md' }, 'evt_0') +
    at('evt_2', 'run_aborted', { reason: 'budget' }, 'evt_1')
  );
}

/** The same without its end: `run/terminal-missing`. */
export function openLog(runId = 'run_open'): string {
  return goodLog(runId).split('\n').slice(0, 2).join('\n') + '\n';
}
