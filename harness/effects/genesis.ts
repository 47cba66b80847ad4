/**
 * What the chain of invocations of a run begins with: the cell that was run, and what it was run with.
 *
 * The first entry names its digest as the hash of the entry before, so nothing about where a chain begins is free to choose. The
 * registry of epochs says under which meaning of tools and records a release writes.
 */
import { canonicalBytes } from '../core/canonical.js';
import type { Digest } from '../core/digest.js';
import { assert } from '../core/errors.js';
import type { JsonObject } from '../core/event.js';

export interface Genesis {
  readonly runId: string;
  /** Digest of the frozen study; absent for a run on its own. */
  readonly study?: Digest;
  /** What the run was of: task, condition, model … */
  readonly cell: JsonObject;
  readonly seed: string | number;
  /** Run and event that this run left the course of another at. */
  readonly forkedFrom?: { readonly runId: string; readonly event: string };
}

/** The genesis object in encoding A. @param epochs digest of the epoch registry */
export function genesisBytes(genesis: Genesis, epochs: Digest): Uint8Array {
  const { runId, study = null, cell, seed, forkedFrom = null } = genesis;
  return canonicalBytes({ cell, epochs, forkedFrom: forkedFrom && { ...forkedFrom }, runId, seed, study });
}

/**
 * Releases by epoch. A new epoch begins when a run recorded before would no longer replay; then the golden runs of the
 * old one stay, and say so.
 */
const EPOCHS: readonly { readonly epoch: number; readonly candidates: readonly string[] }[] = [
  { epoch: 1, candidates: ['0.1.0'] },
];

/** The registry as an object: two members in this order, and a line feed. */
export function epochsBytes(): Uint8Array {
  return Buffer.from(`${JSON.stringify({ semantic_id: 'counterproof/harness', epochs: EPOCHS })}\n`);
}

/** The epoch that a release writes in; the latest for a release that no epoch names yet. */
export function epochOf(release: string): number {
  const latest = EPOCHS.at(-1);
  assert(latest !== undefined, 'there is an epoch');
  return EPOCHS.find(({ candidates }) => candidates.includes(release))?.epoch ?? latest.epoch;
}
