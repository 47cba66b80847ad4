/**
 * Names and places of files: one-word folders, kebab-case files, and a row in the import table for every
 * folder of harness/. A folder that holds a single file is folded into its parent.
 */
import { posix } from 'node:path';
import type { Finding } from './finding.js';
import { TABLE_PATH } from './table.js';
import type { ImportTable } from './table.js';

const FOLDER_NAME = /^[a-z]+$/;
const FILE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)?\.(?:ts|mjs)$/;
const CODE = /\.(?:ts|mjs)$/;
/** `harness`, a folder, and a second level for a family of like files. */
const DEPTH_MAX = 3;

/** Names of code files and of the folders they stand in. */
export function checkNames(paths: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  for (const path of paths.filter((candidate) => CODE.test(candidate))) {
    if (!FILE_NAME.test(posix.basename(path))) {
      findings.push({ path, line: 1, what: `the file name ${posix.basename(path)}`, use: 'kebab-case' });
    }
  }
  for (const folder of foldersOf(paths)) findings.push(...checkFolderName(folder));
  return findings;
}

/** Folders of harness/ against the import table, and folders too small to be one. */
export function checkFolders(paths: readonly string[], table: ImportTable): Finding[] {
  const inHarness = paths.filter((path) => path.startsWith('harness/') && path.endsWith('.ts'));
  const folders = foldersOf(inHarness);
  const tops = new Set(folders.map((folder) => folder.split('/')[1]).filter((name) => name !== undefined));
  const findings: Finding[] = [];
  for (const top of tops) {
    if (table.has(top)) continue;
    findings.push({ path: `harness/${top}`, line: 1, what: 'a folder without a row', use: TABLE_PATH });
  }
  for (const rule of table.values()) {
    const exists = tops.has(rule.folder) || paths.includes(`harness/${rule.folder}`);
    if (exists !== rule.planned) continue;
    const what = exists ? `"planned" on ${rule.folder}` : `a row for ${rule.folder}, which does not exist`;
    const use = exists ? 'a plain row' : 'a row marked planned';
    findings.push({ path: TABLE_PATH, line: rule.line, what, use });
  }
  return [...findings, ...folders.flatMap((folder) => checkSingle(folder, inHarness, folders))];
}

function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths.filter((candidate) => CODE.test(candidate))) {
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder))
      folders.add(folder);
  }
  return [...folders].sort();
}

function checkFolderName(folder: string): Finding[] {
  const findings: Finding[] = [];
  if (!FOLDER_NAME.test(posix.basename(folder))) {
    findings.push({ path: folder, line: 1, what: 'a folder name of several words', use: 'one word' });
  }
  if (folder.startsWith('harness/') && folder.split('/').length > DEPTH_MAX) {
    findings.push({ path: folder, line: 1, what: 'a third level of folders', use: 'harness/folder/family' });
  }
  return findings;
}

function checkSingle(folder: string, files: readonly string[], folders: readonly string[]): Finding[] {
  if (folder === 'harness' || folders.some((other) => posix.dirname(other) === folder)) return [];
  const inside = files.filter((path) => posix.dirname(path) === folder);
  if (inside.length !== 1) return [];
  return [{ path: folder, line: 1, what: 'a folder that holds one file', use: `${folder}.ts` }];
}
