/**
 * Claims a writer lane of a run: the two characters that keep apart the ids of writers that work at the same time.
 *
 * A claim is the file `writers/<lane>`, created exclusively, the lowest free lane first. It is removed when its writer
 * closes; a killed writer leaves it behind, and then the lane stays taken. What a lane has given before must never be
 * given again, even if the clock stepped back in between: see `highestId`.
 */
import { constants } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import { LANES_MAX, laneName, parseOwnId } from '../core/ids.js';
import type { OwnId } from '../core/ids.js';
import { attempt, errnoOf } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { readLines } from './lines.js';
import { laneFile, lastIdFile, RUN } from './run-dir.js';
import { createExclusive, readSmall } from './small-file.js';

export interface Lane {
  readonly number: number;
  readonly name: string;
  /** Which file the claim is: after the run folder was renamed, another may stand under its name. */
  readonly claim: string | undefined;
  /** The last of what this lane gave before. */
  readonly after?: OwnId;
}

/** Takes the lowest free lane. @throws HarnessError `lanes-exhausted` when all 1024 are claimed */
export function claimLane(runDir: string, ops: FileOps): Lane {
  return attempt(`claiming a writer lane in ${join(runDir, RUN.writers)}`, () => {
    ops.makeFolder(join(runDir, RUN.writers));
    for (let number = 0; number < LANES_MAX; number += 1) {
      const name = laneName(number);
      const path = join(runDir, laneFile(name));
      if (!createExclusive(path, claimNote(), ops)) continue;
      return withMemory(runDir, { number, name, claim: ops.facts(path)?.identity }, ops);
    }
    throw new HarnessError(
      'lanes-exhausted',
      `all ${LANES_MAX} writer lanes of ${runDir} are claimed`,
      `remove the files in ${join(runDir, RUN.writers)} whose process (pid inside) is no longer alive`,
    );
  });
}

/** Gives the lane back. @param lastId the last id given; none if the lane gave none and has no past */
export function releaseLane(
  runDir: string,
  lane: Lane,
  options: { ops: FileOps; lastId: string | undefined },
): void {
  const { ops, lastId } = options;
  attempt(`releasing writer lane ${lane.name} of ${runDir}`, () => {
    const path = join(runDir, laneFile(lane.name));
    if (ops.facts(path)?.identity !== lane.claim) return;
    // The memory first: a crash in between leaves the lane claimed, which is safe.
    if (lastId !== undefined) remember(join(runDir, lastIdFile(lane.name)), lastId, ops);
    ops.remove(path);
  });
}

/** A lane whose past cannot be read is no use, and is given back at once rather than lost. */
function withMemory(runDir: string, lane: Lane, ops: FileOps): Lane {
  try {
    const after = highestId(runDir, lane.name, ops);
    return after === undefined ? lane : { ...lane, after };
  } catch (error) {
    ops.remove(join(runDir, laneFile(lane.name)));
    throw error;
  }
}

/** For people who find a claim without its writer. The file's own time says since when. */
function claimNote(): string {
  return `${JSON.stringify({ pid: process.pid, parent: process.ppid, program: process.argv[1] ?? null })}\n`;
}

/**
 * The highest id that stands for a lane: as its last writer left it in `writers/<lane>.last`, else as the log shows.
 *
 * The memory is only a shortcut that spares reading the log, and is used up by reading it: a claim that somebody
 * removes by hand leaves none behind, so that an older one can never pass for the latest.
 */
function highestId(runDir: string, lane: string, ops: FileOps): OwnId | undefined {
  const memory = join(runDir, lastIdFile(lane));
  const text = readSmall(memory, 256, ops)?.toString();
  if (text !== undefined) ops.remove(memory);
  const remembered = text?.endsWith('\n') === true ? parseOwnId(text.slice(0, -1)) : undefined;
  return remembered ?? highestInLog(join(runDir, RUN.log), lane, ops);
}

const ID_PREFIX = Buffer.from('{"id":"evt_');

/**
 * Looks at how lines begin and parses none: a torn line has used up its id as well, and an id that an agent wrote into
 * its data does not count.
 */
function highestInLog(log: string, lane: string, ops: FileOps): OwnId | undefined {
  if (ops.facts(log) === undefined) return undefined;
  const fd = ops.open(log, constants.O_RDONLY);
  let highest = '';
  try {
    for (const { bytes } of readLines({ ops, fd, end: ops.factsOf(fd).size })) {
      const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 24));
      if (!start.subarray(0, ID_PREFIX.length).equals(ID_PREFIX)) continue;
      const id = start.toString('latin1', 7, 24);
      if (id.slice(13, 15) === lane && id > highest && parseOwnId(id) !== undefined) highest = id;
    }
  } finally {
    ops.close(fd);
  }
  return parseOwnId(highest);
}

/** Best effort, so that a full disk does not keep a lane claimed: without its LF a memory counts for nothing. */
function remember(path: string, lastId: string, ops: FileOps): void {
  try {
    const fd = ops.open(path, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY);
    try {
      ops.write(fd, Buffer.from(`${lastId}\n`));
    } finally {
      ops.close(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
