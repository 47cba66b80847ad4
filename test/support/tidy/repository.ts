/**
 * The repository on disk, as the style checks see it. The only file of this folder that reads anything.
 * What is built, generated or installed is left out: nobody wrote it by hand.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSource } from './finding.js';
import type { Source } from './finding.js';
import type { Tree } from './links.js';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const LEFT_OUT = new Set([
  '.git',
  'node_modules',
  'dist',
  'coverage',
  'harness/core/generated',
  'harness/grammar/generated',
  'harness/grammar/assembly',
  'test/tools',
]);

/** What studies leave behind on a working machine. */
const OUTPUT = /^(?:runs|reports)\/(?!examples$)[^/]+$/;

/** Paths of all files that people write, from the root, sorted. */
export function listFiles(folder = ''): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (LEFT_OUT.has(path) || (entry.isDirectory() && OUTPUT.test(path))) continue;
    if (entry.isDirectory()) files.push(...listFiles(path));
    else if (entry.isFile()) files.push(path);
  }
  return files.sort();
}

/** TypeScript files under a top-level folder, parsed. */
export function sourcesOf(folder: string, files: readonly string[]): Source[] {
  return files
    .filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

export const diskTree: Tree = {
  exists: (path) => existsSync(join(ROOT, path)),
  read: (path) => readFileSync(join(ROOT, path), 'utf8'),
};
