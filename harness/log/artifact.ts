/**
 * Writes a file of the run folder once and whole. Evidence is written before the event that names it, so that no event
 * ever names what a crash kept from being written; and nobody writes it twice.
 */
import { join } from 'node:path';
import { sha256Hex } from '../core/digest.js';
import { HarnessError } from '../core/errors.js';
import { attempt } from './file-ops.js';
import type { FileOps } from './file-ops.js';
import { draftFile, isOwned, resolveInside } from './run-dir.js';
import { publish, readSmall } from './small-file.js';

/** A file as an event or a seal names it. `path` is relative to the run folder. */
export interface Artifact {
  readonly path: string;
  readonly bytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export interface ArtifactPlace {
  readonly runDir: string;
  readonly ops: FileOps;
  /** Lane of the writer. */
  readonly lane: string;
  /** Whether the file must be on stable storage before this returns. */
  readonly durable: boolean;
}

/**
 * Writes the file, or finds the very same bytes there already.
 * @throws HarnessError `invalid-input` for a path that leaves the run, that belongs to a log or seal, or that already
 *   holds something else
 */
export function writeArtifact(place: ArtifactPlace, path: string, content: string | Uint8Array): Artifact {
  const { runDir, ops, lane, durable } = place;
  const target = resolveInside(runDir, path);
  if (!target.ok) throw refused(path, target.how, 'name a file inside the run folder, relative to it');
  if (target.relative === '')
    throw refused(path, 'it is the run folder itself', 'choose a name in artifacts/');
  if (isOwned(target.relative))
    throw refused(path, 'only its own writer may write it', 'choose a name in artifacts/');
  const bytes = bytesOf(path, content);
  attempt(`writing ${join(runDir, path)}`, () => {
    const there = ops.facts(target.absolute);
    if (there === undefined) {
      const draft = join(runDir, draftFile(lane));
      if (publish(target.absolute, bytes, { ops, draft, durable })) return;
    } else if (there.type !== 'file') {
      throw refused(path, 'something else than a file stands there', 'choose another name');
    }
    // One byte more than expected, to see a longer file.
    const found = readSmall(target.absolute, bytes.length + 1, ops);
    if (found === undefined || Buffer.compare(found, bytes) !== 0) {
      throw refused(path, 'it was written before, with other content', 'give new evidence a new name');
    }
  });
  return { path, bytes: bytes.length, sha256: sha256Hex(bytes) };
}

function bytesOf(path: string, content: string | Uint8Array): Uint8Array {
  if (typeof content !== 'string') return content;
  // An encoder would silently put U+FFFD there, and the file would not hold what its author meant.
  if (/\p{Surrogate}/u.test(content))
    throw refused(path, 'the text holds half a surrogate pair', 'write it as bytes');
  return Buffer.from(content);
}

function refused(path: string, why: string, hint: string): HarnessError {
  return new HarnessError('invalid-input', `cannot write ${JSON.stringify(path)}: ${why}`, hint);
}
