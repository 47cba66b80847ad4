/**
 * Rules of family `plan`: drafts, requests and decisions come in order, and nothing is dispatched before a
 * plan is granted. Rules that need the plan's own text are in plan-content.ts.
 */
import type { Case, ProposalRecord } from '../case.js';
import { removeOneOf } from '../fixes.js';
import { DRAFTS, GOAL, GRANT, is, isRejection, kinds, union } from '../kinds.js';
import type { Rule } from '../rule.js';
import { decidedBefore, requestOf, walkPlans, type Docket } from './plan-docket.js';

const REQUEST = kinds('approval_requested');
/** What may follow a rejected plan. */
const GOES_ON = union(DRAFTS, kinds('run_aborted'));
const ASKS_OR_GRANTS = union(REQUEST, GRANT);
const NEEDS_PLAN = kinds(
  'approval_requested',
  'approval_granted',
  'task_dispatched',
  'action_executed',
  'run_completed',
);

const draftMissing: Rule = {
  id: 'plan/draft-missing',
  title: 'The run has no plan',
  facet: 'well-formed',
  severity: 'error',
  why: 'What is granted and dispatched is a plan; without a draft nobody knows what was agreed.',
  example: 'run goal ask grant t1> t1! t1< done',
  mend: 'Write plan_drafted before asking for approval.',
  check(c, report) {
    const { history } = c;
    if (history.size === 0) return;
    report.applied();
    let needs = -1;
    for (let place = 0; place < history.size; place++) {
      const event = history.lineage.at(place);
      if (is(DRAFTS, history.kindCode(event))) return;
      if (needs < 0 && is(NEEDS_PLAN, history.kindCode(event)) && !isAboutProposal(c, event)) needs = event;
    }
    if (needs < 0) return;
    report.found({
      events: [{ event: needs, role: 'needs a plan' }],
      subject: { kind: 'run' },
      facts: { neededBy: history.kindName(needs) },
      key: [],
      absence: 'before',
      witness: { present: [], absent: { values: { '/kind': 'plan_drafted' } } },
    });
  },
  say: (facts) => `No plan_drafted stands in the log, yet ${facts['neededBy'] as string} follows.`,
};

function isAboutProposal(c: Case, event: number): boolean {
  return c.history.kind(event)?.startsWith('approval_') === true && !c.isAboutPlan(event);
}

const draftWithoutGoal: Rule = {
  id: 'plan/draft-without-goal',
  title: 'A plan does not descend from the goal',
  facet: 'well-formed',
  severity: 'error',
  why: 'A plan that nobody asked for answers to nobody.',
  example: 'run goal plan@run ask grant t1> t1! t1< done',
  mend: 'Relink the draft to the goal, or to the rejection or result that led to it.',
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      if (!is(DRAFTS, history.kindCode(event))) continue;
      report.applied();
      if (c.nearest(event, GOAL) >= 0 || c.brokenAt(event) >= 0 || c.goals.length === 0) continue;
      const [goal] = c.goals as [number];
      report.found({
        events: [
          { event, role: 'plan' },
          { event: goal, role: 'not among its causes' },
        ],
        subject: { kind: 'event', event },
        facts: { plan: history.text(history.planNumber(event)) },
        key: [history.kindName(event)],
        fix: { op: 'set', line: history.line(event), pointer: '/causedBy', value: history.id(goal) },
      });
    }
  },
  say: (facts) => `Along causedBy the plan ${facts['plan'] as string} does not reach goal_received.`,
};

const requestWithoutDraft: Rule = {
  id: 'plan/request-without-draft',
  title: 'Approval is asked for a plan that was not drafted',
  facet: 'well-formed',
  severity: 'error',
  why: 'What is approved must be there to be read.',
  example: 'run goal plan ask@goal grant t1> t1! t1< done',
  mend: 'Write the draft before the request, and make the request its effect.',
  check(c, report) {
    const undrafted = new Set<number>();
    walkPlans(c, (event, docket) => {
      if (c.history.kind(event) !== 'approval_requested') return;
      report.applied();
      const draft = docket.drafts.lastLike(event);
      const number = c.history.planNumber(event);
      // To ask again for a plan that is not there is the same fault.
      if (draft === undefined ? undrafted.has(number) : isLinked(c, event, docket)) return;
      if (draft === undefined) undrafted.add(number);
      const plan = c.history.text(number);
      report.found({
        events: [
          { event, role: 'request' },
          ...(draft === undefined ? [] : [{ event: draft, role: 'not among its causes' }]),
        ],
        subject: { kind: 'event', event },
        facts: { plan, drafted: draft !== undefined },
        key: [plan],
        ...(draft === undefined ? { absence: 'before' as const } : {}),
      });
    });
  },
  say: (facts) =>
    facts['drafted'] === true
      ? `The request for ${name(facts['plan'])} does not descend from its draft.`
      : `No draft of ${name(facts['plan'])} stands before the request.`,
};

/** Whether a request descends from a draft of its plan, as far as its causes are known. */
function isLinked(c: Case, request: number, docket: Docket): boolean {
  return docket.drafts.nearestLike(request, DRAFTS) !== undefined || c.brokenAt(request) >= 0;
}

function name(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : 'the plan';
}

const decisionWithoutRequest: Rule = {
  id: 'plan/decision-without-request',
  title: 'A plan is decided on without a request',
  facet: 'well-formed',
  severity: 'error',
  why: 'A decision answers a question; without it nobody knows what was shown to whom.',
  example: 'run goal plan grant t1> t1! t1< done',
  mend: 'Write approval_requested before the decision, and make the decision its effect.',
  check(c, report) {
    walkPlans(c, (event, docket) => {
      if (c.history.kind(event) === 'approval_requested') return;
      report.applied();
      const request = docket.requests.lastLike(event);
      const isAnswer = requestOf(event, docket) !== undefined || c.brokenAt(event) >= 0;
      if (request !== undefined && isAnswer) return;
      const plan = c.history.text(c.history.planNumber(event));
      report.found({
        events: [
          { event, role: 'decision' },
          ...(request === undefined ? [] : [{ event: request, role: 'not among its causes' }]),
        ],
        subject: { kind: 'event', event },
        facts: { plan, kind: c.history.kindName(event), requested: request !== undefined },
        key: [plan, c.history.kindName(event)],
        ...(request === undefined ? { absence: 'before' as const } : {}),
      });
    });
  },
  say: (facts) =>
    facts['requested'] === true
      ? `The ${facts['kind'] as string} of ${name(facts['plan'])} does not descend from its request.`
      : `The ${facts['kind'] as string} of ${name(facts['plan'])} answers no request.`,
};

const decisionRepeated: Rule = {
  id: 'plan/decision-repeated',
  title: 'One request is decided twice',
  facet: 'well-formed',
  severity: 'error',
  why: 'If the two answers differ nobody knows which held; if not, one of them was not given.',
  example: 'run goal plan ask grant grant t1> t1! t1< done',
  mend: 'Ask again before deciding again.',
  check(c, report) {
    // A certificate that leaves some proposals covers all plans.
    if (c.left === undefined)
      walkPlans(c, (event, docket) => {
        if (c.history.kind(event) === 'approval_requested') return;
        report.applied();
        const request = requestOf(event, docket);
        const before = request === undefined ? undefined : docket.decided.get(request);
        if (before !== undefined) foundRepeat(event, before);
      });
    for (const proposal of c.proposals()) {
      report.applied(proposal.decisions.length > 0 ? 1 : 0);
      let round: number[] = [];
      const people = new Map<number, number>();
      for (const event of proposal.decisions) {
        const asked = c.lastBefore(proposal.requests, event);
        const last = round.at(-1);
        if (asked !== undefined && last !== undefined && c.isBefore(last, asked)) {
          round = [];
          people.clear();
        }
        const before = round.length === 0 ? undefined : decidedBefore(c, { round, people, event });
        if (before !== undefined) foundRepeat(event, before, proposal);
        round.push(event);
        people.set(c.history.actorNumber(event), event);
      }
    }
    function foundRepeat(event: number, before: number, proposal?: ProposalRecord): void {
      const subject = proposal?.name ?? c.history.text(c.history.planNumber(event));
      report.found({
        events: [
          { event, role: 'decided again' },
          { event: before, role: 'decided' },
        ],
        subject:
          proposal === undefined ? { kind: 'event', event } : { kind: 'proposal', number: proposal.number },
        facts: { subject, first: c.history.kindName(before), second: c.history.kindName(event) },
        key: [subject, c.history.kindName(before), c.history.kindName(event)],
        ...removeOneOf(c, [event, before]),
      });
    }
  },
  say: (facts) =>
    `${name(facts['subject'])} was decided (${facts['first'] as string}) and then decided again (${facts['second'] as string}) without being asked again.`,
};

const rejectedWithoutRedraft: Rule = {
  id: 'plan/rejected-without-redraft',
  title: 'A rejected plan is not redrafted',
  facet: 'well-formed',
  severity: 'error',
  why: 'After a rejection there is a new plan or the run is aborted; going on regardless ignores the principal.',
  example: 'run goal plan ask reject done',
  mend: 'Write the revised plan, or abort the run.',
  atEnd: true,
  check(c, report) {
    const { history } = c;
    let last: number | undefined;
    // Another plan is asked for or granted: that its draft is not there is a fault of its own, and the only one.
    let named: { latest: number; plan: number; before: number } | undefined;
    const lastOfAnother = (plan: number): number => {
      named ??= lastNamed(c);
      return plan === 0 ? -1 : plan === named.plan ? named.before : named.latest;
    };
    walkPlans(c, (event) => {
      if (!isRejection(history.kind(event))) return;
      report.applied();
      last ??= lastOf(c, (each) => is(GOES_ON, history.kindCode(each)));
      if (last >= 0 && c.isBefore(event, last)) return;
      const another = lastOfAnother(history.planNumber(event));
      if (another >= 0 && c.isBefore(event, another)) return;
      const plan = history.text(history.planNumber(event));
      report.found({
        events: [
          { event, role: 'rejected' },
          ...c.terminals.slice(0, 1).map((terminal) => ({ event: terminal, role: 'end of the run' })),
        ],
        subject: { kind: 'event', event },
        facts: { plan },
        key: [plan],
        absence: 'after',
      });
    });
  },
  say: (facts) => `${name(facts['plan'])} was rejected; neither a new draft nor run_aborted follows.`,
};

/** The last request or grant that names a plan, and the last one before it that names another; −1 for none. */
function lastNamed(c: Case): { latest: number; plan: number; before: number } {
  const { history } = c;
  const isNamed = (event: number): boolean =>
    is(ASKS_OR_GRANTS, history.kindCode(event)) && history.planNumber(event) !== 0;
  const latest = lastOf(c, isNamed);
  const plan = latest < 0 ? 0 : history.planNumber(latest);
  return { latest, plan, before: lastOf(c, (event) => isNamed(event) && history.planNumber(event) !== plan) };
}

/** Last event in canonical order that passes a test, or −1. */
function lastOf(c: Case, test: (event: number) => boolean): number {
  const { history } = c;
  for (let place = history.size - 1; place >= 0; place--) {
    const event = history.lineage.at(place);
    if (test(event)) return event;
  }
  return -1;
}

export const PLAN_RULES: readonly Rule[] = [
  draftMissing,
  draftWithoutGoal,
  requestWithoutDraft,
  decisionWithoutRequest,
  decisionRepeated,
  rejectedWithoutRedraft,
];
