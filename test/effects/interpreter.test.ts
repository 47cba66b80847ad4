/** What runs the tools, measured and kept: the same bytes give the same digest, and any other another. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import {
  ARCHIVE_FOLDER,
  archiveInterpreter,
  archiveNode,
  measureInterpreter,
  requireArchive,
  verifyArchive,
} from '../../harness/effects/interpreter.js';
import type { MeasuredInterpreter } from '../../harness/effects/interpreter.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { FAULTS, faultyOps } from '../support/faulty-ops.js';

/** A small harness and a small Node. */
function tree(): { distDir: string; nodePath: string } {
  const distDir = makeRunFolder();
  mkdirSync(join(distDir, 'cli'));
  writeFileSync(join(distDir, 'index.js'), 'export {};\n');
  writeFileSync(join(distDir, 'cli', 'main.js'), 'run();\n');
  const nodePath = join(makeRunFolder(), 'node');
  writeFileSync(nodePath, 'not really');
  return { distDir, nodePath };
}

function measure(
  { distDir, nodePath }: { distDir: string; nodePath: string },
  nodeVersion = 'v20.19.0',
): MeasuredInterpreter {
  return measureInterpreter({ distDir, nodePath, nodeVersion, release: '0.1.0' });
}

describe('interpreter', () => {
  it('interpreter: measured twice → the same digest, which is that of its archive', () => {
    const given = tree();
    const { digest, archive } = measure(given);
    expect(measure(given).digest).toBe(digest);
    expect(digestOf(archive)).toBe(digest);
  });

  it('interpreter: a byte, a name, a file more or less, another Node → another digest', () => {
    const digests = new Set<string>();
    const given = tree();
    const { distDir, nodePath } = given;
    const note = (): unknown => digests.add(measure(given).digest);
    note();
    writeFileSync(join(distDir, 'index.js'), 'export {}\n');
    note();
    renameSync(join(distDir, 'index.js'), join(distDir, 'indes.js'));
    note();
    writeFileSync(join(distDir, 'more.js'), '');
    note();
    rmSync(join(distDir, 'cli', 'main.js'));
    note();
    writeFileSync(nodePath, 'another');
    note();
    digests.add(measure(given, 'v22.0.0').digest);
    expect(digests.size).toBe(7);
  });

  it('interpreter: files that only look alike when run together → apart', () => {
    const [a, b] = [tree(), tree()];
    b.nodePath = a.nodePath;
    writeFileSync(join(a.distDir, 'x'), '1\n"y" 2\n23\n');
    writeFileSync(join(b.distDir, 'x'), '1\n');
    writeFileSync(join(b.distDir, 'y'), '23');
    expect(measure(a).digest).not.toBe(measure(b).digest);
  });

  it('interpreter: links in its folder → counted as links, and not followed', () => {
    const given = tree();
    const { digest } = measure(given);
    symlinkSync('/etc', join(given.distDir, 'etc'));
    symlinkSync('/etc/passwd', join(given.distDir, 'passwd'));
    const linked = measure(given);
    expect(linked.digest).not.toBe(digest);
    expect(Buffer.from(linked.archive).toString()).toContain('"passwd" -> "/etc/passwd"\n');
    expect(Buffer.from(linked.archive).toString()).not.toContain('root:');
  });
});

describe('interpreter: archive', () => {
  it('archive: written once, verified, damaged, gone → ok, ok, damaged, missing', () => {
    const root = makeRunFolder();
    const interpreter = measure(tree());
    const { digest } = interpreter;
    expect(verifyArchive(root, digest)).toBe('missing');
    const path = archiveInterpreter(root, interpreter);
    archiveInterpreter(root, interpreter);
    expect(path).toBe(join(root, ARCHIVE_FOLDER, digest.slice(7)));
    expect(readdirSync(join(root, ARCHIVE_FOLDER))).toHaveLength(1);
    expect(verifyArchive(root, digest)).toBe('ok');
    expect(() => {
      requireArchive(root, digest);
    }).not.toThrow();
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('x')]));
    expect(verifyArchive(root, digest)).toBe('damaged');
    expect(() => {
      requireArchive(root, digest);
    }).toThrow(/is damaged/);
  });

  it('archive: Node as well → under its own digest', () => {
    const root = makeRunFolder();
    const interpreter = measure(tree());
    archiveNode(root, interpreter);
    expect(verifyArchive(root, interpreter.node.digest)).toBe('ok');
  });

  it('archive: the n-th file operation goes wrong → whole under its name, or not there', () => {
    const interpreter = measure(tree());
    for (const fault of FAULTS) {
      for (let at = 1; ; at += 1) {
        const root = makeRunFolder();
        const { ops, count } = faultyOps(at, fault);
        try {
          archiveInterpreter(root, interpreter, { ops });
        } catch (error) {
          expect(error).toMatchObject({ code: expect.any(String) });
        }
        expect(verifyArchive(root, interpreter.digest)).not.toBe('damaged');
        if (count() < at) {
          expect(existsSync(join(root, ARCHIVE_FOLDER, interpreter.digest.slice(7)))).toBe(true);
          break;
        }
      }
    }
  });
});
