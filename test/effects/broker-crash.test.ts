/**
 * Calls with effects in which the n-th file operation goes wrong, for every n until they pass untouched. Whatever
 * happened: nothing ran twice, what was answered is on disk, and what ran has an intent.
 */
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../harness/core/errors.js';
import type { JsonObject } from '../../harness/core/event.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { Broker } from '../../harness/effects/broker.js';
import type { CallAnswer, Handlers } from '../../harness/effects/ports.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { brokerOptions, GRANTS, makeRunFolder, Shelf } from '../support/effect-bed.js';
import { FAULTS, faultyOps } from '../support/faulty-ops.js';
import { expectChain, seeJson, seeRun } from '../support/see-effects.js';

const CALLS: readonly (readonly [callId: string, tool: string, input: JsonObject])[] = [
  ['first', 'number.note', { name: 'a', note: 1 }],
  ['pure', 'number.add', { a: 1, b: 2 }],
  ['refused', 'number.set', { name: 'a' }],
  ['second', 'number.note', { name: 'a', note: 2 }],
  ['broken', 'number.get', { name: 'broken' }],
];

/** What the world saw, and what callers were told. */
class World {
  /** How often each effect ran, by call and effect. */
  readonly ran = new Map<string, number>();
  readonly answers = new Map<string, CallAnswer>();
  readonly unknown = new Set<string>();
  readonly handlers: Handlers;

  constructor() {
    const shelf = new Shelf();
    this.handlers = new Map(
      [...shelf.handlers].map(([effect, handler]) => [
        effect,
        (request) => {
          const key = `${request.callId} ${effect}`;
          this.ran.set(key, (this.ran.get(key) ?? 0) + 1);
          return handler(request);
        },
      ]),
    );
  }

  open(runDir: string, ops: FileOps): Broker {
    return openBroker(runDir, brokerOptions(new Shelf(), { handlers: this.handlers, ops, durable: true }));
  }
}

async function send(broker: Broker, world: World, at: number): Promise<void> {
  const [callId, tool, input] = CALLS[at]!;
  const prepared = broker.prepare({ callId, tool, input, caller: 'coder' });
  const answer = await broker.execute(prepared, 'main');
  const before = world.answers.get(callId);
  if (before !== undefined) expect(answer).toEqual(before);
  world.answers.set(callId, answer);
}

/** All calls in order, up to the first that fails. */
async function runThrough(runDir: string, ops: FileOps, world: World): Promise<void> {
  const broker = world.open(runDir, ops);
  try {
    broker.grant('main', GRANTS);
    broker.keep({ port: 'clock', value: 1 });
    for (const at of CALLS.keys()) await send(broker, world, at);
  } finally {
    broker.close();
  }
}

/** All calls again, by a process to which nothing happens. A call may be refused, if its outcome is not known. */
async function sendAgain(runDir: string, world: World): Promise<void> {
  const broker = world.open(runDir, nodeFileOps);
  try {
    broker.grant('main', GRANTS);
    for (const [at, [callId]] of CALLS.entries()) {
      try {
        await send(broker, world, at);
      } catch (error) {
        expect(error).toMatchObject({
          code: 'invalid-input',
          message: expect.stringContaining('took effect is not known'),
        });
        world.unknown.add(callId);
      }
    }
  } finally {
    broker.close();
  }
}

function expectTrue(runDir: string, world: World): void {
  const seen = seeRun(runDir);
  expectChain(seen);
  for (const [key, times] of world.ran) expect({ key, times }).toEqual({ key, times: 1 });
  const linesOf = (kind: string): readonly { callId: string; effectId: string; effect: string }[] =>
    seen.journal.filter((line) => line.kind === kind);
  const intents = linesOf('world/effect-intent/v1');
  // An effect that ran has an intent; one that has an outcome ran, or was denied, and nothing is denied here.
  const intended = new Set(intents.map(({ callId, effect }) => `${callId} ${effect}`));
  for (const key of world.ran.keys()) expect(intended.has(key)).toBe(true);
  for (const { callId, effectId } of linesOf('world/effect-outcome/v1')) {
    const intent = intents.find((line) => line.callId === callId && line.effectId === effectId);
    expect(world.ran.get(`${callId} ${intent?.effect}`)).toBe(1);
  }
  const outcomes = new Map(linesOf('world/journal-outcome/v1').map((line) => [line.callId, line]));
  for (const [callId, { entryHash, output, invocationId }] of world.answers) {
    const entries = seen.entries.filter((entry) => entry.entryHash === entryHash);
    expect(entries).toHaveLength(1);
    const record = seeJson(seen.objects, entries[0].transitionRef);
    expect(record.invocationId).toBe(invocationId);
    expect(seeJson(seen.objects, record.output)).toEqual(output);
    expect(outcomes.get(callId)).toMatchObject({ entryHash, output: record.output });
  }
}

describe('broker crash', () => {
  test.each(FAULTS)(
    'broker crash: the n-th operation of five calls, for every n (%s) → nothing twice, nothing answered lost',
    async (fault) => {
      let untouched = false;
      let stopped = 0;
      let unknown = 0;
      for (let n = 1; !untouched; n += 1) {
        const runDir = makeRunFolder();
        const world = new World();
        const faulty = faultyOps(n, fault);
        try {
          await runThrough(runDir, faulty.ops, world);
        } catch (error) {
          // Every failed operation reaches the caller as something to act on.
          expect(error).toBeInstanceOf(HarnessError);
          stopped += 1;
        }
        untouched = faulty.count() < n;
        expectTrue(runDir, world);
        const told = new Set(world.answers.keys());
        await sendAgain(runDir, world);
        for (const callId of told) expect(world.unknown.has(callId)).toBe(false);
        expectTrue(runDir, world);
        expect(world.answers.size + world.unknown.size).toBe(CALLS.length);
        expect(world.unknown.size).toBeLessThan(2);
        unknown += world.unknown.size;
        const { entries } = seeRun(runDir);
        await sendAgain(runDir, world);
        expect(seeRun(runDir).entries).toEqual(entries);
        expectTrue(runDir, world);
        expect(n).toBeLessThan(2000);
      }
      expect(stopped).toBeGreaterThan(fault === 'tear' || fault === 'tear-crash' ? 5 : 50);
      expect(unknown).toBeGreaterThan(5);
    },
  );
});
