/**
 * What the gate does about an action of a tier, by the policy: the default per tier, and overrides that may only be
 * stricter. Pure. What nobody answers, and what nothing is known of, is not done.
 */
import type { GatePolicy } from '../core/types.js';
import type { Tier } from '../core/tier.js';

/** From lenient to strict. */
const RULES = [
  'allow',
  'notify',
  'soft_gate',
  'require_approval',
  'require_approval_and_two_person',
  'block',
] as const;
export type GateRule = (typeof RULES)[number];

const DEFAULTS: Readonly<Record<Tier, GateRule>> = {
  T0: 'allow',
  T1: 'notify',
  T2: 'soft_gate',
  T3: 'require_approval',
  T4: 'require_approval',
};

/** The rule that applies, and the member of the policy, or the default, that says so. */
export interface GateDecision {
  readonly rule: GateRule;
  readonly policyLine: string;
}

/** The strictest of the default for the tier, the policy's own, and the policy's for this kind of action. */
export function decide(kind: string, tier: Tier, policy: GatePolicy): GateDecision {
  const options: GateDecision[] = [{ rule: DEFAULTS[tier], policyLine: `default ${tier}` }];
  const byTier = policy[tier];
  if (byTier !== undefined) options.push({ rule: byTier, policyLine: tier });
  const byKind = policy.perKind?.[kind];
  if (byKind !== undefined) options.push({ rule: byKind, policyLine: `perKind ${kind}` });
  return options.reduce((strictest, option) => (rank(option) > rank(strictest) ? option : strictest));
}

function rank({ rule }: GateDecision): number {
  return RULES.indexOf(rule);
}
