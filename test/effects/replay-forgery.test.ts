/**
 * Forgeries that go all the way: whatever follows from what was changed is changed with it, up to the output and the chain,
 * so that every digest holds. What the tool does not give is named by its stage. What it might have given is told by
 * the journal alone, and where that was changed as well, by the seal alone: those are listed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalBytes } from '../../harness/core/canonical.js';
import { digestOf } from '../../harness/core/digest.js';
import type { Digest } from '../../harness/core/digest.js';
import type { JsonObject } from '../../harness/core/event.js';
import type { Mismatch, Stage } from '../../harness/effects/divergence.js';
import type { KindName } from '../../harness/effects/kinds.js';
import type { EffectLink, InvocationRecord } from '../../harness/effects/objects.js';
import { recordOf } from '../../harness/effects/recorded-answer.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { effectBed, everyKind, replayAll } from '../support/effect-bed.js';
import { forge } from '../support/tampering.js';

/** Calls of `everyKind` by what became of them. */
const AT = {
  get: 0,
  set: 1,
  note: 2,
  add: 3,
  failed: 4,
  denied: 6,
  own: 10,
  input: 11,
  absent: 12,
  vetoed: 13,
};

async function recorded(): Promise<string> {
  const bed = effectBed();
  await everyKind(bed);
  bed.broker.close();
  return bed.runDir;
}

function mismatches(runDir: string): Mismatch[] {
  return replayAll(runDir).flatMap(({ mismatch }) => mismatch ?? []);
}

/** A journal that is not there says nothing, so that a replay has the forged records alone. */
function withoutJournal(runDir: string): void {
  writeFileSync(join(runDir, 'journal.jsonl'), '');
}

/** Digests that a run has of each call: its entry, its output and the records of its effects. */
function recordsOf(runDir: string): Digest[] {
  const run = RecordedRun.open(runDir);
  const digests = run.entries.flatMap((entry) => {
    const record = recordOf(run, entry);
    if (!record.ok) throw new Error(record.why);
    const { output, world } = record.value;
    return [entry.hash, output, ...(world?.effects ?? []).map((link) => link.record)];
  });
  run.close();
  return digests;
}

interface Forger {
  readonly record: InvocationRecord;
  readonly read: (ref: Digest) => string;
  readonly put: (kind: KindName, text: string) => Digest;
}

/** Gives a record another output that fits its effects. @param body what the output says besides `world` */
function refit(forger: Forger, links: readonly EffectLink[], body?: JsonObject): InvocationRecord {
  const { record, read, put } = forger;
  const world = record.world!;
  const said = JSON.parse(read(record.output)) as JsonObject;
  const effects = links.map((link) => ({ ...link }));
  const output = canonicalBytes({ ...(body ?? said), world: { effects, plan: world.plan } });
  return {
    ...record,
    output: put('output', Buffer.from(output).toString()),
    world: { ...world, effects: links },
  };
}

/** Changes the record of the first effect, and what that one names, and all that follows. */
function firstEffect(
  change: (effect: string, forger: Forger) => string,
  over: { readonly link?: Partial<EffectLink>; readonly body?: JsonObject } = {},
): (forger: Forger) => InvocationRecord {
  return (forger) => {
    const [link, ...others] = forger.record.world!.effects;
    const record = forger.put('effectRecord', change(forger.read(link!.record), forger));
    return refit(forger, [{ ...link!, ...over.link, record }, ...others], over.body);
  };
}

function withRequest(change: (request: string) => string): (effect: string, forger: Forger) => string {
  return (effect, { read, put }) => {
    const ref = /"requestRef":"(sha256:\w+)"/.exec(effect)![1] as Digest;
    return effect.replace(ref, put('request', change(read(ref))));
  };
}

const later = withRequest((request) =>
  request.replace(/:(\d{10}):/, (_, now: string) => `:${Number(now) + 60}:`),
);

function withResult(change: (result: string) => string): (effect: string, forger: Forger) => string {
  return (effect, { read, put }) => {
    const ref = /"resultRef":"(sha256:\w+)"/.exec(effect)![1] as Digest;
    return effect.replace(ref, put('result', change(read(ref))));
  };
}

function replaced(from: string | RegExp, to: string): (text: string) => string {
  return (text) => {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`nothing to change in ${text}`);
    return changed;
  };
}

const FAILED = replaced(
  /"allowed":true,"failed":false(.*)"resultRef":"[^"]+"/,
  '"allowed":true,"failed":true$1"resultRef":""',
);

/** The output of a call as it would be had somebody refused it. */
function refused(refusal: JsonObject): (forger: Forger) => InvocationRecord {
  return ({ record, put }) => {
    const plan = record.world!.plan;
    const ref = put('refusal', Buffer.from(canonicalBytes(refusal)).toString());
    const output = canonicalBytes({ refused: refusal, world: { effects: [], plan, refusal: ref } });
    return {
      ...record,
      output: put('output', Buffer.from(output).toString()),
      world: { plan, effects: [] },
    };
  };
}

type Case = readonly [what: string, at: number, stage: Stage, change: (forger: Forger) => InvocationRecord];

/** What no tool gives: found from the records alone. */
const IMPOSSIBLE: readonly Case[] = [
  ['another payload', AT.set, 'request', firstEffect(withRequest(replaced('"value":7', '"value":8')))],
  ['a scope in the request', AT.set, 'request', firstEffect(withRequest(replaced('5:shelf', '5:shell')))],
  ['a cost in the request', AT.set, 'request', firstEffect(withRequest(replaced('shelf1:', 'shelf0:')))],
  [
    'an effect in the request',
    AT.set,
    'request',
    firstEffect(withRequest(replaced('Number.Set', 'Number.Get'))),
  ],
  ['a request that is none', AT.set, 'request', firstEffect(withRequest(() => 'no request'))],
  ['a scope in the record', AT.set, 'request', firstEffect(replaced('"scope":"shelf"', '"scope":"shell"'))],
  [
    'a denied effect of another payload',
    AT.denied,
    'request',
    firstEffect(withRequest(replaced('"name":"c"', '"name":"d"'))),
  ],
  [
    'a failed effect of another payload',
    AT.failed,
    'request',
    firstEffect(withRequest(replaced('broken', 'healed'))),
  ],
  ['an outcome that the record has otherwise', AT.set, 'effects', firstEffect(FAILED)],
  [
    'a member more in the record',
    AT.set,
    'effects',
    firstEffect(replaced('{"effect"', '{"more":1,"effect"')),
  ],
  [
    'a budget that does not add up',
    AT.set,
    'effects',
    firstEffect(replaced(/"budgetAfter":\d+/, '"budgetAfter":5')),
  ],
  ['a result that is no object', AT.set, 'result', firstEffect(withResult(() => '[]'))],
  ['another result, and the old output', AT.get, 'output', firstEffect(withResult(replaced('4', '5')))],
  [
    'another output of a finish',
    AT.note,
    'output',
    (forger) => refit(forger, forger.record.world!.effects, { read: null, statuses: ['ok', 'ok'] }),
  ],
  [
    'another sum of a tool that only computes',
    AT.add,
    'output',
    ({ record, put }) => ({ ...record, output: put('output', '{"sum":4}') }),
  ],
  [
    'another summand of a tool that only computes',
    AT.add,
    'output',
    ({ record, read, put }) => ({
      ...record,
      input: put('input', read(record.input).replace('"a":1', '"a":5')),
    }),
  ],
  [
    'another answer of a plan that says no by itself',
    AT.own,
    'output',
    (forger) => refit(forger, [], { said: 'that number' }),
  ],
  ['a lawful plan, refused for a law', AT.set, 'plan', refused({ by: 'plan', reason: 'a law' })],
  ['an input that fits, refused for its shape', AT.set, 'plan', refused({ by: 'input', reason: 'no' })],
  ['a tool that there is, refused for its absence', AT.get, 'plan', refused({ by: 'tool', reason: 'no' })],
  [
    'an input that does not fit, refused by somebody',
    AT.input,
    'plan',
    refused({ by: 'principal', reason: 'no' }),
  ],
  [
    'a tool that there is not, refused by somebody',
    AT.absent,
    'plan',
    refused({ by: 'principal', reason: 'no' }),
  ],
  [
    'a reason that the refusal object does not have',
    AT.vetoed,
    'result',
    ({ record, read, put }) => ({
      ...record,
      output: put('output', replaced('Leave a alone.', 'Leave b alone.')(read(record.output))),
    }),
  ],
  [
    'a refusal object that is named by no digest',
    AT.vetoed,
    'output',
    ({ record, read, put }) => ({
      ...record,
      output: put('output', replaced(/"refusal":"[^"]+"/, '"refusal":"none"')(read(record.output))),
    }),
  ],
];

/** What might have happened, and did not: found because the journal still says so. */
const POSSIBLE: readonly Case[] = [
  ['another time', AT.set, 'request', firstEffect(later)],
  ['another time of a denied effect', AT.denied, 'effects', firstEffect(later)],
  [
    'another label of a denial',
    AT.denied,
    'effects',
    firstEffect(replaced('denied:effect-name', 'denied:scope')),
  ],
  [
    'a budget that adds up',
    AT.set,
    'effects',
    firstEffect(replaced(/"budgetBefore":\d+,"budgetAfter":\d+/, '"budgetBefore":9,"budgetAfter":8')),
  ],
  [
    'another result, and the output of it',
    AT.get,
    'effects',
    firstEffect(withResult(replaced('4', '5')), { body: { found: true, value: 5 } }),
  ],
  [
    'a success made a failure',
    AT.set,
    'effects',
    firstEffect(FAILED, { link: { status: 'failed' }, body: {} }),
  ],
  [
    'a call that ran made one that was refused',
    AT.set,
    'effects',
    refused({ by: 'principal', reason: 'no' }),
  ],
  [
    'another input of a refused call',
    AT.own,
    'plan',
    ({ record, read, put }) => ({
      ...record,
      input: put('input', replaced('"name":"a"', '"name":"b"')(read(record.input))),
    }),
  ],
  ['another reason of a refusal', AT.vetoed, 'output', refused({ by: 'principal', reason: 'Another.' })],
];

async function forged([, at, , change]: Case): Promise<string> {
  const runDir = await recorded();
  forge(runDir, at, (record, read, put) => change({ record, read, put }));
  return runDir;
}

describe('replay: forgeries that go all the way', () => {
  it('replay: a call forged into itself → replays, with and without its journal', async () => {
    const runDir = await recorded();
    forge(runDir, AT.note, (record, read, put) => refit({ record, read, put }, record.world!.effects));
    expect(mismatches(runDir)).toEqual([]);
    withoutJournal(runDir);
    expect(mismatches(runDir)).toEqual([]);
  });

  for (const forgery of IMPOSSIBLE) {
    const [what, at, stage] = forgery;
    it(`replay: ${what} → named as ${stage} from the records alone, for that call only`, async () => {
      const runDir = await forged(forgery);
      for (const prepare of [() => undefined, () => withoutJournal(runDir)]) {
        prepare();
        const found = replayAll(runDir).filter(({ mismatch }) => mismatch !== undefined);
        expect(found).toMatchObject([{ entryIndex: at, mismatch: { type: 'divergence', stage } }]);
      }
    });
  }

  for (const forgery of POSSIBLE) {
    const [what, at, stage] = forgery;
    it(`replay: ${what} → named as ${stage} by the journal; without a journal nobody can tell`, async () => {
      const runDir = await forged(forgery);
      const found = replayAll(runDir).filter(({ mismatch }) => mismatch !== undefined);
      expect(found).toMatchObject([{ entryIndex: at, mismatch: { type: 'divergence', stage } }]);
      withoutJournal(runDir);
      expect(mismatches(runDir)).toEqual([]);
    });
  }

  it('replay: another result, its output, and the journal as well → replays: only a seal could tell', async () => {
    const [before, runDir] = [await recorded(), await recorded()];
    forge(runDir, AT.get, (record, read, put) =>
      firstEffect(withResult(replaced('4', '5')), { body: { found: true, value: 5 } })({ record, read, put }),
    );
    const [old, now] = [recordsOf(before), recordsOf(runDir)];
    const journal = join(runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8');
    const fitted = old.reduce((text, digest, at) => text.replaceAll(digest, now[at]!), lines);
    expect(fitted).not.toBe(lines);
    writeFileSync(journal, fitted);
    expect(mismatches(runDir)).toEqual([]);
    expect(replayAll(runDir)).toHaveLength(14);
  });

  it('replay: the second of two effects → its place in the plan is named', async () => {
    const runDir = await recorded();
    forge(runDir, AT.note, (record, read, put) => {
      const [first, second] = record.world!.effects as [EffectLink, EffectLink];
      const ref = put('effectRecord', later(read(second.record), { record, read, put }));
      return refit({ record, read, put }, [first, { ...second, record: ref }]);
    });
    expect(mismatches(runDir)).toMatchObject([{ stage: 'request', effect: 1 }]);
  });

  it('replay: a record that names an object which is not there → a gap of its stage, and nothing is asked', async () => {
    const nowhere = digestOf(Buffer.from('nowhere'));
    const lost: readonly (readonly [Stage, (forger: Forger) => InvocationRecord])[] = [
      ['plan', ({ record }) => ({ ...record, input: nowhere })],
      ['plan', ({ record }) => ({ ...record, world: { ...record.world!, plan: nowhere } })],
      ['output', ({ record }) => ({ ...record, output: nowhere })],
      ['request', firstEffect(replaced(/"requestRef":"[^"]+"/, `"requestRef":"${nowhere}"`))],
      ['result', firstEffect(replaced(/"resultRef":"[^"]+"/, `"resultRef":"${nowhere}"`))],
      ['effects', (forger) => refit(forger, [{ ...forger.record.world!.effects[0]!, record: nowhere }])],
    ];
    for (const [stage, change] of lost) {
      const runDir = await forged(['', AT.set, stage, change]);
      expect(mismatches(runDir), stage).toMatchObject([{ type: 'gap', stage, missing: nowhere }]);
    }
  });

  it('replay: an object of another kind in the place of one → named at its stage', async () => {
    const mislabelled: readonly (readonly [Stage, (forger: Forger) => InvocationRecord])[] = [
      ['plan', ({ record, read, put }) => ({ ...record, input: put('result', `${read(record.input)} `) })],
      ['output', ({ record, read, put }) => ({ ...record, output: put('input', `${read(record.output)} `) })],
    ];
    for (const [stage, change] of mislabelled) {
      const runDir = await forged(['', AT.set, stage, change]);
      expect(mismatches(runDir), stage).toMatchObject([{ stage, found: 'mislabelled' }]);
    }
  });

  it('replay: entries cut off at the end → each is a gap, as the journal knows of it', async () => {
    const runDir = await recorded();
    const log = join(runDir, 'invocations.jsonl');
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    writeFileSync(log, `${lines.slice(0, 12).join('\n')}\n${lines[12]!.slice(0, 40)}`);
    expect(mismatches(runDir)).toMatchObject([
      { type: 'gap', stage: 'receipt', what: 'the entry of call_13' },
      { type: 'gap', stage: 'receipt', what: 'the entry of stopped' },
    ]);
    expect(replayAll(runDir, { from: 13 })).toHaveLength(1);
    expect(replayAll(runDir, { to: 11 })).toHaveLength(12);
  });
});
