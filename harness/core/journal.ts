/**
 * The kinds of lines in a run's journal of effects, shared by what writes them (effects) and what judges runs (oracle).
 * Their members are in effects/journal-lines.ts.
 */
export const LINE = {
  callIntent: 'world/journal-intent/v1',
  callOutcome: 'world/journal-outcome/v1',
  effectIntent: 'world/effect-intent/v1',
  effectOutcome: 'world/effect-outcome/v1',
  purse: 'counterproof/purse/v1',
  scalars: 'counterproof/scalars/v1',
} as const;

/** Name of the tool that model calls are made with: such a call is no action. */
export const MODEL_TOOL = 'model.generate';
/** Caller of what the harness itself asks of the world. */
export const HARNESS_CALLER = 'harness';
