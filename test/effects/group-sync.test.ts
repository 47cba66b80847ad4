/** One sync for all who wait in the same turn. */
import { describe, expect, it } from 'vitest';
import { GroupSync } from '../../harness/effects/group-sync.js';

describe('group sync', () => {
  it('group sync: ten who ask in one turn → one sync, and they are told in the order of asking', async () => {
    let syncs = 0;
    const told: number[] = [];
    const group = new GroupSync(() => void (syncs += 1));
    await Promise.all(Array.from({ length: 10 }, (_, n) => group.done().then(() => told.push(n))));
    expect(syncs).toBe(1);
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('group sync: who asks after the sync → gets one of its own, after what it wrote', async () => {
    const happened: string[] = [];
    const group = new GroupSync(() => happened.push('sync'));
    for (const write of ['a', 'b']) {
      happened.push(write);
      await group.done();
      happened.push(`${write} is told`);
    }
    expect(happened).toEqual(['a', 'sync', 'a is told', 'b', 'sync', 'b is told']);
  });

  it('group sync: nobody is told before the sync has ended', async () => {
    let isTold = false;
    let wasTold: boolean | undefined;
    const group = new GroupSync(() => void (wasTold = isTold));
    await group.done().then(() => (isTold = true));
    expect({ wasTold, isTold }).toEqual({ wasTold: false, isTold: true });
  });

  it('group sync: the sync fails → all who waited are told so, and the next ask is tried anew', async () => {
    const errors = [new Error('on purpose')];
    const group = new GroupSync(() => {
      const error = errors.pop();
      if (error !== undefined) throw error;
    });
    const ends = await Promise.allSettled([group.done(), group.done()]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(group.done()).resolves.toBeUndefined();
  });
});
