/** What a continued run knows of its calls: answers, purses, and what must not be run again. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../harness/core/event.js';
import { openBroker } from '../../harness/effects/broker.js';
import type { Broker } from '../../harness/effects/broker.js';
import type { CallAnswer } from '../../harness/effects/ports.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { brokerOptions, GRANTS, makeRunFolder, Shelf } from '../support/effect-bed.js';

const GRANT = { effect: 'Number.Set', scope: 'shelf', budget: 3 };

/** Opens a run, does something, and closes it. */
async function within<T>(
  runDir: string,
  act: (broker: Broker) => T | Promise<T>,
  { shelf = new Shelf(), ops = nodeFileOps }: { shelf?: Shelf; ops?: FileOps } = {},
): Promise<T> {
  const broker = openBroker(runDir, brokerOptions(shelf, { ops }));
  try {
    broker.grant('main', GRANTS);
    return await act(broker);
  } finally {
    broker.close();
  }
}

function set(
  broker: Broker,
  callId: string,
  purse = 'main',
  input: JsonObject = { name: 'a', value: 1 },
): Promise<CallAnswer> {
  return broker.execute(broker.prepare({ callId, tool: 'number.set', input, caller: 'coder' }), purse);
}

/** Leaves out the lines of the journal that hold a text, as if they had been lost. */
function forget(runDir: string, ...texts: readonly string[]): void {
  const path = join(runDir, 'journal.jsonl');
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.filter((line) => !texts.some((text) => line.includes(text))).join('\n'));
}

describe('calls', () => {
  it('calls: a run goes on in another process → numbers, chain and answers go on', async () => {
    const runDir = makeRunFolder();
    const first = await within(runDir, (broker) => set(broker, 'x'));
    const shelf = new Shelf();
    const [again, next] = await within(
      runDir,
      async (broker) => [await set(broker, 'x'), await set(broker, 'y')],
      { shelf },
    );
    expect(again).toEqual(first);
    expect(next.invocationId).toBe('run_effects:1');
    expect(shelf.done).toEqual(['set a']);
  });

  it('calls: two with one name at the same time → one runs, both get its answer', async () => {
    const shelf = new Shelf();
    const [one, other] = await within(
      makeRunFolder(),
      (broker) => Promise.all([set(broker, 'x'), set(broker, 'x')]),
      { shelf },
    );
    expect(other).toEqual(one);
    expect(shelf.done).toEqual(['set a']);
  });

  it('calls: many sent again → the run is read once, not once for each', async () => {
    const runDir = makeRunFolder();
    const names = Array.from({ length: 30 }, (_, n) => `call_${n}`);
    await within(runDir, async (broker) => {
      for (const name of names) await set(broker, name);
    });
    let opened = 0;
    const open: FileOps['open'] = (path, flags) => {
      if (path.endsWith('objects.pack')) opened += 1;
      return nodeFileOps.open(path, flags);
    };
    await within(
      runDir,
      async (broker) => {
        const before = opened;
        for (const name of names) await set(broker, name);
        // Once to find what is in it, once to read from it.
        expect(opened - before).toBe(2);
        // One made since is found as well.
        const answer = await set(broker, 'new');
        expect(await set(broker, 'new')).toEqual(answer);
      },
      { ops: { ...nodeFileOps, open } },
    );
  });

  it('calls: spent in one process → spent in the next', async () => {
    const runDir = makeRunFolder();
    const spend = (name: string): Promise<string> =>
      within(runDir, async (broker) => {
        broker.grant('few', [GRANT]);
        return (await set(broker, name, 'few')).status;
      });
    const statuses = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) statuses.push(await spend(name));
    expect(statuses).toEqual(['executed', 'executed', 'executed', 'denied', 'denied']);
  });

  it('calls: an effect whose end is not known → paid for all the same', async () => {
    const runDir = makeRunFolder();
    await within(runDir, async (broker) => {
      broker.grant('few', [{ ...GRANT, budget: 1 }]);
      await set(broker, 'x', 'few');
    });
    forget(runDir, 'effect-outcome', 'journal-outcome');
    writeFileSync(join(runDir, 'invocations.jsonl'), '');
    await within(runDir, async (broker) => {
      broker.grant('few', [{ ...GRANT, budget: 1 }]);
      await expect(set(broker, 'x', 'few')).rejects.toThrow(/took effect is not known/);
      expect((await set(broker, 'y', 'few')).status).toBe('denied');
    });
  });

  test.each([
    ['all but the intents', ['effect-outcome', 'journal-outcome']],
    ['the intent of the call as well', ['effect-outcome', 'journal-outcome', 'journal-intent']],
  ])('calls: %s lost, and the entry → not run again', async (_what, lost) => {
    const runDir = makeRunFolder();
    await within(runDir, (broker) => set(broker, 'x'));
    forget(runDir, ...lost);
    writeFileSync(join(runDir, 'invocations.jsonl'), '');
    const shelf = new Shelf();
    await within(
      runDir,
      async (broker) => {
        await expect(set(broker, 'x')).rejects.toMatchObject({
          code: 'invalid-input',
          message: expect.stringMatching(/took effect is not known/),
          hint: expect.stringContaining('recover'),
        });
      },
      { shelf },
    );
    expect(shelf.done).toEqual([]);
  });

  it('calls: a torn intent at the end of the journal → the call was never made, and is made', async () => {
    const runDir = makeRunFolder();
    await within(runDir, () => undefined);
    appendFileSync(join(runDir, 'journal.jsonl'), '{"kind":"world/journal-intent/v1","callId":"x","to');
    expect((await within(runDir, (broker) => set(broker, 'x'))).status).toBe('executed');
  });

  it('calls: an answer whose objects are lost → said, and not run again', async () => {
    const runDir = makeRunFolder();
    await within(runDir, (broker) => set(broker, 'x'));
    writeFileSync(join(runDir, 'objects.pack'), '');
    const shelf = new Shelf();
    await within(
      runDir,
      async (broker) => {
        await expect(set(broker, 'x')).rejects.toMatchObject({ hint: expect.stringContaining('scan') });
      },
      { shelf },
    );
    expect(shelf.done).toEqual([]);
  });

  it('calls: other grants under a known name, or another cell in the folder → refused', async () => {
    const runDir = makeRunFolder();
    const genesis = { runId: 'run_other', cell: {}, seed: 1 };
    await within(runDir, () => undefined);
    // Also before the first entry: there may be purses and intents.
    expect(() => openBroker(runDir, brokerOptions(new Shelf(), { genesis }))).toThrow(/another cell/);
    await within(runDir, (broker) => set(broker, 'x'));
    await within(runDir, (broker) => {
      expect(() => broker.grant('main', [GRANT])).toThrow(/other grants as main/);
    });
    expect(() => openBroker(runDir, brokerOptions(new Shelf(), { genesis }))).toThrow(/another cell/);
  });

  it('calls: a name that has no bytes → refused before anything is written', async () => {
    await within(makeRunFolder(), async (broker) => {
      expect(() => set(broker, 'half \ud800')).toThrow(/lone surrogate/);
      expect((await set(broker, 'x')).status).toBe('executed');
    });
  });
});
