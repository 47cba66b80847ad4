/**
 * What a log keeps of its faults: which fragments a `log_repaired` event accounts for, how many faults are kept, and
 * what the remains of a lost record still say.
 */
import { describe, expect, test } from 'vitest';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { completed, goal, makeRun, open, STARTED, tick } from '../support/log-bed.js';
import { faultOf, faultsOf, idsOf, line, logOf, read, readFrom } from '../support/read-bed.js';

const FRAGMENT = '{"id":"evt_1","runId":"run_r","data":{"taskId":"t1"';

function repaired(id: string, offset: unknown, bytes: unknown): string {
  return line(id, { kind: 'log_repaired', data: { offset, bytes } });
}

/** A start, a fragment closed by a newline, then the given lines. */
function withFragment(...after: string[]): Buffer {
  return logOf(line('evt_0'), FRAGMENT, ...after);
}
const OFFSET = logOf(line('evt_0')).length;

describe('fault book: repairs', () => {
  test('fault book: a fragment whose exact range is reported later → settled, no fault, no hole', () => {
    const history = read(withFragment(repaired('evt_2', OFFSET, FRAGMENT.length)));
    expect([faultsOf(history), history.parts.holes]).toEqual([[], []]);
    expect(history.parts.counts).toMatchObject({ lost: 0, repaired: 1, events: 2 });
  });

  test.each<[string, Buffer]>([
    ['one byte further', withFragment(repaired('evt_2', OFFSET + 1, FRAGMENT.length))],
    ['one byte longer', withFragment(repaired('evt_2', OFFSET, FRAGMENT.length + 1))],
    ['another line', withFragment(repaired('evt_2', 0, OFFSET - 1))],
    ['no range', withFragment(repaired('evt_2', undefined, undefined))],
    ['a range in words', withFragment(repaired('evt_2', String(OFFSET), String(FRAGMENT.length)))],
    ['before the fragment', logOf(line('evt_0'), repaired('evt_2', OFFSET + 999, FRAGMENT.length), FRAGMENT)],
  ])('fault book: a report of %s → settles nothing', (_, log) => {
    const history = read(log);
    expect(faultsOf(history).filter((fault) => fault.endsWith(' invalid-json'))).toHaveLength(1);
    expect([history.parts.counts.lost, history.parts.counts.repaired, history.parts.holes.length]).toEqual([
      1, 0, 1,
    ]);
  });

  test('fault book: a report that stands before its fragment → settles nothing', () => {
    const report = (offset: number): string => repaired('evt_2', offset, FRAGMENT.length);
    const offset = logOf(line('evt_0'), report(1000)).length;
    const history = read(logOf(line('evt_0'), report(offset), FRAGMENT).subarray());
    expect(offset.toString()).toHaveLength('100'.length);
    expect([history.parts.counts.lost, history.parts.counts.repaired]).toEqual([1, 0]);
  });

  test('fault book: the same fragment reported twice → settled once', () => {
    const history = read(
      withFragment(repaired('evt_2', OFFSET, FRAGMENT.length), repaired('evt_3', OFFSET, FRAGMENT.length)),
    );
    expect([faultsOf(history), history.parts.counts.lost, history.parts.counts.repaired]).toEqual([[], 0, 1]);
  });

  test.each<[string, string, string]>([
    ['a member twice', '{"id":"evt_1","id":"evt_1"}', 'duplicate-key'],
    ['a whole line of the wrong shape', '{"kind":"x"}', 'schema'],
    ['a value that is no event', '42', 'not-an-object'],
  ])('fault book: %s that is reported as a fragment → stays a fault', (_, text, rule) => {
    const history = read(logOf(line('evt_0'), text, repaired('evt_2', OFFSET, text.length)));
    expect([faultsOf(history), history.parts.counts.lost]).toEqual([[`2 ${rule}`], 1]);
  });

  test('fault book: a kept line with a mark that is reported as a fragment → keeps its warning', () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), logOf(line('evt_1'))]);
    const history = read(logOf(line('evt_0'), marked, repaired('evt_2', OFFSET, marked.length - 1)));
    expect([faultsOf(history), history.parts.counts.lost, history.size]).toEqual([
      ['2 byte-order-mark'],
      0,
      3,
    ]);
  });

  test('fault book: fragments of NULs and of cut characters → settled too', () => {
    for (const bytes of [Buffer.alloc(9), Buffer.from([0x7b, 0x22, 0xc3])]) {
      const history = read(
        logOf(line('evt_0'), bytes, Buffer.from('\n'), repaired('evt_2', OFFSET, bytes.length)),
      );
      expect([faultsOf(history), history.parts.counts.repaired]).toEqual([[], 1]);
    }
  });

  test('fault book: 150 fragments, each reported → nothing left, not in the counts either', () => {
    let log = logOf(line('evt_0'));
    for (let index = 0; index < 150; index++)
      log = logOf(log, FRAGMENT, repaired(`evt_r${index}`, log.length, FRAGMENT.length));
    const history = read(log);
    expect([faultsOf(history), [...history.parts.faultsOmitted], history.parts.counts.lost]).toEqual([
      [],
      [],
      0,
    ]);
    expect(history.parts.counts.repaired).toBe(150);
  });

  test('fault book: 150 fragments, all reported at the end → nothing left', () => {
    let log = logOf(line('evt_0'));
    const reports: string[] = [];
    for (let index = 0; index < 150; index++) {
      reports.push(repaired(`evt_r${index}`, log.length, FRAGMENT.length));
      log = logOf(log, FRAGMENT);
    }
    const history = read(logOf(log, ...reports));
    expect([faultsOf(history), [...history.parts.faultsOmitted], history.parts.counts.lost]).toEqual([
      [],
      [],
      0,
    ]);
  });

  test('fault book: a log that our own writer found torn → read without a fault', () => {
    const runDir = makeRun();
    const first = open(runDir);
    const { id } = first.append(STARTED);
    first.append(tick(first.append(goal(id)).id));
    first.close();
    const path = join(runDir, 'provenance.jsonl');
    truncateSync(path, readFileSync(path).length - 20);
    const second = open(runDir);
    second.append(completed(id));
    second.close();
    const history = readFrom(path);
    expect([faultsOf(history), history.parts.counts.repaired, history.parts.counts.lost]).toEqual([[], 1, 0]);
    expect(readFileSync(path, 'utf8')).toContain('"log_repaired"');
    appendFileSync(path, '{"id":');
    expect(faultsOf(readFrom(path))).toEqual([`${history.parts.counts.lines + 1} torn-tail`]);
  });
});

describe('fault book: how much is kept', () => {
  test('fault book: 350 bad lines of two rules → 100 of each kept, the rest counted by rule', () => {
    const bad = Array.from({ length: 350 }, (_, index) => (index % 2 === 0 ? 'junk' : '[]'));
    const history = read(logOf(line('evt_0'), ...bad));
    expect(history.parts.faults.filter((fault) => fault.rule === 'invalid-json')).toHaveLength(100);
    expect([...history.parts.faultsOmitted]).toEqual([
      ['invalid-json', 75],
      ['not-an-object', 75],
    ]);
    expect([history.parts.counts.lost, history.parts.holes.length]).toEqual([350, 175]);
  });

  test('fault book: 250 lines of another run → one report with 100 of them and their number', () => {
    const foreign = Array.from({ length: 250 }, (_, index) => line(`evt_f${index}`, { runId: 'run_b' }));
    const history = read(logOf(line('evt_0'), ...foreign));
    const fault = faultOf(history, 'wrong-run-id');
    expect([fault?.facts['count'], (fault?.facts['lines'] as number[]).length]).toEqual([250, 100]);
    expect([idsOf(history), faultsOf(history)]).toEqual([['evt_0'], ['2 wrong-run-id']]);
  });

  test('fault book: 20,000 lost records → a bounded list of holes that ends in "anything may be lost"', () => {
    const lost = Array.from(
      { length: 20_000 },
      (_, index) => `{"id":"evt_x${index}","data":{"taskId":"t${index}"`,
    );
    const { holes, counts } = read(logOf(line('evt_0'), ...lost)).parts;
    expect([counts.lost, holes.length, holes.at(-1)?.opaque, holes[0]?.opaque]).toEqual([
      20_000,
      10_000,
      true,
      false,
    ]);
  });

  test('fault book: what is left of a record → ids and subjects, its causes not among them', () => {
    const text =
      '{"id":"evt_8","causedBy":"evt_7","data":{"taskId":"t1","proposalId":"p1","planId":"pl1"},{"id":"evt_9"';
    const history = read(logOf(line('evt_0'), text));
    expect(history.parts.holes).toEqual([
      {
        line: 2,
        rule: 'invalid-json',
        ids: ['evt_8', 'evt_9'],
        subjects: ['t1', 'p1', 'pl1'],
        opaque: false,
      },
    ]);
    expect(faultOf(history, 'invalid-json')).toMatchObject({
      id: 'evt_8',
      facts: { idsSeen: ['evt_8', 'evt_9'] },
    });
  });

  test('fault book: remains with thousands of names → some kept, and taken for anything', () => {
    const text = `[${Array.from({ length: 5000 }, (_, index) => `{"taskId":"t${index}"}`).join(',')}`;
    const [hole] = read(logOf(line('evt_0'), text)).parts.holes;
    expect([hole?.subjects.length, hole?.opaque]).toEqual([64, true]);
  });

  test('fault book: a value that is no record → no hole', () => {
    expect(read(logOf(line('evt_0'), '42')).parts.holes).toEqual([]);
  });
});
