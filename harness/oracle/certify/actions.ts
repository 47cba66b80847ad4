/**
 * Certificates of the rules of family `action`, for proposals that went the plain way: decided before they were
 * executed, not refused, and executed as they were proposed.
 */
import { kindCode } from '../../core/event.js';
import type { Case } from '../case.js';
import { APPROVALS } from '../kinds.js';
import { isRemembered, SAME, samenessOf } from '../sameness.js';
import type { Way } from './proposals.js';

const EXECUTED = kindCode('action_executed');

export class ActionObserver {
  private compared: number = SAME.nothing;
  private readonly counts = {
    proposed: 0,
    requests: 0,
    decisions: 0,
    answers: 0,
    executed: 0,
    decidedExecutions: 0,
    compared: 0,
  };

  constructor(private readonly c: Case) {}

  isPlain({ proposed, request, decision, execution }: Way): boolean {
    const { history } = this.c;
    if (decision < 0 && execution < 0) return false;
    const isApproved = decision >= 0 && APPROVALS.has(history.kindCode(decision));
    if (execution >= 0 && decision >= 0 && !isApproved) return false;
    if (execution >= 0 && decision < 0 && request >= 0) return false;
    this.compared =
      execution < 0 ? SAME.nothing : samenessOf(this.c, { proposed, request, approval: decision, execution });
    return this.compared !== SAME.unclear;
  }

  count({ request, decision, execution }: Way): void {
    const count = this.counts;
    count.proposed++;
    if (request >= 0) {
      count.requests++;
      count.answers += decision >= 0 ? 2 : 1;
    }
    if (decision >= 0) count.decisions++;
    if (execution < 0) return;
    if (this.c.history.kindCode(execution) === EXECUTED) count.executed++;
    if (decision >= 0) count.decidedExecutions++;
    if (this.compared === SAME.compared) count.compared++;
  }

  prove(
    add: (rule: string, applied: number, left: ReadonlySet<number>) => void,
    odd: ReadonlySet<number>,
  ): void {
    const count = this.counts;
    add('action/approval-without-proposal', count.decisions + count.requests, odd);
    add('action/executed-after-rejection', count.decidedExecutions, odd);
    add('action/executed-twice', count.executed, odd);
    add('action/approval-after-execution', count.decidedExecutions, odd);
    add('action/approval-not-its-cause', count.decidedExecutions, odd);
    add('action/proposal-undecided', count.proposed, odd);
    add('action/decision-not-from-request', count.answers, odd);
    if (isRemembered(this.c)) add('action/executed-differs-from-approved', count.compared, odd);
  }

  /** How many decisions on proposals there are, for the rule that counts those on plans as well. */
  get decisions(): number {
    return this.counts.decisions;
  }
}
