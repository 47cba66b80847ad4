/**
 * Rules of family `action`: proposal, decision and execution of one action belong together and come in order.
 * Whether the policy was kept is the business of family `gate`.
 */
import type { JsonValue } from '../../core/event.js';
import type { Case, ProposalRecord } from '../case.js';
import { isObject, textOf } from '../documents.js';
import { removeOneOf } from '../fixes.js';
import { isApproval, isRejection } from '../kinds.js';
import type { Involved, Rule, Violation } from '../rule.js';

function violation(
  proposal: ProposalRecord,
  events: readonly Involved[],
  facts: Violation['facts'] = {},
): Violation {
  return {
    events,
    subject: { kind: 'proposal', number: proposal.number },
    facts: { proposal: proposal.name, ...facts },
    key: [proposal.name],
  };
}

const approvalWithoutProposal: Rule = {
  id: 'action/approval-without-proposal',
  title: 'An approval answers no proposal of the action it names',
  facet: 'well-formed',
  severity: 'error',
  why: 'What was approved cannot be read; an execution that leans on it was not approved at all.',
  example: 'p1?T3 a1{proposalId:prop_9} e1@a1',
  mend: 'Name the proposal that was shown to the approver.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      for (const event of proposal.decisions) {
        if (!isApproval(c.history.kind(event))) continue;
        report.applied();
        const before = proposal.proposed.filter((proposed) => c.isBefore(proposed, event));
        const isLinked = before.some((proposed) => c.history.lineage.isAncestor(proposed, event));
        if (isLinked || (before.length > 0 && c.brokenAt(event) >= 0)) continue;
        const events = [
          { event, role: 'approval' },
          ...before.slice(-1).map((proposed) => ({ event: proposed, role: 'not among its causes' })),
        ];
        report.found({
          ...violation(proposal, events, { proposed: before.length > 0 }),
          ...(before.length > 0 ? {} : { absence: 'before' as const }),
        });
      }
    }
  },
  say: (facts) =>
    facts['proposed'] === true
      ? `The approval of ${facts['proposal'] as string} does not descend from its proposal.`
      : `${facts['proposal'] as string} is approved, but no action_proposed of it stands before.`,
};

/** Last decision proper on a proposal before an execution. */
function lastDecision(c: Case, proposal: ProposalRecord, execution: number): number | undefined {
  return proposal.decisions.filter((event) => c.isBefore(event, execution)).at(-1);
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
      for (const event of proposal.executions) {
        const decision = lastDecision(c, proposal, event);
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

const executedDiffers: Rule = {
  id: 'action/executed-differs-from-approved',
  title: 'What was executed is not what was approved',
  facet: 'well-formed',
  severity: 'error',
  why: 'An approval binds to the exact action; anything else was not approved.',
  example: 'approved DELETE … WHERE id = 41, executed DELETE FROM sessions',
  mend: 'Bind approvals to the digest of tool and input, and refuse to execute anything else.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      const [proposed] = proposal.proposed;
      if (proposed === undefined) continue;
      for (const event of proposal.executions) {
        const pair = comparable(c, proposed, event);
        if (pair === undefined) continue;
        report.applied();
        if (pair.approved === pair.executed) continue;
        const approval = c.approvalsBefore(proposal, event).at(-1);
        const events = [
          { event, role: 'executed' },
          { event: proposed, role: 'proposed' },
          ...(approval === undefined ? [] : [{ event: approval, role: 'approved' }]),
        ];
        report.found(
          violation(proposal, events, { by: pair.by, approved: pair.approved, executed: pair.executed }),
        );
      }
    }
  },
  say: (facts) =>
    `${facts['proposal'] as string}: the ${facts['by'] as string} approved is ${quote(facts['approved'])}, the one executed ${quote(facts['executed'])}.`,
};

function quote(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : '';
  return text.length > 120 ? `"${text.slice(0, 120)}…"` : `"${text}"`;
}

/** The same property of proposal and execution: the digest where both have one, else the command. */
function comparable(
  c: Case,
  proposed: number,
  executed: number,
): { by: string; approved: string; executed: string } | undefined {
  const digest = (event: number): string | undefined => c.history.dataText(event, 'actionDigest');
  const approvedDigest = digest(proposed);
  const executedDigest = digest(executed);
  if (approvedDigest !== undefined && executedDigest !== undefined) {
    return { by: 'digest', approved: approvedDigest, executed: executedDigest };
  }
  const action = c.documents.proposal(proposed)?.['action'];
  const approved =
    c.history.dataText(proposed, 'command') ?? (isObject(action) ? textOf(action, 'command') : undefined);
  const command = c.history.dataText(executed, 'command');
  if (approved === undefined || command === undefined) return undefined;
  return { by: 'command', approved: plain(approved), executed: plain(command) };
}

/** Blanks around a command and a closing semicolon do not make another command. */
function plain(command: string): string {
  return command.trim().replace(/;+$/, '').trimEnd();
}

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
      for (const event of proposal.executions) {
        const approvals = c.approvalsBefore(proposal, event);
        if (approvals.length === 0) continue;
        report.applied();
        if (
          c.brokenAt(event) >= 0 ||
          approvals.some((approval) => c.history.lineage.isAncestor(approval, event))
        )
          continue;
        const approval = approvals.at(-1) as number;
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
  executedDiffers,
  approvalAfterExecution,
  approvalNotItsCause,
  proposalUndecided,
];
