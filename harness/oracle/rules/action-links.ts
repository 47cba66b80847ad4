/**
 * Rules of family `action` about what leads from a proposal to its execution: a decision answers its own request, a
 * request shows its own proposal, and what is executed is what was approved.
 */
import type { JsonValue } from '../../core/event.js';
import type { Case, ProposalRecord } from '../case.js';
import { isObject, textOf } from '../documents.js';
import { APPROVALS, is, isApproval, kinds } from '../kinds.js';
import type { Involved, Rule, Violation } from '../rule.js';
import { isRemembered, SAME, samenessOf } from '../sameness.js';
import { lastBefore, proposalAnswered } from '../walks.js';

const REQUESTS = kinds('approval_requested');

/** A violation about a proposal. */
export function violation(
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

/** So few causes are looked for one by one. */
const FEW = 16;

/** What walks up from the events of one proposal have found. */
interface Walked {
  readonly causes: ReadonlySet<number>;
  readonly descends: Map<number, boolean>;
}

const walkedFor = new WeakMap<readonly number[], Walked>();

/** Whether one of some events is among the causes of another. */
export function descendsFromOneOf(c: Case, causes: readonly number[], event: number): boolean {
  const { lineage } = c.history;
  if (causes.length <= FEW)
    return causes.some((cause) => c.isBefore(cause, event) && lineage.isAncestor(cause, event));
  const walked = walkedFor.get(causes) ?? { causes: new Set(causes), descends: new Map<number, boolean>() };
  walkedFor.set(causes, walked);
  const passed: number[] = [];
  let at = lineage.cause(event);
  while (at >= 0 && !walked.causes.has(at) && !walked.descends.has(at)) {
    passed.push(at);
    at = lineage.cause(at);
  }
  const descends = at >= 0 && (walked.causes.has(at) || walked.descends.get(at) === true);
  for (const each of passed) walked.descends.set(each, descends);
  return descends;
}

const decisionNotFromRequest: Rule = {
  id: 'action/decision-not-from-request',
  title: 'A decision does not answer the request of its proposal',
  facet: 'well-formed',
  severity: 'error',
  why: 'A decision is about what the approver was shown; one that answers another question decides nothing here.',
  example: 'p1?T3 p2?T3@p1 ask1 ask2 a1@ask2 r2@ask2 e1@a1',
  mend: 'Make the request the effect of its proposal, and the decision the effect of its request.',
  check(c, report) {
    for (const proposal of c.proposals()) {
      if (proposal.requests.length === 0) continue;
      const stray = proposal.requests.filter((event) => {
        report.applied();
        return isStray(c, proposal.proposed, event);
      });
      // A decision that does not even descend from its proposal has a rule of its own.
      const unasked = proposal.decisions.filter((event) => {
        report.applied();
        const isElsewhere = !descendsFromOneOf(c, proposal.proposed, event);
        return !isElsewhere && isStray(c, proposal.requests, event);
      });
      if (stray.length + unasked.length === 0) continue;
      const [first] = stray.length > 0 ? stray : unasked;
      const beside = lastBefore(c, stray.length > 0 ? proposal.proposed : proposal.requests, first);
      const events = [
        ...stray.map((event) => ({ event, role: 'request' })),
        ...unasked.map((event) => ({ event, role: 'decision' })),
      ].slice(0, 6);
      report.found(
        violation(
          proposal,
          [...events, ...(beside === undefined ? [] : [{ event: beside, role: 'not among its causes' }])],
          { what: stray.length > 0 ? 'request' : 'decision' },
        ),
      );
    }
  },
  say: (facts) =>
    facts['what'] === 'request'
      ? `The request for ${facts['proposal'] as string} does not descend from its proposal.`
      : `The decision on ${facts['proposal'] as string} does not descend from its request.`,
};

/** Whether an event should descend from one of others that stand before it, and from none of them does. */
function isStray(c: Case, causes: readonly number[], event: number): boolean {
  if (c.brokenAt(event) >= 0 || lastBefore(c, causes, event) === undefined) return false;
  return !descendsFromOneOf(c, causes, event);
}

/** What led to an execution: the proposal that was approved, the request that showed it, the approval. */
interface Path {
  readonly proposed: number;
  readonly request: number | undefined;
  readonly approval: number | undefined;
}

interface Difference {
  readonly by: string;
  readonly approved: string;
  readonly executed: string;
  /** The event that says something else. */
  readonly at: number;
}

const executedDiffers: Rule = {
  id: 'action/executed-differs-from-approved',
  title: 'What was executed is not what was approved',
  facet: 'well-formed',
  severity: 'error',
  why: 'An approval binds to the exact action; anything else was not approved.',
  example: 'approved DELETE … WHERE id = 41, executed DELETE FROM sessions',
  mend: 'Bind approvals to the digest of tool and input, and refuse to execute anything else.',
  check(c, report) {
    const isPlain = isRemembered(c);
    for (const proposal of c.proposals()) {
      if (proposal.proposed.length === 0) continue;
      const approvals = proposal.decisions.filter((event) => isApproval(c.history.kind(event)));
      for (const event of proposal.executions) {
        const path = pathTo(c, { proposal, approvals }, event);
        if (path === undefined) continue;
        const same = isPlain && proposal.proposed.length === 1 ? plainSameness(c, path, event) : SAME.unclear;
        if (same === SAME.compared) report.applied();
        if (same !== SAME.unclear) continue;
        const { differences, compared } = compare(c, path, event);
        if (compared) report.applied();
        const [found] = differences;
        if (found === undefined) continue;
        const others = new Set([path.proposed, found.at, path.approval].filter((each) => each !== undefined));
        const roleOf = (each: number): string =>
          each === path.proposed ? 'proposed' : each === path.approval ? 'approved' : 'asked';
        const { by, approved, executed } = found;
        report.found({
          ...violation(
            proposal,
            [
              { event, role: 'executed' },
              ...[...others].map((each) => ({ event: each, role: roleOf(each) })),
            ],
            { by, approved, executed },
          ),
          key: [proposal.name, executed],
        });
      }
    }
  },
  say: (facts) =>
    `${facts['proposal'] as string}: the ${facts['by'] as string} approved is ${quote(facts['approved'])}, the one ${facts['by'] === 'command shown' ? 'proposed' : 'executed'} ${quote(facts['executed'])}.`,
};

function quote(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : '';
  return text.length > 120 ? `"${text.slice(0, 120)}…"` : `"${text}"`;
}

function plainSameness(c: Case, { proposed, request = -1, approval = -1 }: Path, execution: number): number {
  return samenessOf(c, { proposed, request, approval, execution });
}

function pathTo(
  c: Case,
  about: { proposal: ProposalRecord; approvals: readonly number[] },
  executed: number,
): Path | undefined {
  const { proposal, approvals } = about;
  const above = c.nearest(executed, APPROVALS);
  const isOwn = above >= 0 && c.proposalOf(above) === proposal.number;
  const approval = isOwn ? above : lastBefore(c, approvals, executed);
  const answering = approval ?? executed;
  const proposed = proposalAnswered(c, proposal, answering);
  if (proposed === undefined) return undefined;
  const asked = c.nearest(answering, REQUESTS);
  const isAsked =
    asked >= 0 && is(REQUESTS, c.history.kindCode(asked)) && c.proposalOf(asked) === proposal.number;
  return {
    proposed,
    request: isAsked ? asked : lastBefore(c, proposal.requests, answering),
    approval,
  };
}

/** Every way in which an execution differs from what led to it: by digest where both have one, else by command. */
function compare(
  c: Case,
  path: Path,
  executed: number,
): { readonly differences: readonly Difference[]; readonly compared: boolean } {
  const digest = (event: number): string | undefined => c.history.dataText(event, 'actionDigest');
  const steps = [path.proposed, path.request, path.approval].filter((event) => event !== undefined);
  const done = digest(executed) ?? digest(path.proposed);
  const differences: Difference[] = [];
  let compared = false;
  for (const at of done === undefined ? [] : steps) {
    const approved = digest(at);
    if (approved === undefined || (at === path.proposed && digest(executed) === undefined)) continue;
    compared = true;
    if (approved !== done) differences.push({ by: 'digest', approved, executed: done as string, at });
  }
  const isBound = digest(path.proposed) !== undefined && digest(executed) !== undefined;
  const action = c.documents.proposal(path.proposed)?.['action'];
  const written = c.history.dataText(path.proposed, 'command');
  const shown = isObject(action) ? textOf(action, 'command') : undefined;
  const command = isBound ? undefined : c.history.dataText(executed, 'command');
  for (const [by, approved, other] of [
    ['command', written ?? shown, command],
    ['command shown', shown, written],
  ] as const) {
    if (approved === undefined || other === undefined) continue;
    compared = true;
    if (plain(approved) === plain(other)) continue;
    differences.push({ by, approved: plain(approved), executed: plain(other), at: path.proposed });
  }
  for (const at of steps.slice(1)) {
    const approved = c.history.dataText(at, 'command');
    if (approved === undefined || command === undefined) continue;
    compared = true;
    if (plain(approved) === plain(command)) continue;
    differences.push({ by: 'command', approved: plain(approved), executed: plain(command), at });
  }
  return { differences, compared };
}

/** Blanks around a command and a closing semicolon do not make another command. */
function plain(command: string): string {
  return command.trim().replace(/;+$/, '').trimEnd();
}

export const ACTION_LINK_RULES: readonly Rule[] = [decisionNotFromRequest, executedDiffers];
