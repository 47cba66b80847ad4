/**
 * What an action really does, from the tool and its input and never from what the agent says of it: how hard it is to
 * undo, how far it reaches, and the tier that follows. Families of actions stand in classify/; what none of them knows is
 * classified up.
 */
import type { JsonObject } from '../core/event.js';
import type { Tier } from '../core/tier.js';
import { classifyFiles } from './files.js';
import { tierFor } from './matrix.js';
import type { BlastRadius, Reversibility } from './matrix.js';

/** What a family says about an action. */
export interface Reading {
  readonly reversibility: Reversibility;
  readonly blastRadius: BlastRadius;
  /** Why, in phrases for people. */
  readonly reasons: readonly string[];
}

export interface Classification extends Reading {
  readonly tier: Tier;
}

/** Classifies one tool call. */
export function classify(tool: string, input: JsonObject): Classification {
  const reading = classifyFiles(tool, input) ?? {
    reversibility: 'irreversible' as const,
    blastRadius: 'critical' as const,
    reasons: [`nothing is known of the tool ${tool}`],
  };
  return { ...reading, tier: tierFor(reading.reversibility, reading.blastRadius) };
}
