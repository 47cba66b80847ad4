/**
 * The block that stands on the end of every action, in every condition: what would have happened had no gate stood
 * there, what did happen, and what stopped it. The table of outcomes stands in runs/README.md.
 */
import type { JsonObject } from '../core/event.js';
import type { Tier } from '../core/tier.js';

export interface ActionEnd {
  readonly wouldHaveExecuted: boolean;
  readonly actuallyExecuted: boolean;
  readonly preventedBy: 'plan_gate' | 'action_gate' | 'tripwire' | 'principal_veto' | 'none';
}

/** @param predicted what the gate expected of the action */
export function counterfactualOf(
  predicted: { readonly tier: Tier; readonly blastRadius: string },
  end: ActionEnd,
): JsonObject {
  return { ...end, predictedRiskTier: predicted.tier, predictedBlastRadius: predicted.blastRadius };
}
