/** Reading lines in pieces: the same lines however the pieces fall. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { isBlank, objectOf, readLines } from '../../harness/log/lines.js';

/** A file that only exists here, handed out in pieces of the given sizes. */
function fileOf(content: Buffer, pieces: readonly number[]): FileOps {
  let turn = 0;
  const read: FileOps['read'] = (_fd, into, position) => {
    const size = pieces[turn % pieces.length] ?? 1;
    turn += 1;
    return content.copy(into, 0, position, Math.min(content.length, position + Math.min(size, into.length)));
  };
  return { ...nodeFileOps, read };
}

function linesOf(content: Buffer, pieces: readonly number[] = [content.length + 1]) {
  const ops = fileOf(content, pieces);
  const hashed: Buffer[] = [];
  const source = {
    ops,
    fd: 0,
    end: content.length,
    onBytes: (bytes: Uint8Array) => hashed.push(Buffer.from(bytes)),
  };
  const lines = Array.from(readLines(source), (line) => ({
    ...line,
    bytes: Buffer.from(line.bytes).toString('latin1'),
  }));
  expect(Buffer.concat(hashed).equals(content)).toBe(true);
  return lines;
}

describe('lines', () => {
  test('lines: any content in any pieces → split at LF, with offsets', () => {
    const content = fc.array(fc.constantFrom('\n', '\r', 'a', 'bc', '\0', 'ä'), { maxLength: 60 });
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(content, pieces, (parts, sizes) => {
        const bytes = Buffer.from(parts.join(''));
        const lines = linesOf(bytes, sizes);
        const texts = bytes.toString('latin1').split('\n');
        if (texts.at(-1) === '') texts.pop();
        expect(lines.map((line) => line.bytes)).toEqual(texts);
        let offset = 0;
        for (const line of lines) {
          expect(line.offset).toBe(offset);
          offset += line.bytes.length + 1;
          expect(line.ended).toBe(offset <= bytes.length);
        }
      }),
    );
  });

  test('lines: a line without end → its start is kept, its successors stand where they stand', () => {
    const content = Buffer.concat([
      Buffer.alloc(5 * 1024 * 1024, 'x'),
      Buffer.from('\nnext\n'),
      Buffer.alloc(3 * 1024 * 1024, 'y'),
    ]);
    const lines = linesOf(content);
    expect(lines.map(({ offset, ended, bytes }) => [offset, ended, bytes.length])).toEqual([
      [0, true, 1024 * 1024],
      [5 * 1024 * 1024 + 1, true, 4],
      [5 * 1024 * 1024 + 6, false, 1024 * 1024],
    ]);
  });

  test('lines: the file is shorter than it was → reading ends', () => {
    const ops = fileOf(Buffer.from('a\nb'), [10]);
    expect(Array.from(readLines({ ops, fd: 0, end: 1000 })).length).toBe(2);
  });

  test('lines: objects and everything else → told apart', () => {
    expect(objectOf(Buffer.from('{"a":1}'))).toEqual({ a: 1 });
    for (const text of ['', '[]', 'null', '1', '{', '{}{}'])
      expect(objectOf(Buffer.from(text))).toBeUndefined();
  });

  test('lines: blank → only JSON white space', () => {
    expect([' \t\r', '', '\0', '\u00a0', 'x'].map((text) => isBlank(Buffer.from(text)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('lines: this file → as any reader sees it', () => {
    const content = readFileSync(new URL(import.meta.url));
    expect(linesOf(content, [7, 4096]).map(({ bytes }) => bytes)).toEqual(
      content.toString('latin1').trimEnd().split('\n'),
    );
  });
});
