/**
 * What becomes of every kind of bad line: kept with a fault, or lost with one, and nothing skipped in silence.
 * How a file is cut into lines is in reader.test.ts; that the quick path agrees with the schema in line-parts.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../harness/core/facts.js';
import { event, faultOf, faultsOf, idsOf, line, logOf, read } from '../support/read-bed.js';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const NULS = (count: number): Buffer => Buffer.alloc(count);
/** A log with `middle` as its second line. */
function around(middle: string | Uint8Array): Buffer {
  const bytes = typeof middle === 'string' ? Buffer.from(middle) : middle;
  return logOf(line('evt_0'), Buffer.concat([bytes, Buffer.from('\n')]), line('evt_2'));
}

describe('history: white space and marks', () => {
  test('history: CRLF, blanks and lines of spaces → events as without them, blanks counted', () => {
    const history = read(Buffer.from(`${line('evt_0')}\r\n\r\n \t\n${line('evt_1')}\r\n`));
    expect([idsOf(history), faultsOf(history), history.parts.counts.blank]).toEqual([
      ['evt_0', 'evt_1'],
      [],
      2,
    ]);
    expect([history.line(1), history.raw(1)['id']]).toEqual([4, 'evt_1']);
  });

  test('history: a byte-order mark on the first line, in the middle, on a blank line → warned of, records read', () => {
    const marked = (text: string): Buffer => Buffer.concat([BOM, Buffer.from(`${text}\n`)]);
    const history = read(logOf(marked(line('evt_0')), line('evt_1'), marked(line('evt_2')), marked('  ')));
    expect(idsOf(history)).toEqual(['evt_0', 'evt_1', 'evt_2']);
    expect(faultsOf(history)).toEqual(['1 byte-order-mark', '3 byte-order-mark', '4 byte-order-mark']);
    expect([history.offset(0), history.raw(0)['id'], history.raw(2)['id']]).toEqual([0, 'evt_0', 'evt_2']);
    expect(history.parts.counts).toMatchObject({ blank: 1, lost: 0, events: 3 });
  });

  test('history: two marks, or half of one → no JSON', () => {
    for (const mark of [Buffer.concat([BOM, BOM]), BOM.subarray(0, 2)]) {
      const history = read(around(Buffer.concat([mark, Buffer.from(line('evt_1'))])));
      expect([idsOf(history), history.parts.counts.lost]).toEqual([['evt_0', 'evt_2'], 1]);
    }
  });

  test('history: a mark inside a string → a character like any other', () => {
    const history = read(logOf(line('evt_0', { actor: '\ufeffcoder' }), line('evt_1')));
    expect([history.actor(0), history.actorNumber(0) === history.actorNumber(1), faultsOf(history)]).toEqual([
      '\ufeffcoder',
      false,
      [],
    ]);
  });
});

describe('history: NUL bytes', () => {
  test.each<[string, Buffer, number, number, string[]]>([
    ['a block instead of a line', around(NULS(512)), 512, 1, ['evt_0', 'evt_2']],
    [
      'padding behind a record',
      around(Buffer.concat([Buffer.from(line('evt_1')), NULS(7)])),
      7,
      line('evt_1').length + 1,
      ['evt_0', 'evt_2'],
    ],
    ['one inside a string', around('{"id":"evt_1","x":"a\u0000b"}'), 1, 21, ['evt_0', 'evt_2']],
    ['a tail of nothing else', logOf(line('evt_0'), NULS(4096)), 4096, 1, ['evt_0']],
    [
      'a fragment padded to the end',
      logOf(line('evt_0'), Buffer.from('{"id":"evt_1"'), NULS(9)),
      9,
      14,
      ['evt_0'],
    ],
  ])('history: %s → one report, the rest is read', (_, log, count, column, ids) => {
    const history = read(log);
    expect([idsOf(history), faultsOf(history)]).toEqual([ids, ['2 nul-bytes']]);
    expect(faultOf(history, 'nul-bytes')?.facts).toMatchObject({ count, column });
  });
});

describe('history: encodings', () => {
  const invalid = (text: string): Buffer => Buffer.from(text.replace('¿', '\u00ff'), 'latin1');

  test('history: bad bytes inside a string → the event is kept, with a fault', () => {
    const history = read(around(invalid(line('evt_1', { data: { note: 'a¿b', taskId: 't1' } }))));
    expect([idsOf(history), faultsOf(history)]).toEqual([['evt_0', 'evt_1', 'evt_2'], ['2 invalid-utf8']]);
    expect(faultOf(history, 'invalid-utf8')).toMatchObject({ event: 1, id: 'evt_1' });
    expect(history.dataText(1, 'note')).toBe('a\ufffdb');
  });

  test('history: bad bytes outside of strings → lost', () => {
    const history = read(around(invalid(`¿${line('evt_1')}`)));
    expect([idsOf(history), faultsOf(history)]).toEqual([['evt_0', 'evt_2'], ['2 invalid-utf8']]);
    expect(faultOf(history, 'invalid-utf8')?.facts).toEqual({ idsSeen: ['evt_1'] });
  });

  test('history: a last line cut inside a character → torn, not badly encoded', () => {
    const log = logOf(line('evt_0'), line('evt_1', { actor: 'é' }));
    const history = read(log.subarray(0, log.indexOf('é') + 1));
    expect(faultsOf(history)).toEqual(['2 torn-tail']);
  });

  test.each([
    ['utf-16le', (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('history: a file in %s → said so on its first line, no event', (encoding, encode) => {
    const history = read(encode(`${line('evt_0')}\n${line('evt_1')}\n`));
    expect([history.size, faultsOf(history)[0]]).toEqual([0, '1 invalid-utf8']);
    expect(faultOf(history, 'invalid-utf8')?.facts).toEqual({ encoding });
  });

  test('history: half a surrogate pair, an unsafe integer, both in one line → kept, each named with its place', () => {
    const text = `{"data":{"a":-9007199254740993,"b":"\\ud800"},${line('evt_1').slice(1)}`;
    const history = read(around(text));
    expect(faultsOf(history)).toEqual(['2 lone-surrogate', '2 unsafe-integer']);
    expect(faultOf(history, 'unsafe-integer')?.facts).toEqual({ number: '-9007199254740993' });
    expect(faultOf(history, 'lone-surrogate')?.facts).toEqual({ column: text.indexOf('\\ud800') + 1 });
  });

  test('history: the same with names written in escapes → the same places', () => {
    const text = `{"d\\u0061ta":{"a":123456789012345678,"b":"\\ud800"},${line('evt_1').slice(1)}`;
    const history = read(around(text));
    expect(idsOf(history)).toContain('evt_1');
    expect(faultOf(history, 'unsafe-integer')?.facts).toEqual({ number: '123456789012345678' });
    expect(faultOf(history, 'lone-surrogate')?.facts).toEqual({ column: text.indexOf('\\ud800') + 1 });
  });
});

describe('history: names and ids', () => {
  test('history: members written with escapes → read like any others', () => {
    const data = '{"t\\u0061skId":"t1","ti\\u0065r":"T3","\\u0061uto":true,"planP\\u0061th":"p"}';
    const text = `{"\\u0069d":"evt_1","runId":"run_r","t":"2026-05-28T15:00:00Z","k\\u0069nd":"task_started","actor":"a","data":${data},"c\\u0061usedBy":"evt_0"}`;
    const history = read(around(text));
    expect([idsOf(history), faultsOf(history)]).toEqual([['evt_0', 'evt_1', 'evt_2'], []]);
    expect([
      history.kind(1),
      history.text(history.taskNumber(1)),
      history.tier(1),
      history.causeId(1),
    ]).toEqual(['task_started', 't1', 'T3', 'evt_0']);
    expect([history.has(1, FLAG.auto), history.has(1, FLAG.paths), history.lineage.parent(1)]).toEqual([
      true,
      true,
      0,
    ]);
  });

  test('history: ids, kinds and actors written with escapes → the same strings', () => {
    const text =
      '{"id":"evt_\\u0031","runId":"run_\\u0072","t":"2026-05-28T15:00:00\\u005a","kind":"go\\u0061l_received","actor":"c\\u006fder","causedBy":"\\u0065vt_0"}';
    const history = read(around(text));
    expect([idsOf(history), faultsOf(history), history.kind(1)]).toEqual([
      ['evt_0', 'evt_1', 'evt_2'],
      [],
      'goal_received',
    ]);
    expect([history.lineage.parent(1), history.actorNumber(1)]).toEqual([0, history.actorNumber(0)]);
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'history: %s as actor, subject, kind and member of data → plain data',
    (name) => {
      const text = `{"id":"evt_1","runId":"run_r","t":"2026-05-28T15:00:00Z","kind":"${name}","actor":"${name}","data":{"taskId":"${name}","${name}":{"x":1}},"causedBy":"evt_0"}`;
      const history = read(around(text));
      expect([idsOf(history), faultsOf(history)]).toEqual([['evt_0', 'evt_1', 'evt_2'], []]);
      expect([history.kindName(1), history.actor(1), history.text(history.taskNumber(1))]).toEqual([
        name,
        name,
        name,
      ]);
      expect(Object.hasOwn(history.data(1), name)).toBe(true);
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  );

  test.each(['__proto__', 'constructor', 'evt_a.b', ''])('history: %j as an id → a schema fault', (id) => {
    const history = read(around(line(id, { kind: 'x' })));
    expect(faultsOf(history)).toEqual(['2 schema']);
    expect(history.parts.counts.lost).toBe(id === '' ? 1 : 0);
  });

  test('history: __proto__ as a member of the envelope, or a run id → refused, or a run of that name', () => {
    expect(faultsOf(read(around(`{"__proto__":1,${line('evt_1').slice(1)}`)))).toEqual(['2 schema']);
    const history = read(logOf(line('evt_0', { runId: '__proto__' })));
    expect([history.run, faultsOf(history)]).toEqual(['__proto__', []]);
  });

  test.each([
    ['plainly', '{"id":"evt_1","kind":"a","kind":"b"}', 'kind'],
    ['with an escape', '{"id":"evt_1","kind":"a","k\\u0069nd":"b"}', 'kind'],
    ['behind half a pair', `{"x":"\\ud800",${line('evt_1').slice(1, -1)},"\\u0069d":"evt_9"}`, 'id'],
    [
      'beside bad bytes',
      Buffer.from(`{"x":"\u00ff",${line('evt_1').slice(1, -1)},"\\u0069d":"evt_9"}`, 'latin1'),
      'id',
    ],
    [
      'among 100 members',
      line('evt_1', {
        data: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 0])),
      }).replace('}', ',"m9":1}'),
      'm9',
    ],
  ])('history: a member twice, %s → lost, and the member named', (_, text, member) => {
    const history = read(around(text));
    expect([idsOf(history), faultsOf(history)]).toEqual([['evt_0', 'evt_2'], ['2 duplicate-key']]);
    expect(faultOf(history, 'duplicate-key')?.facts['member']).toBe(member);
  });

  test('history: a value that is no object → named by its first characters, none cut in half', () => {
    const found = (text: string): unknown => faultOf(read(around(text)), 'not-an-object')?.facts['found'];
    expect([found('42'), found(' [1] '), found(`"${'é'.repeat(30)}"`)]).toEqual([
      '42',
      '[1]',
      `"${'é'.repeat(9)}`,
    ]);
  });
});

describe('history: repeats and other runs', () => {
  test('history: an id again → identical lines add no event, others do, all are named', () => {
    const again = line('evt_1', { actor: 'other' });
    const history = read(
      logOf(line('evt_0'), line('evt_1'), line('evt_1'), again, `${line('evt_1')} `, again),
    );
    expect(idsOf(history)).toEqual(['evt_0', 'evt_1', 'evt_1', 'evt_1', 'evt_1']);
    const [duplicate] = history.parts.duplicates;
    expect(duplicate).toMatchObject({ id: 'evt_1', first: 1 });
    expect(duplicate?.repeats.map(({ line: number, event: at }) => [number, at])).toEqual([
      [3, -1],
      [4, 2],
      [5, 3],
      [6, 4],
    ]);
    expect(faultsOf(history)).toEqual([]);
  });

  test('history: a repeat of a line with a mark → identical all the same', () => {
    const marked = Buffer.concat([BOM, logOf(line('evt_0'))]);
    for (const log of [logOf(marked, line('evt_0')), logOf(line('evt_0'), marked), logOf(marked, marked)])
      expect(read(log).parts.duplicates[0]?.repeats.map((repeat) => repeat.event)).toEqual([-1]);
  });

  test('history: lines of other runs → left out, one report that lists them all', () => {
    const foreign = (id: string, runId: string): string => line(id, { runId });
    const history = read(
      logOf(
        line('evt_0'),
        foreign('evt_1', 'run_b'),
        line('evt_2'),
        foreign('evt_1', 'run_c'),
        foreign('evt_4', 'run_b'),
      ),
    );
    expect([idsOf(history), history.run, faultsOf(history)]).toEqual([
      ['evt_0', 'evt_2'],
      'run_r',
      ['2 wrong-run-id'],
    ]);
    expect(faultOf(history, 'wrong-run-id')?.facts).toMatchObject({
      expected: 'run_r',
      found: ['run_b', 'run_c'],
      lines: [2, 4, 5],
      ids: ['evt_1', 'evt_1', 'evt_4'],
      count: 3,
    });
    expect(history.parts.counts.lost).toBe(3);
  });

  test('history: no causes, later causes, unknown causes → told apart', () => {
    const history = read(
      logOf(
        line('evt_0'),
        line('evt_1', { causedBy: 'evt_2' }),
        line('evt_2'),
        line('evt_3', { causedBy: 'evt_x' }),
        JSON.stringify(event('evt_4', { causedBy: undefined })),
      ),
    );
    expect([0, 1, 2, 3, 4].map((at) => history.lineage.parent(at))).toEqual([-1, 2, 0, -2, -1]);
    expect([history.causeId(3), history.causeId(4)]).toEqual(['evt_x', undefined]);
  });
});
