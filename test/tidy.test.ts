/**
 * Style as a unit test: the repository held to the import table, the ban list and the limits of the house style.
 * The checks are in test/support/tidy/, next to tests that feed them snippets which break every rule.
 * What a linter can check is not here but in eslint.config.js.
 */
import { describe, expect, test } from 'vitest';
import { checkBans, checkNotes } from './support/tidy/bans.js';
import { renderAll as lines } from './support/tidy/finding.js';
import { checkImports } from './support/tidy/imports.js';
import { checkLinks } from './support/tidy/links.js';
import { checkFolders, checkNames } from './support/tidy/names.js';
import { diskTree, listFiles, sourcesOf } from './support/tidy/repository.js';
import { checkFileSize, checkFunctions, checkHeader } from './support/tidy/sizes.js';
import { parseImportTable, TABLE_PATH } from './support/tidy/table.js';

describe('tidy: the repository', () => {
  const files = listFiles();
  const harness = sourcesOf('harness', files);
  const tests = sourcesOf('test', files);
  const { table, findings: tableFindings } = parseImportTable(diskTree.read(TABLE_PATH));

  test('the import table can be read', () => {
    expect(lines(tableFindings)).toEqual([]);
  });
  test('every folder has its row and every row its folder', () => {
    expect(lines(checkFolders(files, table))).toEqual([]);
  });
  test('names of files and folders', () => {
    const ours = files.filter((path) => path.startsWith('harness/') || path.startsWith('test/'));
    expect(lines(checkNames(ours))).toEqual([]);
  });
  test('imports follow the table', () => {
    expect(harness.length).toBeGreaterThan(0);
    expect(lines(harness.flatMap((source) => checkImports(source, table)))).toEqual([]);
  });
  test('nothing banned is used', () => {
    const banned = harness.flatMap((source) => checkBans(source, table));
    expect(lines([...banned, ...[...harness, ...tests].flatMap(checkNotes)])).toEqual([]);
  });
  test('sizes of files and functions', () => {
    const long = [...harness, ...tests].flatMap(checkFileSize);
    expect(lines([...long, ...harness.flatMap(checkFunctions)])).toEqual([]);
  });
  test('every file says what it is', () => {
    expect(lines([...harness, ...tests].flatMap(checkHeader))).toEqual([]);
  });
  test('every path and link leads somewhere', () => {
    const pages = files.filter((path) => /(?:^|\/)(?:README|CONTRIBUTING|CHANGELOG)\.md$/.test(path));
    expect(pages).toContain('README.md');
    expect(lines(pages.flatMap((path) => checkLinks(path, diskTree)))).toEqual([]);
  });
});
