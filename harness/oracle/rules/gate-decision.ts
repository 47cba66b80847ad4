/**
 * Rules of family `gate` about decisions themselves: who gave them, for which action, on which channel, and whether
 * they are decisions at all.
 */
import { FLAG } from '../../core/facts.js';
import { tierRank } from '../../core/tier.js';
import type { Case } from '../case.js';
import { said } from '../documents.js';
import { EXECUTIONS, is, isApproval, PLAN_OR_PROPOSAL_DECISIONS } from '../kinds.js';
import { deciderOf, isTimeOut } from '../people.js';
import type { Report, Rule } from '../rule.js';
import { tierOf, tierOfAction } from '../walks.js';

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
      if (!isApproval(history.kind(event))) continue;
      const decider = deciderOf(c, event);
      if (history.has(event, FLAG.auto) && (decider !== 'agent' || isUngatedPlan(c, event))) continue;
      report.applied();
      const number = c.proposalOf(event);
      const tier = number === 0 ? undefined : tierOf(c, c.proposal(number));
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

/** A grant whose own gate only classifies, beside an active one for actions. */
function isUngatedPlan(c: Case, event: number): boolean {
  const { condition } = c.documents;
  return c.proposalOf(event) === 0 && condition !== undefined && condition['planGate'] !== 'active';
}

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
      const others = leaning.get(approval);
      if (others === undefined) leaning.set(approval, [event]);
      else others.push(event);
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
    const tier = tierOfAction(c, execution);
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
      if (tierOf(c, proposal) !== 'T4') continue;
      for (const event of [
        ...proposal.requests,
        ...proposal.decisions.filter((decision) => isApproval(c.history.kind(decision))),
      ]) {
        const channel = c.history.text(c.history.channelNumber(event));
        if (channel === '') continue;
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

export const GATE_DECISION_RULES: readonly Rule[] = [
  approverNotPrincipal,
  sharedApproval,
  asynchronousChannel,
  expiredAsDecision,
];
