/** The writer: what it refuses, what it acknowledges, and what it does when writing goes wrong. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_WRITE_MAX_BYTES } from '../../harness/core/event.js';
import type { EventDraft } from '../../harness/log/event-line.js';
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';
import { openWriter } from '../../harness/log/writer.js';
import { errno } from '../support/faulty-ops.js';
import {
  completed,
  goal,
  makeFolder,
  makeRun,
  open,
  RUN_ID,
  seeKinds,
  seeLog,
  START_MS,
  STARTED,
  tick,
} from '../support/log-bed.js';

const logOf = (runDir: string): string => join(runDir, 'provenance.jsonl');
const refuses = (code: string, message: RegExp): unknown =>
  expect.objectContaining({
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/./),
  });

/** A writer on a run that has started. */
function started(ops: FileOps = nodeFileOps) {
  const runDir = makeRun();
  const writer = open(runDir, { ops });
  const { id } = writer.append(STARTED);
  return { runDir, writer, id };
}

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
        const data = JSON.parse(JSON.stringify(value));
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

const REFUSED: readonly (readonly [what: string, draft: unknown, message: RegExp])[] = [
  ['no object', 'x', /no JSON object/],
  ['a list', [], /no JSON object/],
  ['no kind', { data: {} }, /no kind/],
  ['an id of its own', { ...tick('evt_x'), id: 'evt_1' }, /brings its own id/],
  ['a time of its own', { ...tick('evt_x'), t: '2026-05-28T15:00:00Z' }, /brings its own t/],
  ['a run of its own', { ...tick('evt_x'), runId: 'run_1' }, /brings its own runId/],
  ['a stranger', { ...tick('evt_x'), extra: 1 }, /"extra" is no member/],
  ['no cause', { kind: 'test.tick' }, /no causedBy/],
  ['a cause that is no id', { kind: 'test.tick', causedBy: 'x' }, /\/causedBy/],
  ['an empty kind', { kind: '', causedBy: 'evt_x' }, /\/kind/],
  ['an actor that is no text', { kind: 'test.tick', causedBy: 'evt_x', actor: 1 }, /\/actor/],
  ['data that is no object', { kind: 'test.tick', causedBy: 'evt_x', data: [] }, /\/data/],
  ['what its kind needs missing', { kind: 'task_result', causedBy: 'evt_x', data: {} }, /\/data\/taskId/],
  ['a bad token count', { ...tick('evt_x'), tokens: { input: -1 } }, /\/tokens\/input/],
  [
    'a half counterfactual',
    { ...tick('evt_x'), kind: 'council_skipped', counterfactual: {} },
    /\/counterfactual/,
  ],
  ['NaN', { ...tick('evt_x'), data: { a: { b: [1, Number.NaN] } } }, /\/data\/a\/b\/1 is NaN/],
  ['an infinity', { ...tick('evt_x'), data: { a: -Infinity } }, /\/data\/a is -Infinity/],
  [
    'an integer beyond 2^53',
    { ...tick('evt_x'), data: { 'a/b': 2 ** 53 } },
    /\/data\/a~1b is an integer beyond/,
  ],
  [
    'half a surrogate pair',
    { ...tick('evt_x'), data: { a: 'x\ud800' } },
    /\/data\/a holds half a surrogate pair/,
  ],
  [
    'half a surrogate pair in a key',
    { ...tick('evt_x'), data: { 'x\udfff': 1 } },
    /\/data has a key with half/,
  ],
  [
    'undefined in a list',
    { ...tick('evt_x'), data: { a: [undefined] } },
    /\/data\/a\/0 is of type undefined/,
  ],
  ['a function', { ...tick('evt_x'), data: { a: () => 1 } }, /\/data\/a is of type function/],
  ['a big integer', { ...tick('evt_x'), data: { a: 1n } }, /\/data\/a is of type bigint/],
  ['a date', { ...tick('evt_x'), data: { a: new Date(0) } }, /\/data\/a is no plain object/],
  ['a nesting without end', { ...tick('evt_x'), data: nested(600) }, /nested more than 512 levels deep/],
  ['a file that is missing', { ...tick('evt_x'), data: { resultPath: 'results/t1.json' } }, /no such file/],
  ['a folder for a file', { ...tick('evt_x'), data: { resultPath: 'writers' } }, /no such file/],
  ['a file outside', { ...tick('evt_x'), data: { goalPath: '../goal.md' } }, /climbs out/],
  ['an absolute file', { ...tick('evt_x'), data: { payloadPath: '/etc/passwd' } }, /is absolute/],
];

function nested(depth: number): object {
  let value = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

describe('writer: refusals', () => {
  test.each(REFUSED)('writer: %s → refused before anything is written', (_what, draft, message) => {
    const { runDir, writer } = started();
    expect(() => writer.append(draft as EventDraft)).toThrow(refuses('invalid-input', message));
    expect(() => writer.appendEvent(draft as never)).toThrow(refuses('invalid-input', message));
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('writer: a line of exactly 16 KiB → written; one byte more → refused with a way out', () => {
    const { runDir, writer, id } = started();
    const overhead = writer.append(tick(id)).line.length + 1;
    writer.append(tick(id, 0, LINE_WRITE_MAX_BYTES - overhead));
    expect(seeLog(runDir).at(-1)!.bytes).toBe(LINE_WRITE_MAX_BYTES - 1);
    const tooLong = expect.objectContaining({
      code: 'line-too-long',
      hint: expect.stringContaining('payloadPath'),
    });
    expect(() => writer.append(tick(id, 0, LINE_WRITE_MAX_BYTES - overhead + 1))).toThrow(tooLong);
    // Counted in bytes, not in characters.
    const data = { n: 0, padding: 'ä'.repeat((LINE_WRITE_MAX_BYTES - overhead) / 2 + 1) };
    expect(() => writer.append({ kind: 'test.tick', causedBy: id, data })).toThrow(tooLong);
    expect(seeLog(runDir)).toHaveLength(3);
  });

  test('writer: a first event without what a run needs → refused, and no log is made', () => {
    const runDir = makeRun();
    expect(() => open(runDir).append({ kind: 'run_started', data: {} })).toThrow(
      refuses('invalid-input', /formatVersion/),
    );
    expect(existsSync(logOf(runDir))).toBe(false);
  });

  test('writer: no folder → refused, and none is made', () => {
    const runDir = join(makeFolder(), 'typo');
    expect(() => open(runDir)).toThrow(refuses('no-input', /no run folder/));
    expect(existsSync(runDir)).toBe(false);
  });

  test('writer: a link to the run folder → as good as the folder', () => {
    const { runDir, id } = started();
    const alias = join(makeFolder(), 'alias');
    symlinkSync(runDir, alias);
    open(alias).append(tick(id));
    expect(seeKinds(runDir)).toHaveLength(3);
  });

  test.each(['symlink', 'folder'])('writer: a log that is a %s → refused', (what) => {
    const runDir = makeRun();
    if (what === 'folder') mkdirSync(logOf(runDir));
    else symlinkSync('/tmp/elsewhere.jsonl', logOf(runDir));
    expect(() => open(runDir).append(STARTED)).toThrow();
    expect(existsSync('/tmp/elsewhere.jsonl')).toBe(false);
  });

  test('writer: a correction of nothing → refused', () => {
    const { writer } = started();
    const wrong = { causedBy: 'evt_none', path: '/data', value: null, reason: 'x', actor: 'principal' };
    expect(() => writer.correct(wrong)).toThrow(refuses('invalid-input', /no event evt_none/));
  });

  test('writer: closed → refuses everything, and closes twice without harm', () => {
    const { writer, id } = started();
    writer.close();
    writer.close();
    for (const call of [
      () => writer.append(tick(id)),
      () => writer.flush(),
      () => writer.writeArtifact('artifacts/x', ''),
    ]) {
      expect(call).toThrow(refuses('usage', /is closed/));
    }
  });
});

describe('writer: artifacts', () => {
  test('writer: a file → written whole, with its digest, and nothing left over', () => {
    const { runDir, writer, id } = started();
    const artifact = writer.writeArtifact('artifacts/deep/er/report.txt', 'ä\n');
    const sha256 = execFileSync('sha256sum', { input: 'ä\n' }).toString().slice(0, 64);
    expect(artifact).toEqual({ path: 'artifacts/deep/er/report.txt', bytes: 3, sha256 });
    expect(readFileSync(join(runDir, artifact.path), 'utf8')).toBe('ä\n');
    writer.append({ kind: 'test.tick', causedBy: id, data: { artifactPath: artifact.path } });
    expect(existsSync(join(runDir, 'writers/00.draft'))).toBe(false);
  });

  test('writer: the same file again → fine with the same bytes, refused with others', () => {
    const { runDir, writer } = started();
    writer.writeArtifact('results/t.json', '{}');
    writer.writeArtifact('results/t.json', Buffer.from('{}'));
    for (const other of ['{} ', '{', '', '[]']) {
      expect(() => writer.writeArtifact('results/t.json', other)).toThrow(
        refuses('invalid-input', /written before/),
      );
    }
    expect(readFileSync(join(runDir, 'results/t.json'), 'utf8')).toBe('{}');
  });

  test('writer: another writer is first with the name → what it wrote stays', () => {
    const runDir = makeRun();
    const link: FileOps['link'] = (from, to) => {
      writeFileSync(to, 'theirs');
      nodeFileOps.link(from, to);
    };
    const writer = open(runDir, { ops: { ...nodeFileOps, link } });
    expect(() => writer.writeArtifact('results/t.json', 'mine')).toThrow(
      refuses('invalid-input', /written before/),
    );
    expect(readFileSync(join(runDir, 'results/t.json'), 'utf8')).toBe('theirs');
  });

  test('writer: a file system without hard links → renamed into place', () => {
    const runDir = makeRun();
    const link = (): never => {
      throw errno('EPERM');
    };
    const writer = open(runDir, { ops: { ...nodeFileOps, link } });
    writer.writeArtifact('results/t.json', 'mine');
    expect(readFileSync(join(runDir, 'results/t.json'), 'utf8')).toBe('mine');
    expect(() => writer.writeArtifact('results/t.json', 'other')).toThrow(
      refuses('invalid-input', /written before/),
    );
  });

  test.each([
    ['../x', /climbs out/],
    ['/tmp/x', /absolute/],
    ['.', /folder itself/],
    ['provenance.jsonl', /only its own writer/],
    ['seal.json', /only its own writer/],
    ['writers/00', /only its own writer/],
    ['out/x', /symlink out/],
    ['log', /only its own writer/],
    ['next-seal', /only its own writer/],
    ['folder', /something else than a file/],
  ])('writer: file %j → refused', (path, message) => {
    const { runDir, writer } = started();
    symlinkSync('/tmp', join(runDir, 'out'));
    symlinkSync('provenance.jsonl', join(runDir, 'log'));
    symlinkSync('seal.json', join(runDir, 'next-seal'));
    mkdirSync(join(runDir, 'folder'));
    expect(() => writer.writeArtifact(path, 'x')).toThrow(refuses('invalid-input', message));
    expect(seeKinds(runDir)).toEqual(['run_started']);
  });

  test('writer: text that is no text → refused rather than changed', () => {
    expect(() => started().writer.writeArtifact('artifacts/x', 'a\udc00')).toThrow(
      refuses('invalid-input', /surrogate/),
    );
  });
});

describe('writer: stable storage', () => {
  const syncsOf = (durability: 'none' | 'commit' | 'event'): string[] => {
    const seen: string[] = [];
    const runDir = makeRun();
    const sync: FileOps['sync'] = (fd) => {
      seen.push('sync');
      nodeFileOps.sync(fd);
    };
    const writer = open(runDir, { durability, ops: { ...nodeFileOps, sync } });
    const step = (name: string, act: () => { id: string } | undefined) => {
      const before = seen.length;
      const result = act();
      const count = seen.length - before;
      if (count > 0) seen.splice(before, count, `${name} ${count}`);
      return result?.id ?? '';
    };
    const id = step('start', () => writer.append(STARTED));
    step('goal', () => writer.append(goal(id)));
    step('artifact', () => (writer.writeArtifact('artifacts/new/x', 'x'), undefined));
    step('tick', () => writer.append(tick(id)));
    step('end', () => writer.append(completed(id)));
    step('flush', () => (writer.flush(), undefined));
    step('close', () => (writer.close(), undefined));
    return seen;
  };

  test('writer: durability none → only a flush reaches the disk', () => {
    expect(syncsOf('none')).toEqual(['flush 1']);
  });

  test('writer: durability commit → start, end and files do, with the folders they are new in', () => {
    expect(syncsOf('commit')).toEqual(['start 2', 'artifact 4', 'end 1', 'flush 1', 'close 1']);
  });

  test('writer: durability event → every event does', () => {
    expect(syncsOf('event')).toEqual([
      'start 2',
      'goal 1',
      'artifact 4',
      'tick 1',
      'end 1',
      'flush 1',
      'close 1',
    ]);
  });

  test('writer: a sync fails → not acknowledged, and the writer is done', () => {
    const runDir = makeRun();
    let broken = false;
    const sync: FileOps['sync'] = (fd) => {
      if (broken) throw errno('EIO');
      nodeFileOps.sync(fd);
    };
    const writer = open(runDir, { durability: 'event', ops: { ...nodeFileOps, sync } });
    const { id } = writer.append(STARTED);
    broken = true;
    expect(() => writer.append(tick(id))).toThrow(refuses('io-failed', /stable storage failed: EIO/));
    broken = false;
    expect(() => writer.append(tick(id))).toThrow(refuses('io-failed', /stable storage failed: EIO/));
    writer.close();
    open(runDir).append(tick(id));
  });
});

describe('writer: when writing goes wrong', () => {
  /** Writes go wrong while `fault` is set. */
  function faulty() {
    const state: { fault: ((fd: number, bytes: Uint8Array) => number) | undefined } = { fault: undefined };
    const ops: FileOps = {
      ...nodeFileOps,
      write: (fd, bytes) => (state.fault ?? nodeFileOps.write)(fd, bytes),
    };
    return { state, ...started(ops) };
  }

  test('writer: no space at all → disk-full, nothing written, and it goes on when there is space', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = () => {
      throw errno('ENOSPC');
    };
    expect(() => writer.append(tick(id))).toThrow(refuses('disk-full', /no space left/));
    state.fault = undefined;
    writer.append(tick(id));
    expect(seeKinds(runDir)).toEqual(['run_started', 'test.tick']);
  });

  test.each([1, 40, -2, -1])(
    'writer: only part of a line is taken (%d bytes) → not acknowledged, closed and reported by the next',
    (part) => {
      const { state, runDir, writer, id } = faulty();
      state.fault = (fd, bytes) =>
        nodeFileOps.write(fd, bytes.subarray(0, part < 0 ? bytes.length + part : part));
      const size = readFileSync(logOf(runDir)).length;
      expect(() => writer.append(tick(id, 1))).toThrow(refuses('io-failed', /bytes were taken/));
      state.fault = undefined;
      const torn = readFileSync(logOf(runDir)).length - size;
      const ack = writer.append(tick(id, 2));
      const lines = seeLog(runDir);
      expect(lines.at(-1)!.text).toBe(ack.line);
      expect(lines.at(-2)!.event).toMatchObject({
        kind: 'log_repaired',
        causedBy: id,
        data: { offset: size, bytes: torn, reason: part === -1 ? 'missing-newline' : 'torn-line' },
      });
      expect(lines).toHaveLength(4);
      expect(lines[1]!.event === undefined).toBe(part !== -1);
    },
  );

  test('writer: part of a line on a full disk → disk-full', () => {
    const runDir = makeRun();
    const state = { full: false };
    const writer = open(runDir, {
      ops: {
        ...nodeFileOps,
        write: (fd, bytes) => nodeFileOps.write(fd, state.full ? bytes.subarray(0, 9) : bytes),
        freeBytes: () => (state.full ? 0 : 1e9),
      },
    });
    const { id } = writer.append(STARTED);
    state.full = true;
    expect(() => writer.append(tick(id))).toThrow(refuses('disk-full', /no space left/));
  });

  test.each(['deleted', 'renamed', 'replaced', 'log deleted'])(
    'writer: run folder %s → run-removed',
    (what) => {
      const { runDir, writer, id } = started();
      if (what === 'deleted') rmSync(runDir, { recursive: true });
      if (what === 'log deleted') rmSync(logOf(runDir));
      if (what === 'renamed') renameSync(runDir, join(makeFolder(), 'elsewhere'));
      if (what === 'replaced') {
        const copy = readFileSync(logOf(runDir));
        rmSync(logOf(runDir));
        writeFileSync(`${runDir}/other`, '');
        writeFileSync(logOf(runDir), copy);
      }
      expect(() => writer.append(tick(id))).toThrow(refuses('run-removed', /no longer there/));
      expect(() => writer.flush()).toThrow(refuses('run-removed', /no longer there/));
    },
  );

  test('writer: the log is deleted in the middle of a write → not acknowledged', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = (fd, bytes) => {
      rmSync(logOf(runDir));
      return nodeFileOps.write(fd, bytes);
    };
    expect(() => writer.append(tick(id))).toThrow(refuses('run-removed', /no longer there/));
  });

  test('writer: the log is cut in the middle of a write → not acknowledged', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = (fd, bytes) => {
      const taken = nodeFileOps.write(fd, bytes);
      truncateSync(logOf(runDir), 10);
      return taken;
    };
    expect(() => writer.append(tick(id))).toThrow(refuses('io-failed', /rewritten by something else/));
  });

  test('writer: another writer tears its line just before the write → written again, on a line of its own', () => {
    const { state, runDir, writer, id } = faulty();
    const fragment = '{"id":"evt_other","runId":"run_t';
    const size = readFileSync(logOf(runDir)).length;
    state.fault = (fd, bytes) => {
      state.fault = undefined;
      appendFileSync(logOf(runDir), fragment);
      return nodeFileOps.write(fd, bytes);
    };
    const ack = writer.append(tick(id, 7));
    const lines = seeLog(runDir);
    expect(lines.map(({ event }) => event?.kind)).toEqual([
      'run_started',
      undefined,
      'log_repaired',
      'test.tick',
    ]);
    expect(lines[1]).toMatchObject({ offset: size, text: expect.stringContaining(fragment) });
    expect(lines[1]!.text).not.toContain(ack.id);
    expect(lines[2]!.event.data).toEqual({ offset: size, bytes: lines[1]!.bytes, reason: 'fused-line' });
    expect(lines[3]!.text).toBe(ack.line);
  });

  test('writer: others append between the write and the look → found all the same', () => {
    const { state, runDir, writer, id } = faulty();
    state.fault = (fd, bytes) => {
      const other =
        '{"id":"evt_other","runId":"run_test","t":"2026-05-28T15:00:00Z","kind":"x","actor":"x"}\n';
      appendFileSync(logOf(runDir), other);
      const taken = nodeFileOps.write(fd, bytes);
      appendFileSync(logOf(runDir), other.repeat(50));
      return taken;
    };
    const { line } = writer.append(tick(id));
    expect(seeLog(runDir).filter(({ text }) => text === line)).toHaveLength(1);
  });

  test('writer: the log cannot be opened → says which file and why', () => {
    const runDir = makeRun();
    const openFile: FileOps['open'] = (path, flags) => {
      if (path.endsWith('provenance.jsonl')) throw errno('EACCES');
      return nodeFileOps.open(path, flags);
    };
    const writer = openWriter(runDir, {
      runId: RUN_ID,
      clock: { nowMs: () => START_MS },
      durability: 'none',
      ops: { ...nodeFileOps, open: openFile },
    });
    expect(() => writer.append(STARTED)).toThrow(refuses('io-failed', /provenance\.jsonl failed: EACCES/));
    writer.close();
  });
});
