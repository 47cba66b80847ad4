/**
 * Bundles the tests that judge the oracle, with the (mutated) harness, into one script. tests by example: those by property would take minutes for each mutant
 * that survives. `vitest` and the packages stay outside and are handed in by runner.mjs.
 */
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const FOLDER = 'test/oracle';
/** Comes last: most mutants of a single module are killed before it. */
const LONGEST = 'findings.test.ts';
const BY_PROPERTY = /from 'fast-check'/;
/** Would only take time: they judge what findings.test.ts judges too and compare less of it, or random histories. */
const COVERED = new Set(['corners.test.ts', 'fixtures.test.ts', 'second-opinion.test.ts', 'witness.test.ts']);

async function testFiles(root) {
  const names = (await readdir(join(root, FOLDER)))
    .filter((name) => name.endsWith('.test.ts'))
    .sort((a, b) => Number(a === LONGEST) - Number(b === LONGEST) || (a < b ? -1 : 1));
  const texts = await Promise.all(names.map((name) => readFile(join(root, FOLDER, name), 'utf8')));
  return names
    .filter((name, at) => !COVERED.has(name) && !BY_PROPERTY.test(texts[at]))
    .map((name) => `${FOLDER}/${name}`);
}

/** Each module keeps its own place, which a bundle would take from it. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /(harness|test)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};

/** Text of the bundle of the repository in this folder; `__file(path)` says which test file is being loaded. */
export async function bundleSuite(root) {
  const files = await testFiles(root);
  const contents = [
    `require('./harness/check/check-run.ts');`,
    ...files.map((file) => `__file(${JSON.stringify(file)}); require('./${file}');`),
  ].join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, sourcefile: 'suite.js' },
    absWorkingDir: root,
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    plugins: [places],
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
