/**
 * Certificates of the rules of family `action`, for proposals that went the plain way: decided before they were
 * executed, not refused, and executed as they were proposed.
 */
import { kindCode } from '../../core/event.js';
import { FIELD, fieldOf, SAMENESS } from '../../core/facts.js';
import type { Case } from '../case.js';
import { kinds } from '../kinds.js';
import type { Way } from './proposals.js';

const EXECUTED = kindCode('action_executed');
const APPROVALS = kinds('action_approved', 'approval_granted');

/** What comes of comparing an execution with what led to it. */
const SAME = { nothing: 0, compared: 1, unclear: 2 } as const;

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
    this.compared = execution < 0 ? SAME.nothing : this.compare({ proposed, request, decision, execution });
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
    // A proposal's file may say more of the action.
    // And a line that is no event of this run may have been taken for the proposal.
    const isAlone = this.c.history.parts.counts.lost === 0;
    if (isAlone && !this.c.evidence.isFolder)
      add('action/executed-differs-from-approved', count.compared, odd);
  }

  /** How many decisions on proposals there are, for the rule that counts those on plans as well. */
  get decisions(): number {
    return this.counts.decisions;
  }

  private commandOf(event: number): number {
    const command = event < 0 ? SAMENESS.none : fieldOf(this.c.history.facts(event), FIELD.command);
    return command === SAMENESS.none ? command : command === SAMENESS.same ? SAMENESS.own : SAMENESS.look;
  }

  private compare({ proposed, request, decision, execution }: Omit<Way, 'proposal'>): number {
    const { history } = this.c;
    const made = history.facts(proposed);
    const done = history.facts(execution);
    const madeDigest = fieldOf(made, FIELD.digest);
    const doneDigest = fieldOf(done, FIELD.digest);
    const asked = request < 0 ? SAMENESS.none : fieldOf(history.facts(request), FIELD.digest);
    const decided = decision < 0 ? SAMENESS.none : fieldOf(history.facts(decision), FIELD.digest);
    if (fieldOf(made, FIELD.command) === SAMENESS.look || madeDigest === SAMENESS.look) return SAME.unclear;
    if (doneDigest === SAMENESS.look || asked === SAMENESS.look || decided === SAMENESS.look)
      return SAME.unclear;
    const isBetween = asked === SAMENESS.same || decided === SAMENESS.same;
    let isCompared = doneDigest === SAMENESS.same || (madeDigest !== SAMENESS.none && isBetween);
    const isBound = madeDigest !== SAMENESS.none && doneDigest !== SAMENESS.none;
    const doneCommand = isBound ? SAMENESS.none : fieldOf(done, FIELD.command);
    if (doneCommand !== SAMENESS.none) {
      const told = fieldOf(made, FIELD.command) | this.commandOf(request) | this.commandOf(decision);
      // Whatever was told of the command is what was proposed, and so is what was done.
      if (told !== SAMENESS.none && (told === SAMENESS.look || doneCommand !== SAMENESS.same))
        return SAME.unclear;
      if (told !== SAMENESS.none) isCompared = true;
    }
    return isCompared ? SAME.compared : SAME.nothing;
  }
}
