/**
 * The two schemas of a log line: lenient for reading foreign logs, strict for what our writer appends.
 */
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../harness/core/event.js';
import { EVENT, SHA, messages } from '../support/artifacts.js';
import type { Json } from '../support/artifacts.js';

function without(value: Json, name: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

describe('schema: event as read', () => {
  test.each<[string, Json]>([
    ['an unknown kind', { kind: 'plan_draft\u0435d' }],
    ['any time', { t: 'yesterday' }],
    ['exponent integers', JSON.parse('{"tokens":{"input":1e3}}')],
    ['integers beyond 2^53', { tokens: { input: 2 ** 60 } }],
    ['an empty token block', { tokens: {} }],
    ['a counterfactual that says more', { counterfactual: { preventedBy: 'none', policyLine: 'T2' } }],
    ['free members of data', { data: { rowsDeleted: 4213, constructor: 1, shown: ['tier'] } }],
    ['a foreign correction', { kind: 'correction', data: { tier: 9, version: 'x', corrects: 'evt_0' } }],
    ['a path that escapes', { data: { resultPath: '../../etc/passwd' } }],
  ])('schema: %s → accepted', (_, change) => {
    expect(messages('event', { ...EVENT, ...change })).toEqual([]);
  });

  test.each<[Json, string]>([
    [{ id: '01' }, '/id must be a string like ^evt_[A-Za-z0-9_-]+$, found "01"'],
    [{ causedBy: 'evt_a.b' }, '/causedBy must be a string like ^evt_[A-Za-z0-9_-]+$, found "evt_a.b"'],
    [{ kind: '' }, '/kind must be a non-empty string, found ""'],
    [{ data: 'text' }, '/data must be an object, found "text"'],
    [{ kind: 'correction', data: [1] }, '/data must be an object, found a list'],
    [{ data: { tier: 'T5' } }, '/data/tier must be one of T0, T1, T2, T3, T4, found "T5"'],
    [{ data: { taskId: '' } }, '/data/taskId must be a non-empty string, found ""'],
    [{ data: { auto: 'true' } }, '/data/auto must be true or false, found "true"'],
    [{ data: { version: 0 } }, '/data/version must be a whole number >= 1, found 0'],
    [{ data: { waitedMs: -1 } }, '/data/waitedMs must be a number >= 0, found -1'],
    [{ data: { lanes: ['00', '1'] } }, '/data/lanes/1 must be a string of 2 characters, found "1"'],
    [
      { data: { actionDigest: 'sha256:AB' } },
      '/data/actionDigest must be a string like ^sha256:[0-9a-f]{64}$, found "sha256:AB"',
    ],
    [
      { counterfactual: { preventedBy: 'luck' } },
      '/counterfactual/preventedBy must be one of plan_gate, action_gate, tripwire, principal_veto, none, found "luck"',
    ],
  ])('schema: %j → named', (change, expected) => {
    expect(messages('event', { ...EVENT, ...change })).toEqual([expected]);
  });
});

const CF = {
  wouldHaveExecuted: true,
  predictedRiskTier: 'T3',
  predictedBlastRadius: 'one table',
  actuallyExecuted: false,
  preventedBy: 'action_gate',
};
const CALL = { tokens: { callId: 'call_1', model: 'scripted' } };
const ACTION = { taskId: 'task_1', kind: 'db.execute', summary: 'delete', tier: 'T3' };
const PLAN = { planId: 'plan_1', version: 1, planPath: 'plan.draft.json', taskCount: 0 };

/** Kind, what it needs at least in `data`, what else it needs, and one required member per alternative. */
const WRITTEN: [string, Json, Json?][] = [
  ['run_started', { formatVersion: 1 }],
  ['goal_received', { goalPath: 'goal.md' }],
  ['plan_drafted', PLAN],
  ['plan_revised', PLAN],
  ['task_dispatched', { taskId: 'task_1', to: 'coder' }],
  ['task_started', { taskId: 'task_1' }],
  ['task_result', { taskId: 'task_1', status: 'success' }],
  ['action_proposed', { proposalId: 'prop_1', tier: 'T3', summary: 'delete' }],
  ['action_approved', { proposalId: 'prop_1' }],
  ['action_rejected', { proposalId: 'prop_1' }, { counterfactual: CF }],
  ['action_executed', ACTION, { counterfactual: CF }],
  ['action_failed', ACTION, { counterfactual: CF }],
  ['council_convened', { threadId: 'thr_1' }],
  ['council_proposal', { threadId: 'thr_1' }],
  ['council_critique', { threadId: 'thr_1' }],
  ['council_synthesis', { threadId: 'thr_1' }],
  ['council_skipped', { threadId: 'thr_1' }],
  ['snapshot_created', { snapshotId: 'snap_1' }],
  ['snapshot_verified', { snapshotId: 'snap_1' }],
  [
    'tripwire_triggered',
    { tripwire: 'db.unscoped-write', severity: 'T4', evidence: { rows: 5 }, blocked: true },
  ],
  ['model_called', { role: 'coder', purpose: 'act', callId: 'call_1' }, CALL],
  ['criterion_checked', { criterion: 'db.count', outcome: 'pass', weight: 1 }],
  ['log_repaired', { offset: 10, bytes: 5 }],
  ['writer_joined', { lane: '01' }],
  ['correction', { path: '/data/tier', value: null, reason: 'typo' }, { causedBy: 'evt_0' }],
  ['run_completed', { summary: 'done' }],
  ['run_aborted', { reason: 'budget' }],
];
const SUBJECT_KINDS = [
  'approval_requested',
  'approval_granted',
  'approval_rejected',
  'approval_expired',
  'approval_unavailable',
];
const EITHER: [string, string, string][] = [
  ...SUBJECT_KINDS.map((kind): [string, string, string] => [kind, 'planId', 'proposalId']),
  ['rollback_executed', 'snapshotId', 'target'],
  ['counterfactual_recorded', 'proposalId', 'invocation'],
];

describe('schema: event as written', () => {
  test.each(WRITTEN)('schema: %s at its least → accepted, and nothing less', (kind, data, more = {}) => {
    const event = { ...EVENT, kind, data, ...more };
    expect(messages('event-written', event)).toEqual([]);
    expect(messages('event', event)).toEqual([]);
    for (const name of Object.keys(data)) {
      expect(messages('event-written', { ...event, data: without(data, name) })).toEqual([
        `required member /data/${name} is missing`,
      ]);
    }
    for (const name of ['data', ...Object.keys(more)]) {
      expect(messages('event-written', without(event, name))).toEqual([
        `required member /${name} is missing`,
      ]);
    }
  });

  test.each(EITHER)('schema: %s → needs %s or %s', (kind, a, b) => {
    const event = { ...EVENT, kind, counterfactual: CF };
    expect(messages('event-written', { ...event, data: { [a]: 'x' } })).toEqual([]);
    expect(messages('event-written', { ...event, data: { [b]: 'x' } })).toEqual([]);
    expect(messages('event-written', { ...event, data: {} })).toEqual([
      `one of the members /data/${a}, /data/${b} is required`,
    ]);
    expect(messages('event-written', event)).toEqual(['required member /data is missing']);
  });

  test('schema: every kind of the protocol → its needs are stated, or it has none', () => {
    const stated = [...WRITTEN, ...EITHER].map(([kind]) => kind);
    expect(KINDS.filter((kind) => !stated.includes(kind))).toEqual(['testbed_reset', 'budget_exhausted']);
  });

  test.each(['approval_rejected', 'approval_expired', 'approval_unavailable'])(
    'schema: %s of a proposal → needs a counterfactual, of a plan not',
    (kind) => {
      expect(messages('event-written', { ...EVENT, kind, data: { planId: 'p' } })).toEqual([]);
      expect(messages('event-written', { ...EVENT, kind, data: { proposalId: 'p' } })).toEqual([
        'required member /counterfactual is missing',
      ]);
    },
  );

  test.each(Object.keys(CF))('schema: a counterfactual without %s → named', (name) => {
    const event = { ...EVENT, kind: 'action_rejected', data: { proposalId: 'p' } };
    expect(messages('event-written', { ...event, counterfactual: without(CF, name) })).toEqual([
      `required member /counterfactual/${name} is missing`,
    ]);
  });

  test.each<[Json, string[]]>([
    [{ kind: 'a_kind_of_yours' }, []],
    [
      {
        kind: 'run_started',
        data: {
          formatVersion: 1,
          seed: 'a',
          mediation: 'full',
          digests: { task: `sha256:${SHA}` },
          budget: { thinkingTokens: null },
        },
      },
      [],
    ],
    [
      { kind: 'run_started', data: { formatVersion: 2, seed: 1.5 } },
      ['/data/formatVersion must be 1, found 2', '/data/seed must be a whole number or a string, found 1.5'],
    ],
    [
      { kind: 'run_started', data: { formatVersion: 1, lanes: ['0'] } },
      ['/data/lanes/0 must be a string of 2 characters, found "0"'],
    ],
    [
      { kind: 'task_result', data: { taskId: 't', status: 'ok' } },
      [
        '/data/status must be one of success, partial, failure, blocked_on_approval, blocked_on_dependency, aborted, found "ok"',
      ],
    ],
    [
      { kind: 'criterion_checked', data: { criterion: 'c', outcome: 'maybe', weight: 1 } },
      ['/data/outcome must be one of pass, fail, unknown, found "maybe"'],
    ],
    [
      { t: '2026-05-28T15:02:14+02:00' },
      [
        '/t must be a string like ^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$, found "2026-05-28T15:02:14+02:00"',
      ],
    ],
    [{ counterfactual: { ...CF, luck: 1 } }, ['unknown member /counterfactual/luck']],
    [{ kind: undefined }, ['required member /kind is missing']],
  ])('schema: writing %j → judged', (change, expected) => {
    expect(messages('event-written', { ...EVENT, ...change })).toEqual(expected);
  });
});
