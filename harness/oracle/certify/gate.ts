/**
 * Certificates of the rules of family `gate`, for proposals that went the plain way, under a policy that goes by tiers
 * alone and without a run folder: approved by the principal where a person is asked for, or the veto window waited out.
 */
import { kindCode } from '../../core/event.js';
import { FIELD, fieldOf, FLAG, WAITED_LONG_MS } from '../../core/facts.js';
import { TIERS } from '../../core/tier.js';
import type { Case } from '../case.js';
import { APPROVALS } from '../kinds.js';
import { tookEffect } from '../outcomes.js';
import { deciderOf } from '../people.js';
import { needsApproval, type Requirement } from '../policy.js';
import type { Way } from './proposals.js';

const VERIFIED = kindCode('snapshot_verified');
const T4 = TIERS.indexOf('T4') + 1;

export class GateObserver {
  private readonly requirements: readonly Requirement[];
  private readonly highest = new Set<number>();
  private readonly claiming = new Set<number>();
  private readonly counts = { approvals: 0, proposals: 0, windows: 0, shown: 0, channels: 0 };
  /** Of the proposal looked at last: its tier where it was executed, else 0. */
  private executedTier = 0;
  /** The same: of the highest tier, put to somebody or done; and on how many channels. */
  private isShownHighest = false;
  private channels = 0;
  /** Verifications that did not fail, in order; undefined until asked for. */
  private verifications: readonly number[] | undefined;

  constructor(private readonly c: Case) {
    this.requirements = TIERS.map((tier) => c.policy.requirement(tier, [], []));
  }

  isPlain(way: Way): boolean {
    const { history } = this.c;
    const { proposal, proposed, request, execution } = way;
    const made = history.facts(proposed);
    const asked = request < 0 ? 0 : history.facts(request);
    const done = execution < 0 ? 0 : history.facts(execution);
    const tier = Math.max(fieldOf(made, FIELD.tier), fieldOf(asked, FIELD.tier), fieldOf(done, FIELD.tier));
    this.isShownHighest = tier === T4;
    if (tier === T4 && !this.isBackedUp(way)) this.highest.add(proposal);
    if (((made | asked) & FLAG.claims) !== 0) this.claiming.add(proposal);
    this.executedTier = 0;
    if (execution < 0) return true;
    if (!tookEffect(history.kindCode(execution), done)) return true;
    this.executedTier = tier;
    return this.isInOrder(way, tier);
  }

  count(way: Way): void {
    const { executedTier, counts } = this;
    if (this.isShownHighest && !this.highest.has(way.proposal)) {
      counts.shown += isShown(this.c, way) ? 1 : 0;
      counts.channels += this.channels;
    }
    if (executedTier === 0) return;
    const requirement = this.requirements[executedTier - 1]!;
    if (needsApproval(requirement)) counts.approvals++;
    if (requirement === 'soft_gate') counts.windows++;
    if (executedTier > 1) counts.proposals++;
  }

  prove(
    add: (rule: string, applied: number, left: ReadonlySet<number>) => void,
    odd: ReadonlySet<number>,
  ): void {
    add('gate/ungated-high-tier', this.counts.approvals, odd);
    add('gate/proposal-missing', this.counts.proposals, odd);
    add('gate/veto-window-open', this.counts.windows, odd);
    add('gate/two-person-missing', 0, odd);
    const orHighest = new Set([...odd, ...this.highest]);
    add('gate/asynchronous-channel', this.counts.channels, orHighest);
    add('gate/backup-unverified', this.counts.shown, orHighest);
    add('gate/backup-stale', this.counts.shown, orHighest);
    add('gate/backup-claim-contradicted', 0, new Set([...odd, ...this.claiming]));
  }

  /** Whether a verified backup was fresh when the action was shown, on channels where the gate waits. */
  private isBackedUp(way: Way): boolean {
    const { c } = this;
    const { history, policy } = c;
    const { proposed, request, decision } = way;
    this.channels = 0;
    const approval = decision >= 0 && APPROVALS.has(history.kindCode(decision)) ? decision : -1;
    for (const event of [request, approval]) {
      const channel = event < 0 ? 0 : history.channelNumber(event);
      if (channel === 0) continue;
      if (policy.channelKind(history.text(channel)) !== 'synchronous') return false;
      this.channels++;
    }
    if (!isShown(c, way)) return true;
    if (((history.facts(proposed) | (request < 0 ? 0 : history.facts(request))) & FLAG.claims) !== 0)
      return false;
    this.verifications ??= history.landmarks(VERIFIED);
    const shownAt = request < 0 ? proposed : request;
    const verified = c.lastBefore(this.verifications, shownAt);
    if (verified === undefined || history.has(verified, FLAG.claims)) return false;
    return history.clockMs(shownAt) - history.clockMs(verified) <= policy.backupAgeMaxMs;
  }

  private isInOrder(way: Way, tier: number): boolean {
    if (tier === 0) return false;
    const requirement = this.requirements[tier - 1]!;
    if (requirement === 'block' || requirement === 'require_approval_and_two_person') return false;
    if (needsApproval(requirement)) return this.isPersonsYes(way.decision);
    return requirement !== 'soft_gate' || this.isPersonsYes(way.decision) || this.isWaitedOut(way);
  }

  private isPersonsYes(decision: number): boolean {
    if (decision < 0) return false;
    const { history } = this.c;
    const doubts = FLAG.auto | FLAG.maybeTimeOut | FLAG.maybeNo;
    return (
      APPROVALS.has(history.kindCode(decision)) &&
      (history.facts(decision) & doubts) === 0 &&
      deciderOf(this.c, decision) === 'person'
    );
  }

  /** Whether the veto window passed before the execution, by what the gate says it waited, else by the clock. */
  private isWaitedOut({ proposed, decision, execution }: Way): boolean {
    const { history, policy } = this.c;
    if (policy.vetoWindowMs > WAITED_LONG_MS) return false;
    const isAuto = decision >= 0 && history.has(decision, FLAG.auto);
    const waited = isAuto ? fieldOf(history.facts(decision), FIELD.waited) : 0;
    if (waited === 1) return false;
    if (waited === 2 && deciderOf(this.c, decision) === 'machinery') return true;
    const clockMs = history.clockMs(execution) - history.clockMs(proposed);
    return clockMs >= policy.vetoWindowMs;
  }
}

/** Whether a proposal was put to somebody, approved or executed. */
function isShown({ history }: Case, { request, decision, execution }: Way): boolean {
  if (request >= 0 || (decision >= 0 && APPROVALS.has(history.kindCode(decision)))) return true;
  return execution >= 0 && tookEffect(history.kindCode(execution), history.facts(execution));
}
