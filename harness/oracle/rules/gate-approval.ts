/**
 * Rules of family `gate` about approvals: who approved, in time, on which channel, for which action.
 * They apply where a gate was active; tiers and thresholds come from the policy in force.
 */
import { FLAG } from '../../core/history.js';
import type { Tier } from '../../core/tier.js';
import { tierRank } from '../../core/tier.js';
import type { Case, ProposalRecord } from '../case.js';
import { isApproval, is, EXECUTIONS, PLAN_OR_PROPOSAL_DECISIONS } from '../kinds.js';
import { deciderOf } from '../people.js';
import { needsApproval, type Requirement } from '../policy.js';
import { said } from '../documents.js';
import type { Report, Rule } from '../rule.js';

const TIMED_OUT = new Set(['expired', 'timeout', 'timed_out', 'timed-out']);

function isTimeOut(c: Case, event: number): boolean {
  const said = [c.history.dataText(event, 'decision'), c.history.dataText(event, 'reason')];
  return said.some((text) => text !== undefined && TIMED_OUT.has(text.toLowerCase()));
}

/** A real yes of a person, which machinery, agents and time-outs cannot give. */
function isPersonsApproval(c: Case, event: number): boolean {
  return !c.history.has(event, FLAG.auto) && deciderOf(c, event) === 'person' && !isTimeOut(c, event);
}

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
function forExecuted(
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
    forExecuted(c, (event, { tier, proposal, requirement }) => {
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
    });
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

const asynchronousChannel: Rule = {
  id: 'gate/asynchronous-channel',
  title: 'A T4 action is put to the approver on an asynchronous channel',
  facet: 'policy',
  severity: 'error',
  why: 'What cannot be undone is decided while the gate waits, not in a chat thread hours later.',
  example: 'snap verify p1?T4 ask1{channel:slack} a1 e1',
  mend: 'Ask on the command line or the dashboard.',
  needs: ['gate'],
  check(c, report) {
    for (const proposal of c.proposals()) {
      if (c.tierOfProposal(proposal) !== 'T4') continue;
      for (const event of [
        ...proposal.requests,
        ...proposal.decisions.filter((decision) => isApproval(c.history.kind(decision))),
      ]) {
        const channel = c.history.dataText(event, 'channel');
        if (channel === undefined) continue;
        report.applied();
        const kind = c.policy.channelKind(channel);
        if (kind === 'unknown')
          report.unknown(`whether the channel "${channel}" is synchronous is not known`);
        if (kind !== 'asynchronous') continue;
        const facts = { proposal: proposal.name, channel };
        report.found({
          events: [{ event, role: 'asked here' }],
          subject: { kind: 'proposal', number: proposal.number },
          facts,
          key: [proposal.name, channel],
        });
        break;
      }
    }
  },
  say: (facts) =>
    `${facts['proposal'] as string} (T4) is put to the approver on "${facts['channel'] as string}", which is asynchronous.`,
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
      const waitedMs = waited(c, proposed, event, approvals);
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

/** How long the principal had to veto: what the gate says it waited, else the time between proposal and execution. */
function waited(
  c: Case,
  proposed: number,
  executed: number,
  approvals: readonly number[],
): number | undefined {
  for (const approval of approvals) {
    const said = c.history.data(approval)['waitedMs'];
    if (typeof said === 'number' && c.history.has(approval, FLAG.auto)) return said;
  }
  const from = c.history.timeMs(proposed);
  const to = c.history.timeMs(executed);
  return from === undefined || to === undefined ? undefined : to - from;
}

const approverNotPrincipal: Rule = {
  id: 'gate/approver-not-principal',
  title: 'An approval is given by somebody who may not give it',
  facet: 'policy',
  severity: 'error',
  why: 'An agent that approves its own or its colleague’s action is no gate.',
  example: 'p1?T3 a1(coder) e1',
  mend: 'Let the principal, or the approver standing for one, decide.',
  needs: ['gate'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!isApproval(history.kind(event)) || history.has(event, FLAG.auto)) continue;
      report.applied();
      const decider = deciderOf(c, event);
      const number = c.proposalOf(event);
      const tier = number === 0 ? undefined : c.tierOfProposal(c.proposal(number));
      const isHigh = tier !== undefined && tierRank(tier) >= 3;
      if (decider === 'person' || (decider === 'machinery' && !isHigh)) continue;
      const subject = number === 0 ? history.text(history.planNumber(event)) : history.text(number);
      report.found({
        events: [{ event, role: 'approved by' }],
        subject: number === 0 ? { kind: 'event', event } : { kind: 'proposal', number },
        facts: { subject, actor: history.actor(event), decider, tier: tier ?? null },
        key: [subject, history.actor(event)],
      });
    }
  },
  say: (facts) =>
    `${facts['subject'] as string} is approved by "${facts['actor'] as string}", ` +
    (facts['decider'] === 'agent'
      ? 'an agent of this run, not the principal.'
      : 'which is machinery; this tier needs a person.'),
};

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
      const people = new Set(approvals.map((approval) => c.history.actor(approval)));
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

const sharedApproval: Rule = {
  id: 'gate/shared-approval',
  title: 'One approval sets off several actions',
  facet: 'policy',
  severity: 'error',
  why: 'One approval covers one action; the others were never looked at.',
  example: 'p1?T3 p2?T3 a1 e1@a1 e2@a1',
  mend: 'Ask for each action on its own.',
  needs: ['gate'],
  check(c, report) {
    const leaning = new Map<number, number[]>();
    for (let event = 0; event < c.history.size; event++) {
      if (!is(EXECUTIONS, c.history.kindCode(event)) || c.proposalOf(event) === 0) continue;
      const approval = approvalItLeansOn(c, event);
      if (approval === undefined) continue;
      leaning.set(approval, [...(leaning.get(approval) ?? []), event]);
    }
    for (const [approval, executions] of leaning) foundIfShared(c, report, { approval, executions });
  },
  say: (facts) =>
    `One approval (of ${facts['approved'] as string}) sets off ${said(facts['proposals'])} as well.`,
};

function foundIfShared(
  c: Case,
  report: Report,
  group: { approval: number; executions: readonly number[] },
): void {
  report.applied();
  const own = c.proposalOf(group.approval);
  const others = group.executions.filter((event) => c.proposalOf(event) !== own);
  if (others.length === 0 || others.length === group.executions.length) return;
  const proposals = [...new Set(others.map((event) => c.history.text(c.proposalOf(event))))];
  report.found({
    events: [
      ...others.slice(0, 6).map((event) => ({ event, role: 'not approved itself' })),
      { event: group.approval, role: 'the approval' },
    ],
    subject: { kind: 'event', event: others[0] as number },
    facts: { approved: c.history.text(own), proposals },
    key: proposals,
  });
}

/** The approval that directly set an execution off, also by way of other executions it shares it with. */
function approvalItLeansOn(c: Case, execution: number): number | undefined {
  let at = c.history.lineage.cause(execution);
  for (let step = 0; step < 64 && at >= 0; step++) {
    if (isApproval(c.history.kind(at))) return c.isAboutPlan(at) && c.proposalOf(at) === 0 ? undefined : at;
    const tier = c.tierOfExecution(execution);
    if (!is(EXECUTIONS, c.history.kindCode(at)) || tier === undefined || tierRank(tier) < 3) return undefined;
    at = c.history.lineage.cause(at);
  }
  return undefined;
}

const expiredAsDecision: Rule = {
  id: 'gate/expired-treated-as-decision',
  title: 'A time-out is recorded as a decision',
  facet: 'policy',
  severity: 'error',
  why: 'Nobody said yes or no; silence is a third outcome and must look like one.',
  example: 'p1?T3 r1{reason:timeout}',
  mend: 'Write approval_expired with waitedMs.',
  needs: ['gate'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!is(PLAN_OR_PROPOSAL_DECISIONS, history.kindCode(event))) continue;
      report.applied();
      if (!isTimeOut(c, event)) continue;
      const number = c.proposalOf(event);
      const subject = history.text(number === 0 ? history.planNumber(event) : number);
      report.found({
        events: [{ event, role: 'time-out' }],
        subject: number === 0 ? { kind: 'event', event } : { kind: 'proposal', number },
        facts: { subject, kind: history.kindName(event) },
        key: [subject, history.kindName(event)],
      });
    }
  },
  say: (facts) =>
    `The time-out of ${facts['subject'] as string} is recorded as ${facts['kind'] as string}, as if somebody had decided.`,
};

export const GATE_APPROVAL_RULES: readonly Rule[] = [
  ungatedHighTier,
  proposalMissing,
  vetoWindowOpen,
  approverNotPrincipal,
  twoPersonMissing,
  sharedApproval,
  asynchronousChannel,
  expiredAsDecision,
];
