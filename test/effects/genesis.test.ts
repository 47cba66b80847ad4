/** What a chain begins with: everything of the cell, and nothing that is free to choose. */
import { describe, expect, it, test } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { epochOf, epochsBytes, genesisBytes } from '../../harness/effects/genesis.js';
import type { Genesis } from '../../harness/effects/genesis.js';

const EPOCHS = digestOf(Buffer.from('epochs'));
const GENESIS: Genesis = { runId: 'run_1', cell: { task: 't', condition: 'C1' }, seed: 7 };
const bytesOf = (genesis: Genesis): string => Buffer.from(genesisBytes(genesis, EPOCHS)).toString();

describe('genesis', () => {
  it('genesis: a run on its own → members in order, absent ones null', () => {
    expect(bytesOf(GENESIS)).toBe(
      `{"cell":{"condition":"C1","task":"t"},"epochs":"${EPOCHS}","forkedFrom":null,"runId":"run_1","seed":7,"study":null}`,
    );
  });

  test.each<[string, Genesis]>([
    ['run', { ...GENESIS, runId: 'run_2' }],
    ['cell', { ...GENESIS, cell: { task: 't', condition: 'C2' } }],
    ['seed', { ...GENESIS, seed: 8 }],
    ['seed as a text', { ...GENESIS, seed: '7' }],
    ['study', { ...GENESIS, study: EPOCHS }],
    ['place it forked from', { ...GENESIS, forkedFrom: { runId: 'run_0', event: 'evt_1' } }],
  ])('genesis: another %s → other bytes', (_what, other) => {
    expect(bytesOf(other)).not.toBe(bytesOf(GENESIS));
  });

  it('genesis: the registry of epochs → its members in this order, and a line feed', () => {
    expect(Buffer.from(epochsBytes()).toString()).toBe(
      '{"semantic_id":"counterproof/harness","epochs":[{"epoch":1,"candidates":["0.1.0"]}]}\n',
    );
  });

  it('genesis: a known release and one to come → the epoch that names it, the latest', () => {
    expect([epochOf('0.1.0'), epochOf('99.0.0')]).toEqual([1, 1]);
  });
});
