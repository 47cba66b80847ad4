/**
 * Walks over actions that several rules take: those executed, with what policy asks for them, and those put to
 * somebody. What they need of a proposal is derived once per case. Nothing here judges.
 */
import { kindCode } from '../core/event.js';
import { isTier, maxTier, tierRank, type Tier } from '../core/tier.js';
import type { Case, ProposalRecord } from './case.js';
import { isObject, textOf } from './documents.js';
import { Records } from './groups.js';
import { isApproval, kinds } from './kinds.js';
import { tookEffect } from './outcomes.js';
import { stricter, type Requirement } from './policy.js';

/** What is known of a proposal beyond its events. */
interface Known {
  /** The highest tier that its events record, and its file with them. */
  readonly logTier: Tier | undefined;
  readonly tier: Tier | undefined;
  /** What its proposals, on the log and in their files, say the action is and reaches. */
  readonly kinds: ReadonlySet<string>;
  readonly targets: ReadonlySet<string>;
}

const knownOf = new WeakMap<Case, Records<Known>>();
const PROPOSED = kinds('action_proposed');
const EXECUTED = kindCode('action_executed');
const FAILED = kindCode('action_failed');
/** What names come to where no requirement depends on them. */
const NO_NAMES = { kinds: new Set<string>(), targets: new Set<string>() };
const TARGETS = ['target', 'branch', 'environment'] as const;

function known(c: Case, number: number): Known {
  let all = knownOf.get(c);
  if (all === undefined) {
    all = new Records((each) => ({ record: know(c, c.proposal(each)), size: 1 }));
    knownOf.set(c, all);
  }
  return all.get(number);
}

function know(c: Case, proposal: ProposalRecord): Known {
  const logTier = c.tierOfProposal(proposal);
  let tier = logTier;
  const names = c.policy.hasKinds ? { kinds: new Set<string>(), targets: new Set<string>() } : NO_NAMES;
  for (const event of proposal.proposed) {
    const file = c.documents.proposal(event);
    tier = maxTier(tier, tierOfFile(c, event));
    if (!c.policy.hasKinds) continue;
    const action = file?.['action'];
    addNames(names, (name) => c.history.dataText(event, name));
    addNames(names, (name) => (isObject(action) ? textOf(action, name) : undefined));
  }
  return { logTier, tier, ...names };
}

function addNames(
  names: { kinds: Set<string>; targets: Set<string> },
  read: (name: string) => string | undefined,
): void {
  const kind = read('kind');
  if (kind !== undefined) names.kinds.add(kind);
  for (const name of TARGETS) {
    const target = read(name);
    if (target !== undefined) names.targets.add(target);
  }
}

/** The tier that the file of a proposal gives. */
export function tierOfFile(c: Case, proposed: number): Tier | undefined {
  const tier = textOf(c.documents.proposal(proposed), 'riskTier');
  return isTier(tier) ? tier : undefined;
}

/** The highest tier that the events of a proposal and its file record. */
export function tierOf(c: Case, proposal: ProposalRecord): Tier | undefined {
  return known(c, proposal.number).tier;
}

/** The tier of an execution: its own, or its proposal's where that is higher. */
export function tierOfAction(c: Case, execution: number): Tier | undefined {
  const number = c.proposalOf(execution);
  const own = c.history.tier(execution);
  return number === 0 ? own : maxTier(own, known(c, number).tier);
}

/** What policy asks for an action: at its tier, and no less than at the tier that the log alone gives. */
function requirementOf(c: Case, execution: number, tier: Tier): Requirement {
  const number = c.proposalOf(execution);
  const proposed = number === 0 ? undefined : known(c, number);
  const names = { kinds: new Set(proposed?.kinds), targets: new Set(proposed?.targets) };
  if (c.policy.hasKinds) addNames(names, (name) => c.history.dataText(execution, name));
  const at = (each: Tier): Requirement => c.policy.requirement(each, [...names.kinds], [...names.targets]);
  return stricter(at(tier), at(maxTier(c.history.tier(execution), proposed?.logTier) ?? tier));
}

/** Whether an action took effect: it was executed, or it failed and its own record says that it ran. */
export function isExecuted(c: Case, event: number): boolean {
  return tookEffect(c.history.kindCode(event), c.history.facts(event));
}

export interface Executed {
  readonly tier: Tier;
  readonly proposal: ProposalRecord | undefined;
  readonly requirement: Requirement;
}

/** An executed action; `about` is undefined where its tier is nowhere recorded. */
interface Execution {
  readonly event: number;
  readonly about: Executed | undefined;
}

const executionsIn = new WeakMap<Case, readonly Execution[]>();
/** Up to so many are kept from one rule to the next. */
const EXECUTIONS_KEPT = 200_000;

/**
 * Visits every executed action with its tier, its proposal (where it has one) and what policy asks for it.
 * @param untiered hears of those whose tier is nowhere recorded
 */
export function forExecuted(
  c: Case,
  visit: (event: number, about: Executed) => void,
  untiered?: (event: number) => void,
): void {
  for (const { event, about } of executions(c)) {
    if (!c.isLeft(event)) continue;
    if (about === undefined) untiered?.(event);
    else visit(event, about);
  }
}

function executions(c: Case): Iterable<Execution> {
  const known = executionsIn.get(c);
  if (known !== undefined) return known;
  const { kinds: counts } = c.history.parts.sums;
  // What is left of a certificate is little, and not for the next rule.
  if (c.left !== undefined || counts[EXECUTED]! + counts[FAILED]! > EXECUTIONS_KEPT) return eachExecution(c);
  const all = [...eachExecution(c)];
  executionsIn.set(c, all);
  return all;
}

function* eachExecution(c: Case): Generator<Execution> {
  for (let event = 0; event < c.history.size; event++) {
    if (!isExecuted(c, event) || !c.isLeft(event)) continue;
    const tier = tierOfAction(c, event);
    const number = c.proposalOf(event);
    const proposal = number === 0 ? undefined : c.proposal(number);
    const about =
      tier === undefined ? undefined : { tier, proposal, requirement: requirementOf(c, event, tier) };
    yield { event, about };
  }
}

export interface Shown {
  readonly proposal: ProposalRecord;
  /** The proposal as it was last made before it was shown. */
  readonly proposed: number;
  /** The request, or the proposal itself where there is none. */
  readonly shownAt: number;
}

/**
 * Visits proposals of at least a tier that were put to somebody, approved or executed, each with the moments that
 * count: the requests that its approvals and executions answer, else its last one.
 */
export function forShown(c: Case, atLeast: number, visit: (shown: readonly Shown[]) => void): void {
  for (const proposal of c.proposals()) {
    const [proposed] = proposal.proposed;
    if (proposed === undefined) continue;
    const tier = tierOf(c, proposal);
    if (tier === undefined || tierRank(tier) < atLeast) continue;
    const answers = [
      ...proposal.decisions.filter((event) => isApproval(c.history.kind(event))),
      ...proposal.executions.filter((event) => isExecuted(c, event)),
    ];
    if (proposal.requests.length === 0 && answers.length === 0) continue;
    const shown = new Map<number, Shown>();
    for (const answer of answers.length > 0 ? answers : [undefined]) {
      const request = lastBefore(c, proposal.requests, answer);
      const made = lastBefore(c, proposal.proposed, request ?? answer) ?? proposed;
      const shownAt = request ?? made;
      shown.set(shownAt, { proposal, proposed: made, shownAt });
    }
    visit([...shown.values()]);
  }
}

/** The last of some events, in canonical order, that stands before another. */
export function lastBefore(
  c: Case,
  events: readonly number[],
  event: number | undefined,
): number | undefined {
  return event === undefined ? events.at(-1) : c.lastBefore(events, event);
}

/** The proposal that an event answers: the nearest one above it, else the last that was made before it. */
export function proposalAnswered(c: Case, proposal: ProposalRecord, event: number): number | undefined {
  const above = c.nearest(event, PROPOSED);
  if (above >= 0 && c.proposalOf(above) === proposal.number) return above;
  return lastBefore(c, proposal.proposed, event) ?? proposal.proposed[0];
}
