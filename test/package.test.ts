/**
 * The package as a user gets it: packed, installed into an empty folder, and used from there.
 * Nothing of this checkout may be needed. What the command does in detail is tested elsewhere, on the build.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from './support/spawn.js';
import type { Outcome } from './support/spawn.js';
import { ROOT } from './support/tidy/repository.js';

const INSTALL_MAX_MS = 600_000;
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** The examples in TypeScript that README.md shows. */
function examplesOfReadme(): string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map((match) => match[1] ?? '');
}

/** Values that the examples import from the package. */
function documentedExports(examples: readonly string[]): string[] {
  const imports = examples.flatMap((text) => [
    ...text.matchAll(/^import \{([^}]*)\} from 'counterproof';$/gm),
  ]);
  return imports.flatMap((match) => (match[1] ?? '').split(',')).map((name) => name.trim());
}

describe('package: installed from its tarball', () => {
  let folder = '';
  let packed: readonly string[] = [];
  const inFolder = (command: string, ...args: string[]): Promise<Outcome> =>
    runProgram(command, args, folder);

  beforeAll(async () => {
    if (!existsSync(join(ROOT, 'dist', 'cli', 'main.js'))) throw new Error('dist/ is missing: npm run build');
    folder = mkdtempSync(join(tmpdir(), 'counterproof-package-'));
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
    const pack = await runProgram(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
      ROOT,
    );
    expect(pack).toMatchObject({ code: 0 });
    const [tarball] = JSON.parse(pack.stdout) as [{ filename: string; files: { path: string }[] }];
    packed = tarball.files.map(({ path }) => path);
    const options = ['--no-audit', '--no-fund', '--prefer-offline'];
    expect(await inFolder('npm', 'install', ...options, `./${tarball.filename}`)).toMatchObject({ code: 0 });
  }, INSTALL_MAX_MS);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('the tarball → what a user needs, and neither sources nor tests', () => {
    const wanted = ['LICENSE', 'README.md', 'dist/cli/main.js', 'dist/index.js', 'dist/index.d.ts'];
    const loaded = ['dist/cli/worker.js', 'dist/cli/validators.cjs', 'dist/cli/tinyglobby.cjs'];
    expect(packed).toEqual(
      expect.arrayContaining([...wanted, ...loaded, 'schemas/event.schema.json', 'runs/README.md']),
    );
    expect(packed).toContain('dist/cli/licenses.txt');
    expect(
      packed.filter((path) => /^(?:test|node_modules|\.ci)\/|^harness\/.*\.ts$|\.test\./.test(path)),
    ).toEqual([]);
  });

  test('--help → usage that names the command check, exit 0', async () => {
    const { code, stdout, stderr } = await inFolder('npx', '--no-install', 'counterproof', '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/counterproof/);
    expect(stdout).toMatch(/\bcheck\b/);
  });

  test('--version → the version of package.json, exit 0', async () => {
    const { code, stdout } = await inFolder('npx', '--no-install', 'counterproof', '--version');
    expect({ code, said: stdout.trim() }).toEqual({ code: 0, said: manifest.version });
  });

  test('import → every export that the README uses or names', async () => {
    const script = "import * as all from 'counterproof'; console.log(JSON.stringify(Object.keys(all)));";
    const { code, stdout, stderr } = await inFolder('node', '--input-type=module', '--eval', script);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const documented = documentedExports(examplesOfReadme());
    expect(documented).toContain('openWriter');
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining([...documented, 'readLog', 'RULES']));
  });

  test('a schema → can be imported by its path in the package', async () => {
    const script = "console.log(import.meta.resolve('counterproof/schemas/event.schema.json'));";
    const { code, stdout } = await inFolder('node', '--input-type=module', '--eval', script);
    expect(code).toBe(0);
    expect(stdout).toContain('/node_modules/counterproof/schemas/event.schema.json');
  });

  test('the program of the README → type-checks, libraries included, and does what it says', async () => {
    const [program = ''] = examplesOfReadme();
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'program.mjs'), program);
    const modules = join(ROOT, 'node_modules');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
    const types = ['--typeRoots', join(modules, '@types'), '--types', 'node', '--skipLibCheck', 'false'];
    const tsc = join(modules, 'typescript', 'bin', 'tsc');
    const checked = await inFolder('node', tsc, ...options, ...types, 'program.ts');
    expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });
    const ran = await inFolder('node', 'program.mjs');
    expect(ran).toEqual({ code: 0, stdout: 'run_hello pass\n', stderr: '' });
    const judged = await inFolder('npx', '--no-install', 'counterproof', 'check', 'run_hello');
    expect(judged).toMatchObject({ code: 0, stderr: '' });
  });
});
