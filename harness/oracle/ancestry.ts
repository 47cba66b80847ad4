/**
 * One cause that is wrong takes everything below it out of its place. A finding that an event does not descend from
 * another follows from such a finding above it where mending that one would mend this one as well.
 */
import type { Case } from './case.js';
import { ANCESTRY, TRACES } from './consequence.js';
import { GRANT, is } from './kinds.js';
import type { Meeting, Raw } from './meeting.js';
import type { Involved } from './rule.js';

/** Findings looked at on the way up; each that follows from a higher one leads on. */
const STEPS_MAX = 32;

export class Ancestry {
  /** Findings by the event that is out of its place. */
  private readonly at = new Map<number, Raw[]>();
  private nearest: Int32Array | undefined;

  constructor(
    private readonly c: Case,
    meeting: Meeting,
  ) {
    for (const rule of ANCESTRY)
      for (const raw of meeting.of(rule)) {
        const event = raw.violation.events[0]?.event;
        if (event === undefined || lacking(c, raw) === undefined) continue;
        const same = this.at.get(event);
        if (same === undefined) this.at.set(event, [raw]);
        else same.push(raw);
      }
  }

  /** The nearest finding above `raw` that explains it. */
  above(raw: Raw): Raw | undefined {
    const event = raw.violation.events[0]?.event;
    if (this.at.size === 0 || event === undefined) return undefined;
    if (!ANCESTRY.includes(raw.rule.id) && !TRACES.includes(raw.rule.id)) return undefined;
    const wanted = lacking(this.c, raw);
    if (wanted === undefined) return undefined;
    const { lineage } = this.c.history;
    let at = this.at.has(event) ? event : this.marked(event);
    for (let step = 0; at >= 0 && step < STEPS_MAX; step++) {
      for (const parent of this.at.get(at) ?? []) {
        const given = lacking(this.c, parent);
        // At one event, what lacks the nearer ancestor explains what lacks the farther one.
        if (given === undefined || parent === raw || (at === event && given === wanted)) continue;
        if (lineage.isAncestor(wanted, given)) return parent;
      }
      at = this.marked(at);
    }
    return undefined;
  }

  /** Nearest event properly above another at which a finding stands. */
  private marked(event: number): number {
    if (this.nearest === undefined) {
      const { lineage, size } = this.c.history;
      this.nearest = new Int32Array(size).fill(-1);
      for (let place = 0; place < size; place++) {
        const at = lineage.at(place);
        const cause = lineage.cause(at);
        if (cause >= 0) this.nearest[at] = this.at.has(cause) ? cause : (this.nearest[cause] as number);
      }
    }
    return this.nearest[event] as number;
  }
}

/** The event that the first one of a finding should descend from and does not; undefined where there is none. */
function lacking(c: Case, { rule, violation }: Raw): number | undefined {
  const { events, facts } = violation;
  const last = events.length > 1 ? events[events.length - 1]?.event : undefined;
  switch (rule.id) {
    case 'causal/untraceable-terminal':
      return c.goals[0];
    case 'causal/untraceable-action':
      return (facts['missing'] as readonly string[]).includes('granted plan') ? grantOf(c) : c.goals[0];
    case 'plan/dispatch-before-grant':
      return facts['how'] === 'not caused by a grant' ? last : undefined;
    case 'task/action-outside-task':
      return facts['count'] === 1 ? startOf(c, (events[0] as Involved).event) : undefined;
    default:
      return last;
  }
}

/** Start of the task that an action names, or else the execution of what it proposes; where it does not stand above. */
function startOf(c: Case, action: number): number | undefined {
  const { history } = c;
  const proposal = c.proposalOf(action);
  const executions = proposal === 0 ? [] : c.proposal(proposal).executions.slice(0, 8);
  const task = [action, ...executions]
    .map((event) => history.taskNumber(event))
    .find((number) => number !== 0);
  const [start] = c.task(task ?? c.taskOf(action)).starts;
  return start === undefined || history.lineage.isAncestor(start, action) ? undefined : start;
}

const FIRST_GRANT = new WeakMap<Case, number>();

/** First grant of a plan in canonical order, looked for once. */
function grantOf(c: Case): number | undefined {
  const { history } = c;
  let grant = FIRST_GRANT.get(c) ?? -2;
  for (let place = 0; grant === -2 && place < history.size; place++) {
    const event = history.lineage.at(place);
    if (is(GRANT, history.kindCode(event)) && c.isAboutPlan(event)) grant = event;
  }
  FIRST_GRANT.set(c, Math.max(grant, -1));
  return grant < 0 ? undefined : grant;
}
