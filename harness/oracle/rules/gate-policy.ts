/**
 * Rules of family `gate` about tiers and the policy itself: no loosening, no understating, no second try under
 * another name.
 */
import { isTier, maxTier, tierRank, type Tier } from '../../core/tier.js';
import type { Case } from '../case.js';
import { isObject, said, textOf } from '../documents.js';
import { DRAFTS, is, isRejection, kinds } from '../kinds.js';
import type { Report, Rule } from '../rule.js';
import { isOnMerit } from '../people.js';
import { isExecuted, proposalAnswered, tierOfAction, tierOfFile } from '../walks.js';

const REQUESTS = kinds('approval_requested');
/** Beside the numbers of plans: the last draft of any. */
const LAST = -1;

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
    const drafts = new Map<number, number>();
    let tiers: ReadonlyMap<string, Tier> = new Map();
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (is(DRAFTS, history.kindCode(event))) drafts.set(history.planNumber(event), event).set(LAST, event);
      else if (history.kind(event) === 'approval_granted' && c.isAboutPlan(event))
        tiers = plannedTiers(c, draftGranted(c, event, drafts));
      if (!isExecuted(c, event) && history.kind(event) !== 'action_proposed') continue;
      const task = history.text(c.taskOf(event));
      const allowed = tiers.get(task);
      const tier = ownTier(c, event);
      if (allowed === undefined || tier === undefined) continue;
      report.applied();
      if (tierRank(tier) <= tierRank(allowed) || isToldAlready(c, event, allowed)) continue;
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

/** The tier that an event records, or the file of the proposal it makes. */
function ownTier(c: Case, event: number): Tier | undefined {
  const own = c.history.tier(event);
  return c.history.kind(event) === 'action_proposed' ? maxTier(own, tierOfFile(c, event)) : own;
}

/** Whether an execution only repeats what its proposal is already found for. */
function isToldAlready(c: Case, event: number, allowed: Tier): boolean {
  const number = c.proposalOf(event);
  if (number === 0 || c.history.kind(event) === 'action_proposed') return false;
  const proposed = proposalAnswered(c, c.proposal(number), event);
  const tier = proposed === undefined ? undefined : ownTier(c, proposed);
  return tier !== undefined && tierRank(tier) > tierRank(allowed);
}

function plannedTiers(c: Case, draft: number | undefined): ReadonlyMap<string, Tier> {
  const tiers = new Map<string, Tier>();
  const plan = draft === undefined ? undefined : c.documents.plan(draft);
  for (const task of plan === undefined ? [] : c.documents.plannedTasks(plan).values())
    if (isTier(task.riskTier)) tiers.set(task.id, task.riskTier);
  return tiers;
}

/** The draft that a grant puts in force: of the plan it names, else of the one asked for along its causes. */
function draftGranted(c: Case, grant: number, drafts: ReadonlyMap<number, number>): number | undefined {
  const { history } = c;
  const above = c.nearest(grant, DRAFTS);
  const request = c.nearest(grant, REQUESTS);
  const asked = request >= 0 && c.isAboutPlan(request) ? history.planNumber(request) : 0;
  const named = history.planNumber(grant);
  const wanted = named === 0 ? asked : named;
  if (above >= 0 && (wanted === 0 || history.planNumber(above) === wanted)) return above;
  return wanted === 0 ? drafts.get(LAST) : (drafts.get(wanted) ?? drafts.get(0));
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

/** The rejections of one action, as far as they differ: any that a new one could be held against is among these. */
interface Rejections {
  readonly first: RejectedAction;
  highest: RejectedAction;
  /** Up to two, of different kinds. */
  readonly ofKinds: RejectedAction[];
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
    const rejected = new Map<string, Rejections>();
    for (let place = 0; place < c.history.size; place++) {
      const event = c.history.lineage.at(place);
      const kind = c.history.kind(event);
      if (isRejection(kind) && isOnMerit(c, event)) remember(c, rejected, event);
      const isFresh = kind === 'action_proposed' || (isExecuted(c, event) && c.proposalOf(event) === 0);
      if (!isFresh || rejected.size === 0) continue;
      report.applied();
      if (!c.isLeft(event)) continue;
      const before = identities(c, event).flatMap((identity) => {
        const found = rejected.get(identity);
        return found === undefined ? [] : [found.first, found.highest, ...found.ofKinds];
      });
      before.some((candidate) => foundLaundering({ c, report }, event, candidate));
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
  const tier = ownTier(c, event);
  const tool = c.history.dataText(event, 'kind');
  const isLower = tier !== undefined && before.tier !== undefined && tierRank(tier) < tierRank(before.tier);
  const isOtherTool = tool !== undefined && before.kind !== undefined && tool !== before.kind;
  const isUnproposed = c.history.kind(event) !== 'action_proposed';
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

/** Takes note of what a rejection refuses: the proposal it answers. */
function remember(c: Case, rejected: Map<string, Rejections>, rejection: number): void {
  const number = c.proposalOf(rejection);
  const proposal = number === 0 ? undefined : c.proposal(number);
  const proposed = proposal === undefined ? undefined : proposalAnswered(c, proposal, rejection);
  if (proposed === undefined || !c.isBefore(proposed, rejection)) return;
  const entry: RejectedAction = {
    proposal: number,
    proposed,
    rejection,
    tier: ownTier(c, proposed),
    kind: c.history.dataText(proposed, 'kind'),
  };
  for (const identity of identities(c, proposed)) {
    const known = rejected.get(identity);
    if (known === undefined)
      rejected.set(identity, {
        first: entry,
        highest: entry,
        ofKinds: entry.kind === undefined ? [] : [entry],
      });
    else addRejection(known, entry);
  }
}

function addRejection(known: Rejections, entry: RejectedAction): void {
  if (maxTier(known.highest.tier, entry.tier) !== known.highest.tier) known.highest = entry;
  const isNewKind = entry.kind !== undefined && known.ofKinds.every(({ kind }) => kind !== entry.kind);
  if (isNewKind && known.ofKinds.length < 2) known.ofKinds.push(entry);
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
        history.tier(event) === tierOfAction(c, event);
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
