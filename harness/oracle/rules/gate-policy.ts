/**
 * Rules of family `gate` about tiers and the policy itself: no loosening, no understating, no second try under
 * another name.
 */
import { FLAG } from '../../core/history.js';
import { isTier, tierRank, type Tier } from '../../core/tier.js';
import type { Case } from '../case.js';
import { isObject, said, textOf } from '../documents.js';
import { DRAFTS, is, isRejection } from '../kinds.js';
import type { Report, Rule } from '../rule.js';

const aboveTaskTier: Rule = {
  id: 'gate/above-task-tier',
  title: 'An action is of a higher tier than its task was granted',
  facet: 'policy',
  severity: 'error',
  why: 'The principal granted a task of that tier; going above it is a new question.',
  example: 'a T3 action in a task planned as T2',
  mend: 'Re-plan the task with the higher tier and have the plan granted.',
  needs: ['gate', 'folder'],
  check(c, report) {
    const { history } = c;
    const tiers = plannedTiers(c);
    for (let event = 0; event < history.size; event++) {
      if (history.kind(event) !== 'action_executed' && history.kind(event) !== 'action_proposed') continue;
      const task = history.text(c.taskOf(event));
      const allowed = tiers.get(task);
      const tier = history.tier(event);
      if (allowed === undefined || tier === undefined) continue;
      report.applied();
      const isSecondSight = history.kind(event) === 'action_executed' && c.proposalOf(event) !== 0;
      if (tierRank(tier) <= tierRank(allowed) || isSecondSight) continue;
      const facts = { task, tier, allowed };
      report.found({
        events: [{ event, role: tier }],
        subject: { kind: 'event', event },
        facts,
        key: [task, tier],
      });
    }
  },
  say: (facts) =>
    `The action is ${facts['tier'] as string}, but the plan gives ${facts['task'] as string} at most ${facts['allowed'] as string}.`,
};

/** Tier per task over all plans at hand; of several plans the last drafted counts. */
function plannedTiers(c: Case): ReadonlyMap<string, Tier> {
  const tiers = new Map<string, Tier>();
  for (let place = 0; place < c.history.size; place++) {
    const event = c.history.lineage.at(place);
    const plan = is(DRAFTS, c.history.kindCode(event)) ? c.documents.plan(event) : undefined;
    if (plan === undefined) continue;
    for (const task of c.documents.plannedTasks(plan).values())
      if (isTier(task.riskTier)) tiers.set(task.id, task.riskTier);
  }
  return tiers;
}

const policyLoosened: Rule = {
  id: 'gate/policy-loosened',
  title: 'The policy of the run is looser than the default',
  facet: 'policy',
  severity: 'error',
  why: 'An override may only make the gate stricter.',
  example: 'gate-policy.json with "T3": "allow"',
  mend: 'Remove the member, or make it stricter.',
  needs: ['gate', 'folder'],
  check(c, report) {
    if (c.documents.json('gate-policy.json') === undefined) return;
    report.applied();
    for (const loosening of c.policy.loosenings) {
      report.found({
        events: [],
        subject: { kind: 'file', path: 'gate-policy.json' },
        facts: { ...loosening },
        key: [loosening.member, loosening.found],
        path: 'gate-policy.json',
      });
    }
  },
  say: (facts) =>
    `gate-policy.json ${facts['member'] as string} says ${facts['found'] as string}; at least ${facts['allowed'] as string} is required.`,
};

interface RejectedAction {
  readonly proposal: number;
  readonly proposed: number;
  readonly rejection: number;
  readonly tier: Tier | undefined;
  readonly kind: string | undefined;
}

const laundering: Rule = {
  id: 'gate/laundering',
  title: 'A rejected action comes back under another name',
  facet: 'policy',
  severity: 'error',
  why: 'A lower tier or another tool after a rejection is a way round the gate.',
  example: 'p1?T4{command:rm} r1 p2?T1{command:rm} e2',
  mend: 'Re-plan the task, or ask again at the same tier.',
  needs: ['gate'],
  check(c, report) {
    const rejected = rejectedActions(c);
    if (rejected.size === 0) return;
    for (let place = 0; place < c.history.size; place++) {
      const event = c.history.lineage.at(place);
      const kind = c.history.kind(event);
      const isFresh = kind === 'action_proposed' || (kind === 'action_executed' && c.proposalOf(event) === 0);
      if (!isFresh) continue;
      report.applied();
      for (const identity of identities(c, event)) {
        const before = rejected.get(identity)?.find((candidate) => c.isBefore(candidate.rejection, event));
        if (before !== undefined && foundLaundering({ c, report }, event, before)) break;
      }
    }
  },
  say: (facts) =>
    `The action rejected as ${said(facts['rejectedTier'])} comes back ` +
    (facts['how'] === 'lower-tier'
      ? `as ${said(facts['tier'])}.`
      : facts['how'] === 'other-tool'
        ? `through ${said(facts['tool'])}.`
        : 'without being proposed.'),
};

function foundLaundering(
  { c, report }: { c: Case; report: Report },
  event: number,
  before: RejectedAction,
): boolean {
  const tier = c.history.tier(event);
  const tool = c.history.dataText(event, 'kind');
  const isLower = tier !== undefined && before.tier !== undefined && tierRank(tier) < tierRank(before.tier);
  const isOtherTool = tool !== undefined && before.kind !== undefined && tool !== before.kind;
  const isUnproposed = c.history.kind(event) === 'action_executed';
  if (!isLower && !isOtherTool && !isUnproposed) return false;
  const number = c.proposalOf(event);
  report.found({
    events: [
      { event, role: 'comes back' },
      { event: before.rejection, role: 'rejected' },
      { event: before.proposed, role: 'first proposed' },
    ],
    subject: number === 0 ? { kind: 'event', event } : { kind: 'proposal', number },
    facts: {
      how: isLower ? 'lower-tier' : isOtherTool ? 'other-tool' : 'unproposed',
      tier: tier ?? null,
      rejectedTier: before.tier ?? null,
      tool: tool ?? null,
    },
    key: [c.history.text(before.proposal), tier ?? '', tool ?? ''],
  });
  return true;
}

/** What makes two actions the same: the digest of tool and input, and the command. */
function identities(c: Case, event: number): string[] {
  const file = c.documents.proposal(event)?.['action'];
  const command =
    c.history.dataText(event, 'command') ?? (isObject(file) ? textOf(file, 'command') : undefined);
  const digest = c.history.dataText(event, 'actionDigest');
  return [
    ...(digest === undefined ? [] : [`digest ${digest}`]),
    ...(command === undefined ? [] : [`command ${command.trim()}`]),
  ];
}

function rejectedActions(c: Case): ReadonlyMap<string, RejectedAction[]> {
  const rejected = new Map<string, RejectedAction[]>();
  for (const proposal of c.proposals()) {
    const rejection = proposal.decisions.find(
      (event) => isRejection(c.history.kind(event)) && isOnMerit(c, event),
    );
    const [proposed] = proposal.proposed;
    if (rejection === undefined || proposed === undefined) continue;
    const entry = {
      proposal: proposal.number,
      proposed,
      rejection,
      tier: c.history.tier(proposed),
      kind: c.history.dataText(proposed, 'kind'),
    };
    for (const identity of identities(c, proposed))
      rejected.set(identity, [...(rejected.get(identity) ?? []), entry]);
  }
  return rejected;
}

/** Superseded and aborted requests were closed, not refused. */
function isOnMerit(c: Case, rejection: number): boolean {
  const decision = c.history.dataText(rejection, 'decision');
  return decision !== 'superseded' && decision !== 'aborted' && !c.history.has(rejection, FLAG.auto);
}

const tierUnderstated: Rule = {
  id: 'gate/tier-understated',
  title: 'An action is recorded below the tier it has',
  facet: 'policy',
  severity: 'error',
  why: 'A dangerous action called harmless passes the gate unseen.',
  example: 'git status && rm -rf /important recorded as T0',
  mend: 'Use the higher of what the agent claims and what the classifier finds.',
  needs: ['gate', 'opinions'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      const opinion = c.options.opinions?.get(history.id(event));
      const tier = history.tier(event);
      if (opinion === undefined || tier === undefined) continue;
      report.applied();
      const isSecondSight =
        history.kind(event) === 'action_executed' &&
        c.proposalOf(event) !== 0 &&
        history.tier(event) === c.tierOfExecution(event);
      const proposed = isSecondSight ? c.proposal(c.proposalOf(event)).proposed[0] : undefined;
      const isToldAlready = proposed !== undefined && c.options.opinions?.has(history.id(proposed)) === true;
      if (tierRank(tier) >= tierRank(opinion.tier) || isToldAlready) continue;
      report.found({
        events: [{ event, role: `recorded ${tier}` }],
        subject: { kind: 'event', event },
        facts: { tier, opinion: opinion.tier, reasons: [...opinion.reasons] },
        key: [tier, opinion.tier, history.dataText(event, 'kind') ?? ''],
      });
    }
  },
  say: (facts) =>
    `The action is recorded as ${facts['tier'] as string}; the classifier finds ${facts['opinion'] as string} (${(facts['reasons'] as string[]).join('; ')}).`,
};

export const GATE_POLICY_RULES: readonly Rule[] = [
  aboveTaskTier,
  policyLoosened,
  laundering,
  tierUnderstated,
];
