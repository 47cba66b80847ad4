/**
 * Risk tiers T0 to T4: how hard an action is to undo, times how far it reaches.
 * The matrix itself belongs to the gate; here are only the names and their order.
 */

export const TIERS = ['T0', 'T1', 'T2', 'T3', 'T4'] as const;

export type Tier = (typeof TIERS)[number];

/** 0 for T0 … 4 for T4. */
export function tierRank(tier: Tier): number {
  return TIERS.indexOf(tier);
}

export function isTier(value: unknown): value is Tier {
  return typeof value === 'string' && (TIERS as readonly string[]).includes(value);
}

/** The higher of two tiers; a missing one does not count. */
export function maxTier(a: Tier | undefined, b: Tier | undefined): Tier | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return tierRank(a) >= tierRank(b) ? a : b;
}
