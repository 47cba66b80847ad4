/**
 * Golden logs: what `check --format json` says about runs recorded in each version of the log format, byte for byte.
 * test/fixtures/golden/README.md says what may change there; `npm run golden` writes the expected reports anew.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counterproof } from '../support/command.js';

const GOLDEN = join(import.meta.dirname, '../fixtures/golden');
const IS_WRITING = process.env['COUNTERPROOF_WRITE_GOLDEN'] !== undefined;

function foldersOf(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** The report on a run, without what a release or a machine puts into it. */
async function reportOn(version: string, name: string): Promise<string> {
  const { stdout, stderr } = await counterproof(['check', name, '--format', 'json'], {
    cwd: join(GOLDEN, version),
  });
  expect(stderr).toBe('');
  return stdout.replace(/("harness": \{[^}]*"version": )"[^"]*"/, '$1"any"');
}

describe('golden', () => {
  for (const version of foldersOf(GOLDEN)) {
    for (const name of foldersOf(join(GOLDEN, version))) {
      it(`golden: ${version}/${name} → the expected report`, async () => {
        const path = join(GOLDEN, version, `${name}.expected.json`);
        const report = await reportOn(version, name);
        if (IS_WRITING) writeFileSync(path, report);
        expect(existsSync(path), `${path} is missing: npm run golden`).toBe(true);
        expect(report).toBe(readFileSync(path, 'utf8'));
      });
    }
  }

  it('golden: the first format → good runs pass, bad ones fail, and several kinds are there', () => {
    const names = foldersOf(join(GOLDEN, 'v1'));
    for (const name of names) {
      const report = JSON.parse(readFileSync(join(GOLDEN, 'v1', `${name}.expected.json`), 'utf8'));
      expect({ name, exit: report.exit }).toEqual({ name, exit: name.startsWith('bad-') ? 1 : 0 });
    }
    expect(names.length).toBeGreaterThanOrEqual(8);
  });
});
