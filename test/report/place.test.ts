/**
 * Paths as hosts want them: below the folder of the check where they are, encoded, with forward slashes.
 */
import { describe, expect, test } from 'vitest';
import { pathFrom, uriFrom } from '../../harness/report/place.js';

const below = (uri: string): object => ({ uri, uriBaseId: '%SRCROOT%' });

describe('place', () => {
  test.each<[string, string, object]>([
    ['/w', 'runs/a/provenance.jsonl', below('runs/a/provenance.jsonl')],
    ['/w', './runs//a/../b.jsonl', below('runs/b.jsonl')],
    ['/w', '/w/runs/a.jsonl', below('runs/a.jsonl')],
    ['/w', '/wide/a.jsonl', { uri: 'file:///wide/a.jsonl' }],
    ['/w/x', '../a b.jsonl', { uri: 'file:///w/a%20b.jsonl' }],
    ['/w', 'a b/100%/ü:#?[1].jsonl', below('a%20b/100%25/%C3%BC%3A%23%3F%5B1%5D.jsonl')],
    ['/w', 'a\\b\n.jsonl', below('a%5Cb%0A.jsonl')],
    ['/w', 'a\ud800.jsonl', below('a%EF%BF%BD.jsonl')],
    ['/w', '<stdin>', below('%3Cstdin%3E')],
    ['/', 'tmp/a.jsonl', below('tmp/a.jsonl')],
    ['C:\\w', 'runs\\a.jsonl', below('runs/a.jsonl')],
    ['C:\\w', 'C:\\w\\runs\\a.jsonl', below('runs/a.jsonl')],
    ['C:\\w', 'D:\\a.jsonl', { uri: 'file:///D:/a.jsonl' }],
    ['C:\\w', '\\\\server\\share\\a.jsonl', { uri: 'file://server/share/a.jsonl' }],
  ])('place: in %j, %j → as a URI', (root, path, uri) => {
    expect(uriFrom(root, path)).toEqual(uri);
  });

  test.each<[string, string, string]>([
    ['/w', '/w/runs/a b.jsonl', 'runs/a b.jsonl'],
    ['/w', './runs/a.jsonl', 'runs/a.jsonl'],
    ['/w', '/elsewhere/a.jsonl', '/elsewhere/a.jsonl'],
    ['/w', '../a.jsonl', '../a.jsonl'],
    ['C:\\w', 'runs\\a.jsonl', 'runs/a.jsonl'],
    ['C:\\w', 'D:\\a.jsonl', 'D:/a.jsonl'],
  ])('place: in %j, %j → as a path', (root, path, shown) => {
    expect(pathFrom(root, path)).toBe(shown);
  });
});
