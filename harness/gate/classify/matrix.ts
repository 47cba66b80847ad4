/**
 * The tier of an action: how hard it is to undo, times how far it reaches. The table is the whole rule.
 */
import type { Tier } from '../../core/tier.js';

export const REVERSIBILITIES = ['read-only', 'trivial', 'hard', 'irreversible'] as const;
export type Reversibility = (typeof REVERSIBILITIES)[number];

export const BLAST_RADII = ['none', 'local', 'bounded', 'wide', 'critical'] as const;
export type BlastRadius = (typeof BLAST_RADII)[number];

/** Columns are `BLAST_RADII`. What changes something reaches at least itself, so `none` counts as `local`. */
const TIERS: Readonly<Record<Reversibility, readonly [Tier, Tier, Tier, Tier, Tier]>> = {
  'read-only': ['T0', 'T0', 'T0', 'T0', 'T0'],
  trivial: ['T1', 'T1', 'T1', 'T2', 'T3'],
  hard: ['T1', 'T1', 'T2', 'T3', 'T4'],
  irreversible: ['T2', 'T2', 'T3', 'T4', 'T4'],
};

export function tierFor(reversibility: Reversibility, blastRadius: BlastRadius): Tier {
  return TIERS[reversibility][BLAST_RADII.indexOf(blastRadius)]!;
}
