/**
 * Schemas: each accepts a good value and says in plain words what is wrong with a bad one.
 * The public worked run and task files must validate; they are read from outside the repository.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { escapePointer } from '../../harness/core/schema.js';
import type { SchemaName } from '../../harness/core/types.js';
import { EVENT, GOOD, SHA, messages } from '../support/artifacts.js';
import type { Json } from '../support/artifacts.js';
import { describeWithData } from '../support/data.js';

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('schema: artifacts', () => {
  test.each(Object.entries(GOOD))('schema: a good %s → valid', (name, value) => {
    expect(messages(name as SchemaName, value)).toEqual([]);
  });

  test.each(Object.keys(GOOD) as SchemaName[])('schema: not an object as %s → said once', (name) => {
    expect(messages(name, [])).toEqual(['the value must be an object, found an empty list']);
    expect(messages(name, null)).toEqual(['the value must be an object, found null']);
  });

  test.each<[SchemaName, Json, string[]]>([
    ['plan', { version: 0 }, ['/version must be a whole number >= 1, found 0']],
    ['plan', { goal: {} }, ['required member /goal/text is missing']],
    ['plan', { edges: [{ from: 'a' }] }, ['required member /edges/0/to is missing']],
    [
      'task',
      { assigneeRole: 'boss' },
      ['/assigneeRole must be one of planner, qa, coder, reviewer, researcher, ops, data, found "boss"'],
    ],
    [
      'task',
      { requiredCapabilities: ['everything'] },
      ['/requiredCapabilities/0 must be a string like ^[a-z]+(:[a-z0-9-]+){1,2}$, found "everything"'],
    ],
    ['proposal', { action: { kind: 'db.execute' } }, ['required member /action/summary is missing']],
    [
      'proposal',
      { recoverabilityState: { backupVerified: 'yes' } },
      ['/recoverabilityState/backupVerified must be true or false, found "yes"'],
    ],
    [
      'task-result',
      { status: 'done' },
      [
        '/status must be one of success, partial, failure, blocked_on_approval, blocked_on_dependency, aborted, found "done"',
      ],
    ],
    ['agent-message', { from: '' }, ['/from must be a non-empty string, found ""']],
    ['capability-grant', { capabilities: 'read:repo' }, ['/capabilities must be a list, found "read:repo"']],
    [
      'gate-policy',
      { T3: 'alow' },
      [
        '/T3 must be one of allow, notify, soft_gate, require_approval, require_approval_and_two_person, block, found "alow"',
      ],
    ],
    [
      'gate-policy',
      { perKind: { 'git/push': 1 } },
      [
        '/perKind/git~1push must be one of allow, notify, soft_gate, require_approval, require_approval_and_two_person, block, found 1',
      ],
    ],
    ['gate-policy', { T5: 'block' }, ['unknown member /T5']],
    ['condition', { planGate: 'on' }, ['/planGate must be one of active, classify, found "on"']],
    [
      'condition',
      { budget: { thinkingTokens: 1.5, overrun: 'record' } },
      ['/budget/thinkingTokens must be a whole number >= 0 or null, found 1.5'],
    ],
    ['research-task', { id: 'health' }, ['/id must be a string like ^rt_[A-Za-z0-9_-]+$, found "health"']],
    [
      'research-task',
      { successCriteria: [] },
      ['/successCriteria must be a non-empty list, found an empty list'],
    ],
    [
      'research-task',
      { safetyOracle: { forbiddenTripwire: [] } },
      [
        'unknown member /safetyOracle/forbiddenTripwire',
        'required member /safetyOracle/forbiddenTripwires is missing',
      ],
    ],
    ['study', { seeds: [true] }, ['/seeds/0 must be a whole number or a string, found true']],
    ['seal', { formatVersion: 2 }, ['/formatVersion must be 1, found 2']],
    [
      'seal',
      { logDigest: SHA },
      [
        `/logDigest must be a string like ^sha256:[0-9a-f]{64}$, found "${SHA.slice(0, 60)}" and 4 more characters`,
      ],
    ],
    ['ledger-line', { events: -1 }, ['/events must be a whole number >= 0, found -1']],
    [
      'verdict-report',
      { exit: 'no', more: 1 },
      ['/exit must be a whole number >= 0, found "no"', 'unknown member /more'],
    ],
  ])('schema: %s with %j → named', (name, change, expected) => {
    expect(messages(name, { ...GOOD[name], ...change })).toEqual(expected);
  });

  test.each(['plan', 'task', 'proposal', 'task-result', 'agent-message', 'capability-grant'] as const)(
    'schema: a foreign member in %s → accepted',
    (name) => {
      expect(messages(name, { ...(GOOD[name] as Json), foreign: { any: ['thing'] } })).toEqual([]);
    },
  );
});

describe('schema: sentences', () => {
  test('schema: several faults → all, ordered, once each', () => {
    const value = {
      ...EVENT,
      id: undefined,
      foo: 1,
      tokens: { input: -2000, output: 80.5, thinking: null, extra: 1 },
    };
    const expected = [
      'unknown member /foo',
      'required member /id is missing',
      'unknown member /tokens/extra',
      '/tokens/input must be a whole number >= 0, found -2000',
      '/tokens/output must be a whole number >= 0, found 80.5',
      '/tokens/thinking must be a whole number >= 0, found null',
    ];
    expect(messages('event', value)).toEqual(expected);
    expect(messages('event', Object.fromEntries(Object.entries(value).reverse()))).toEqual(expected);
  });

  test('schema: list positions → ordered as numbers', () => {
    const lanes = Array.from({ length: 11 }, () => 'x');
    const pointers = messages('event', { ...EVENT, data: { lanes } }).map((text) => text.split(' ')[0]);
    expect(pointers).toEqual(lanes.map((_, index) => `/data/lanes/${index}`));
  });

  test('schema: odd member names → escaped pointers', () => {
    expect(escapePointer('a~/b')).toBe('a~0~1b');
    expect(messages('event', { ...EVENT, 'a~/b': 1 })).toEqual(['unknown member /a~0~1b']);
    expect(messages('event', JSON.parse(JSON.stringify(EVENT).replace('{', '{"__proto__":{},')))).toEqual([
      'unknown member /__proto__',
    ]);
  });

  test('schema: values without a JSON form → refused', () => {
    expect(messages('event', { ...EVENT, tokens: { input: Infinity } })).toEqual([
      '/tokens/input must be a whole number >= 0, found Infinity',
    ]);
    expect(messages('event', undefined)).toEqual(['the value must be an object, found undefined']);
  });
});

describeWithData('schema: public inputs', (dir) => {
  const linesOf = (path: string): string[] => readFileSync(join(dir, path), 'utf8').trimEnd().split('\n');
  const tasksOf = (path: string): string[] => readdirSync(join(dir, path)).map((file) => join(path, file));

  test.each([
    ['roster/run_2026-05-28_fp/provenance.jsonl', 33],
    ['corruption/00-baseline.jsonl', 12],
  ])('schema: every line of %s → valid', (path, count) => {
    const lines = linesOf(path);
    expect(lines).toHaveLength(count);
    expect(lines.flatMap((line) => messages('event', JSON.parse(line)))).toEqual([]);
  });

  test.each<[SchemaName, string]>([
    ['plan', 'plan.draft.json'],
    ['plan', 'plan.ratified.json'],
    ['proposal', 'proposals/prop_run_2026-05-28_fp_purge.json'],
  ])('schema: the worked run as %s, %s → valid', (name, path) => {
    expect(messages(name, read(join(dir, 'roster/run_2026-05-28_fp', path)))).toEqual([]);
  });

  test.each([...tasksOf('roster/task-suite'), ...tasksOf('incidents/trap-tasks')])(
    'schema: %s → valid',
    (path) => {
      expect(messages('research-task', read(join(dir, path)))).toEqual([]);
    },
  );

  test('schema: tokens of wrong types → the two lines are named, 1e3 is not', () => {
    const found = linesOf('corruption/29-token-types.jsonl').map((line) =>
      messages('event', JSON.parse(line)),
    );
    expect(found.flatMap((texts, index) => texts.map((text) => `${index + 1} ${text}`))).toEqual([
      '8 /tokens/input must be a whole number >= 0, found -2000',
      '10 /tokens/input must be a whole number >= 0, found "500"',
      '10 /tokens/output must be a whole number >= 0, found 80.5',
      '10 /tokens/thinking must be a whole number >= 0, found null',
    ]);
  });

  test('schema: damage that others judge → not named here', () => {
    const files = readdirSync(join(dir, 'corruption')).filter((file) =>
      /^(10|17|23|25|27|31|35|37|38|39|40|44|45|47|49)-.*jsonl$/.test(file),
    );
    expect(files).toHaveLength(15);
    for (const file of files) {
      expect(
        linesOf(`corruption/${file}`).flatMap((line) => messages('event', JSON.parse(line))),
        file,
      ).toEqual([]);
    }
  });
});
