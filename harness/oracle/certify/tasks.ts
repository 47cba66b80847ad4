/**
 * Certificates of the rules of family `task`: every task dispatched, started and ended once, in one line of causes,
 * with its actions in between.
 */
import { kindCode } from '../../core/event.js';
import type { Case } from '../case.js';
import { AMONG, type Glance } from './glance.js';

const DISPATCHED = kindCode('task_dispatched');
const STARTED = kindCode('task_started');
const RESULT = kindCode('task_result');
/** Bits of what a task has: once, or more than once. */
const HAS = { dispatch: 1, dispatches: 2, start: 4, starts: 8, result: 16, results: 32 } as const;

export class TaskObserver {
  private readonly has: Uint8Array;
  private starts = 0;
  private results = 0;
  private actions = 0;
  private areStartsLinked = true;
  private areResultsLinked = true;
  private areActionsInside = true;
  private areDispatchesNamed = true;

  constructor(private readonly c: Case) {
    this.has = new Uint8Array(c.history.stringCount);
  }

  see(glance: Glance): void {
    const { kind, taskOf } = glance;
    if (kind === DISPATCHED) {
      if (glance.task === 0) this.areDispatchesNamed = false;
      this.mark(taskOf, HAS.dispatch);
    } else if (kind === STARTED) {
      if (taskOf !== 0) this.starts++;
      if (!isUnder(glance, AMONG.dispatch)) this.areStartsLinked = false;
      this.mark(taskOf, HAS.start);
    } else if (kind === RESULT) {
      if (taskOf !== 0) this.results++;
      if (!isUnder(glance, AMONG.dispatch | AMONG.start)) this.areResultsLinked = false;
      this.mark(taskOf, HAS.result);
    } else {
      this.actions++;
      if (!isUnder(glance, AMONG.start) || (this.has[taskOf]! & HAS.result) !== 0)
        this.areActionsInside = false;
    }
  }

  prove(add: (rule: string, applied: number) => void): void {
    const count = { dispatched: 0, started: 0, ended: 0 };
    let all = 0;
    let areStarted = true;
    let areEnded = true;
    for (const has of this.has) {
      all |= has;
      if ((has & HAS.start) !== 0) count.started++;
      if ((has & HAS.result) !== 0) count.ended++;
      if ((has & HAS.dispatch) === 0) continue;
      count.dispatched++;
      if ((has & HAS.start) === 0) areStarted = false;
      if ((has & HAS.result) === 0) areEnded = false;
    }
    if ((all & HAS.dispatches) === 0) add('task/dispatched-twice', count.dispatched);
    if ((all & HAS.starts) === 0) add('task/started-twice', count.started);
    if ((all & HAS.results) === 0) add('task/result-repeated', count.ended);
    if (this.areStartsLinked) add('task/start-without-dispatch', this.starts);
    if (this.areResultsLinked) add('task/result-without-start', this.results);
    if (areStarted) add('task/start-missing', count.dispatched);
    if (areEnded && this.areDispatchesNamed) add('task/result-missing', count.dispatched);
    if (this.areActionsInside && !this.c.collapsed) add('task/action-outside-task', this.actions);
  }

  private mark(task: number, bit: number): void {
    if (task === 0) return;
    const has = this.has[task]!;
    this.has[task] = has | ((has & bit) === 0 ? bit : bit << 1);
  }
}

/** Whether an event descends from what it needs of its own task. */
function isUnder({ above, taskAbove, taskOf }: Glance, needs: number): boolean {
  return taskOf !== 0 && taskOf === taskAbove && (above & needs) === needs;
}
