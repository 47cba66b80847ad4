/**
 * Finds the public inputs that conformance tests hold the code against; they are not part of this repository.
 *
 * Look-up: `COUNTERPROOF_DATA`, else ../shared/data beside the repository. Without them such tests are skipped
 * and say so, except in CI, where a silent skip would look like a pass.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, test } from 'vitest';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const HINT = 'set COUNTERPROOF_DATA to the folder with the public inputs';

/** The folder with the public inputs, or undefined where there is none. A wrong COUNTERPROOF_DATA is none. */
export function dataDir(): string | undefined {
  const dir = resolve(ROOT, process.env['COUNTERPROOF_DATA'] ?? '../shared/data');
  return existsSync(resolve(dir, 'MANIFEST.json')) ? dir : undefined;
}

/** A `describe` over the public inputs that prints how many of its tests ran. `body` gets the data folder. */
export function describeWithData(name: string, body: (dir: string) => void): void {
  const dir = dataDir();
  if (dir !== undefined) {
    describe(name, () => {
      let cases = 0;
      beforeEach(() => {
        cases += 1;
      });
      afterAll(() => say(`${name}: ${cases} cases against ${dir}`));
      body(dir);
    });
  } else if ((process.env['CI'] ?? '') !== '') {
    describe(name, () => {
      test('public inputs are there', () => {
        throw new Error(`no public inputs: ${HINT}`);
      });
    });
  } else {
    say(`${name}: skipped, no public inputs (${HINT})`);
    describe.skip(name, () => {
      test('needs the public inputs');
    });
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
