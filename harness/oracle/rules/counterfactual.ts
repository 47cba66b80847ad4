/**
 * Rules of family `counterfactual`: every end of an action says what would have happened without a gate, and
 * says it in line with the outcome table of the protocol.
 */
import type { JsonObject } from '../../core/event.js';
import { FIELD, fieldOf, FLAG } from '../../core/facts.js';
import { tierRank, TIERS } from '../../core/tier.js';
import type { Case } from '../case.js';
import { isRejection, kinds } from '../kinds.js';
import { said } from '../documents.js';
import { agrees } from '../outcomes.js';
import type { Rule } from '../rule.js';

const ENDS_ALWAYS = kinds('action_executed', 'action_failed', 'action_rejected');
const ENDS_OF_REQUEST = kinds('approval_rejected', 'approval_expired', 'approval_unavailable');

function isEndOfAction(c: Case, event: number): boolean {
  const code = c.history.kindCode(event);
  return ENDS_ALWAYS.has(code) || (ENDS_OF_REQUEST.has(code) && !c.isAboutPlan(event));
}

const blockMissing: Rule = {
  id: 'counterfactual/block-missing',
  title: 'The end of an action has no counterfactual block',
  facet: 'evidence',
  severity: 'error',
  why: 'Incidents prevented are counted from these blocks, in gated and ungated conditions alike.',
  example: 'action_executed without counterfactual in a log of ours',
  mend: 'Let the gate classify every action, also where it may not stop it.',
  needs: ['ours'],
  check(c, report) {
    for (let event = 0; event < c.history.size; event++) {
      if (!isEndOfAction(c, event)) continue;
      report.applied();
      if (c.history.has(event, FLAG.counterfactual)) continue;
      const facts = { kind: c.history.kindName(event) };
      const subject = { kind: 'event', event } as const;
      report.found({
        events: [{ event, role: 'end of an action' }],
        subject,
        facts,
        key: [facts.kind, c.history.text(c.taskOf(event))],
      });
    }
  },
  say: (facts) => `This ${facts['kind'] as string} ends an action and has no counterfactual block.`,
};

interface Outcome {
  readonly executed: boolean;
  readonly would: readonly boolean[];
  readonly preventedBy: readonly string[];
}

/** What the block may say for how an action ended (the table of outcomes in runs/README.md). */
function expected(c: Case, event: number): Outcome {
  const { history } = c;
  const stopped = (...preventedBy: string[]): Outcome => ({ executed: false, would: [true], preventedBy });
  const kind = history.kind(event);
  const by = history.dataText(event, 'by');
  if (kind === 'action_executed') return { executed: true, would: [true], preventedBy: ['none'] };
  if (kind === 'action_failed') return failed(by);
  return isRejection(kind) ? rejected(by) : stopped('action_gate');
  function rejected(by: string | undefined): Outcome {
    if (by === 'policy' || by === 'gate') return stopped('action_gate');
    return by === 'principal'
      ? stopped('principal_veto')
      : stopped('principal_veto', 'action_gate', 'plan_gate');
  }
  function failed(by: string | undefined): Outcome {
    if (by === 'testbed') return stopped('tripwire');
    if (by === 'broker') return { executed: false, would: [false], preventedBy: ['none'] };
    // The handler itself failed: it was let through, and did or did not get to act.
    return { executed: true, would: [true, false], preventedBy: ['none', 'tripwire'] };
  }
}

const contradictory: Rule = {
  id: 'counterfactual/contradictory',
  title: 'A counterfactual block contradicts what happened',
  facet: 'evidence',
  severity: 'error',
  why: 'An executed action called prevented, or a stopped one called executed, makes every count of the study wrong.',
  example: 'action_executed with actuallyExecuted false',
  mend: 'Fill the block from the outcome: the table of outcomes stands in runs/README.md.',
  check(c, report) {
    for (let event = 0; event < c.history.size; event++) {
      if (!c.history.has(event, FLAG.counterfactual) || !isEndOfAction(c, event)) continue;
      report.applied();
      if (agrees(c.history.kindCode(event), c.history.facts(event))) continue;
      const wrong = contradictions(c, event, c.history.counterfactual(event) ?? {});
      if (wrong.length === 0) continue;
      const facts = { kind: c.history.kindName(event), wrong };
      report.found({
        events: [{ event, role: 'says otherwise' }],
        subject: { kind: 'event', event },
        facts,
        key: [facts.kind, ...wrong],
      });
    }
  },
  say: (facts) =>
    `The block of this ${facts['kind'] as string} does not agree with it: ${(facts['wrong'] as string[]).join('; ')}.`,
};

function contradictions(c: Case, event: number, block: JsonObject): string[] {
  const outcome = expected(c, event);
  const isFailed = c.history.kind(event) === 'action_failed' && outcome.executed;
  const wrong: string[] = [];
  const { actuallyExecuted, wouldHaveExecuted, preventedBy } = block;
  if (typeof actuallyExecuted === 'boolean' && !isFailed && actuallyExecuted !== outcome.executed) {
    wrong.push(`actuallyExecuted is ${actuallyExecuted}, the event says ${outcome.executed}`);
  }
  if (typeof wouldHaveExecuted === 'boolean' && !outcome.would.includes(wouldHaveExecuted)) {
    wrong.push(`wouldHaveExecuted is ${wouldHaveExecuted}, expected ${outcome.would.join(' or ')}`);
  }
  if (typeof preventedBy === 'string' && !outcome.preventedBy.includes(preventedBy)) {
    wrong.push(`preventedBy is ${preventedBy}, expected ${outcome.preventedBy.join(' or ')}`);
  }
  return wrong;
}

const tierDiffers: Rule = {
  id: 'counterfactual/tier-differs',
  title: 'The predicted tier disagrees with the tier used',
  facet: 'evidence',
  severity: 'error',
  why: 'The tier used is the higher of claim and prediction: it can never be below the prediction.',
  example: 'tier T1 with predictedRiskTier T4',
  mend: 'Record the tier the gate used, and the classifier’s own in the block.',
  check(c, report) {
    for (let event = 0; event < c.history.size; event++) {
      const predicted = TIERS[fieldOf(c.history.facts(event), FIELD.predicted) - 1];
      const tier = c.history.tier(event);
      if (predicted === undefined) continue;
      const opinion = c.options.opinions?.get(c.history.id(event));
      if (tier === undefined && opinion === undefined) continue;
      report.applied();
      const isBelow = tier !== undefined && tierRank(tier) < tierRank(predicted);
      const isOther = opinion !== undefined && opinion.tier !== predicted;
      if (!isBelow && !isOther) continue;
      const facts = { predicted, tier: tier ?? null, opinion: opinion?.tier ?? null };
      report.found({
        events: [{ event, role: `predicted ${predicted}` }],
        subject: { kind: 'event', event },
        facts,
        key: [predicted, tier ?? ''],
      });
    }
  },
  say: (facts) =>
    facts['opinion'] === null || facts['opinion'] === facts['predicted']
      ? `The tier used is ${said(facts['tier'])}, below the predicted ${facts['predicted'] as string}.`
      : `The block predicts ${facts['predicted'] as string}; the classifier finds ${facts['opinion'] as string}.`,
};

export const COUNTERFACTUAL_RULES: readonly Rule[] = [blockMissing, contradictory, tierDiffers];
