/** Paths in a log: which leave the run folder, by their text and through symlinks. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathEscapes, pathNames } from '../../harness/core/path.js';
import {
  abandonedRun,
  isOwned,
  messageFile,
  planFile,
  proposalFile,
  resolveInside,
  resultFile,
  rotatedPart,
  sealFile,
  sealNumber,
} from '../../harness/log/run-dir.js';
import { describeWithData } from '../support/data.js';
import { makeFolder } from '../support/log-bed.js';

const STAYS = [
  'goal.md',
  'results/t1.json',
  'results/./t1.json',
  './results/t1.json',
  'results//t1.json',
  'results/sub/../t1.json',
  'results/../goal.md',
  'results\\t1.json',
  'results\\..\\goal.md',
  '.',
  'results/',
  'a/..',
  '~/.ssh/id_rsa',
  '~',
  'results/%2e%2e/%2e%2e/x',
  '%2e%2e/x',
  '%2Fetc%2Fpasswd',
  'results/CON',
  'NUL',
  '...',
  '.../x',
  '..x/y',
  'x../y',
  ' /etc/passwd',
  './http://example.org',
  'results/C:/x',
  'a/b:c',
  '1:x',
  '.:x',
  ':x',
  '..\u2215x',
  '．．/x',
  'résumé.md',
  '$HOME/x',
];

const ESCAPES: readonly (readonly [path: string, how: string])[] = [
  ['', 'empty'],
  ['..', 'climbs'],
  ['../', 'climbs'],
  ['../x', 'climbs'],
  ['../run_x/goal.md', 'climbs'],
  ['../run_2026-05-28_x1-secrets/x', 'climbs'],
  ['results/../../x', 'climbs'],
  ['results/../../results/t.json', 'climbs'],
  ['a/b/../../../c', 'climbs'],
  ['./../x', 'climbs'],
  ['a//../../x', 'climbs'],
  ['..\\x', 'climbs'],
  ['results\\..\\..\\secret', 'climbs'],
  ['results/..\\../x', 'climbs'],
  ['/etc/passwd', 'absolute'],
  ['/', 'absolute'],
  ['/dev/stdin', 'absolute'],
  ['/proc/self/environ', 'absolute'],
  ['\\windows\\win.ini', 'absolute'],
  ['//server/share/x', 'network'],
  ['\\\\server\\share\\x', 'network'],
  ['\\\\?\\C:\\x', 'network'],
  ['\\/server/share', 'network'],
  ['C:\\Windows\\win.ini', 'drive'],
  ['C:/Windows/win.ini', 'drive'],
  ['c:x', 'drive'],
  ['z:', 'drive'],
  ['file:///etc/passwd', 'URL'],
  ['file:x', 'URL'],
  ['FILE:/x', 'URL'],
  ['https://evil.example/x', 'URL'],
  ['data:text/plain,x', 'URL'],
  ['javascript:alert(1)', 'URL'],
  ['s3://bucket/x', 'URL'],
  ['git+ssh://host/x', 'URL'],
  ['results/t\0.json', 'NUL'],
  ['\0', 'NUL'],
];

describe('path', () => {
  test.each(STAYS)('path: %j → stays inside', (path) => {
    expect(pathEscapes(path)).toBeUndefined();
    expect(pathNames(path)).not.toContain('..');
  });

  test.each(ESCAPES)('path: %j → escapes, it %s', (path, how) => {
    expect(pathEscapes(path)).toContain(how);
    expect(resolveInside(makeFolder(), path)).toMatchObject({ ok: false });
  });

  test('path: names along a path → normalised', () => {
    expect(pathNames('a\\./b//c/../d')).toEqual(['a', 'b', 'd']);
    expect(pathNames('a/..')).toEqual([]);
  });
});

describeWithData('path: public traversal log', (dir) => {
  test('path: its sixteen result paths → only the harmless four stay', () => {
    const lines = readFileSync(join(dir, 'corruption/39-resultpath-traversal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const staying = lines
      .map((line) => JSON.parse(line).data.resultPath as unknown)
      .filter((path) => typeof path === 'string' && pathEscapes(path) === undefined);
    expect(staying).toEqual(['results/./t1.json', 'results/%2e%2e/%2e%2e/x', '~/.ssh/id_rsa', 'results/CON']);
  });
});

/** A run folder beside a secret, with links of every kind. */
function makeLinks(): { run: string; outside: string } {
  const base = makeFolder();
  const run = join(base, 'run');
  mkdirSync(join(run, 'results'), { recursive: true });
  writeFileSync(join(base, 'secret'), 'OUTSIDE-SECRET');
  writeFileSync(join(run, 'goal.md'), 'x');
  const links: readonly (readonly [target: string, path: string])[] = [
    ['../../secret', 'results/out.json'],
    [join(base, 'secret'), 'results/absolute.json'],
    ['../../nowhere', 'results/dangling.json'],
    ['..', 'up'],
    ['../goal.md', 'results/in.json'],
    [join(run, 'goal.md'), 'results/absolute-in.json'],
    ['../../run/goal.md', 'results/round.json'],
    ['new.json', 'results/dangling-in.json'],
    ['.', 'loop'],
    ['circle-b', 'circle-a'],
    ['circle-a', 'circle-b'],
    ['../run-evil', 'prefix'],
  ];
  for (const [target, path] of links) symlinkSync(target, join(run, path));
  mkdirSync(join(base, 'run-evil'));
  return { run, outside: base };
}

describe('path: symlinks', () => {
  test.each([
    'results/out.json',
    'results/absolute.json',
    'results/dangling.json',
    'up/secret',
    'up',
    'prefix/x',
  ])('path: %s leads out of the folder → refused', (path) => {
    expect(resolveInside(makeLinks().run, path)).toEqual({
      ok: false,
      how: 'is a symlink out of the run folder',
    });
  });

  test.each([
    ['results/in.json', 'goal.md'],
    ['results/absolute-in.json', 'goal.md'],
    ['results/round.json', 'goal.md'],
    ['results/dangling-in.json', 'results/new.json'],
    ['loop/loop/loop/goal.md', 'goal.md'],
    ['results/missing.json', 'results/missing.json'],
    ['up/run/goal.md', 'goal.md'],
    ['.', ''],
  ])('path: %s stays, through links or not → resolved to %s', (path, relative) => {
    const { run } = makeLinks();
    const resolved = resolveInside(run, path);
    expect(resolved).toMatchObject({ ok: true, relative });
  });

  test.each(['circle-a', 'circle-a/x', `${'loop/'.repeat(41)}goal.md`])(
    'path: %s goes in a circle → ends',
    (path) => {
      expect(resolveInside(makeLinks().run, path)).toEqual({
        ok: false,
        how: 'follows symlinks in a circle',
      });
    },
  );

  test('path: the run folder itself is reached by a link → paths in it stay', () => {
    const { run, outside } = makeLinks();
    symlinkSync(run, join(outside, 'alias'));
    expect(resolveInside(join(outside, 'alias'), 'goal.md')).toMatchObject({
      ok: true,
      absolute: join(run, 'goal.md'),
    });
  });

  test('path: no such run folder → resolved, so that the file can be found missing', () => {
    expect(resolveInside('/nonexistent/run', 'goal.md')).toMatchObject({
      ok: true,
      absolute: '/nonexistent/run/goal.md',
    });
  });
});

describe('path: names of a run folder', () => {
  test('path: seals → numbered from 1, only in the one spelling', () => {
    expect([1, 2, 10].map(sealFile)).toEqual(['seal.json', 'seal.2.json', 'seal.10.json']);
    expect(['seal.json', 'seal.2.json', 'seal.10.json'].map(sealNumber)).toEqual([1, 2, 10]);
    for (const name of [
      'seal.1.json',
      'seal.0.json',
      'seal.02.json',
      'seal.x.json',
      'seal..json',
      'a-seal.json',
    ]) {
      expect(sealNumber(name)).toBeUndefined();
    }
  });

  test('path: files named after ids → as the protocol lays them out', () => {
    expect([
      planFile('p1'),
      messageFile('m1'),
      proposalFile('r1'),
      resultFile('t1'),
      abandonedRun('run_x', 2),
    ]).toEqual([
      'plans/p1.json',
      'messages/m1.json',
      'proposals/r1.json',
      'results/t1.json',
      'run_x.abandoned-2',
    ]);
  });

  test('path: rotated parts → known by their number', () => {
    expect(
      ['provenance.jsonl.1', 'provenance.jsonl.12', 'provenance.jsonl', 'provenance.jsonl.gz'].map(
        rotatedPart,
      ),
    ).toEqual([1, 12, undefined, undefined]);
  });

  test.each([
    'provenance.jsonl',
    './seal.2.json',
    'writers/00',
    'invocations.jsonl',
    'x/../journal.jsonl',
    'objects.pack',
  ])('path: %s → belongs to its own writer', (path) => {
    expect(isOwned(path)).toBe(true);
  });

  test.each(['artifacts/seal.json', 'goal.md', 'artifacts/provenance.jsonl'])(
    'path: %s → anybody may write it',
    (path) => {
      expect(isOwned(path)).toBe(false);
    },
  );

  test.each(['../x', 'a/b', '.hidden', '', '-x', 'a\0'])('path: id %j → cannot name a file', (id) => {
    expect(() => planFile(id)).toThrow('cannot name a file');
  });
});
