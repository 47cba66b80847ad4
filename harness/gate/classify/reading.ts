/**
 * What is read out of an action: how hard it is to undo, how far it reaches, why, and what could not be resolved. Readings
 * of parts are joined to the worst of each, so that nothing hides behind something harmless.
 */
import type { Tier } from '../../core/tier.js';
import { BLAST_RADII, REVERSIBILITIES, tierFor } from './matrix.js';
import type { BlastRadius, Reversibility } from './matrix.js';

/** `certain`: by the grammar. `likely`: by what such a thing usually does. `unresolved`: something could be anything. */
export const CONFIDENCES = ['certain', 'likely', 'unresolved'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** A phrase, and the piece of the text that decided it, where there is one. Places are in UTF-16 units. */
export interface Reason {
  readonly why: string;
  readonly from?: number;
  readonly to?: number;
}

export interface Reading {
  readonly reversibility: Reversibility;
  readonly blastRadius: BlastRadius;
  readonly reasons: readonly Reason[];
  /** Names of detectors that would see such a thing. */
  readonly tripwires: readonly string[];
  readonly unresolved: readonly string[];
  readonly confidence: Confidence;
}

export interface Classification extends Reading {
  readonly tier: Tier;
}

type More = Partial<Pick<Reading, 'tripwires' | 'unresolved' | 'confidence'>> & {
  readonly from?: number;
  readonly to?: number;
};

/** One thing that was read. */
export function reading(
  [reversibility, blastRadius]: readonly [Reversibility, BlastRadius],
  why: string,
  { tripwires = [], unresolved = [], confidence, from, to }: More = {},
): Reading {
  const place = from === undefined || to === undefined ? {} : { from, to };
  return {
    reversibility,
    blastRadius,
    reasons: [{ why, ...place }],
    tripwires,
    unresolved,
    confidence: confidence ?? (unresolved.length > 0 ? 'unresolved' : 'certain'),
  };
}

/** Reads and changes nothing. */
export function harmless(why: string): Reading {
  return reading(['read-only', 'none'], why);
}

/** What nothing is known of is held to be as bad as it can be. */
export function unknown(why: string, unresolved: string): Reading {
  return reading(['irreversible', 'critical'], why, { unresolved: [unresolved] });
}

/** The worst of all, with the reasons of those that make it so first. Nothing at all is harmless. */
export function join(readings: readonly Reading[], otherwise = 'nothing is done'): Reading {
  const [first, ...others] = readings;
  if (first === undefined) return harmless(otherwise);
  return others.reduce(worse, first);
}

/** The tier of a reading, from the matrix. */
export function classified(read: Reading): Classification {
  return { ...read, tier: tierFor(read.reversibility, read.blastRadius) };
}

/**
 * The one of the higher tier decides; what is joined is not mixed, or reading a whole disk and writing one file would be
 * taken for writing the whole disk.
 */
function worse(a: Reading, b: Reading): Reading {
  const [high, low] = rank(b) > rank(a) ? [b, a] : [a, b];
  const isLow = low.reversibility === 'read-only' && high.reversibility !== 'read-only';
  return {
    ...high,
    reasons: isLow ? high.reasons : [...high.reasons, ...low.reasons],
    tripwires: [...new Set([...high.tripwires, ...low.tripwires])],
    unresolved: [...new Set([...high.unresolved, ...low.unresolved])],
    confidence:
      CONFIDENCES[Math.max(CONFIDENCES.indexOf(high.confidence), CONFIDENCES.indexOf(low.confidence))]!,
  };
}

function rank({ reversibility, blastRadius }: Reading): number {
  const tier = Number(tierFor(reversibility, blastRadius).slice(1));
  return tier * 100 + REVERSIBILITIES.indexOf(reversibility) * 10 + BLAST_RADII.indexOf(blastRadius);
}
