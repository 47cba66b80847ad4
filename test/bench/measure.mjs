/**
 * Runs programs as cold processes and takes their wall time and their peak of memory. Contenders take turns, so that
 * a change of the machine's mood meets them all; what is compared is compared within a round.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(ROOT, 'dist', 'cli', 'main.js');

/** Whether processes can be held on one core. */
export const hasTaskset = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** A contender: a name, a command line, the exit code it must have, and more for the environment. */
export function check(name, files, more = {}) {
  return { name, argv: [process.execPath, COMMAND, 'check', ...(more.options ?? []), ...files], ...more };
}

/** Any command of ours. */
export function command(name, args) {
  return { name, argv: [process.execPath, COMMAND, name, ...args] };
}

export function parseLoop(files) {
  return { name: 'JSON.parse loop', argv: [process.execPath, join(HERE, 'parse-loop.mjs'), ...files] };
}

/**
 * Runs one contender once.
 * @returns seconds, and what it printed; peakBytes where `measuresPeak`; seconds undefined where it took too long
 */
export async function runOnce(contender, { measuresPeak = false, folder } = {}) {
  const peakFile = join(folder ?? '.', 'peak');
  const [program, ...given] = contender.argv;
  const args = measuresPeak ? ['--import', join(HERE, 'peak.mjs'), ...given] : given;
  const cores = contender.cores ?? '0';
  const argv = hasTaskset ? ['taskset', '-c', cores, program, ...args] : [program, ...args];
  const env = { ...process.env, ...contender.env, ...(measuresPeak ? { COUNTERPROOF_PEAK: peakFile } : {}) };
  const started = process.hrtime.bigint();
  const ended = await finished(argv, { env, timeout: contender.limitMs });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (ended.signal !== null && contender.limitMs !== undefined) return { stdout: '' };
  if (ended.code !== (contender.exit ?? 0))
    throw new Error(`${contender.name} ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
  if (!measuresPeak) return { seconds, stdout: ended.stdout };
  const peakBytes = Number(readFileSync(peakFile, 'utf8'));
  rmSync(peakFile);
  return { seconds, stdout: ended.stdout, peakBytes };
}

function finished([program, ...args], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (piece) => (stdout += piece));
    child.stderr.on('data', (piece) => (stderr += piece));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr: stderr.slice(0, 500) }));
  });
}

/**
 * Runs all contenders in turn, round by round.
 * @returns for each its median seconds, and the first one's seconds over its own: median, least and most of the rounds
 */
export async function race(contenders, rounds) {
  const seconds = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries())
      seconds[index].push((await runOnce(contender)).seconds);
  }
  return contenders.map(({ name }, index) => {
    const ratios = seconds[index].map((own, round) => seconds[0][round] / own);
    const spread = { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
    return { name, seconds: median(seconds[index]), speed: spread };
  });
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
