/** What a call puts on stable storage, how often, and in which order; and what a power failure leaves of it. */
import { truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../harness/core/event.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { Broker, BrokerOptions } from '../../harness/effects/broker.js';
import type { CallAnswer, Handlers } from '../../harness/effects/ports.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { brokerOptions, GRANTS, makeRunFolder, Shelf, START_MS } from '../support/effect-bed.js';
import { expectChain, seeRun } from '../support/see-effects.js';

/** Watches the files of a run: what happened to which, in order, and how much of each is on stable storage. */
class Disk {
  readonly happened: string[] = [];
  readonly synced = new Map<string, number>();
  readonly ops: FileOps;
  private readonly names = new Map<number, string>();

  constructor() {
    this.ops = {
      ...nodeFileOps,
      open: (path, flags) => {
        const fd = nodeFileOps.open(path, flags);
        this.names.set(fd, basename(path));
        return fd;
      },
      write: (fd, bytes) => {
        this.happened.push(`write ${this.names.get(fd)}`);
        return nodeFileOps.write(fd, bytes);
      },
      sync: (fd) => {
        nodeFileOps.sync(fd);
        this.happened.push(`sync ${this.names.get(fd)}`);
        this.synced.set(this.names.get(fd)!, nodeFileOps.factsOf(fd).size);
      },
    };
  }

  get syncs(): number {
    return this.happened.filter((what) => what.startsWith('sync')).length;
  }
}

interface DurableBed {
  readonly runDir: string;
  readonly disk: Disk;
  readonly broker: Broker;
  readonly call: (callId: string, tool: string, input: JsonObject, purse?: string) => Promise<CallAnswer>;
}

function durableBed(options: Partial<BrokerOptions> = {}): DurableBed {
  const runDir = makeRunFolder();
  const disk = new Disk();
  const handlers: Handlers = new Map(
    [...new Shelf().handlers].map(([effect, handler]) => [
      effect,
      (request) => {
        disk.happened.push(effect);
        return handler(request);
      },
    ]),
  );
  const broker = openBroker(
    runDir,
    brokerOptions(new Shelf(), { handlers, ops: disk.ops, durable: true, ...options }),
  );
  onTestFinished(() => broker.close());
  broker.grant('main', GRANTS);
  broker.grant('none', []);
  disk.happened.length = 0;
  const call: DurableBed['call'] = (callId, tool, input, purse = 'main') =>
    broker.execute(broker.prepare({ callId, tool, input, caller: 'coder' }), purse);
  return { runDir, disk, broker, call };
}

describe('durable', () => {
  it('durable: a new run → its folder is synced, so that the new names stay', () => {
    const disk = new Disk();
    const runDir = makeRunFolder();
    openBroker(runDir, brokerOptions(new Shelf(), { ops: disk.ops, durable: true })).close();
    expect(disk.happened).toContain(`sync ${basename(runDir)}`);
  });

  it('durable: a call with two effects → intent, handlers, objects, entry, each on the disk before the next', async () => {
    const { disk, call } = durableBed();
    await call('x', 'number.note', { name: 'a', note: 1 });
    const [pack, journal, log] = ['objects.pack', 'journal.jsonl', 'invocations.jsonl'];
    const marks = [
      `sync ${journal}`,
      'Number.Get',
      'Number.Set',
      `sync ${pack}`,
      `write ${log}`,
      `sync ${log}`,
    ];
    expect(disk.happened.filter((what) => marks.includes(what))).toEqual(marks);
    // Nothing that is synced is written to between its sync and what relies on it.
    const at = (what: string): number => disk.happened.indexOf(what);
    expect(disk.happened.slice(at(`sync ${pack}`))).not.toContain(`write ${pack}`);
    expect(at(`write ${pack}`)).toBeLessThan(at(`write ${journal}`));
    expect(at(`write ${journal}`)).toBeLessThan(at(`sync ${journal}`));
    expect(disk.syncs).toBe(3);
  });

  it('durable: a refused, a denied and a pure call → two syncs each, for nothing is intended', async () => {
    const { disk, call } = durableBed();
    expect((await call('x', 'number.set', { name: 'a' })).status).toBe('refused');
    expect(disk.syncs).toBe(2);
    expect((await call('y', 'number.set', { name: 'a', value: 1 }, 'none')).status).toBe('denied');
    expect(disk.syncs).toBe(4);
    await call('z', 'number.add', { a: 1, b: 2 });
    expect(disk.syncs).toBe(6);
  });

  it('durable: ten calls at once → they share their syncs', async () => {
    const { runDir, disk, call } = durableBed();
    const names = Array.from({ length: 10 }, (_, n) => `call_${n}`);
    await Promise.all(names.map((callId) => call(callId, 'number.note', { name: callId, note: 1 })));
    expect(disk.syncs).toBeLessThanOrEqual(6);
    const seen = seeRun(runDir);
    expectChain(seen);
    expect(seen.entries).toHaveLength(10);
  });

  it('durable: not asked for → no sync at all', async () => {
    const disk = new Disk();
    const broker = openBroker(makeRunFolder(), brokerOptions(new Shelf(), { ops: disk.ops }));
    broker.grant('main', GRANTS);
    const call = broker.prepare({ callId: 'x', tool: 'number.get', input: { name: 'a' }, caller: 'coder' });
    await broker.execute(call, 'main');
    broker.close();
    expect(disk.syncs).toBe(0);
  });

  it.each([
    ['b', 'the answer is given again'],
    ['broken', 'it is not made up, for what the failed effect left to say is lost'],
  ])('durable: the power fails behind a call about %s → %s, and nothing runs again', async (name) => {
    const { runDir, disk, broker, call } = durableBed();
    const inputs = ['a', name].map((of) => ({ name: of, note: 1 }));
    const answers = [
      await call('call_0', 'number.note', inputs[0]!),
      await call('call_1', 'number.note', inputs[1]!),
    ];
    broker.close();
    for (const [file, size] of disk.synced)
      if (file !== basename(runDir)) truncateSync(join(runDir, file), size);
    // The first one's was written before the second one's intent, and synced with it.
    expect(seeRun(runDir).journal.filter(({ kind }) => kind === 'world/journal-outcome/v1')).toHaveLength(1);

    const shelf = new Shelf();
    for (let times = 0; times < 2; times += 1) {
      const again = openBroker(runDir, brokerOptions(shelf, { durable: true }));
      again.grant('main', GRANTS);
      const send = (at: number): Promise<CallAnswer> =>
        again.execute(
          again.prepare({ callId: `call_${at}`, tool: 'number.note', input: inputs[at]!, caller: 'coder' }),
          'main',
        );
      expect(await send(0)).toEqual(answers[0]);
      if (name === 'b') expect(await send(1)).toEqual(answers[1]);
      else await expect(send(1)).rejects.toThrow(/took effect is not known/);
      again.close();
    }
    expect(shelf.done).toEqual([]);
    expectChain(seeRun(runDir));
    const outcomes = seeRun(runDir).journal.filter(({ kind }) => kind === 'world/journal-outcome/v1');
    expect(outcomes).toHaveLength(name === 'b' ? 2 : 1);
  });

  it('durable: two calls alike, and the entry of one without an owner → neither is taken for it', async () => {
    // At the same time: nothing that is recorded of the one differs from the other.
    const { runDir, broker, call } = durableBed({ clock: { nowMs: () => START_MS } });
    const input = { name: 'a' };
    await Promise.all([call('x', 'number.get', input), call('y', 'number.get', input)]);
    broker.close();
    const lines = seeRun(runDir).journal.map((line) => `${JSON.stringify(line)}\n`);
    const isOutcome = (line: string): boolean => line.includes('world/journal-outcome/v1');
    const kept = lines.filter((line) => !isOutcome(line)).join('');
    truncateSync(join(runDir, 'journal.jsonl'), 0);
    nodeFileOps.write(nodeFileOps.open(join(runDir, 'journal.jsonl'), 1), Buffer.from(kept));
    const shelf = new Shelf();
    const again = openBroker(runDir, brokerOptions(shelf));
    again.grant('main', GRANTS);
    for (const callId of ['x', 'y']) {
      const prepared = again.prepare({ callId, tool: 'number.get', input, caller: 'coder' });
      await expect(again.execute(prepared, 'main')).rejects.toThrow(/took effect is not known/);
    }
    again.close();
    expect(shelf.done).toEqual([]);
  });
});
