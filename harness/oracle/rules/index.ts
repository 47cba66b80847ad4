/**
 * The catalogue: every rule, in the order of the protocol's table. To add a rule, write its entry in the file of
 * its family (or a new one), list it there, and give it a passing and a failing history in test/oracle/fixtures.
 */
import type { Rule } from '../rule.js';
import { ACTION_LINK_RULES } from './action-links.js';
import { ACTION_RULES } from './action.js';
import { CAUSAL_TRACE_RULES } from './causal-trace.js';
import { CAUSAL_RULES } from './causal.js';
import { chainBroken } from './chain.js';
import { CONDITION_RULES } from './condition.js';
import { COUNTERFACTUAL_RULES } from './counterfactual.js';
import { GATE_APPROVAL_RULES } from './gate-approval.js';
import { GATE_BACKUP_RULES } from './gate-backup.js';
import { GATE_DECISION_RULES } from './gate-decision.js';
import { GATE_EVIDENCE_RULES } from './gate-evidence.js';
import { GATE_POLICY_RULES } from './gate-policy.js';
import { INVOCATION_RULES } from './invocations.js';
import { LOG_LINE_RULES } from './log-line.js';
import { LOG_RULES } from './log.js';
import { PLAN_CONTENT_RULES } from './plan-content.js';
import { PLAN_RULES } from './plan.js';
import { REFERENCE_RULES } from './reference.js';
import { RUN_RULES } from './run.js';
import { SEAL_RULES } from './seal.js';
import { TASK_RULES } from './task.js';
import { TOKEN_RULES } from './tokens.js';

export const RULES: readonly Rule[] = [
  // Is every line a record, and the log whole?
  ...LOG_LINE_RULES,
  ...LOG_RULES,
  // Do the causes form one tree?
  ...CAUSAL_RULES,
  ...CAUSAL_TRACE_RULES,
  // Does the run follow the protocol?
  ...RUN_RULES,
  ...PLAN_RULES,
  ...PLAN_CONTENT_RULES,
  ...TASK_RULES,
  ...ACTION_RULES,
  ...ACTION_LINK_RULES,
  // Was the gate's policy kept?
  ...GATE_APPROVAL_RULES,
  ...GATE_DECISION_RULES,
  ...GATE_BACKUP_RULES,
  ...GATE_EVIDENCE_RULES,
  ...GATE_POLICY_RULES,
  // Does the evidence hold?
  ...REFERENCE_RULES,
  ...INVOCATION_RULES,
  ...TOKEN_RULES,
  ...COUNTERFACTUAL_RULES,
  ...SEAL_RULES,
  chainBroken,
  // Was the condition kept?
  ...CONDITION_RULES,
];

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

/** A rule by its id, or undefined. */
export function ruleOf(id: string): Rule | undefined {
  return BY_ID.get(id);
}
