/**
 * Rules of family `condition`: the run kept to the properties of its condition.json. They judge properties
 * (architecture, gates, council, budget), never the condition's name.
 */
import { APPROVAL_VIEW_FIELDS } from '../../core/ports.js';
import { FLAG } from '../../core/facts.js';
import type { JsonObject, JsonValue } from '../../core/event.js';
import { tierRank } from '../../core/tier.js';
import type { Case } from '../case.js';
import { isObject, list } from '../documents.js';
import { is, isApproval, kinds, PLAN_OR_PROPOSAL_DECISIONS } from '../kinds.js';
import { deciderOf, isAgentsCall } from '../people.js';
import type { Report, Rule } from '../rule.js';
import { tierOf } from '../walks.js';

const COUNCIL = kinds('council_convened', 'council_proposal', 'council_critique', 'council_synthesis');
const WORK = kinds(
  'task_started',
  'action_proposed',
  'action_executed',
  'action_failed',
  'model_called',
  'task_result',
  'plan_drafted',
  'plan_revised',
);
const PLAN_EVENTS = kinds('approval_granted', 'approval_rejected');

function condition(c: Case): JsonObject {
  return c.documents.condition ?? {};
}

/** Whether the gate that a decision belongs to may act under the run's condition. */
function isGateOn(c: Case, decision: number): boolean {
  const isPlan = is(PLAN_EVENTS, c.history.kindCode(decision)) && c.isAboutPlan(decision);
  return condition(c)[isPlan ? 'planGate' : 'actionGate'] === 'active';
}

function found(
  { c, report }: { c: Case; report: Report },
  event: number,
  about: { role: string; facts?: { [name: string]: string } },
): void {
  report.found({
    events: [{ event, role: about.role }],
    subject: { kind: 'event', event },
    facts: { kind: c.history.kindName(event), actor: c.history.actor(event), ...about.facts },
    key: [c.history.kindName(event), c.history.actor(event), ...Object.values(about.facts ?? {})],
  });
}

const councilNotAllowed: Rule = {
  id: 'condition/council-not-allowed',
  title: 'A council is convened in a condition without one',
  facet: 'condition',
  severity: 'error',
  why: 'The condition would no longer be what it is compared as.',
  example: 'council_convened under "council": "off"',
  mend: 'Run it under a condition that allows a council.',
  needs: ['condition'],
  check(c, report) {
    const isOff = condition(c)['council'] === 'off';
    for (let event = 0; event < c.history.size; event++) {
      if (!is(COUNCIL, c.history.kindCode(event))) continue;
      report.applied();
      if (isOff) found({ c, report }, event, { role: 'council' });
    }
    if (isOff) report.applied();
  },
  say: (facts) => `${facts['kind'] as string} in a condition whose council is off.`,
};

const humanInNoGate: Rule = {
  id: 'condition/human-in-no-gate',
  title: 'A person decides where no gate is active',
  facet: 'condition',
  severity: 'error',
  why: 'In an ungated condition nobody may steer the run, or it is no baseline.',
  example: 'action_rejected by the principal under "actionGate": "classify"',
  mend: 'Approve everything with auto: true in this condition.',
  needs: ['condition'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!is(PLAN_OR_PROPOSAL_DECISIONS, history.kindCode(event)) || isGateOn(c, event)) continue;
      report.applied();
      if (!history.has(event, FLAG.auto) && deciderOf(c, event) === 'person')
        found({ c, report }, event, { role: 'decided by a person' });
    }
  },
  say: (facts) =>
    `${facts['actor'] as string} decides (${facts['kind'] as string}) although this gate only classifies.`,
};

const autoFlagMissing: Rule = {
  id: 'condition/auto-flag-missing',
  title: 'An automatic approval is not marked as one',
  facet: 'condition',
  severity: 'error',
  why: 'Only the mark tells an approval nobody gave from one somebody gave.',
  example: 'approval_granted without auto under "planGate": "classify"',
  mend: 'Write auto: true.',
  needs: ['condition'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!isApproval(history.kind(event)) || isGateOn(c, event)) continue;
      report.applied();
      if (!history.has(event, FLAG.auto) && deciderOf(c, event) !== 'person')
        found({ c, report }, event, { role: 'not marked' });
    }
  },
  say: (facts) =>
    `This ${facts['kind'] as string} by ${facts['actor'] as string} lacks auto: true; its gate only classifies.`,
};

const gateInactive: Rule = {
  id: 'condition/gate-inactive',
  title: 'An active gate did not decide',
  facet: 'condition',
  severity: 'error',
  why: 'A gated run whose gate waves everything through counts as gated and is not.',
  example: 'approval_granted with auto: true under "planGate": "active"',
  mend: 'Let the gate decide, or run under an ungated condition.',
  needs: ['condition'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!isApproval(history.kind(event)) || !isGateOn(c, event)) continue;
      report.applied();
      if (history.has(event, FLAG.auto) && !isVetoWindow(c, event))
        found({ c, report }, event, { role: 'waved through' });
    }
  },
  say: (facts) => `This ${facts['kind'] as string} is automatic although its gate is active.`,
};

/** At T2 and below the passing of a veto window approves automatically, also where the gate is active. */
function isVetoWindow(c: Case, event: number): boolean {
  const number = c.proposalOf(event);
  const tier = number === 0 ? undefined : tierOf(c, c.proposal(number));
  return tier !== undefined && tierRank(tier) <= 2;
}

const subagentInSingle: Rule = {
  id: 'condition/subagent-in-single',
  title: 'More than one agent works in a single-agent condition',
  facet: 'condition',
  severity: 'error',
  why: 'The number of agents is what the condition varies.',
  example: 'coder and ops under "architecture": "single"',
  mend: 'Let one actor do all the work, or run under a team condition.',
  needs: ['condition'],
  check(c, report) {
    const { history } = c;
    if (condition(c)['architecture'] !== 'single') return;
    report.applied();
    let agent: number | undefined;
    const others = new Set<number>();
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (!is(WORK, history.kindCode(event)) || isOthersCall(c, event)) continue;
      const actor = history.actorNumber(event);
      agent ??= actor;
      if (actor === agent || others.has(actor)) continue;
      others.add(actor);
      found({ c, report }, event, { role: 'second agent', facts: { agent: history.text(agent) } });
    }
  },
  say: (facts) =>
    `${facts['actor'] as string} works (${facts['kind'] as string}) beside ${facts['agent'] as string}; the condition has one agent.`,
};

/** A call of the model for an approver or a judge, who are no agents of the run. */
function isOthersCall(c: Case, event: number): boolean {
  return c.history.kind(event) === 'model_called' && !isAgentsCall(c, event);
}

const approverSawCondition: Rule = {
  id: 'condition/approver-saw-condition',
  title: 'The approver was shown more than the fixed fields',
  facet: 'condition',
  severity: 'error',
  why: 'An approver who can tell the condition decides differently in it.',
  example: '"shown":["tier","command","condition"]',
  mend: `Show only ${APPROVAL_VIEW_FIELDS.join(', ')}.`,
  needs: ['condition'],
  check(c, report) {
    const allowed: readonly string[] = APPROVAL_VIEW_FIELDS;
    for (let event = 0; event < c.history.size; event++) {
      if (c.history.kind(event) !== 'approval_requested' || c.isAboutPlan(event)) continue;
      report.applied();
      const data = c.history.data(event);
      const shown = list(data['shown']).filter((field): field is string => typeof field === 'string');
      const told = ['condition', 'conditionId', 'architecture', 'council'].filter((name) =>
        Object.hasOwn(data, name),
      );
      const extra = [...shown.filter((field) => !allowed.includes(field)), ...told];
      if (extra.length > 0)
        found({ c, report }, event, { role: 'shown', facts: { extra: extra.join(', ') } });
    }
  },
  say: (facts) => `The approver was shown ${facts['extra'] as string}, which is not among the fixed fields.`,
};

const budgetDiffers: Rule = {
  id: 'condition/budget-differs',
  title: 'The run was given another budget than its condition',
  facet: 'condition',
  severity: 'error',
  why: 'Conditions are compared at equal caps.',
  example: 'condition 20,000 thinking tokens, run_started 50,000',
  mend: 'Start the run with the budget of its condition.',
  needs: ['condition'],
  check(c, report) {
    const [start] = c.runStarts;
    const budget = condition(c)['budget'];
    const given = start === undefined ? undefined : c.history.data(start)['budget'];
    if (start === undefined || !isObject(budget) || !isObject(given)) return;
    const allowed = budget['thinkingTokens'];
    const used = given['thinkingTokens'];
    if (!isLimit(allowed) || !isLimit(used)) return;
    report.applied();
    if (allowed !== used)
      found({ c, report }, start, {
        role: 'budget',
        facts: { allowed: limit(allowed), used: limit(used) },
      });
  },
  say: (facts) =>
    `The run was started with ${facts['used'] as string} thinking tokens; its condition says ${facts['allowed'] as string}.`,
};

/** A budget is a number, or null for none. */
function isLimit(value: JsonValue | undefined): value is number | null {
  return typeof value === 'number' || value === null;
}

function limit(value: number | null): string {
  return value === null ? 'any number of' : String(value);
}

export const CONDITION_RULES: readonly Rule[] = [
  councilNotAllowed,
  humanInNoGate,
  autoFlagMissing,
  gateInactive,
  subagentInSingle,
  approverSawCondition,
  budgetDiffers,
];
