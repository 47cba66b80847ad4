/**
 * Bundles the command, so that it starts in a fraction of the time that loading its modules one by one takes. Called by
 * build.mjs after the compiler; the modules that other programs import stay as the compiler left them.
 *
 * Everything bundled lands in dist/cli/: a path made from `import.meta.url` resolves from there, wherever its source
 * stands. What is loaded by a dynamic import, and what is shared with it, becomes a file of its own.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** For all builds here. Names and lines stay as they are, so that a fault of ours can be found by its stack. */
const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  legalComments: 'none',
  // It reads its WebAssembly from beside itself.
  external: ['libpg-query'],
  metafile: true,
  write: false,
  logLevel: 'warning',
};

/** Packages of CommonJS call `require`, which modules do not have. */
const REQUIRE = [
  "import { createRequire as requireOfBundle } from 'node:module';",
  'const require = requireOfBundle(import.meta.url);',
].join('\n');

/**
 * What most calls never need, and what is called where nothing can wait for an import: loaded at its first use. By the
 * end of the import: the file it goes to, and a module that stands for it.
 */
const LATE = {
  'generated/validators.js': {
    file: 'validators.cjs',
    standIn: `export const validators = new Proxy({}, {
      get: (_, name) => require('./validators.cjs').validators[name],
    });`,
  },
  tinyglobby: {
    file: 'tinyglobby.cjs',
    standIn: `export const globSync = (...given) => require('./tinyglobby.cjs').globSync(...given);
    export const isDynamicPattern = (...given) => require('./tinyglobby.cjs').isDynamicPattern(...given);`,
  },
};

/**
 * The argument parser measures its help texts in a way that knows all scripts and loads tables of Unicode at start,
 * at a third of the time the whole command takes. Ours are Latin, a character a column.
 */
const PLAIN_WIDTH = 'export default (text) => [...text.replace(/\\u001b\\[[0-9;]*m/g, "")].length;';

/** Replaces what the compiler has put into dist/cli. @param root folder of the package */
export async function bundleCommand(root) {
  const { build } = require('esbuild');
  const target = join(root, 'dist', 'cli');
  const late = [];
  const command = await build({
    ...COMMON,
    absWorkingDir: root,
    // The pool looks for the worker beside itself, which here is beside the command.
    entryPoints: {
      main: join(root, 'harness', 'cli', 'main.ts'),
      worker: join(root, 'harness', 'check', 'worker.ts'),
    },
    outdir: target,
    splitting: true,
    format: 'esm',
    banner: { js: REQUIRE },
    plugins: [standIns((entry, outfile) => late.push({ entry, outfile: join(target, outfile) }))],
  });
  const others = late.map(({ entry, outfile }) =>
    build({ ...COMMON, absWorkingDir: root, entryPoints: [entry], outfile, format: 'cjs', minify: true }),
  );
  const built = [command, ...(await Promise.all(others))];
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles))
    writeFileSync(path, contents);
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(target, 'licenses.txt'), licensesOf(root, inputs));
}

/** Puts stand-ins where imports are late or not worth their time. @param onLate told of each late one, once */
function standIns(onLate) {
  const known = new Set();
  const namespace = 'stand-in';
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^\.\/\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
      build.onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace }));
      build.onResolve({ filter: /(^tinyglobby|generated\/validators\.js)$/ }, async (given) => {
        if (given.pluginData === namespace) return undefined;
        const { importer, resolveDir } = given;
        const { path: entry } = await build.resolve(given.path, {
          importer,
          resolveDir,
          kind: 'require-call',
          pluginData: namespace,
        });
        const path = Object.keys(LATE).find((end) => given.path.endsWith(end));
        if (!known.has(path)) onLate(entry, LATE[path].file);
        known.add(path);
        return { path, namespace, sideEffects: false };
      });
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: LATE[path]?.standIn ?? PLAIN_WIDTH,
      }));
    },
  };
}

/** The licenses of all packages in the bundle, which ask to be kept with copies. */
function licensesOf(root, inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    if (found !== undefined) packages.add(found);
  }
  const texts = [...packages].sort().map((path) => licenseOf(join(root, path)));
  return texts.join('\n');
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = ['LICENSE', 'LICENSE.txt', 'LICENSE.md', 'license'].map((file) => join(folder, file));
  const file = files.find((path) => existsSync(path));
  const text = file === undefined ? `License: ${license}` : readFileSync(file, 'utf8').trim();
  return `${name} ${version}\n\n${text}\n`;
}
