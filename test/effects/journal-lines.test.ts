/** The lines of the journal: what is written is read back, and nothing else is. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { journalBytes, readJournalLine } from '../../harness/effects/journal-lines.js';
import type { JournalLine } from '../../harness/effects/journal-lines.js';

const INPUT = digestOf(Buffer.from('input'));
const PLAN = digestOf(Buffer.from('plan'));

const LINES: readonly (readonly [line: JournalLine, text: string])[] = [
  [
    { line: 'callIntent', callId: 'call_1', tool: 'fs.write', input: INPUT, plan: PLAN },
    `{"kind":"world/journal-intent/v1","callId":"call_1","tool":"fs.write","input":"${INPUT}","plan":"${PLAN}"}`,
  ],
  [
    {
      line: 'effectIntent',
      callId: 'call_1',
      effectId: 'e1',
      effect: 'Workspace.Write',
      scope: 'worktree',
      cost: 1,
      now: 1779980400,
      purse: 'coder',
      request: PLAN,
    },
    `{"kind":"world/effect-intent/v1","callId":"call_1","effectId":"e1","effect":"Workspace.Write","scope":"worktree","cost":1,"now":1779980400,"purse":"coder","request":"${PLAN}"}`,
  ],
  [
    {
      line: 'effectOutcome',
      callId: 'call_1',
      effectId: 'e1',
      status: 'failed',
      purse: 'coder',
      record: PLAN,
      evidence: '',
    },
    `{"kind":"world/effect-outcome/v1","callId":"call_1","effectId":"e1","status":"failed","purse":"coder","record":"${PLAN}","evidence":""}`,
  ],
  [
    { line: 'callOutcome', callId: 'call_1', input: INPUT, entryIndex: 0, entryHash: PLAN, output: INPUT },
    `{"kind":"world/journal-outcome/v1","callId":"call_1","input":"${INPUT}","entryIndex":0,"entryHash":"${PLAN}","output":"${INPUT}"}`,
  ],
  [
    { line: 'purse', purse: 'coder', grants: ['Workspace.Write=worktree:5'] },
    '{"kind":"counterproof/purse/v1","purse":"coder","grants":["Workspace.Write=worktree:5"]}',
  ],
  [
    {
      line: 'scalars',
      values: [
        { port: 'clock', value: 1.5 },
        { port: 'draw', value: 0.25 },
        { port: 'turn', value: 3 },
      ],
    },
    '{"kind":"counterproof/scalars/v1","values":[{"clock":1.5},{"draw":0.25},{"turn":3}]}',
  ],
];

describe('journal lines', () => {
  test.each(LINES)('journal lines: $line → these bytes, and read back', (line, text) => {
    expect(Buffer.from(journalBytes(line)).toString()).toBe(text);
    expect(readJournalLine(Buffer.from(text))).toEqual({ ok: true, value: line });
  });

  test.each(LINES)(
    'journal lines: $line with any one byte changed → refused, or another line',
    (line, text) => {
      for (let at = 0; at < text.length; at += 1) {
        for (let bit = 1; bit < 256; bit *= 2) {
          const bytes = Buffer.from(text);
          bytes[at]! ^= bit;
          const read = readJournalLine(bytes);
          if (read.ok) expect(read.value).not.toEqual(line);
        }
      }
    },
  );

  test.each(LINES)('journal lines: $line cut anywhere → refused', (_line, text) => {
    for (let end = 0; end < text.length; end += 1)
      expect(readJournalLine(Buffer.from(text.slice(0, end)))).toMatchObject({ ok: false });
  });

  test.each(LINES)(
    'journal lines: $line with one member more, or in another order → refused',
    (_line, text) => {
      const more = text.replace(/\}$/, ',"more":1}');
      const turned = text.replace(/^\{("kind":"[^"]+"),(.*)\}$/, '{$2,$1}');
      for (const other of [more, turned, ` ${text}`, `${text} `])
        expect(readJournalLine(Buffer.from(other))).toMatchObject({ ok: false });
    },
  );

  it('journal lines: names of any text → round trip, on one line', () => {
    const name = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(name, name, fc.maxSafeInteger(), (callId, effect, now) => {
        const line: JournalLine = {
          line: 'effectIntent',
          callId,
          effectId: 'e1',
          effect,
          scope: effect,
          cost: 0,
          now,
          purse: callId,
          request: PLAN,
        };
        const bytes = journalBytes(line);
        expect(bytes.includes(10)).toBe(false);
        expect(readJournalLine(bytes)).toEqual({ ok: true, value: line });
      }),
    );
  });

  test.each([
    ['an unknown kind', '{"kind":"world/other/v1"}'],
    ['no kind', '{"callId":"x"}'],
    ['a list', '[]'],
    ['an unknown status', LINES[2]![1].replace('failed', 'maybe')],
    ['an unknown port', '{"kind":"counterproof/scalars/v1","values":[{"moon":1}]}'],
    ['two ports in one', '{"kind":"counterproof/scalars/v1","values":[{"clock":1,"draw":1}]}'],
    ['half a number', LINES[1]![1].replace('"cost":1', '"cost":1.5')],
    ['a number as text', LINES[1]![1].replace('"cost":1', '"cost":"1"')],
    ['a short digest', LINES[0]![1].replace(PLAN, PLAN.slice(0, -1))],
  ])('journal lines: %s → refused, with a reason', (_what, text) => {
    expect(readJournalLine(Buffer.from(text))).toEqual({ ok: false, why: expect.stringMatching(/./) });
  });
});
