/**
 * Any byte of any object changed and its digests made to fit; any byte of any file changed or cut. A replay always ends with
 * an answer, names the stage of what was changed, and what it cannot see a scan of the sealed run does.
 */
import { cpSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Digest } from '../../harness/core/digest.js';
import { seededRandom } from '../../harness/core/random.js';
import type { Stage } from '../../harness/effects/divergence.js';
import type { KindName } from '../../harness/effects/kinds.js';
import type { InvocationRecord } from '../../harness/effects/objects.js';
import { makeRunFolder, replayAll, scanAll } from '../support/effect-bed.js';
import { flip, forge, sealedRun } from '../support/tampering.js';

function copyOf(sealed: string): string {
  const runDir = makeRunFolder();
  cpSync(sealed, runDir, { recursive: true });
  return runDir;
}

interface Forger {
  readonly record: InvocationRecord;
  readonly read: (ref: Digest) => string;
  readonly put: (kind: KindName, text: string) => Digest;
}

/** Changes an object by its reference. */
type Spoil = (kind: KindName, ref: Digest) => Digest;

function inEffect(name: 'requestRef' | 'resultRef' | undefined) {
  return ({ record, read, put }: Forger, spoil: Spoil): InvocationRecord => {
    const [link, ...others] = record.world!.effects;
    const text = read(link!.record);
    const ref = new RegExp(`"${String(name)}":"(sha256:\\w+)"`).exec(text)?.[1] as Digest;
    const kind = name === 'requestRef' ? 'request' : 'result';
    const changed =
      name === undefined
        ? spoil('effectRecord', link!.record)
        : put('effectRecord', text.replace(ref, spoil(kind, ref)));
    return { ...record, world: { ...record.world!, effects: [{ ...link!, record: changed }, ...others] } };
  };
}

/** How an object of each class is changed, in which calls, and the stages that may tell of it. */
const CLASSES: readonly {
  readonly what: string;
  readonly calls: readonly number[];
  readonly stages: readonly Stage[];
  readonly change: (forger: Forger, spoil: Spoil) => InvocationRecord;
}[] = [
  {
    what: 'an input',
    calls: [0, 1, 2, 4, 6, 10, 11, 13],
    // The name of the tool stands in the record as well.
    stages: ['plan', 'record'],
    change: ({ record }, spoil) => ({ ...record, input: spoil('input', record.input) }),
  },
  {
    what: 'an input of a tool that only computes',
    calls: [3],
    stages: ['plan', 'record', 'output'],
    change: ({ record }, spoil) => ({ ...record, input: spoil('input', record.input) }),
  },
  {
    what: 'a plan',
    calls: [0, 1, 2, 4, 6, 10, 11, 12, 13],
    stages: ['plan'],
    change: ({ record }, spoil) => {
      const plan = spoil('plan', record.world!.plan);
      return { ...record, world: { ...record.world!, plan } };
    },
  },
  { what: 'a request', calls: [0, 1, 2, 4], stages: ['request'], change: inEffect('requestRef') },
  {
    what: 'a request that was denied',
    calls: [6, 7, 8, 9],
    // Nothing was about to happen, so no intent has its time: another time comes out in the output, which names the record.
    stages: ['request', 'output'],
    change: inEffect('requestRef'),
  },
  {
    what: 'a record of an effect',
    calls: [0, 1, 2, 4, 6, 7, 8, 9],
    // What it names may then be missing, and whatever else it says comes out in the output, which names it.
    stages: ['effects', 'request', 'result', 'output'],
    change: inEffect(undefined),
  },
  { what: 'a result', calls: [0, 1, 2], stages: ['result', 'output'], change: inEffect('resultRef') },
  {
    what: 'an output',
    calls: [0, 1, 2, 3, 4, 6],
    stages: ['output'],
    change: ({ record }, spoil) => ({ ...record, output: spoil('output', record.output) }),
  },
  {
    what: 'an output of a refused call',
    calls: [10, 11, 12, 13],
    // It says who refused and names the refusal, and what was planned follows from both.
    stages: ['output', 'plan', 'effects', 'result'],
    change: ({ record }, spoil) => ({ ...record, output: spoil('output', record.output) }),
  },
];

const PER_CALL = 5;

describe('replay: any byte changed', () => {
  for (const { what, calls, stages, change } of CLASSES) {
    it(`replay: any byte of ${what}, all digests made to fit → named as ${stages.join(' or ')}, for that call only`, async () => {
      const sealed = await sealedRun();
      const random = seededRandom(what);
      for (const call of calls) {
        for (let n = 0; n < PER_CALL; n += 1) {
          const runDir = copyOf(sealed);
          let text = '';
          forge(runDir, call, (record, read, put) =>
            change({ record, read, put }, (kind, ref) => {
              const bytes = Buffer.from(read(ref));
              const at = Math.floor(random.next() * bytes.length);
              bytes[at]! ^= 1 << Math.floor(random.next() * 5);
              text = bytes.toString();
              return put(kind, text);
            }),
          );
          const found = replayAll(runDir).filter(({ mismatch }) => mismatch !== undefined);
          expect(found, text).toMatchObject([{ entryIndex: call }]);
          expect(stages, text).toContain(found[0]!.mismatch!.stage);
        }
      }
    });
  }

  it('replay: any byte of any file changed to any other → an answer, and replay or scan tells of it', async () => {
    const sealed = await sealedRun();
    const random = seededRandom('files');
    for (const name of ['objects.pack', 'invocations.jsonl', 'journal.jsonl']) {
      const size = readFileSync(join(sealed, name)).length;
      for (let n = 0; n < 60; n += 1) {
        const runDir = copyOf(sealed);
        const at = Math.floor(random.next() * size);
        flip(join(runDir, name), at, 1 + Math.floor(random.next() * 255));
        const isReplayed = replayAll(runDir).every(({ mismatch }) => mismatch === undefined);
        const isScanned = scanAll(runDir).every(({ type }) => type !== 'hole');
        expect(isReplayed && isScanned, `${name} at ${at}`).toBe(false);
      }
    }
  });

  it('replay: any file cut anywhere → an answer, and replay or scan tells of it', async () => {
    const sealed = await sealedRun();
    const random = seededRandom('cuts');
    for (const name of ['objects.pack', 'invocations.jsonl', 'journal.jsonl']) {
      const size = readFileSync(join(sealed, name)).length;
      for (let n = 0; n < 40; n += 1) {
        const runDir = copyOf(sealed);
        const to = Math.floor(random.next() * size);
        truncateSync(join(runDir, name), to);
        const isReplayed = replayAll(runDir).every(({ mismatch }) => mismatch === undefined);
        const isScanned = scanAll(runDir).every(({ type }) => type !== 'hole');
        expect(isReplayed && isScanned, `${name} to ${to}`).toBe(false);
        // The journal knows of every entry that was cut off.
        if (name === 'invocations.jsonl') expect(isReplayed, `${name} to ${to}`).toBe(false);
      }
    }
  });

  it('replay: nothing changed → every call replays', async () => {
    const sealed = await sealedRun();
    expect(replayAll(copyOf(sealed)).flatMap(({ mismatch }) => mismatch ?? [])).toEqual([]);
  });
});
