/**
 * Which unreadable lines are what a cut write leaves behind, and which are whole lines made unreadable.
 */
import { describe, expect, test } from 'vitest';
import { plainScanner } from '../../harness/grammar/plain-scanner.js';
import { isFragment, withoutNulTail } from '../../harness/log/fragment.js';

const RECORD =
  '{"id":"evt_a1","runId":"run_x","t":"2026-05-28T00:00:09.500Z","kind":"model_called","actor":"a","data":{"ok":true,"no":null,"text":"\\u00fc\\n","n":-1.5e3,"list":[1,2]},"causedBy":"evt_a0"}';

const judge = (text: string): boolean => isFragment(plainScanner(), Buffer.from(text));

describe('fragment', () => {
  test('fragment: a record cut at every byte → a fragment each time', () => {
    for (let end = 0; end < RECORD.length; end++)
      expect([end, judge(RECORD.slice(0, end))]).toEqual([end, true]);
  });

  test('fragment: a record fused behind the start of another, cut anywhere → a fragment', () => {
    for (let end = 12; end < RECORD.length; end += 7) expect(judge(RECORD.slice(0, end) + RECORD)).toBe(true);
  });

  test.each([
    ['a comma behind it', `${RECORD},`],
    ['a brace too many', `${RECORD}}`],
    ['a comma inside it', RECORD.replace('},"causedBy"', ',},"causedBy"')],
    ['a quote lost', RECORD.replace('"kind"', 'kind"')],
    ['words behind it', `${RECORD} nul`],
    ['no record at all', 'Traceback (most recent call last):'],
  ])('fragment: a whole record with %s → none', (_what, text) => {
    expect(judge(text)).toBe(false);
  });

  test('fragment: NULs behind a record, or nothing else → the NULs do not count', () => {
    const nuls = Buffer.alloc(9);
    expect(withoutNulTail(Buffer.concat([Buffer.from('{"id'), nuls]))).toHaveLength(4);
    expect(isFragment(plainScanner(), withoutNulTail(nuls))).toBe(true);
    expect(isFragment(plainScanner(), withoutNulTail(Buffer.concat([Buffer.from(RECORD), nuls])))).toBe(
      false,
    );
  });
});
