/** Importing foreign logs: what is mapped, what is kept, and that nothing is guessed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../harness/core/event.js';
import { validate } from '../../harness/core/schema.js';
import { detectDialect, dialectNamed, DIALECTS } from '../../harness/log/dialects/index.js';
import { rosterRuntime } from '../../harness/log/dialects/roster-runtime.js';
import { describeWithData } from '../support/data.js';

const EVENT = {
  evtId: 'evt_0a1b2c3d4e5f',
  ts: '2026-06-26T09:00:00Z',
  runId: 'run_x',
  kind: 'task.result',
  actor: 'coder',
  payload: { model: 'm', content: 'done' },
};
const line = (members: object = {}): string => JSON.stringify({ ...EVENT, ...members });
/** The one event that a line becomes. */
const convertOne = (text: string) => {
  const { lines, report } = rosterRuntime.convert([text]);
  return { event: JSON.parse(lines[0]!), report };
};

describeWithData('dialects: the public roster-runtime log', (dir) => {
  const source = readFileSync(join(dir, 'roster/runtime-dialect.jsonl'), 'utf8').trimEnd().split('\n');

  test('dialects: its six lines → three kinds mapped, three kept, originals whole', () => {
    expect(detectDialect(source)?.name).toBe('roster-runtime');
    const { lines, report } = rosterRuntime.convert(source);
    const events = lines.map((text) => JSON.parse(text));
    expect(events.map(({ kind }) => kind)).toEqual([
      'goal_received',
      'roster.planner.reply',
      'task_dispatched',
      'task_dispatched',
      'roster.dispatch.invalid',
      'roster.turn.budget_exhausted',
    ]);
    expect(report).toMatchObject({ events: 6, mapped: 3, kept: 3, skipped: [] });
    events.forEach((event, index) => {
      expect(validate('event', event)).toMatchObject({ ok: true });
      expect(lines[index]).toContain(`"source":${source[index]!}}}`);
      expect(event).not.toHaveProperty('causedBy');
      expect(event).not.toHaveProperty('tokens');
    });
    expect(events[2]).toMatchObject({
      id: 'evt_000000000003',
      t: '2026-06-26T09:00:07Z',
      data: { to: 'researcher' },
    });
    expect(events[2].data).not.toHaveProperty('taskId');
  });

  test('dialects: what they do not record → named, line by line', () => {
    const { unknown } = rosterRuntime.convert(source).report;
    const members = (number: number) =>
      unknown.filter((each) => each.line === number).map(({ member }) => member);
    expect(members(0)).toEqual(['run_started']);
    expect(members(1)).toEqual(['causedBy', 'data.goalPath']);
    expect(members(2)).toEqual(['causedBy', 'tokens']);
    expect(members(3)).toEqual(['causedBy', 'data.taskId', 'data.messagePath']);
    expect(members(6)).toEqual(['causedBy']);
    expect(unknown.every(({ why }) => why.length > 5)).toBe(true);
  });

  test.each(['roster/provenance.sample.jsonl', 'roster/foreign-zig-chain.jsonl'])(
    'dialects: %s → not this dialect',
    (path) => {
      expect(detectDialect(readFileSync(join(dir, path), 'utf8').trimEnd().split('\n'))).toBeUndefined();
    },
  );
});

describe('dialects', () => {
  test('dialects: the table → every name finds its dialect', () => {
    for (const dialect of DIALECTS) expect(dialectNamed(dialect.name)).toBe(dialect);
    expect(dialectNamed('nobody')).toBeUndefined();
  });

  test('dialects: only the first message of a run is its goal → later ones are kept', () => {
    const messages = [
      line({ kind: 'principal.message' }),
      line({ kind: 'principal.message' }),
      line({ kind: 'principal.message', runId: 'run_y' }),
    ];
    const kinds = rosterRuntime.convert(messages).lines.map((text) => JSON.parse(text).kind);
    expect(kinds).toEqual(['goal_received', 'roster.principal.message', 'goal_received']);
  });

  test.each([
    ['task.result', 'task_result', ['data.taskId', 'data.status', 'data.resultPath', 'tokens']],
    ['plan.proposed', 'plan_drafted', ['data.planId', 'data.planPath']],
    ['critique.round', 'roster.critique.round', []],
    ['run_completed', 'roster.run_completed', []],
  ])('dialects: %s → %s, the rest unknown', (kind, expected, absent) => {
    const { event, report } = convertOne(line({ kind }));
    expect(event.kind).toBe(expected);
    expect(report.unknown.slice(2).map(({ member }) => member)).toEqual(absent);
    if (expected.startsWith('roster.')) expect(KINDS).not.toContain(event.kind);
  });

  test('dialects: an id that is none of the protocol → numbered by line, and said', () => {
    const { event, report } = convertOne(line({ evtId: 'e 1' }));
    expect(event.id).toBe('evt_line-1');
    expect(event.data.source.evtId).toBe('e 1');
    expect(report.unknown).toContainEqual({ line: 1, member: 'id', why: expect.stringContaining('"e 1"') });
  });

  test.each([
    ['2026-06-26T09:00:00+00:00', '2026-06-26T09:00:00Z', false],
    ['2026-06-26T09:00:00.5-00:00', '2026-06-26T09:00:00.5Z', false],
    ['2026-06-26T11:00:00+02:00', '2026-06-26T11:00:00+02:00', true],
    ['yesterday', 'yesterday', true],
  ])('dialects: time %s → %s', (ts, t, said) => {
    const { event, report } = convertOne(line({ ts }));
    expect(event.t).toBe(t);
    expect(report.unknown.some(({ member }) => member === 't')).toBe(said);
  });

  test('dialects: numbers that a double cannot hold, `__proto__` → kept as they stand', () => {
    const text = line().replace('"content":"done"', '"n":12345678901234567890.10,"__proto__":{"x":1}');
    const { lines } = rosterRuntime.convert([`  ${text}\r`]);
    expect(lines[0]).toContain('"n":12345678901234567890.10,"__proto__":{"x":1}');
  });

  test.each([
    ['{"evtId":', /not readable/],
    ['[1]', /no JSON object/],
    [line({ evtId: 1 }), /no evtId/],
    [line({ kind: '' }), /no kind/],
    [line({ payload: 'x' }), /no payload/],
    ['{"kind":"a","kind":"b"}', /not readable: .*twice/],
  ])('dialects: line %j → skipped, and said', (text, why) => {
    const { lines, report } = rosterRuntime.convert(['', line(), text]);
    expect(lines).toHaveLength(1);
    expect(report).toMatchObject({ events: 1, skipped: [{ line: 3, why: expect.stringMatching(why) }] });
  });

  test('dialects: rubbish before the first event → the dialect is found all the same', () => {
    expect(detectDialect(['', 'rubbish', '[]', 'null', line()])?.name).toBe('roster-runtime');
    expect(detectDialect(['', 'rubbish'])).toBeUndefined();
  });
});
