/**
 * A small world to run tool calls in: numbers by name, a clock that is told, and tools that keep, break or bend the laws.
 * Handlers count how often they were called, so that a test can say that nothing ran twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';
import { digestOf } from '../../harness/core/digest.js';
import type { JsonObject } from '../../harness/core/event.js';
import { toolbox } from '../../harness/core/tool.js';
import type { EffectTool, PureTool } from '../../harness/core/tool.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { Broker, BrokerOptions } from '../../harness/effects/broker.js';
import type { Call, CallAnswer, Handlers, Interpreter } from '../../harness/effects/ports.js';
import type { Grant } from '../../harness/effects/purse.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { replayRun } from '../../harness/effects/replay.js';
import type { ReplayedEntry, ReplayOptions } from '../../harness/effects/replay.js';
import { scanRun } from '../../harness/effects/scan.js';
import type { ScanItem } from '../../harness/effects/scan-items.js';

export const RUN_ID = 'run_effects';
export const START_MS = Date.parse('2026-05-28T15:00:00.000Z');
export const INTERPRETER: Interpreter = {
  digest: digestOf(Buffer.from('interpreter of the tests')),
  release: '0.1.0',
};

const NAME = { type: 'string', minLength: 1 };

/** Reads one number: a plan with one effect and no finish. */
export const getTool: EffectTool = {
  name: 'number.get',
  summary: 'Reads a number.',
  inputSchema: {
    type: 'object',
    properties: { name: NAME },
    required: ['name'],
    additionalProperties: false,
  },
  grants: [{ effect: 'Number.Get', scope: 'shelf', cost: 0 }],
  plan: (input) => ({
    effects: [
      { id: 'e1', effect: 'Number.Get', scope: 'shelf', cost: 0, payload: { name: input['name'] ?? null } },
    ],
    finish: false,
    result: null,
  }),
};

/** Writes a number, or says without any effect that it does not like it. */
export const setTool: EffectTool = {
  name: 'number.set',
  summary: 'Writes a number.',
  inputSchema: {
    type: 'object',
    properties: { name: NAME, value: { type: 'number' } },
    required: ['name', 'value'],
    additionalProperties: false,
  },
  grants: [{ effect: 'Number.Set', scope: 'shelf', cost: 1 }],
  plan: (input) => {
    if (input['value'] === 13) return { effects: [], finish: false, result: { said: 'not that number' } };
    const payload: JsonObject = { name: input['name'] ?? null, value: input['value'] ?? null };
    return {
      effects: [{ id: 'e1', effect: 'Number.Set', scope: 'shelf', cost: 1, payload }],
      finish: false,
      result: null,
    };
  },
};

/** Reads one number and writes another: two effects, and a finish that tells of both. */
export const swapTool: EffectTool = {
  name: 'number.note',
  summary: 'Reads a number and writes a note about it.',
  inputSchema: {
    type: 'object',
    properties: { name: NAME, note: { type: 'number' } },
    required: ['name', 'note'],
    additionalProperties: false,
  },
  grants: [
    { effect: 'Number.Get', scope: 'shelf', cost: 0 },
    { effect: 'Number.Set', scope: 'shelf', cost: 1 },
  ],
  plan: (input) => ({
    effects: [
      { id: 'read', effect: 'Number.Get', scope: 'shelf', cost: 0, payload: { name: input['name'] ?? null } },
      {
        id: 'write',
        effect: 'Number.Set',
        scope: 'shelf',
        cost: 1,
        payload: { name: 'note', value: input['note'] ?? null },
      },
    ],
    finish: true,
    result: null,
  }),
  finish: (_input, results) => ({
    read: results[0]?.status === 'ok' ? results[0].value : null,
    statuses: results.map((result) => result.status),
  }),
};

/** Adds two numbers, without any effect. */
export const addTool: PureTool = {
  name: 'number.add',
  summary: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  compute: (input) => ({ sum: Number(input['a']) + Number(input['b']) }),
};

export const TOOLS = [getTool, setTool, swapTool, addTool];

export const GRANTS: readonly Grant[] = [
  { effect: 'Number.Get', scope: 'shelf', budget: 1_000_000 },
  { effect: 'Number.Set', scope: 'shelf', budget: 1_000_000 },
];

/** Numbers by name, and the handlers that reach them. */
export class Shelf {
  readonly numbers = new Map<string, number>();
  /** How often each effect was done, by effect and name. */
  readonly done: string[] = [];

  readonly handlers: Handlers = new Map([
    [
      'Number.Get',
      ({ payload }) => {
        const name = nameIn(payload);
        this.done.push(`get ${name}`);
        if (name === 'broken') return Promise.reject(new RangeError('the shelf is broken'));
        const value = this.numbers.get(name);
        return Promise.resolve({
          ok: true,
          value: value === undefined ? { found: false } : { found: true, value },
        });
      },
    ],
    [
      'Number.Set',
      ({ payload }) => {
        const name = nameIn(payload);
        this.done.push(`set ${name}`);
        if (name === 'guarded')
          return Promise.resolve({ ok: false, evidence: { tripwire: 'shelf.guarded' } });
        this.numbers.set(name, Number(payload['value']));
        return Promise.resolve({ ok: true, value: { written: true } });
      },
    ],
  ]);
}

function nameIn(payload: JsonObject): string {
  const { name } = payload;
  return typeof name === 'string' ? name : 'nothing';
}

export interface EffectBed {
  readonly runDir: string;
  readonly shelf: Shelf;
  readonly broker: Broker;
  /** Prepares and executes a call, named in order unless a name is given. */
  readonly call: (
    tool: string,
    input: JsonObject,
    options?: Partial<Call> & { purse?: string },
  ) => ReturnType<Broker['execute']>;
}

export function makeRunFolder(): string {
  const runDir = mkdtempSync(join(tmpdir(), 'counterproof-effects-'));
  onTestFinished(() => {
    rmSync(runDir, { recursive: true, force: true });
  });
  return runDir;
}

export function brokerOptions(shelf: Shelf, options: Partial<BrokerOptions> = {}): BrokerOptions {
  return {
    genesis: { runId: RUN_ID, cell: { task: 'rt_numbers', condition: 'C1' }, seed: 7 },
    toolbox: toolbox(TOOLS),
    handlers: shelf.handlers,
    clock: virtualClock(START_MS, 1000),
    interpreter: INTERPRETER,
    durable: false,
    ...options,
  };
}

/** A broker on a fresh folder, with ample grants as `main`; closed when the test is over. */
export function effectBed(options: Partial<BrokerOptions> & { runDir?: string } = {}): EffectBed {
  const { runDir = makeRunFolder(), ...rest } = options;
  const shelf = new Shelf();
  const broker = openBroker(runDir, brokerOptions(shelf, rest));
  onTestFinished(() => {
    broker.close();
  });
  broker.grant('main', GRANTS);
  let calls = 0;
  return {
    runDir,
    shelf,
    broker,
    call: (tool, input, { callId = `call_${++calls}`, caller = 'coder', purse = 'main' } = {}) =>
      broker.execute(broker.prepare({ callId, tool, input, caller }), purse),
  };
}

/** Replays every call of a run with the tools of this bed. */
export function replayAll(runDir: string, options: Partial<ReplayOptions> = {}): ReplayedEntry[] {
  const run = RecordedRun.open(runDir);
  try {
    return [
      ...replayRun(run, {
        toolbox: toolbox(TOOLS),
        interpreter: INTERPRETER,
        allowInterpreter: false,
        ...options,
      }),
    ];
  } finally {
    run.close();
  }
}

/** What a scan of a run finds. */
export function scanAll(runDir: string): ScanItem[] {
  const items: ScanItem[] = [];
  scanRun(runDir, { budget: { clock: virtualClock(0) }, onItem: (item) => items.push(item) });
  return items;
}

/** One call of every kind: executed, with and without finish, pure, failed twice, denied four ways, refused three ways. */
export async function everyKind(bed: EffectBed): Promise<CallAnswer[]> {
  const { broker, call } = bed;
  bed.shelf.numbers.set('a', 4);
  const purses: readonly (readonly [string, readonly Grant[]])[] = [
    ['none', []],
    ['elsewhere', [{ effect: 'Number.Set', scope: 'drawer', budget: 5 }]],
    ['lapsed', [{ effect: 'Number.Set', scope: 'shelf', budget: 5, expiresAt: 1 }]],
    ['empty', [{ effect: 'Number.Set', scope: 'shelf', budget: 0 }]],
  ];
  for (const [name, grants] of purses) broker.grant(name, grants);
  const answers = [
    await call('number.get', { name: 'a' }),
    await call('number.set', { name: 'b', value: 7 }),
    await call('number.note', { name: 'a', note: 1 }),
    await call('number.add', { a: 1, b: 2 }),
    await call('number.get', { name: 'broken' }),
    await call('number.set', { name: 'guarded', value: 1 }),
  ];
  for (const [purse] of purses) answers.push(await call('number.set', { name: 'c', value: 1 }, { purse }));
  answers.push(
    await call('number.set', { name: 'a', value: 13 }),
    await call('number.set', { name: 'a', value: 'much' }),
    await call('number.none', {}),
    await broker.refuse(
      broker.prepare({
        callId: 'stopped',
        tool: 'number.set',
        input: { name: 'a', value: 2 },
        caller: 'coder',
      }),
      {
        by: 'principal',
        reason: 'Leave a alone.',
        event: 'evt_1',
      },
    ),
  );
  return answers;
}
