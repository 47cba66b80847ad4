/**
 * Rules of family `action`: proposal, decision and execution of one action belong together and come in order.
 * Whether the policy was kept is the business of family `gate`.
 */
import type { Case, ProposalRecord } from '../case.js';
import { removeOneOf } from '../fixes.js';
import { isApproval, isRejection, kinds } from '../kinds.js';
import type { Rule, Violation } from '../rule.js';
import { lastBefore } from '../walks.js';
import { descendsFromOneOf, violation } from './action-links.js';

const PROPOSALS = kinds('action_proposed');

const approvalWithoutProposal: Rule = {
  id: 'action/approval-without-proposal',
  title: 'A decision or a request is about no proposal of the action it names',
  facet: 'well-formed',
  severity: 'error',
  why: 'What was approved cannot be read; an execution that leans on it was not approved at all.',
  example: 'p1?T3 a1{proposalId:prop_9} e1@a1',
  mend: 'Name the proposal that was shown to the approver.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      const ghosts: number[] = [];
      for (const event of [...proposal.decisions, ...proposal.requests]) {
        report.applied();
        const isProposed = lastBefore(c, proposal.proposed, event) !== undefined;
        if (!isProposed) {
          if (isApproval(c.history.kind(event)) || c.brokenAt(event) < 0) ghosts.push(event);
          continue;
        }
        // A request beside its proposal is `decision-not-from-request`.
        if (c.history.kind(event) === 'approval_requested') continue;
        if (c.brokenAt(event) >= 0 || descendsFromOneOf(c, proposal.proposed, event)) continue;
        const proposed = lastBefore(c, proposal.proposed, event) as number;
        report.found(
          violation(
            proposal,
            [
              { event, role: isApproval(c.history.kind(event)) ? 'approval' : 'decision' },
              { event: proposed, role: 'not among its causes' },
            ],
            { proposed: true },
          ),
        );
      }
      if (ghosts.length > 0) report.found(ofGhost(c, proposal, ghosts));
    }
    for (const event of decisionsOnNothing(c)) {
      report.applied();
      const facts = { proposal: 'A proposal without a name', proposed: false, what: 'decided' };
      const events = [{ event, role: 'decision' }];
      report.found({ events, subject: { kind: 'event', event }, facts, key: [], absence: 'before' });
    }
  },
  say: (facts) =>
    facts['proposed'] === true
      ? `The decision on ${facts['proposal'] as string} does not descend from its proposal.`
      : `${facts['proposal'] as string} is ${facts['what'] as string}, but no action_proposed of it stands before.`,
};

/** Decisions on an action that name no proposal and descend from none. */
function decisionsOnNothing(c: Case): number[] {
  const found: number[] = [];
  for (let event = 0; event < c.history.size; event++) {
    const kind = c.history.kind(event);
    if (kind !== 'action_approved' && kind !== 'action_rejected') continue;
    const isAboutOne = c.proposalOf(event) !== 0 || c.nearest(event, PROPOSALS) >= 0;
    if (!isAboutOne && c.brokenAt(event) < 0) found.push(event);
  }
  return found;
}

/** One finding for all that was asked and decided about a proposal that nobody had made, approvals first. */
function ofGhost(c: Case, proposal: ProposalRecord, ghosts: readonly number[]): Violation {
  const isYes = (event: number): boolean => isApproval(c.history.kind(event));
  const sorted = [...ghosts.filter(isYes), ...ghosts.filter((event) => !isYes(event))];
  const roleOf = (event: number): string =>
    isYes(event) ? 'approval' : c.history.kind(event) === 'approval_requested' ? 'request' : 'decision';
  const events = sorted.slice(0, 6).map((event) => ({ event, role: roleOf(event) }));
  const what = { approval: 'approved', request: 'asked for', decision: 'decided' }[events[0]?.role ?? ''];
  return {
    ...violation(proposal, events, { proposed: false, what: what ?? 'decided' }),
    absence: 'before',
  };
}

const executedAfterRejection: Rule = {
  id: 'action/executed-after-rejection',
  title: 'A rejected action is executed',
  facet: 'well-formed',
  severity: 'error',
  why: 'Somebody said no and it happened all the same: the gate did not hold.',
  example: 'p1?T4 r1 e1',
  mend: 'Find how the execution got past the gate; a changed action needs a new proposal.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      const decisions = proposal.decisions.filter((event) => {
        const kind = c.history.kind(event);
        return isApproval(kind) || isRejection(kind);
      });
      for (const event of proposal.executions) {
        // A time-out lifts no rejection.
        const decision = lastBefore(c, decisions, event);
        if (decision === undefined) continue;
        report.applied();
        if (!isRejection(c.history.kind(decision))) continue;
        const events = [
          { event, role: 'executed' },
          { event: decision, role: 'rejected' },
        ];
        report.found(violation(proposal, events, { kind: c.history.kindName(event) }));
      }
    }
  },
  say: (facts) => `${facts['proposal'] as string} was rejected and is executed all the same.`,
};

const executedTwice: Rule = {
  id: 'action/executed-twice',
  title: 'One proposal is executed twice',
  facet: 'well-formed',
  severity: 'error',
  why: 'One approval covers one action; the second time nobody agreed to. A retry after action_failed is legal.',
  example: 'p1?T3 a1 e1 e1',
  mend: 'Propose the second execution on its own.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      const done = proposal.executions.filter((event) => c.history.kind(event) === 'action_executed');
      if (done.length === 0) continue;
      report.applied();
      const [first, ...more] = done as [number, ...number[]];
      if (more.length === 0) continue;
      const events = [
        ...more.slice(0, 6).map((event) => ({ event, role: 'executed again' })),
        { event: first, role: 'executed' },
      ];
      report.found({
        ...violation(proposal, events, { count: done.length }),
        ...removeOneOf(c, [...more, first]),
      });
    }
  },
  say: (facts) => `${facts['proposal'] as string} is executed ${facts['count'] as number} times.`,
};

const approvalAfterExecution: Rule = {
  id: 'action/approval-after-execution',
  title: 'An action is approved after it was executed',
  facet: 'well-formed',
  severity: 'error',
  why: 'An approval after the fact approves nothing.',
  example: 'p1?T3 e1 a1@p1',
  mend: 'Wait for the decision.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      const approvals = proposal.decisions.filter((event) => isApproval(c.history.kind(event)));
      for (const event of proposal.executions) {
        if (approvals.length === 0) continue;
        report.applied();
        if (approvals.some((approval) => c.isBefore(approval, event))) continue;
        const events = [
          { event, role: 'executed' },
          { event: approvals[0] as number, role: 'approved' },
        ];
        report.found(violation(proposal, events));
      }
    }
  },
  say: (facts) => `${facts['proposal'] as string} is executed before it is approved.`,
};

const approvalNotItsCause: Rule = {
  id: 'action/approval-not-its-cause',
  title: 'An execution does not descend from its approval',
  facet: 'well-formed',
  severity: 'error',
  why: 'The approval is there, but something else set the action off.',
  example: 'p1?T3 a1 e1@p1',
  mend: 'Make the approval the cause of the execution.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      const approvals = proposal.decisions.filter((event) => isApproval(c.history.kind(event)));
      for (const event of proposal.executions) {
        const approval = lastBefore(c, approvals, event);
        if (approval === undefined) continue;
        report.applied();
        if (c.brokenAt(event) >= 0 || descendsFromOneOf(c, approvals, event)) continue;
        report.found({
          ...violation(proposal, [
            { event, role: 'executed' },
            { event: approval, role: 'approval beside the path' },
          ]),
          fix: {
            op: 'set',
            line: c.history.line(event),
            pointer: '/causedBy',
            value: c.history.id(approval),
          },
        });
      }
    }
  },
  say: (facts) =>
    `${facts['proposal'] as string} is approved, but its execution does not descend from the approval.`,
};

const proposalUndecided: Rule = {
  id: 'action/proposal-undecided',
  title: 'A proposal is neither decided nor executed',
  facet: 'well-formed',
  severity: 'error',
  why: 'A question left hanging when its task closes is a lost decision or a lost action.',
  example: 'p1?T3',
  mend: 'Decide it, or record approval_expired or approval_unavailable.',
  atEnd: true,
  check(c, report) {
    for (const proposal of c.proposals()) {
      const [proposed] = proposal.proposed;
      if (proposed === undefined) continue;
      report.applied();
      if (proposal.decisions.length > 0 || proposal.executions.length > 0) continue;
      const task = c.taskOf(proposed);
      const closed =
        task === 0
          ? c.isAborted
            ? undefined
            : c.terminals[0]
          : c.task(task).results.find((result) => c.isBefore(proposed, result));
      if (closed === undefined) continue;
      const events = [
        { event: proposed, role: 'proposed' },
        { event: closed, role: 'task closes' },
      ];
      report.found({ ...violation(proposal, events, { task: c.history.text(task) }), absence: 'after' });
    }
  },
  say: (facts) =>
    `${facts['proposal'] as string} is neither decided nor executed when ${facts['task'] === '' ? 'the run' : (facts['task'] as string)} closes.`,
};

export const ACTION_RULES: readonly Rule[] = [
  approvalWithoutProposal,
  executedAfterRejection,
  executedTwice,
  approvalAfterExecution,
  approvalNotItsCause,
  proposalUndecided,
];
