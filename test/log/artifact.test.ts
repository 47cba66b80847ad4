/** Files of a run: written once, whole, inside. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { errno } from '../support/faulty-ops.js';
import { makeRun, open, refuses, seeKinds, started } from '../support/log-bed.js';

describe('artifact', () => {
  test('artifact: a file → written whole, with its digest, and nothing left over', () => {
    const { runDir, writer, id } = started();
    const artifact = writer.writeArtifact('artifacts/deep/er/report.txt', 'ä\n');
    const sha256 = execFileSync('sha256sum', { input: 'ä\n' }).toString().slice(0, 64);
    expect(artifact).toEqual({ path: 'artifacts/deep/er/report.txt', bytes: 3, sha256 });
    expect(readFileSync(join(runDir, artifact.path), 'utf8')).toBe('ä\n');
    writer.append({ kind: 'test.tick', causedBy: id, data: { artifactPath: artifact.path } });
    expect(existsSync(join(runDir, 'writers/00.draft'))).toBe(false);
  });

  test('artifact: the same file again → fine with the same bytes, refused with others', () => {
    const { runDir, writer } = started();
    writer.writeArtifact('results/t.json', '{}');
    writer.writeArtifact('results/t.json', Buffer.from('{}'));
    for (const other of ['{} ', '{', '', '[]']) {
      expect(() => writer.writeArtifact('results/t.json', other)).toThrow(
        refuses('invalid-input', /written before/),
      );
    }
    expect(readFileSync(join(runDir, 'results/t.json'), 'utf8')).toBe('{}');
  });

  test('artifact: another writer is first with the name → what it wrote stays', () => {
    const runDir = makeRun();
    const link: FileOps['link'] = (from, to) => {
      writeFileSync(to, 'theirs');
      nodeFileOps.link(from, to);
    };
    const writer = open(runDir, { ops: { ...nodeFileOps, link } });
    expect(() => writer.writeArtifact('results/t.json', 'mine')).toThrow(
      refuses('invalid-input', /written before/),
    );
    expect(readFileSync(join(runDir, 'results/t.json'), 'utf8')).toBe('theirs');
  });

  test('artifact: a file system without hard links → renamed into place', () => {
    const runDir = makeRun();
    const link = (): never => {
      throw errno('EPERM');
    };
    const writer = open(runDir, { ops: { ...nodeFileOps, link } });
    writer.writeArtifact('results/t.json', 'mine');
    expect(readFileSync(join(runDir, 'results/t.json'), 'utf8')).toBe('mine');
    expect(() => writer.writeArtifact('results/t.json', 'other')).toThrow(
      refuses('invalid-input', /written before/),
    );
  });

  test.each([
    ['../x', /climbs out/],
    ['/tmp/x', /absolute/],
    ['.', /folder itself/],
    ['provenance.jsonl', /only its own writer/],
    ['seal.json', /only its own writer/],
    ['writers/00', /only its own writer/],
    ['out/x', /symlink out/],
    ['log', /only its own writer/],
    ['next-seal', /only its own writer/],
    ['folder', /something else than a file/],
  ])('artifact: file %j → refused', (path, message) => {
    const { runDir, writer } = started();
    symlinkSync('/tmp', join(runDir, 'out'));
    symlinkSync('provenance.jsonl', join(runDir, 'log'));
    symlinkSync('seal.json', join(runDir, 'next-seal'));
    mkdirSync(join(runDir, 'folder'));
    expect(() => writer.writeArtifact(path, 'x')).toThrow(refuses('invalid-input', message));
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('artifact: text that is no text → refused rather than changed', () => {
    expect(() => started().writer.writeArtifact('artifacts/x', 'a\udc00')).toThrow(
      refuses('invalid-input', /surrogate/),
    );
  });
});
