/**
 * The example runs of the repository are what the writer writes today, and are judged as their names say.
 * With COUNTERPROOF_WRITE_EXAMPLES set the committed copies are written anew (`npm run examples`).
 */
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkRun } from '../harness/check/check-run.js';
import { resolveInputs } from '../harness/check/inputs.js';
import { EXAMPLES, writeExample } from './support/examples.js';

const COMMITTED = join(import.meta.dirname, '../runs/examples');

function filesOf(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, name);
    // Claimed lanes name the process that held them and are not part of the record.
    if (statSync(path).isFile() && !name.startsWith('writers'))
      files.set(relative(folder, path), readFileSync(path, 'utf8'));
  }
  return files;
}

describe('examples', () => {
  const root =
    process.env['COUNTERPROOF_WRITE_EXAMPLES'] === undefined
      ? mkdtempSync(join(tmpdir(), 'counterproof-examples-'))
      : COMMITTED;

  for (const name of EXAMPLES) {
    it(`examples: ${name} written again → the committed bytes`, () => {
      expect(filesOf(writeExample(name, root))).toEqual(filesOf(join(COMMITTED, name)));
    });

    it(`examples: ${name} judged → ${name.startsWith('good') ? 'pass' : 'fail'}`, () => {
      const [input] = resolveInputs([join(COMMITTED, name)]).runs;
      const { verdict } = checkRun(input as NonNullable<typeof input>, {
        profile: 'strict',
        live: false,
        violationsMax: 100,
      });
      expect(verdict.verdict).toBe(name.startsWith('good') ? 'pass' : 'fail');
    });
  }
});
