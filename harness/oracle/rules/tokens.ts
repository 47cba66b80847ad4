/**
 * Rules of family `tokens`: usage blocks agree with each other, name their model, and stay within the budget.
 * Totals are the token ledger's business; here only what makes them untrustworthy.
 */
import { kindCode } from '../../core/event.js';
import { FLAG } from '../../core/facts.js';
import type { Case } from '../case.js';
import { isObject } from '../documents.js';
import { COUNTS, type Usage } from '../usage.js';
import type { Rule } from '../rule.js';

const EXHAUSTED = kindCode('budget_exhausted');
const OVERRUN_FACTOR = 1.05;
/** Roles whose tokens are counted in buckets of their own, outside the agents' budget. */
const OTHER_BUCKETS = new Set(['approver', 'judge']);

const callConflict: Rule = {
  id: 'tokens/call-conflict',
  title: 'One call is recorded with different usage',
  facet: 'evidence',
  severity: 'error',
  why: 'Each call counts once; with two different counts nobody knows which is right.',
  example: 'callId c1 with thinking 100, and again with thinking 900',
  mend: 'Write the block once, on model_called; elsewhere only name data.callId.',
  check(c, report) {
    const { usage, history } = c;
    const first = new Int32Array(usage.callCount).fill(-1);
    for (let block = 0; block < usage.size; block++) {
      const call = usage.callAt(block);
      if (call === 0) continue;
      report.applied();
      const before = first[call] as number;
      if (before < 0) first[call] = block;
      else if (!isSameUsage(usage, before, block)) {
        const event = usage.eventAt(block);
        const events = [
          { event, role: 'other usage' },
          { event: usage.eventAt(before), role: 'first usage' },
        ];
        const facts = {
          callId: usage.callId(call),
          first: countsOf(usage, before),
          second: countsOf(usage, block),
        };
        report.found({ events, subject: { kind: 'event', event }, facts, key: [history.actor(event)] });
      }
    }
  },
  say: (facts) =>
    `The call ${facts['callId'] as string} is recorded twice with different usage: ${JSON.stringify(facts['first'])} and ${JSON.stringify(facts['second'])} (${COUNTS.join(', ')}).`,
};

function isSameUsage(usage: Usage, one: number, other: number): boolean {
  return COUNTS.every((name) => usage.count(one, name) === usage.count(other, name));
}

function countsOf(usage: Usage, block: number): (number | null)[] {
  return COUNTS.map((name) => usage.count(block, name) ?? null);
}

const modelMissing: Rule = {
  id: 'tokens/model-missing',
  title: 'A usage block names no model',
  facet: 'evidence',
  severity: 'error',
  why: 'Without the model tokens can be neither priced nor compared.',
  example: '"tokens":{"input":9,"output":9,"thinking":9}',
  mend: 'Write tokens.model.',
  check(c, report) {
    for (let block = 0; block < c.usage.size; block++) {
      report.applied();
      if (c.usage.namesModel(block)) continue;
      const event = c.usage.eventAt(block);
      const facts = { kind: c.history.kindName(event) };
      report.found({
        events: [{ event, role: 'usage' }],
        subject: { kind: 'event', event },
        facts,
        key: [facts.kind, c.history.actor(event)],
      });
    }
  },
  say: (facts) => `The usage block of this ${facts['kind'] as string} names no model.`,
};

const blockMissing: Rule = {
  id: 'tokens/block-missing',
  title: 'A model call records no usage',
  facet: 'evidence',
  severity: 'error',
  why: 'A call that is not counted makes the budget meaningless.',
  example: 'model_called without tokens',
  mend: 'Write what the provider reported; a count it does not report is left out, not set to 0.',
  check(c, report) {
    for (let event = 0; event < c.history.size; event++) {
      if (c.history.kind(event) !== 'model_called') continue;
      report.applied();
      if (c.history.has(event, FLAG.tokens)) continue;
      const callId = c.history.dataText(event, 'callId') ?? '';
      report.found({
        events: [{ event, role: 'model call' }],
        subject: { kind: 'event', event },
        facts: { callId },
        key: [c.history.actor(event)],
      });
    }
  },
  say: (facts) => `The model call ${facts['callId'] as string} has no tokens block.`,
};

const overrun: Rule = {
  id: 'tokens/overrun',
  title: 'The run thought more than its budget',
  facet: 'evidence',
  severity: 'error',
  why: 'Conditions are compared at matched compute: more than 5 % over the budget is not matched.',
  example: 'budget 10,000 thinking tokens, 12,000 spent, no budget_exhausted',
  mend: 'Enforce the budget at the call; end the run with budget_exhausted.',
  check(c, report) {
    const [start] = c.runStarts;
    const budget = budgetOf(c);
    if (start === undefined || budget === undefined || mayOverrun(c)) return;
    report.applied();
    if (isPlainlyWithin(c, budget)) return;
    const calls = thinkingCalls(c);
    const spent = calls.known.reduce((sum, { thinking }) => sum + thinking, 0);
    if (spent <= budget * OVERRUN_FACTOR) {
      if (calls.unknown > 0)
        report.unknown(
          `how much ${calls.unknown} of the calls thought is not recorded, so the budget may be overrun`,
        );
      return;
    }
    if (isExcused(c, calls.known, budget)) return;
    const events = [
      { event: calls.known.at(-1)?.event ?? start, role: 'last call' },
      { event: start, role: 'budget' },
    ];
    report.found({ events, subject: { kind: 'run' }, facts: { spent, budget }, key: [] });
  },
  say: (facts) =>
    `The run spent ${facts['spent'] as number} thinking tokens; its budget is ${facts['budget'] as number}, and 5 % more are tolerated.`,
};

function budgetOf(c: Case): number | undefined {
  const [start] = c.runStarts;
  const places = [
    start === undefined ? undefined : c.history.data(start),
    c.documents.condition,
    c.documents.json('task.json'),
  ];
  for (const place of places) {
    const budget = place?.['budget'];
    const thinking = isObject(budget) ? budget['thinkingTokens'] : undefined;
    if (typeof thinking === 'number') return thinking;
  }
  return undefined;
}

/** Some conditions may exceed the budget; it is then a cost they report. */
function mayOverrun(c: Case): boolean {
  const budget = c.documents.condition?.['budget'];
  return isObject(budget) && budget['overrun'] === 'record';
}

/** Whether the sums of the log say that the agents' calls stayed within the budget. */
function isPlainlyWithin(c: Case, budget: number): boolean {
  const { usage } = c.history.parts.sums;
  if (usage === undefined || usage.calledBlocks < usage.blocks || usage.agentsUnknownThinking > 0)
    return false;
  return usage.agentsThinking <= budget * OVERRUN_FACTOR;
}

interface ThinkingCall {
  readonly event: number;
  readonly thinking: number;
}

/** What the agents' calls thought, each call once, and how many calls do not say. */
function thinkingCalls(c: Case): { readonly known: readonly ThinkingCall[]; readonly unknown: number } {
  const { usage } = c;
  const counted = new Uint8Array(usage.callCount);
  const silent = new Set<number>();
  const known: ThinkingCall[] = [];
  let nameless = 0;
  for (let block = 0; block < usage.size; block++) {
    const call = usage.callAt(block);
    const event = usage.eventAt(block);
    if (call !== 0 && counted[call] === 1) continue;
    if (OTHER_BUCKETS.has(c.history.dataText(event, 'role') ?? '')) continue;
    const thinking = usage.count(block, 'thinking');
    if (thinking === undefined) {
      if (call === 0) nameless++;
      else silent.add(call);
      continue;
    }
    counted[call] = 1;
    known.push({ event, thinking });
  }
  const unknown = [...silent].filter((call) => counted[call] === 0).length;
  return { known, unknown: nameless + unknown };
}

/** A recorded end of the budget excuses the one call that crosses it, and nothing thought afterwards. */
function isExcused(c: Case, calls: readonly ThinkingCall[], budget: number): boolean {
  const exhausted = firstExhausted(c);
  if (exhausted === undefined) return false;
  let spent = 0;
  for (const { event, thinking } of calls.filter((call) => call.thinking > 0)) {
    if (spent > budget || c.isBefore(exhausted, event)) return false;
    spent += thinking;
  }
  return true;
}

/** The first budget_exhausted in canonical order. */
function firstExhausted(c: Case): number | undefined {
  return c.history.landmarks(EXHAUSTED)[0];
}

export const TOKEN_RULES: readonly Rule[] = [callConflict, modelMissing, blockMissing, overrun];
