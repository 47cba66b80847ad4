/** Walks, and what a crash left open: each link and each open effect as it is. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalBytes } from '../../harness/core/canonical.js';
import { virtualClock } from '../../harness/core/clock.js';
import { isSettled, recover } from '../../harness/effects/recover.js';
import type { Recovery } from '../../harness/effects/recover.js';
import { RecordedRun } from '../../harness/effects/recorded.js';
import { findOutput, findStart, isSound, walkEntry, walkObject } from '../../harness/effects/walk.js';
import type { WalkNode } from '../../harness/effects/walk.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import { openWriter } from '../../harness/log/writer.js';
import { effectBed, everyKind, RUN_ID, START_MS } from '../support/effect-bed.js';
import { flip, packedObjects } from '../support/tampering.js';

/** Names of what a walk passes, in order. */
function namesOf({ what, links }: WalkNode): string[] {
  return [what, ...links.flatMap(namesOf)];
}

describe('walk', () => {
  it('walk: one call of every kind → each with its status and all its links, which hold', async () => {
    const bed = effectBed();
    const answers = await everyKind(bed);
    const run = RecordedRun.open(bed.runDir);
    for (const [at, { status }] of answers.entries()) {
      const walk = walkEntry(run, at);
      expect(walk.status).toBe(status);
      expect(isSound(walk.entry)).toBe(true);
      expect(walk.world).toMatchObject({ revision: at });
    }
    expect(namesOf(walkEntry(run, 2).entry)).toEqual([
      'entry',
      'record',
      'input',
      'plan',
      'effect read: ok',
      'request',
      'result',
      'effect write: ok',
      'request',
      'result',
      'output',
      'tool',
    ]);
    expect(namesOf(walkEntry(run, 5).entry)).toContain('evidence');
    expect(namesOf(walkEntry(run, 6).entry)).toContain('effect e1: denied');
    expect(namesOf(walkEntry(run, 13).entry)).toContain('refusal');
    expect(namesOf(walkEntry(run, 3).entry)).toEqual(['entry', 'record', 'input', 'output', 'tool']);
    run.close();
  });

  it('walk: from an index, a hash, an id, an event, any object, or an output → the same call', async () => {
    const bed = effectBed();
    const clock = virtualClock(START_MS, 1);
    const writer = openWriter(bed.runDir, { runId: RUN_ID, clock, durability: 'none' });
    const start = writer.append({ kind: 'run_started', data: { formatVersion: 1 } });
    const [, answer] = [
      await bed.call('number.get', { name: 'a' }),
      await bed.call('number.get', { name: 'b' }),
    ];
    const event = writer.append({
      kind: 'test.noted',
      data: { invocation: answer.entryHash },
      causedBy: start.id,
    });
    const run = RecordedRun.open(bed.runDir);
    for (const name of ['1', answer.entryHash, answer.invocationId, event.id])
      expect(findStart(run, name, nodeFileOps), name).toEqual({ start: 'entry', at: 1 });
    expect(findOutput(run, canonicalBytes(answer.output))).toEqual({ start: 'entry', at: 1 });
    expect(findOutput(run, Buffer.from('{}'))).toMatchObject({ start: 'nothing' });
    const { record } = answer.effects[0]!;
    expect(findStart(run, record, nodeFileOps)).toEqual({ start: 'object', ref: record });
    expect(walkObject(run, record)).toMatchObject({
      state: 'ok',
      entries: [1],
      labels: ['world/effect-record/v1 by host/broker'],
    });
    for (const name of ['9', 'evt_none', start.id, 'nonsense', 'run:9'])
      expect(findStart(run, name, nodeFileOps), name).toMatchObject({ start: 'nothing' });
    run.close();
    writer.close();
  });

  it('walk: any object of a call damaged or gone → that link says so, and the walk is not sound', async () => {
    const bed = effectBed();
    await bed.call('number.note', { name: 'a', note: 1 });
    bed.broker.close();
    const pack = join(bed.runDir, 'objects.pack');
    const bytes = readFileSync(pack);
    for (const { kind, payload } of packedObjects(bed.runDir)) {
      if (kind === 'epochs') continue;
      writeFileSync(pack, bytes);
      flip(pack, payload.from + 2);
      const run = RecordedRun.open(bed.runDir);
      expect(isSound(walkEntry(run, 0).entry), kind).toBe(false);
      run.close();
    }
  });

  it('walk: an entry that does not follow from the one before → said at the entry', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    await bed.call('number.get', { name: 'b' });
    const log = join(bed.runDir, 'invocations.jsonl');
    const [, second = ''] = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, `${second}\n`);
    const run = RecordedRun.open(bed.runDir);
    expect(walkEntry(run, 0).entry.state).toMatch(/start of the run/);
    run.close();
  });
});

function recovered(runDir: string): Recovery {
  const run = RecordedRun.open(runDir);
  const found = recover(run);
  run.close();
  return found;
}

describe('recover', () => {
  it('recover: a run that ended well → nothing is open', async () => {
    const bed = effectBed();
    await everyKind(bed);
    const found = recovered(bed.runDir);
    expect(found).toEqual({ calls: [], unpairedEntries: [], torn: [] });
    expect(isSettled(found)).toBe(true);
  });

  it('recover: cut after each line of the journal in turn → what is open is just what was not closed yet', async () => {
    const bed = effectBed();
    await bed.call('number.note', { name: 'a', note: 1 });
    bed.broker.close();
    const journal = join(bed.runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    writeFileSync(join(bed.runDir, 'invocations.jsonl'), '');
    // Grants, call, two intents, two outcomes, end.
    expect(lines).toHaveLength(7);
    const states = lines.slice(0, 6).map((_, at) => {
      writeFileSync(journal, `${lines.slice(0, at + 1).join('\n')}\n`);
      return recovered(bed.runDir).calls.flatMap(({ effects }) =>
        effects.map(({ effectId, state }) => `${effectId} ${state}`),
      );
    });
    expect(states).toEqual([
      [],
      [],
      ['read may-have-happened'],
      ['read may-have-happened', 'write likely-not-begun'],
      ['read ok', 'write may-have-happened'],
      ['read ok', 'write ok'],
    ]);
  });

  it('recover: an open effect → with what was asked, of what, and when', async () => {
    const bed = effectBed();
    await bed.call('number.set', { name: 'a', value: 5 });
    bed.broker.close();
    const journal = join(bed.runDir, 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    writeFileSync(journal, `${lines.slice(0, 3).join('\n')}\n`);
    const entry = readFileSync(join(bed.runDir, 'invocations.jsonl'));
    writeFileSync(join(bed.runDir, 'invocations.jsonl'), '');
    expect(recovered(bed.runDir).calls).toEqual([
      {
        callId: 'call_1',
        tool: 'number.set',
        effects: [
          {
            effectId: 'e1',
            state: 'may-have-happened',
            effect: 'Number.Set',
            scope: 'shelf',
            now: START_MS / 1000,
            payload: { name: 'a', value: 5 },
          },
        ],
      },
    ]);
    // With its entry the call is whole, and its records say how it ended.
    writeFileSync(join(bed.runDir, 'invocations.jsonl'), entry);
    expect(recovered(bed.runDir)).toMatchObject({
      calls: [{ callId: 'call_1', entryIndex: 0, effects: [{ effectId: 'e1', state: 'ok' }] }],
      unpairedEntries: [],
    });
  });

  it('recover: an entry that no call of the journal can be of → named by its index', async () => {
    const bed = effectBed();
    await bed.call('number.add', { a: 1, b: 2 });
    bed.broker.close();
    writeFileSync(join(bed.runDir, 'journal.jsonl'), '');
    expect(recovered(bed.runDir)).toEqual({ calls: [], unpairedEntries: [0], torn: [] });
  });

  it('recover: files whose end was cut → named, and not changed', async () => {
    const bed = effectBed();
    await bed.call('number.get', { name: 'a' });
    bed.broker.close();
    for (const name of ['journal.jsonl', 'invocations.jsonl', 'objects.pack'])
      appendFileSync(join(bed.runDir, name), '{"kind":"world/');
    const before = readFileSync(join(bed.runDir, 'journal.jsonl'));
    const found = recovered(bed.runDir);
    expect([...found.torn].sort()).toEqual(['invocations.jsonl', 'journal.jsonl', 'objects.pack']);
    expect(isSettled(found)).toBe(false);
    expect(readFileSync(join(bed.runDir, 'journal.jsonl'))).toEqual(before);
  });
});
