/**
 * Families `causal` and `run` as set comprehensions over the relations of world.ts, one per rule of the protocol.
 * A rule gives the events it is broken on; nothing is folded, explained or withheld.
 */
import type { Fact } from './facts.js';
import { DRAFTS, ENDS, EXECUTIONS, grantsOf } from './subjects.js';
import { descends, isBefore, ofKind, type World } from './world.js';

/** The events that break a rule; where what is missing has no place, the first event. */
export type Rule = (world: World) => readonly Fact[];

const AFTER_END = ['correction', 'criterion_checked', 'rollback_executed', 'counterfactual_recorded'];
/** What a writer says about itself, and kinds without a meaning. */
const BESIDE = ['log_repaired', 'writer_joined', 'something_else'];

export const CAUSAL: Readonly<Record<string, Rule>> = {
  'causal/duplicate-id': ({ facts, copies }) => {
    const twice = facts.filter(({ id, at }) => facts.some((other) => other.id === id && other.at !== at));
    return copies.length > 0 ? facts : twice;
  },
  'causal/dangling-cause': ({ facts, causes }) =>
    facts.filter(({ cause, at }) => cause !== undefined && causes[at]?.size === 0),
  'causal/cycle': (world) => world.facts.filter(({ at }) => world.onCircle[at] === true),
  'causal/orphan': ({ facts }) =>
    facts.filter(({ cause, kind }) => cause === undefined && kind !== 'run_started'),
  'causal/second-root': (world) => {
    const roots = ofKind(world, 'run_started').filter(({ cause }) => cause === undefined);
    return inOrder(world, roots).slice(1);
  },
  'causal/untraceable-action': (world) => {
    const [grants, goals] = [grantsOf(world), ofKind(world, 'goal_received')];
    const traces = (fact: Fact, ups: readonly Fact[]): boolean => ups.some((up) => descends(world, fact, up));
    return ofKind(world, ...EXECUTIONS).filter((fact) => !traces(fact, grants) || !traces(fact, goals));
  },
  'causal/untraceable-terminal': (world) => {
    const goals = ofKind(world, 'goal_received');
    const ends = ofKind(world, ...ENDS).filter(({ kind }) => kind === 'run_completed' || goals.length > 0);
    return ends.filter((end) => !goals.some((goal) => descends(world, end, goal)));
  },
};

export const RUN: Readonly<Record<string, Rule>> = {
  'run/start-missing': (world) => (ofKind(world, 'run_started').length === 0 ? world.facts.slice(0, 1) : []),
  'run/start-not-first': (world) => {
    const [start] = inOrder(world, ofKind(world, 'run_started'));
    return start === undefined ? [] : world.facts.filter((fact) => isBefore(world, fact, start));
  },
  'run/start-repeated': (world) => inOrder(world, ofKind(world, 'run_started')).slice(1),
  'run/goal-missing': (world) => {
    const isUnderWay = ofKind(world, ...DRAFTS, 'approval_requested', 'task_dispatched').length > 0;
    const mayMissIt = isAborted(world) && !isUnderWay;
    return ofKind(world, 'goal_received').length > 0 || mayMissIt ? [] : world.facts.slice(0, 1);
  },
  'run/terminal-missing': (world) => (ofKind(world, ...ENDS).length === 0 ? world.facts.slice(-1) : []),
  'run/terminal-repeated': (world) => inOrder(world, ofKind(world, ...ENDS)).slice(1),
  'run/event-after-terminal': (world) => {
    const [end] = inOrder(world, ofKind(world, ...ENDS));
    if (end === undefined) return [];
    const again = ofKind(world, 'run_started').filter((start) => isBefore(world, end, start));
    return world.facts.filter(
      (fact) =>
        isBefore(world, end, fact) &&
        ![...AFTER_END, ...BESIDE, ...ENDS, 'run_started'].includes(fact.kind) &&
        !again.some((start) => isBefore(world, start, fact)),
    );
  },
};

/** How the run ended is what its first end says. */
export function isAborted(world: World): boolean {
  return inOrder(world, ofKind(world, ...ENDS))[0]?.kind === 'run_aborted';
}

export function inOrder(world: World, facts: readonly Fact[]): Fact[] {
  return [...facts].sort((one, other) => (isBefore(world, one, other) ? -1 : 1));
}
