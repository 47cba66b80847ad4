/** The identity of what runs the tools: any change of it is seen, and its archive is kept whole or not at all. */
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
import { describe, expect, it, test } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { HarnessError } from '../../harness/core/errors.js';
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

/** A harness of three files, and a Node of a few bytes. */
function makeTree(): { dist: string; node: string; measure: () => MeasuredInterpreter } {
  const folder = makeRunFolder();
  const dist = join(folder, 'dist');
  const node = join(folder, 'node');
  mkdirSync(join(dist, 'core'), { recursive: true });
  writeFileSync(join(dist, 'index.js'), 'export {};\n');
  writeFileSync(join(dist, 'core', 'b.js'), 'b');
  writeFileSync(join(dist, 'core', 'a.js'), Buffer.from([0, 10, 255]));
  writeFileSync(node, 'the binary');
  const measure = (): MeasuredInterpreter =>
    measureInterpreter({ distDir: dist, nodeVersion: 'v20.19.0', nodePath: node, release: '0.1.0' });
  return { dist, node, measure };
}

describe('interpreter', () => {
  it('interpreter: a small tree → the archive is a line about Node, then the files by path', () => {
    const { digest, archive, release, node } = makeTree().measure();
    const nodeDigest = digestOf(Buffer.from('the binary'));
    const expected = Buffer.concat([
      Buffer.from(`node v20.19.0 ${nodeDigest}\n"core/a.js" 3\n`),
      Buffer.from([0, 10, 255]),
      Buffer.from('\n"core/b.js" 1\nb\n"index.js" 11\nexport {};\n\n'),
    ]);
    expect(Buffer.from(archive).equals(expected)).toBe(true);
    expect(digest).toBe(digestOf(expected));
    expect(release).toBe('0.1.0');
    expect(node).toMatchObject({ version: 'v20.19.0', digest: nodeDigest });
  });

  it('interpreter: the same tree in two places, made in another order → one digest', () => {
    const one = makeTree();
    const other = makeTree();
    rmSync(join(other.dist, 'core'), { recursive: true });
    mkdirSync(join(other.dist, 'core'));
    writeFileSync(join(other.dist, 'core', 'a.js'), Buffer.from([0, 10, 255]));
    writeFileSync(join(other.dist, 'core', 'b.js'), 'b');
    expect(other.measure().digest).toBe(one.measure().digest);
    expect(one.measure().digest).toBe(one.measure().digest);
  });

  test.each<[string, (tree: ReturnType<typeof makeTree>) => void]>([
    ['a byte', ({ dist }) => writeFileSync(join(dist, 'core', 'b.js'), 'c')],
    ['a name', ({ dist }) => renameSync(join(dist, 'core', 'b.js'), join(dist, 'core', 'c.js'))],
    ['a folder', ({ dist }) => renameSync(join(dist, 'core'), join(dist, 'kern'))],
    ['one file more', ({ dist }) => writeFileSync(join(dist, 'core', 'c.js'), '')],
    ['one file less', ({ dist }) => rmSync(join(dist, 'core', 'b.js'))],
    ['a link more', ({ dist }) => symlinkSync('b.js', join(dist, 'core', 'c.js'))],
  ])('interpreter: another tree by %s → another digest', (_what, change) => {
    const tree = makeTree();
    const before = tree.measure().digest;
    change(tree);
    expect(tree.measure().digest).not.toBe(before);
  });

  it('interpreter: another Node binary or version → another digest', () => {
    const { dist, node, measure } = makeTree();
    const other = `${node}-other`;
    writeFileSync(other, 'the binary, other');
    const with_ = (nodePath: string, nodeVersion: string): string =>
      measureInterpreter({ distDir: dist, nodeVersion, nodePath, release: '0.1.0' }).digest;
    const digests = [measure().digest, with_(other, 'v20.19.0'), with_(node, 'v22.0.0')];
    expect(new Set(digests).size).toBe(3);
  });

  it('interpreter: two files whose names and bytes are cut elsewhere → another digest', () => {
    const one = makeTree();
    const other = makeTree();
    // What follows spells the lines of two files, in the bytes of one.
    writeFileSync(join(one.dist, 'x.js'), 'x');
    writeFileSync(join(one.dist, 'y.js'), 'y');
    writeFileSync(join(other.dist, 'x.js'), 'x\n"y.js" 1\ny');
    expect(other.measure().digest).not.toBe(one.measure().digest);
  });

  it('interpreter: names with line feeds and quotes, links out and in circles → archived, and none followed', () => {
    const { dist, measure } = makeTree();
    const outside = join(dist, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret'), 'a secret');
    writeFileSync(join(dist, 'a\n"b" 3\nx'), 'odd');
    symlinkSync(outside, join(dist, 'folder'));
    symlinkSync(join(outside, 'secret'), join(dist, 'file'));
    symlinkSync('.', join(dist, 'circle'));
    symlinkSync('/nowhere/at all', join(dist, 'dangling'));
    const text = Buffer.from(measure().archive).toString('latin1');
    expect(text).toContain('"a\\n\\"b\\" 3\\nx" 3\nodd\n');
    expect(text).toContain('"circle" -> "."\n');
    expect(text).toContain('"dangling" -> "/nowhere/at all"\n');
    expect(text).not.toContain('a secret');
    writeFileSync(join(outside, 'secret'), 'another');
    expect(Buffer.from(measure().archive).toString('latin1')).toBe(text);
  });

  it('interpreter: no harness there, or no Node → one clear line', () => {
    const { dist, node } = makeTree();
    const options = { distDir: dist, nodeVersion: 'v20', nodePath: node, release: '0' };
    expect(() => measureInterpreter({ ...options, distDir: `${dist}-none` })).toThrow(HarnessError);
    expect(() => measureInterpreter({ ...options, nodePath: `${node}-none` })).toThrow(HarnessError);
  });
});

describe('interpreter archive', () => {
  it('interpreter: archived twice → one file under its own hash, which is found sound', () => {
    const root = makeRunFolder();
    const measured = makeTree().measure();
    const path = archiveInterpreter(root, measured);
    expect(archiveInterpreter(root, measured)).toBe(path);
    expect(readdirSync(join(root, ARCHIVE_FOLDER))).toEqual([measured.digest.slice(7)]);
    expect(digestOf(readFileSync(path))).toBe(measured.digest);
    expect(verifyArchive(root, measured.digest)).toBe('ok');
    requireArchive(root, measured.digest);
  });

  it('interpreter: no archive yet → missing, which stops nobody', () => {
    const root = makeRunFolder();
    const { digest } = makeTree().measure();
    expect(verifyArchive(root, digest)).toBe('missing');
    requireArchive(root, digest);
  });

  test.each<[string, (path: string) => void]>([
    ['one byte', (path) => writeFileSync(path, flipped(readFileSync(path)))],
    ['a byte less', (path) => writeFileSync(path, readFileSync(path).subarray(1))],
    ['nothing left', (path) => writeFileSync(path, '')],
    [
      'a link to the real one',
      (path) => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
    ],
    [
      'a folder',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('interpreter: an archive damaged by %s → found, and refused with one line', (_what, damage) => {
    const root = makeRunFolder();
    const measured = makeTree().measure();
    damage(archiveInterpreter(root, measured));
    expect(verifyArchive(root, measured.digest)).toBe('damaged');
    expect(() => requireArchive(root, measured.digest)).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        message: expect.stringMatching(/^[^\n]+ is damaged$/),
      }),
    );
  });

  it('interpreter: Node archived as well → its bytes under its own hash; a replaced one is refused', () => {
    const root = makeRunFolder();
    const { node, measure } = makeTree();
    const measured = measure();
    expect(readFileSync(archiveNode(root, measured), 'utf8')).toBe('the binary');
    expect(verifyArchive(root, measured.node.digest)).toBe('ok');
    writeFileSync(node, 'replaced');
    expect(() => archiveNode(makeRunFolder(), measured)).toThrow(/no longer the Node that was measured/);
  });

  test.each(FAULTS)(
    'interpreter: the n-th operation of archiving, for every n (%s) → whole or not there',
    (fault) => {
      const measured = makeTree().measure();
      let untouched = false;
      let stopped = 0;
      for (let n = 1; !untouched; n += 1) {
        const root = makeRunFolder();
        const faulty = faultyOps(n, fault);
        try {
          archiveInterpreter(root, measured, { ops: faulty.ops });
        } catch (error) {
          expect(error).toBeInstanceOf(HarnessError);
          stopped += 1;
        }
        untouched = faulty.count() < n;
        const path = join(root, ARCHIVE_FOLDER, measured.digest.slice(7));
        expect(verifyArchive(root, measured.digest)).toBe(existsSync(path) ? 'ok' : 'missing');
        archiveInterpreter(root, measured);
        expect(verifyArchive(root, measured.digest)).toBe('ok');
      }
      expect(stopped).toBeGreaterThan(5);
    },
  );
});

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length >> 1]! ^= 1;
  return bytes;
}
