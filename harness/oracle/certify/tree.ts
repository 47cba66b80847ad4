/**
 * Certificates of the rules about the tree of causes: the sums of a history settle most of them, and one look at
 * each execution, draft, dispatch and end the others.
 */
import { kindCode } from '../../core/event.js';
import type { Case } from '../case.js';
import { DRAFTS, EXECUTIONS } from '../kinds.js';
import { AMONG, type Glance } from './glance.js';

const DISPATCHED = kindCode('task_dispatched');

export class TreeObserver {
  private executions = 0;
  private drafts = 0;
  private dispatches = 0;
  private terminals = 0;
  private areExecutionsTraced = true;
  private areDraftsTraced = true;
  private areDispatchesGranted = true;
  private areTerminalsTraced = true;
  private readonly neededByExecutions: number;

  constructor(private readonly c: Case) {
    this.neededByExecutions = AMONG.goal | (c.collapsed ? AMONG.draft : AMONG.planGrant);
  }

  see({ kind, above }: Glance): void {
    if (EXECUTIONS.has(kind)) {
      this.executions++;
      if ((above & this.neededByExecutions) !== this.neededByExecutions) this.areExecutionsTraced = false;
    } else if (kind === DISPATCHED) {
      this.dispatches++;
      if ((above & AMONG.planGrant) === 0) this.areDispatchesGranted = false;
    } else if (DRAFTS.has(kind)) {
      this.drafts++;
      if ((above & AMONG.goal) === 0) this.areDraftsTraced = false;
    } else {
      this.terminals++;
      if ((above & AMONG.goal) === 0) this.areTerminalsTraced = false;
    }
  }

  /** `isClear`: every request and decision says what it is about. */
  prove(add: (rule: string, applied: number) => void, isClear: boolean): void {
    const { history } = this.c;
    const { size } = history;
    // What makes a history fit for a sweep: one event without cause, the first, and all causes before their effects.
    add('causal/dangling-cause', size - 1);
    add('causal/forward-reference', size - 1);
    add('causal/orphan', size - this.c.runStarts.length);
    if (this.areExecutionsTraced && isClear) add('causal/untraceable-action', this.executions);
    if (this.areTerminalsTraced) add('causal/untraceable-terminal', this.terminals);
    if (this.areDraftsTraced) add('plan/draft-without-goal', this.drafts);
    if (this.areDispatchesGranted && isClear) add('plan/dispatch-before-grant', this.dispatches);
  }
}
