/**
 * Certificates of the rules of family `counterfactual`: every end of an action has a block that agrees with it
 * (outcomes.ts), and the tier used is never below the one predicted.
 */
import { FIELD, fieldOf, FLAG } from '../../core/facts.js';
import type { Case } from '../case.js';
import { kinds } from '../kinds.js';
import { agrees } from '../outcomes.js';
import type { Glance } from './glance.js';

const OF_REQUEST = kinds('approval_rejected', 'approval_expired', 'approval_unavailable');

export class OutcomeObserver {
  private ends = 0;
  private blocks = 0;
  private tiersCompared = 0;
  private allBlocks = 0;
  private areTiersInLine = true;
  private haveBlocks = true;
  private agree = true;

  constructor(private readonly c: Case) {}

  see({ kind, facts, isAboutPlan }: Glance): void {
    if ((facts & FLAG.counterfactual) !== 0) this.seeTier(facts);
    if (OF_REQUEST.has(kind) && isAboutPlan) return;
    this.ends++;
    if ((facts & FLAG.counterfactual) === 0) {
      this.haveBlocks = false;
      return;
    }
    this.blocks++;
    if (!agrees(kind, facts)) this.agree = false;
  }

  prove(add: (rule: string, applied: number) => void): void {
    if (this.haveBlocks && this.c.isOurs) add('counterfactual/block-missing', this.ends);
    if (this.agree) add('counterfactual/contradictory', this.blocks);
    const { counterfactuals } = this.c.history.parts.sums;
    const isComplete = this.allBlocks === counterfactuals && this.c.options.opinions === undefined;
    if (isComplete && this.areTiersInLine) add('counterfactual/tier-differs', this.tiersCompared);
  }

  private seeTier(facts: number): void {
    this.allBlocks++;
    const predicted = fieldOf(facts, FIELD.predicted);
    const tier = fieldOf(facts, FIELD.tier);
    if (predicted === 0 || tier === 0) return;
    this.tiersCompared++;
    if (tier < predicted) this.areTiersInLine = false;
  }
}
