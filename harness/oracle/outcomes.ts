/**
 * What the counterfactual block of an action's end may say, by the facts of the line alone (core/facts.ts): the table of
 * outcomes of runs/README.md. Where facts and table agree, nobody needs to read the block.
 */
import { kindCode } from '../core/event.js';
import { BY, FIELD, fieldOf, PREVENTED_BY } from '../core/facts.js';
import { REJECTIONS } from './kinds.js';

const EXECUTED = kindCode('action_executed');
const FAILED = kindCode('action_failed');
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

/** Whether an action took effect: it was executed, or it failed and its own block says that it ran. */
export function tookEffect(kind: number, facts: number): boolean {
  return kind === EXECUTED || (kind === FAILED && fieldOf(facts, FIELD.executed) === TRUE);
}

/** Whether the block of an action's end, of which these are the facts, agrees with how it ended. */
export function agrees(kind: number, facts: number): boolean {
  const outcome = outcomeOf(kind, fieldOf(facts, FIELD.by));
  return (
    isAmong(outcome.executed, fieldOf(facts, FIELD.executed)) &&
    isAmong(outcome.would, fieldOf(facts, FIELD.would)) &&
    isAmong(outcome.prevented, fieldOf(facts, FIELD.preventedBy))
  );
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
