/**
 * What an event says in a word, packed into one number: flags, tiers, and the few answers that rules ask for on nearly
 * every event. Scanners fill it in while they pass over the line, so that no rule needs to parse a plain line.
 *
 * A field that is 0 says "nothing there". Whoever reads a field that says "look" reads the line itself.
 */

/** Flag bits. */
export const FLAG = {
  auto: 1,
  tokens: 2,
  counterfactual: 4,
  bigData: 8,
  /** `data` names files of the run folder; and one of the names is not plainly inside it. */
  paths: 16,
  oddPaths: 32,
  /** A model call whose `role` is `approver` or `judge`: not an agent's own. */
  othersCall: 1 << 26,
  /** `data.decision` or `data.reason` may say that nobody decided in time. */
  maybeTimeOut: 1 << 27,
  /** `data.decision` is there and may say no. */
  maybeNo: 1 << 28,
  /**
   * `data` may say something of a backup: that there is one (`recoverabilityState`, `backupVerified`), or that it
   * failed (`verified`, `rowCountMatches`, `outcome` or `restorable`, unless it is `true`). The sign bit.
   */
  claims: 1 << 31,
} as const;

interface Field {
  readonly shift: number;
  readonly mask: number;
}

/** Fields of more than one bit. */
export const FIELD = {
  /** `data.tier`: 1 to 5 for T0 to T4. */
  tier: { shift: 6, mask: 7 },
  /** `data.by`: 1 + index of `BY`; `BY_OTHER` for any other text. */
  by: { shift: 9, mask: 7 },
  /** `counterfactual.wouldHaveExecuted`: 1 false, 2 true. */
  would: { shift: 12, mask: 3 },
  /** `counterfactual.actuallyExecuted`: 1 false, 2 true. */
  executed: { shift: 14, mask: 3 },
  /** `counterfactual.preventedBy`: 1 + index of `PREVENTED_BY`; `PREVENTED_BY_OTHER` for any other text. */
  preventedBy: { shift: 16, mask: 7 },
  /** `counterfactual.predictedRiskTier`: 1 to 5 for T0 to T4. */
  predicted: { shift: 19, mask: 7 },
  /** `data.actionDigest` beside that of the proposal: see `SAMENESS`. */
  digest: { shift: 22, mask: 3 },
  /** `data.command` beside that of the proposal: see `SAMENESS`. */
  command: { shift: 24, mask: 3 },
  /** `data.waitedMs`: 1 for less than `WAITED_LONG_MS`, 2 for as much or more. */
  waited: { shift: 29, mask: 3 },
} as const satisfies Readonly<Record<string, Field>>;

export const BY: readonly string[] = ['principal', 'policy', 'gate', 'testbed', 'broker'];
export const BY_OTHER = 7;
export const PREVENTED_BY: readonly string[] = [
  'plan_gate',
  'action_gate',
  'tripwire',
  'principal_veto',
  'none',
];

export const PREVENTED_BY_OTHER = 7;

/** The veto window that holds unless a policy says otherwise. */
export const WAITED_LONG_MS = 15 * 60 * 1000;

/** Texts by which `data.decision` or `data.reason` says that nobody decided in time; small letters or capitals. */
export const TIME_OUT_WORDS: readonly string[] = ['expired', 'timeout', 'timed_out', 'timed-out'];

/**
 * What is known of a digest or command. `own`: the event makes the proposal, and this is the proposal's. `same`: byte
 * for byte what the last proposal of that name says. `look`: different, or too far away to say.
 */
export const SAMENESS = { none: 0, own: 1, same: 2, look: 3 } as const;

export function fieldOf(facts: number, field: Field): number {
  return (facts >>> field.shift) & field.mask;
}

export function withField(facts: number, field: Field, value: number): number {
  return facts | (value << field.shift);
}
