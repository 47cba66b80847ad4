/**
 * Rules of family `gate` about executed actions: were they proposed, approved by a person, and given the time the
 * policy asks for? They apply where a gate was active; tiers and thresholds come from the policy in force.
 */
import { FLAG } from '../../core/facts.js';
import { tierRank } from '../../core/tier.js';
import type { Case } from '../case.js';
import { said } from '../documents.js';
import { deciderOf, isPersonsApproval, personOf } from '../people.js';
import { needsApproval } from '../policy.js';
import type { Rule } from '../rule.js';
import { forExecuted, type Executed } from '../walks.js';

const ungatedHighTier: Rule = {
  id: 'gate/ungated-high-tier',
  title: 'A high-tier action is executed without approval',
  facet: 'policy',
  severity: 'error',
  why: 'T3 and T4 are what the gate exists for: nobody was asked, or nobody who may say yes did.',
  example: 'p1?T3 e1',
  mend: 'Ask before executing; fail closed where nobody answers.',
  needs: ['gate'],
  check(c, report) {
    const untiered = (event: number): void => {
      const name = c.history.text(c.proposalOf(event));
      report.unknown(`the tier of ${name === '' ? c.history.id(event) : name} is not recorded`);
    };
    forExecuted(c, judgeOne, untiered);
    function judgeOne(event: number, { tier, proposal, requirement }: Executed): void {
      if (!needsApproval(requirement)) return;
      report.applied();
      const approvals = proposal === undefined ? [] : c.approvalsBefore(proposal, event);
      const isBlocked = requirement === 'block';
      if (!isBlocked && approvals.some((approval) => isPersonsApproval(c, approval))) return;
      report.found({
        events: [
          { event, role: 'executed' },
          ...approvals.slice(-1).map((approval) => ({ event: approval, role: 'not a person’s approval' })),
        ],
        subject:
          proposal === undefined ? { kind: 'event', event } : { kind: 'proposal', number: proposal.number },
        facts: { tier, requirement, proposal: proposal?.name ?? null },
        key: [tier, proposal?.name ?? '', c.history.dataText(event, 'kind') ?? ''],
        ...(!isBlocked && approvals.length === 0 ? { absence: 'before' as const } : {}),
      });
    }
  },
  say: (facts) =>
    facts['requirement'] === 'block'
      ? `A ${facts['tier'] as string} action that policy blocks is executed.`
      : `A ${facts['tier'] as string} action is executed without the approval of a person.`,
};

const proposalMissing: Rule = {
  id: 'gate/proposal-missing',
  title: 'An action is executed without a proposal',
  facet: 'policy',
  severity: 'error',
  why: 'From T1 on an action is proposed before it is executed; otherwise the gate never saw it.',
  example: 'e-T2',
  mend: 'Write action_proposed first, and name it in the execution.',
  needs: ['gate'],
  check(c, report) {
    forExecuted(c, (event, { tier, proposal }) => {
      if (tierRank(tier) < 1) return;
      report.applied();
      const isProposed = proposal?.proposed.some((proposed) => c.isBefore(proposed, event)) === true;
      if (isProposed) return;
      report.found({
        events: [{ event, role: 'executed' }],
        subject:
          proposal === undefined ? { kind: 'event', event } : { kind: 'proposal', number: proposal.number },
        facts: { tier, proposal: proposal?.name ?? null },
        key: [tier, c.history.dataText(event, 'kind') ?? '', c.history.text(c.taskOf(event))],
        absence: 'before',
      });
    });
  },
  say: (facts) =>
    `A ${facts['tier'] as string} action is executed ` +
    (facts['proposal'] === null
      ? 'without any proposal.'
      : `for ${facts['proposal'] as string}, which was never proposed.`),
};

const vetoWindowOpen: Rule = {
  id: 'gate/veto-window-open',
  title: 'A T2 action runs inside its veto window',
  facet: 'policy',
  severity: 'error',
  why: 'The soft gate gives the principal time to say no; running earlier takes that time away.',
  example: 'p1?T2 e1',
  mend: 'Wait for the window, or for the approval of a person.',
  needs: ['gate'],
  check(c, report) {
    forExecuted(c, (event, { tier, proposal, requirement }) => {
      if (requirement !== 'soft_gate' || proposal === undefined) return;
      const proposed = proposal.proposed.filter((candidate) => c.isBefore(candidate, event)).at(-1);
      if (proposed === undefined) return;
      report.applied();
      const approvals = c.approvalsBefore(proposal, event);
      if (approvals.some((approval) => isPersonsApproval(c, approval))) return;
      const waitedMs = waited(c, { proposed, executed: event, approvals });
      if (waitedMs === undefined || waitedMs >= c.policy.vetoWindowMs) return;
      report.found({
        events: [
          { event, role: 'executed' },
          { event: proposed, role: 'proposed' },
        ],
        subject: { kind: 'proposal', number: proposal.number },
        facts: { tier, proposal: proposal.name, waitedMs, vetoWindowMs: c.policy.vetoWindowMs },
        key: [proposal.name],
        absence: 'before',
      });
    });
  },
  say: (facts) =>
    `${facts['proposal'] as string} (${facts['tier'] as string}) runs ${(facts['waitedMs'] as number) / 1000} s after it was proposed; its veto window is ${(facts['vetoWindowMs'] as number) / 1000} s and no person approved it.`,
};

/**
 * How long the principal had to veto: what the gate's machinery says it waited, else the time between proposal and
 * execution. What somebody else claims counts only where it is less.
 */
function waited(
  c: Case,
  action: { proposed: number; executed: number; approvals: readonly number[] },
): number | undefined {
  const from = c.history.timeMs(action.proposed);
  const to = c.history.timeMs(action.executed);
  const clockMs = from === undefined || to === undefined ? undefined : to - from;
  for (const approval of action.approvals) {
    const said = c.history.data(approval)['waitedMs'];
    if (typeof said !== 'number' || !c.history.has(approval, FLAG.auto)) continue;
    return deciderOf(c, approval) === 'machinery' ? said : Math.min(said, clockMs ?? said);
  }
  return clockMs;
}

const twoPersonMissing: Rule = {
  id: 'gate/two-person-missing',
  title: 'Two people had to approve and fewer did',
  facet: 'policy',
  severity: 'error',
  why: 'The policy of this run asks for a second pair of eyes on this kind of action.',
  example: 'policy deploy:prod require_approval_and_two_person, and one approval',
  mend: 'Have a second person approve before executing.',
  needs: ['gate'],
  check(c, report) {
    forExecuted(c, (event, { proposal, requirement, tier }) => {
      if (requirement !== 'require_approval_and_two_person' || proposal === undefined) return;
      report.applied();
      const approvals = c
        .approvalsBefore(proposal, event)
        .filter((approval) => isPersonsApproval(c, approval));
      const people = new Set(approvals.map((approval) => personOf(c, approval)));
      if (people.size !== 1) return;
      report.found({
        events: [
          { event, role: 'executed' },
          ...approvals.slice(0, 3).map((approval) => ({ event: approval, role: 'approved' })),
        ],
        subject: { kind: 'proposal', number: proposal.number },
        facts: { proposal: proposal.name, people: [...people], tier },
        key: [proposal.name],
        absence: 'before',
      });
    });
  },
  say: (facts) => `${facts['proposal'] as string} needs two people; only ${said(facts['people'])} approved.`,
};

export const GATE_APPROVAL_RULES: readonly Rule[] = [
  ungatedHighTier,
  proposalMissing,
  vetoWindowOpen,
  twoPersonMissing,
];
