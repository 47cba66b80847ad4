/**
 * Certificates: what one pass over a sound history proves about rules before they are asked.
 *
 * Most logs are sound, and of most rules it can be seen in one shared pass that they find nothing. A certificate says
 * so, with the number of times the rule applies; for rules about proposals it may leave a few to be looked at. Rules
 * without a certificate are held against everything, as if there were none: a new rule needs nothing here. The test of
 * certificates holds each against the rule itself.
 */
import type { Case } from '../case.js';
import { ActionObserver } from './actions.js';
import { DecisionObserver } from './decisions.js';
import { GateObserver } from './gate.js';
import { NOTHING_LEFT } from './glance.js';
import { OutcomeObserver } from './outcomes.js';
import { ProposalObserver } from './proposals.js';
import { Sweep } from './sweep.js';
import { TaskObserver } from './tasks.js';
import { proveBySums } from './totals.js';
import { TreeObserver } from './tree.js';

/** The rule applies so often to what it need not look at any more; `left` are proposals it is still held against. */
export interface Certificate {
  readonly applied: number;
  readonly left: ReadonlySet<number>;
}

/** Certificates by rule. Empty for histories that are not sound enough to be swept. */
export function certify(c: Case): ReadonlyMap<string, Certificate> {
  const certificates = new Map<string, Certificate>();
  const add = (rule: string, applied: number, left = NOTHING_LEFT): void => {
    certificates.set(rule, { applied, left });
  };
  if (c.options.live || !c.isUnbroken || c.history.parts.duplicates.length > 0) return certificates;
  const tree = new TreeObserver(c);
  const tasks = new TaskObserver(c);
  const outcomes = new OutcomeObserver(c);
  const actions = new ActionObserver(c);
  // Beside a run folder or a policy that goes by kinds, tiers and requirements stand in files.
  const isByTier = !c.evidence.isFolder && !c.policy.hasKinds && c.isGateActive;
  const gate = isByTier ? new GateObserver(c) : undefined;
  const proposals = new ProposalObserver(c, actions, gate);
  const decisions = new DecisionObserver(c, proposals);
  const sweep = new Sweep(c.history);
  sweep.run({ tree, tasks, outcomes, proposals, decisions });
  proveBySums(c, add);
  tree.prove(add, !sweep.isUnclear);
  tasks.prove(add);
  if (sweep.isUnclear) return certificates;
  c.plans = sweep.planEvents;
  outcomes.prove(add);
  proposals.prove(add);
  if (gate !== undefined) decisions.prove(add);
  const odd = certificates.get('action/executed-twice')?.left ?? NOTHING_LEFT;
  if (decisions.plansDecidedOnce !== undefined)
    add('plan/decision-repeated', decisions.plansDecidedOnce + actions.decisions, odd);
  if (!decisions.areUnproposedHarmless) for (const rule of BY_EXECUTION) certificates.delete(rule);
  const fresh = decisions.freshAfterRefusal;
  const suspects = c.history.parts.sums.mayReturn;
  // The rule counts for itself as soon as it has anything to look at.
  if (gate !== undefined && fresh !== undefined && suspects !== undefined)
    add('gate/laundering', suspects.size === 0 ? fresh : 0, suspects);
  return certificates;
}

/** Rules about executed actions, with or without a proposal. */
const BY_EXECUTION = [
  'gate/ungated-high-tier',
  'gate/proposal-missing',
  'gate/veto-window-open',
  'gate/two-person-missing',
];
