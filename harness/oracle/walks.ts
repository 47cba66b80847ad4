/**
 * Walks over actions that several rules take: those executed, with what policy asks for them, and those put to
 * somebody. Nothing here judges.
 */
import { tierRank, type Tier } from '../core/tier.js';
import type { Case, ProposalRecord } from './case.js';
import { isApproval } from './kinds.js';
import type { Requirement } from './policy.js';

function requirementOf(c: Case, execution: number, tier: Tier): Requirement {
  if (!c.policy.hasKinds) return c.policy.requirement(tier, '', []);
  const targets = ['target', 'branch', 'environment'].map((name) => c.history.dataText(execution, name));
  const kind = c.history.dataText(execution, 'kind') ?? '';
  return c.policy.requirement(
    tier,
    kind,
    targets.filter((target) => target !== undefined),
  );
}

/** Visits every executed action with its tier, its proposal (where it has one) and what policy asks for it. */
export function forExecuted(
  c: Case,
  visit: (
    event: number,
    about: { tier: Tier; proposal: ProposalRecord | undefined; requirement: Requirement },
  ) => void,
): void {
  for (let event = 0; event < c.history.size; event++) {
    if (c.history.kind(event) !== 'action_executed') continue;
    const tier = c.tierOfExecution(event);
    if (tier === undefined) continue;
    const number = c.proposalOf(event);
    const proposal = number === 0 ? undefined : c.proposal(number);
    visit(event, { tier, proposal, requirement: requirementOf(c, event, tier) });
  }
}

/** Proposals of at least a tier that were put to somebody, approved or executed, with the moment that counts. */
export function forShown(
  c: Case,
  atLeast: number,
  visit: (proposal: ProposalRecord, proposed: number, shownAt: number) => void,
): void {
  for (const proposal of c.proposals()) {
    const [proposed] = proposal.proposed;
    const tier = c.tierOfProposal(proposal);
    if (proposed === undefined || tier === undefined || tierRank(tier) < atLeast) continue;
    const approved = proposal.decisions.some((event) => isApproval(c.history.kind(event)));
    const executed = proposal.executions.some((event) => c.history.kind(event) === 'action_executed');
    if (proposal.requests.length === 0 && !approved && !executed) continue;
    visit(proposal, proposed, proposal.requests[0] ?? proposed);
  }
}
