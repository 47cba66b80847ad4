/**
 * What rules read of the files of a run folder, and what files that are not what they should be count for.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../harness/core/event.js';
import { isObject, list, said, textOf } from '../../harness/oracle/documents.js';
import { Records } from '../../harness/oracle/groups.js';
import { caseOf } from '../support/case.js';
import { doing, GOOD_RUN } from './fixtures/fixture.js';
import { FOLDER, planOf, proposalOf, under } from './fixtures/folder.js';

const DRAFT = 2;
const PROPOSED = 7;

/** Tasks as the oracle reads them from a plan. */
function tasksOf(plan: JsonObject): unknown[] {
  return [...caseOf({ history: GOOD_RUN }).documents.plannedTasks(plan).values()];
}

describe('documents', () => {
  it('documents: members of a plan that are none → left out', () => {
    const task = (id: unknown, more: object = {}): JsonObject => ({ id, ...more }) as JsonObject;
    const plan = {
      tasks: [
        null,
        7,
        [],
        task(7),
        task('a', { dependsOn: ['b', 7, 'b'], riskTier: 7 }),
        task('b', { dependsOn: 'a' }),
      ],
      edges: [null, 'a', { from: 'c', to: 'a' }, { from: 7, to: 'a' }, { from: 'a', to: 'c' }],
    };
    expect(tasksOf(plan as JsonObject)).toEqual([
      { id: 'a', riskTier: undefined, dependsOn: ['b', 'c'] },
      { id: 'b', riskTier: undefined, dependsOn: [] },
    ]);
    expect(tasksOf({ tasks: {}, edges: {} })).toEqual([]);
  });

  it('documents: the plan of a draft → the file it names, else that of its id', () => {
    const other = planOf([{ id: 'task_t9' }]) as JsonObject;
    const files = { ...FOLDER, 'other.json': other };
    const planIn = (draft: string, held: typeof FOLDER = files): unknown =>
      caseOf({ history: GOOD_RUN.replace('plan', draft), files: held }).documents.plan(DRAFT);
    expect(planIn('plan{planPath:other.json}')).toEqual(other);
    expect(planIn('plan{planPath:-}')).toEqual(FOLDER['plans/plan_v1.json']);
    expect(planIn('plan{planPath:nowhere.json}')).toEqual(FOLDER['plans/plan_v1.json']);
    expect(planIn('plan{planPath:-,planId:-}', { 'plans/undefined.json': {} })).toBeUndefined();
  });

  it('documents: the file of a proposal → the one it names, else that of its id', () => {
    const [named, own] = [proposalOf({ id: 'prop_9' }), proposalOf()];
    const files = { 'p.json': named, 'proposals/prop_1.json': own, 'proposals/.json': own };
    const proposalIn = (word: string): unknown =>
      caseOf({ history: doing(word), files }).documents.proposal(PROPOSED);
    expect(proposalIn('p1?T2{proposalPath:p.json}')).toEqual(named);
    expect(proposalIn('p1?T2{proposalPath:q.json}')).toBeUndefined();
    expect(proposalIn('p1?T2')).toEqual(own);
    expect(proposalIn('p1?T2{proposalId:-}')).toBeUndefined();
    expect(caseOf({ history: doing('p1?T2') }).documents.proposal(PROPOSED)).toBeUndefined();
  });

  it('documents: files that are no objects → not at hand, and unreadable', () => {
    const files = {
      'list.json': '[]',
      'text.json': '"x"',
      'null.json': 'null',
      'bad.json': '{',
      'good.json': '{}',
    };
    const { documents } = caseOf({ history: GOOD_RUN, files, beside: { 'outside.json': '{}' } });
    const names = [...Object.keys(files), 'missing.json', '../outside.json'];
    expect(names.map((name) => documents.json(name))).toEqual([
      ...[undefined, undefined, undefined, undefined, {}, undefined, undefined],
    ]);
    expect(names.filter((name) => documents.isUnreadable(name))).toEqual([
      ...['list.json', 'text.json', 'null.json', 'bad.json', '../outside.json'],
    ]);
  });

  it('documents: a bare log → nothing is at hand, and nothing unreadable', () => {
    const { documents } = caseOf({ history: GOOD_RUN });
    expect([documents.condition, documents.plan(DRAFT), documents.isUnreadable('goal.md')]).toEqual([
      ...[undefined, undefined, false],
    ]);
    expect(caseOf({ history: GOOD_RUN, files: under() }).documents.condition).toBeDefined();
  });

  it('documents: values as they read in a sentence', () => {
    expect(
      [undefined, null, 'x', ['a', ['b', null], 7], 7, { a: 1 }, true].map((value) => said(value)),
    ).toEqual([...['nothing', 'nothing', 'x', 'a, b, nothing, 7', '7', '{"a":1}', 'true']]);
    expect([null, [], 'x', 7, undefined].map((value) => isObject(value))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect([list('x'), list(undefined), list([1])]).toEqual([[], [], [1]]);
    expect([
      textOf(undefined, 'a'),
      textOf({ a: 1 }, 'a'),
      textOf({}, 'toString'),
      textOf({ a: 'b' }, 'a'),
    ]).toEqual([...[undefined, undefined, undefined, 'b']]);
  });
});

describe('records', () => {
  it('records: asked for again → kept, until they hold too much', () => {
    const made: number[] = [];
    const records = new Records((number) => {
      made.push(number);
      return { record: `record ${number}`, size: 1 << 20 };
    });
    for (const number of [1, 2, 3, 1, 2, 3]) expect(records.get(number)).toBe(`record ${number}`);
    expect(made).toEqual([1, 2, 3]);
    for (const number of [4, 4, 3, 1]) records.get(number);
    expect(made).toEqual([1, 2, 3, 4, 3, 1]);
  });

  it('records: small ones → cost as well, each a little', () => {
    let made = 0;
    const records = new Records((number) => ({ record: ++made, size: number - number }));
    const all = (1 << 22) / 16;
    for (let number = 0; number < all; number++) records.get(number);
    records.get(0);
    expect(made).toBe(all);
    records.get(all);
    records.get(0);
    expect(made).toBe(all + 2);
  });
});
