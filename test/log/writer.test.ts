/** The writer: what it acknowledges, and how several of them share one run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import {
  completed,
  goal,
  logOf,
  makeRun,
  open,
  refuses,
  seeKinds,
  seeLog,
  started,
  STARTED,
  tick,
} from '../support/log-bed.js';

describe('writer: acknowledgement', () => {
  test('writer: a run with every kind of call → the log reads as it was acknowledged', () => {
    const { runDir, writer, id } = started();
    writer.writeArtifact('plans/p1.json', '{}');
    const acks = [
      writer.append(goal(id)),
      writer.appendEvent({ kind: 'other.kind', actor: 'x', data: { text: 'ä€😀\u2028' }, causedBy: id }),
      writer.append(completed(id)),
    ];
    acks.push(
      writer.correct({ causedBy: id, path: '/data/seed', value: 2, reason: 'wrong', actor: 'principal' }),
    );
    const lines = seeLog(runDir);
    expect(lines.slice(1).map(({ text }) => text)).toEqual(acks.map(({ line }) => line));
    expect(lines.slice(1).map(({ event }) => event.id)).toEqual(acks.map((ack) => ack.id));
    expect(lines.at(-1)!.event).toMatchObject({
      kind: 'correction',
      causedBy: id,
      data: { path: '/data/seed', value: 2 },
    });
    expect(readFileSync(logOf(runDir), 'utf8').endsWith('}\n')).toBe(true);
  });

  test('writer: the first line → members in the order of the protocol, with its lane', () => {
    const { runDir } = started();
    const line = seeLog(runDir)[0]!.text;
    expect(line).toMatch(
      /^\{"id":"evt_[0-9a-z]{9}0000","runId":"run_test","t":"2026-05-28T15:00:00\.000Z","kind":"run_started","actor":"harness","data":\{"formatVersion":1,"lanes":\["00"\]\}\}$/,
    );
  });

  test('writer: an event → exactly one write to the log, of the line and its LF', () => {
    const written: string[] = [];
    const write: FileOps['write'] = (fd, bytes) => {
      written.push(Buffer.from(bytes).toString());
      return nodeFileOps.write(fd, bytes);
    };
    const { writer, id } = started({ ...nodeFileOps, write });
    written.length = 0;
    const { line } = writer.append(tick(id));
    expect(written).toEqual([`${line}\n`]);
  });

  test('writer: any JSON in data → reads back as it was given', () => {
    const { runDir, writer, id } = started();
    // What is left out is refused (integers beyond 2^53) or has no spelling in what JSON.stringify writes (-0).
    const kept = (data: unknown): boolean => !/-0|[0-9]{16}|e\+/.test(JSON.stringify(data));
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()).filter(kept), (value) => {
        const data = { any: JSON.parse(JSON.stringify(value)) };
        const { line } = writer.append({ kind: 'test.any', causedBy: id, data });
        const seen = seeLog(runDir).at(-1)!;
        expect(seen.text).toBe(line);
        expect(seen.event.data).toEqual(data);
      }),
      { numRuns: 60 },
    );
  });
});

describe('writer: several on one run', () => {
  test('writer: a second one → joins by itself, before its first event and only once', () => {
    const { runDir, writer, id } = started();
    const second = open(runDir, { actor: 'principal' });
    expect(seeKinds(runDir)).toEqual(['run_started']);
    second.append(tick(id));
    writer.append(tick(id));
    second.append(tick(id));
    const lines = seeLog(runDir);
    expect(seeKinds(runDir)).toEqual(['run_started', 'writer_joined', 'test.tick', 'test.tick', 'test.tick']);
    expect(lines[1]!.event).toMatchObject({ causedBy: id, actor: 'principal', data: { lane: '01' } });
    expect(lines.map(({ event }) => event.id.slice(13, 15))).toEqual(['00', '01', '01', '00', '01']);
  });

  test('writer: a second one that only looks → leaves no trace in the log', () => {
    const { runDir } = started();
    open(runDir).close();
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('writer: a second one that is refused → leaves no trace in the log', () => {
    const { runDir, id } = started();
    expect(() => open(runDir).append({ kind: 'task_result', causedBy: id })).toThrow(
      refuses('invalid-input', /data/),
    );
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('writer: a run that has started → cannot start again, by nobody', () => {
    const { runDir, writer } = started();
    for (const each of [writer, open(runDir)]) {
      expect(() => each.append(STARTED)).toThrow(refuses('invalid-input', /run_started already/));
    }
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('writer: two opened before the start → the later one sees the other start', () => {
    const runDir = makeRun();
    const [one, two] = [open(runDir), open(runDir)];
    expect(() => one.append(tick('evt_x'))).toThrow(refuses('invalid-input', /no events yet/));
    expect(existsSync(logOf(runDir))).toBe(false);
    const { id } = two.append(STARTED);
    one.append(tick(id));
    expect(seeLog(runDir)[0]!.event.data.lanes).toEqual(['01']);
    expect(seeKinds(runDir)).toEqual(['run_started', 'writer_joined', 'test.tick']);
  });

  test('writer: the log of another run → refused, and the lane is free again', () => {
    const { runDir } = started();
    expect(() => open(runDir, { runId: 'run_other' })).toThrow(
      refuses('invalid-input', /log of run_test, not of run_other/),
    );
    expect(open(runDir).lane).toBe('01');
  });

  test('writer: a log that lost its beginning → refused', () => {
    const { runDir, writer, id } = started();
    writer.append(tick(id));
    const rest = readFileSync(logOf(runDir), 'utf8').split('\n').slice(1).join('\n');
    writeFileSync(logOf(runDir), rest);
    expect(() => open(runDir)).toThrow(refuses('invalid-input', /no run_started/));
  });

  test('writer: a start that stands behind other events → found', () => {
    const { runDir, writer, id } = started();
    writer.append(tick(id));
    writeFileSync(
      logOf(runDir),
      readFileSync(logOf(runDir), 'utf8').trimEnd().split('\n').reverse().join('\n') + '\n',
    );
    open(runDir).append(tick(id));
    expect(seeKinds(runDir)).toEqual(['test.tick', 'run_started', 'writer_joined', 'test.tick']);
  });
});
