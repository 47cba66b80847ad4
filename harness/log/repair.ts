/**
 * Decides that a last line without LF is a fragment, and lets one writer at a time do something about it.
 *
 * Nothing is ever truncated. The writer closes a fragment with one write of LF and `log_repaired`, which can neither
 * fuse with it nor lose the report, so that even two repairers at once would do no worse than report it twice.
 */
import { join } from 'node:path';
import { LINE_READ_MAX_BYTES } from '../core/event.js';
import { attempt, errnoOf } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { objectOf } from './lines.js';
import type { Fragment, LogFile } from './log-file.js';
import { draftFile, REPAIR_LOCK } from './run-dir.js';
import { createExclusive, readSmall } from './small-file.js';

/** A line of ours is in one piece within microseconds; a writer that needs longer has been stopped or killed. */
const SETTLE_MS = 50;
const LOOKS_MAX = 100;

/**
 * The last line, if it has no LF and stays so: a write of another writer may be in flight, and its first bytes can be
 * seen before its last. What still grows is looked at again. If a writer is stopped for longer in the middle of its
 * write, it finds a blank line behind its own and a report too many; no byte is lost.
 */
export function settledTail(log: LogFile): Fragment | undefined {
  let tail = log.tail();
  for (let look = 0; tail !== undefined && look < LOOKS_MAX; look += 1) {
    // Most of what is seen in flight is gone a moment later.
    log.ops.pause(look === 0 ? 1 : SETTLE_MS);
    const next = log.tail();
    if (look > 0 && next?.offset === tail.offset && next.bytes === tail.bytes) return tail;
    tail = next;
  }
  return tail;
}

/** Why a fragment was closed, as `data.reason` of `log_repaired`. */
export type RepairReason = 'torn-line' | 'missing-newline' | 'fused-line';

/** A whole JSON object that only lacks its LF is told apart: closing it makes it a readable line. */
export function reasonOf(log: LogFile, fragment: Fragment): RepairReason {
  const whole = fragment.bytes <= LINE_READ_MAX_BYTES && objectOf(log.read(fragment.offset, fragment.bytes));
  return whole ? 'missing-newline' : 'torn-line';
}

export interface LockOptions {
  readonly ops: FileOps;
  /** The lane of the writer, which no other living writer of this run has. */
  readonly lane: string;
}

const LOCK_PAUSE_MS = 10;
/** 2 s: a hundred times as long as the lock is held for. */
const LOCK_LOOKS_MAX = 200;

/**
 * Runs `act` while no other writer starts or repairs the log. A lock whose process is dead is taken over, and so is one
 * that is held beyond all reason: by a stopped process, or by one that died and whose pid lives on in another.
 */
export function withRepairLock<T>(runDir: string, options: LockOptions, act: () => T): T {
  const path = join(runDir, REPAIR_LOCK);
  const { ops } = options;
  const token = `${process.pid} ${options.lane}\n`;
  attempt(`taking ${path}`, () => {
    for (let looks = 0; !createExclusive(path, token, ops); looks += 1) {
      const seen = contentOf(path, ops);
      if (seen !== undefined && (isDead(seen, ops) || looks >= LOCK_LOOKS_MAX)) {
        setAside(path, seen, { ops, aside: join(runDir, draftFile(options.lane)) });
      } else {
        ops.pause(LOCK_PAUSE_MS);
      }
    }
  });
  try {
    return act();
  } finally {
    attempt(`giving back ${path}`, () => {
      if (contentOf(path, ops) === token) ops.remove(path);
    });
  }
}

/** An empty lock is one whose holder is about to write its token, or died before it did. */
function isDead(token: string, ops: FileOps): boolean {
  const pid = Number.parseInt(token, 10);
  return pid > 0 && !ops.isProcessAlive(pid);
}

/** Of several who see the same dead lock one gets to rename it. Whoever caught a newer one instead puts it back. */
function setAside(path: string, seen: string, options: { ops: FileOps; aside: string }): void {
  const { ops, aside } = options;
  try {
    ops.rename(path, aside);
    if (contentOf(aside, ops) !== seen) ops.link(aside, path);
    ops.remove(aside);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'ENOENT' && errno !== 'EEXIST') throw error;
  }
}

function contentOf(path: string, ops: FileOps): string | undefined {
  return readSmall(path, 64, ops)?.toString();
}
