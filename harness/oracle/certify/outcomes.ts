/**
 * Certificates of the rules of family `counterfactual`: every end of an action has a block that agrees with it, by
 * the table of outcomes (runs/README.md).
 */
import { kindCode } from '../../core/event.js';
import { BY, FIELD, fieldOf, FLAG, PREVENTED_BY } from '../../core/facts.js';
import type { Case } from '../case.js';
import { kinds } from '../kinds.js';
import type { Glance } from './glance.js';

const EXECUTED = kindCode('action_executed');
const FAILED = kindCode('action_failed');
const OF_REQUEST = kinds('approval_rejected', 'approval_expired', 'approval_unavailable');
const REJECTIONS = kinds('action_rejected', 'approval_rejected');
const FALSE = 1;
const TRUE = 2;
const by = (name: string): number => BY.indexOf(name) + 1;
const prevented = (...names: string[]): number =>
  names.reduce((bits, name) => bits | (1 << (PREVENTED_BY.indexOf(name) + 1)), 1);

const BY_PRINCIPAL = by('principal');
const BY_GATE = new Set([by('policy'), by('gate')]);
const BY_TESTBED = by('testbed');
const BY_BROKER = by('broker');

/** What the fields of a block may be, as bits by their values; bit 0, "not there", always. */
interface Outcome {
  readonly executed: number;
  readonly would: number;
  readonly prevented: number;
}
const ANY = 1 | (1 << FALSE) | (1 << TRUE);
const DONE: Outcome = { executed: 1 | (1 << TRUE), would: 1 | (1 << TRUE), prevented: prevented('none') };
const stopped = (...names: string[]): Outcome => ({
  executed: 1 | (1 << FALSE),
  would: 1 | (1 << TRUE),
  prevented: prevented(...names),
});
const BY_ACTION_GATE = stopped('action_gate');
const BY_VETO = stopped('principal_veto');
const BY_SOMEBODY = stopped('principal_veto', 'action_gate', 'plan_gate');
const BY_TRIPWIRE = stopped('tripwire');
const NEVER: Outcome = { executed: 1 | (1 << FALSE), would: 1 | (1 << FALSE), prevented: prevented('none') };
const IN_HANDLER: Outcome = { executed: ANY, would: ANY, prevented: prevented('none', 'tripwire') };

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
    const outcome = outcomeOf(kind, fieldOf(facts, FIELD.by));
    const agrees =
      isAmong(outcome.executed, fieldOf(facts, FIELD.executed)) &&
      isAmong(outcome.would, fieldOf(facts, FIELD.would)) &&
      isAmong(outcome.prevented, fieldOf(facts, FIELD.preventedBy));
    if (!agrees) this.agree = false;
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

function outcomeOf(kind: number, who: number): Outcome {
  if (kind === EXECUTED) return DONE;
  if (kind === FAILED) return who === BY_TESTBED ? BY_TRIPWIRE : who === BY_BROKER ? NEVER : IN_HANDLER;
  if (!REJECTIONS.has(kind) || BY_GATE.has(who)) return BY_ACTION_GATE;
  return who === BY_PRINCIPAL ? BY_VETO : BY_SOMEBODY;
}

function isAmong(bits: number, value: number): boolean {
  return (bits & (1 << value)) !== 0;
}
