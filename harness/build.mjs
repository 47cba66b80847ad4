/**
 * Builds dist/: generates what follows from schemas/, compiles TypeScript, adds what the compiler leaves out, and
 * bundles the command.
 *
 * Runs as `npm run build` and as `prepare`, so it skips generation when nothing changed and does not fail an
 * install without dev dependencies where dist/ is already there. `--schemas` stops after generation, for
 * tools that only need the types. It is not shipped.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from './build-command.mjs';
import { generateScanner } from './build-scanner.mjs';
import { generate } from './build-schemas.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(HERE);
const DIST = join(ROOT, 'dist');
const COMMAND = join(DIST, 'cli', 'main.js');
const require = createRequire(import.meta.url);

function say(text) {
  process.stdout.write(`build: ${text}\n`);
}

function isInstalled(tool) {
  try {
    require.resolve(`${tool}/package.json`);
    return true;
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}

/** @returns the compiler's exit code; it has printed its own messages */
function compile() {
  const tsc = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', ROOT], {
    stdio: 'inherit',
  });
  if (tsc.error !== undefined) throw tsc.error;
  return tsc.status ?? 1;
}

/** tsc copies neither JavaScript nor declarations. */
function addWhatTscLeavesOut() {
  const generated = join(HERE, 'core', 'generated');
  const target = join(DIST, 'core', 'generated');
  mkdirSync(target, { recursive: true });
  for (const file of ['validators.js', 'validators.d.ts'])
    copyFileSync(join(generated, file), join(target, file));
  // Types spelled out need neither their inference nor what they were inferred from.
  copyFileSync(join(generated, 'published-types.d.ts'), join(DIST, 'core', 'types.d.ts'));
  for (const file of ['schemas.js', 'schemas.d.ts']) rmSync(join(target, file), { force: true });
}

const TOOLS = ['typescript', 'esbuild', 'ajv', 'json-schema-to-ts', 'assemblyscript'];
const missing = TOOLS.filter((tool) => !isInstalled(tool));
if (missing.length === 0) {
  const generated = await generate();
  if (generated > 0) say(`generated types and validators from ${generated} schemas`);
  const scanner = await generateScanner();
  if (scanner > 0) say(`compiled the log scanner to ${scanner} bytes`);
  if (!process.argv.includes('--schemas')) {
    process.exitCode = compile();
    addWhatTscLeavesOut();
    if (process.exitCode === 0) await bundleCommand(ROOT);
    else say('failed: see the compiler messages above');
    if (existsSync(COMMAND)) chmodSync(COMMAND, 0o755);
  }
} else if (existsSync(COMMAND)) {
  say(`${missing.join(', ')} not installed; dist/ stays as it is`);
} else {
  say(
    `failed: ${missing.join(', ')} not installed, and there is no dist/. Run npm install with dev dependencies.`,
  );
  process.exitCode = 1;
}
