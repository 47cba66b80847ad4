/** A file of lines that is only appended to: whatever is torn stays a line of its own. */
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LineLog, linesOf } from '../../harness/effects/line-log.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import { makeRunFolder } from '../support/effect-bed.js';
import { faultyOps } from '../support/faulty-ops.js';

const bytes = (text: string): Uint8Array => Buffer.from(text);

function makePath(content?: string): string {
  const path = join(makeRunFolder(), 'lines.jsonl');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

function appendTo(path: string, lines: readonly string[]): void {
  const log = LineLog.open(path, nodeFileOps);
  log.append(lines.map(bytes));
  log.close();
}

function seen(path: string): [number, number, string, boolean][] {
  return [...linesOf(path, nodeFileOps)].map(({ number, offset, bytes: line, ended }) => [
    number,
    offset,
    Buffer.from(line).toString(),
    ended,
  ]);
}

describe('line log', () => {
  it('line log: lines appended → there, numbered from 1, blank ones left out and counted', () => {
    const path = makePath();
    appendTo(path, ['{"a":1}', '', ' ', '{"b":2}']);
    appendTo(path, ['{"c":3}']);
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n\n \n{"b":2}\n{"c":3}\n');
    expect(seen(path)).toEqual([
      [1, 0, '{"a":1}', true],
      [4, 11, '{"b":2}', true],
      [5, 19, '{"c":3}', true],
    ]);
  });

  it('line log: a torn last line → closed once before the next, and still there', () => {
    const path = makePath('{"a":1}\n{"torn');
    expect(seen(path).at(-1)).toEqual([2, 8, '{"torn', false]);
    const log = LineLog.open(path, nodeFileOps);
    log.append([bytes('{"b":2}')]);
    log.append([bytes('{"c":3}')]);
    log.close();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"torn\n{"b":2}\n{"c":3}\n');
  });

  it('line log: opened on a torn line and closed → nothing was written', () => {
    const path = makePath('{"torn');
    LineLog.open(path, nodeFileOps).close();
    expect(readFileSync(path, 'utf8')).toBe('{"torn');
  });

  it('line log: another writer tears its line in front of ours → ours stands whole on a line of its own', () => {
    const path = makePath('{"a":1}\n');
    let isTorn = false;
    const write: typeof nodeFileOps.write = (fd, written) => {
      if (!isTorn) appendFileSync(path, '{"torn');
      isTorn = true;
      return nodeFileOps.write(fd, written);
    };
    const log = LineLog.open(path, { ...nodeFileOps, write });
    log.append([bytes('{"b":2}')]);
    log.close();
    expect(seen(path).filter(([, , line]) => line === '{"b":2}')).toHaveLength(1);
  });

  it('line log: a write that takes half → not acknowledged, and the next process goes on', () => {
    const path = makePath();
    const [line] = [bytes('{"a":"a long line of its own"}')];
    for (let at = 1, isTorn = false; !isTorn; at += 1) {
      const { ops } = faultyOps(at, 'tear');
      try {
        const log = LineLog.open(path, ops);
        log.append([line]);
        log.close();
      } catch (error) {
        isTorn = String(error).includes('bytes were taken');
      }
      expect(at).toBeLessThan(50);
    }
    const before = seen(path).filter(([, , , ended]) => ended).length;
    appendTo(path, ['{"b":2}']);
    expect(seen(path).at(-1)).toMatchObject({ 2: '{"b":2}', 3: true });
    expect(seen(path)).toHaveLength(before + 2);
  });

  it('line log: no file → no lines; a folder or a link in its place → not written to', () => {
    expect(seen(makePath())).toEqual([]);
    const folder = makeRunFolder();
    const path = join(folder, 'lines.jsonl');
    mkdirSync(path);
    expect(() => LineLog.open(path, nodeFileOps)).toThrow(/no regular file/);
    symlinkSync('elsewhere', join(folder, 'link'));
    expect(() => LineLog.open(join(folder, 'link'), nodeFileOps)).toThrow(/a symlink/);
    expect(seen(join(folder, 'link'))).toEqual([]);
  });
});
