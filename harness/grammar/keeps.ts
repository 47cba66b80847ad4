/**
 * What the compiled scanner keeps of the members of a line, by numbers that its two halves share: wasm-scanner.ts fills
 * its tables of names with them, and the build writes them out for assembly/. Below 32: they are bits there too.
 */
import { WORD } from './record.js';

export const KEEP = {
  id: 1,
  cause: 2,
  run: 3,
  actor: 4,
  task: 5,
  proposal: 6,
  plan: 7,
  to: 8,
  by: 9,
  decision: 10,
  reason: 11,
  digest: 12,
  command: 13,
  dataCall: 14,
  role: 15,
  model: 16,
  call: 17,
  preventedBy: 18,
  // Those below go straight into the facts.
  tier: 19,
  auto: 20,
  path: 21,
  waited: 22,
  would: 23,
  executed: 24,
  predicted: 25,
  claims: 26,
  channel: 27,
  doubt: 28,
} as const;

/** What is kept of members of `data`; paths are not named here. */
export const DATA_KEEP: Readonly<Partial<Record<string, number>>> = {
  taskId: KEEP.task,
  proposalId: KEEP.proposal,
  planId: KEEP.plan,
  to: KEEP.to,
  channel: KEEP.channel,
  by: KEEP.by,
  decision: KEEP.decision,
  reason: KEEP.reason,
  actionDigest: KEEP.digest,
  command: KEEP.command,
  callId: KEEP.dataCall,
  role: KEEP.role,
  tier: KEEP.tier,
  auto: KEEP.auto,
  waitedMs: KEEP.waited,
  recoverabilityState: KEEP.claims,
  backupVerified: KEEP.claims,
  verified: KEEP.doubt,
  rowCountMatches: KEEP.doubt,
  outcome: KEEP.doubt,
  restorable: KEEP.doubt,
};

/** Counts of `tokens` go to words of the record. */
export const TOKEN_KEEP: Readonly<Partial<Record<string, number>>> = {
  input: WORD.input,
  output: WORD.output,
  thinking: WORD.thinking,
  cacheRead: WORD.cacheRead,
  cacheWrite: WORD.cacheWrite,
  model: KEEP.model,
  callId: KEEP.call,
};

export const COUNTERFACTUAL_KEEP: Readonly<Partial<Record<string, number>>> = {
  wouldHaveExecuted: KEEP.would,
  actuallyExecuted: KEEP.executed,
  predictedRiskTier: KEEP.predicted,
  preventedBy: KEEP.preventedBy,
};

/** Roles whose model calls are not an agent's own. */
export const OTHERS_ROLES: readonly string[] = ['approver', 'judge'];
