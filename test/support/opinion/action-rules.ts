/**
 * Family `action` as set comprehensions over the relations of world.ts: proposal, request, answer and execution
 * belong together and come in order. Proposal files are not at hand, so bindings are judged by the log alone.
 */
import { named, type Fact } from './facts.js';
import { inOrder, isAborted, type Rule } from './run-rules.js';
import { answersOf, ENDS, EXECUTIONS, isNo, isYes, proposalOf, requestsOf, taskOf } from './subjects.js';
import { descends, isBefore, misses, nearest, ofKind, type World } from './world.js';

export const ACTION: Readonly<Record<string, Rule>> = {
  'action/approval-without-proposal': (world) => [
    ...requestsOf(world, 'proposal').filter(
      (request) => world.broken[request.at] !== true && proposalsOf(world, request).length === 0,
    ),
    ...answersOf(world, 'proposal').filter((answer) => {
      const own = proposalsOf(world, answer);
      const isOfNothing = isYes(answer) && proposalOf(world, answer) !== undefined && own.length === 0;
      return isOfNothing || misses(world, answer, own);
    }),
  ],
  'action/decision-not-from-request': (world) => [
    ...requestsOf(world, 'proposal').filter((request) => {
      const own = proposalsOf(world, request);
      return own.length > 0 && misses(world, request, own);
    }),
    ...answersOf(world, 'proposal').filter((answer) => {
      const own = same(world, answer, requestsOf(world, 'proposal')).filter((ask) =>
        isBefore(world, ask, answer),
      );
      const isAboutIt = proposalsOf(world, answer).some((proposal) => descends(world, answer, proposal));
      return isAboutIt && own.length > 0 && misses(world, answer, own);
    }),
  ],
  'action/executed-after-rejection': (world) =>
    ofKind(world, ...EXECUTIONS).filter((execution) =>
      same(world, execution, answersOf(world, 'proposal').filter(isNo)).some(
        (no) =>
          isBefore(world, no, execution) &&
          !same(world, execution, approvals(world)).some(
            (yes) => isBefore(world, no, yes) && isBefore(world, yes, execution),
          ),
      ),
    ),
  'action/executed-twice': (world) => {
    const executed = ofKind(world, 'action_executed');
    return executed.filter((late) =>
      same(world, late, executed).some((early) => isBefore(world, early, late)),
    );
  },
  'action/approval-after-execution': (world) =>
    approvals(world).filter((approval) =>
      same(world, approval, ofKind(world, ...EXECUTIONS)).some(
        (execution) =>
          isBefore(world, execution, approval) &&
          !same(world, execution, approvals(world)).some((yes) => isBefore(world, yes, execution)),
      ),
    ),
  'action/approval-not-its-cause': (world) =>
    ofKind(world, ...EXECUTIONS).filter((execution) => {
      const before = same(world, execution, approvals(world)).filter((yes) =>
        isBefore(world, yes, execution),
      );
      return before.length > 0 && misses(world, execution, before);
    }),
  'action/executed-differs-from-approved': (world) =>
    ofKind(world, ...EXECUTIONS).filter((execution) => differs(world, execution)),
  'action/proposal-undecided': (world) =>
    ofKind(world, 'action_proposed').filter((proposal) => {
      const task = taskOf(world, proposal);
      const results = ofKind(world, 'task_result').filter((result) => taskOf(world, result) === task);
      const isClosed =
        task === undefined
          ? ofKind(world, ...ENDS).length > 0 && !isAborted(world)
          : results.some((result) => isBefore(world, proposal, result));
      const settled = [...answersOf(world, 'proposal'), ...ofKind(world, ...EXECUTIONS)];
      // Proposed again under the same name it is the same question.
      const isFirst = inOrder(world, same(world, proposal, ofKind(world, 'action_proposed')))[0] === proposal;
      return isFirst && isClosed && same(world, proposal, settled).length === 0;
    }),
};

function approvals(world: World): Fact[] {
  return answersOf(world, 'proposal').filter(isYes);
}

/** Those of some events that belong to the same proposal. */
function same(world: World, fact: Fact, others: readonly Fact[]): Fact[] {
  const id = proposalOf(world, fact);
  return id === undefined ? [] : others.filter((other) => proposalOf(world, other) === id);
}

/** Proposals before an event that it may be about: those of its name; without a name those above it. */
function proposalsOf(world: World, fact: Fact): Fact[] {
  if (proposalOf(world, fact) === undefined)
    return ofKind(world, 'action_proposed').filter((proposal) => descends(world, fact, proposal));
  return same(world, fact, ofKind(world, 'action_proposed')).filter((each) => isBefore(world, each, fact));
}

/** What was done differs from what was proposed, asked or approved: by digest, else by command. */
function differs(world: World, execution: Fact): boolean {
  const approval = latest(world, execution, approvals(world)) ?? execution;
  const request = latest(world, approval, requestsOf(world, 'proposal'));
  const proposals = ofKind(world, 'action_proposed');
  const proposal = latest(world, approval, proposals) ?? inOrder(world, same(world, execution, proposals))[0];
  if (proposal === undefined) return false;
  const shown = [proposal, request, approval].filter(
    (fact) => fact !== undefined && fact !== execution,
  ) as Fact[];
  const done = named(execution, 'actionDigest') ?? named(proposal, 'actionDigest');
  if (done !== undefined && shown.some((fact) => (named(fact, 'actionDigest') ?? done) !== done)) return true;
  const isBound = [execution, proposal].every((fact) => named(fact, 'actionDigest') !== undefined);
  const command = named(execution, 'command');
  return (
    !isBound && command !== undefined && shown.some((fact) => (named(fact, 'command') ?? command) !== command)
  );
}

/** Of some events of the same proposal the nearest above, else the last before. */
function latest(world: World, fact: Fact, among: readonly Fact[]): Fact | undefined {
  const own = same(world, fact, among);
  return (
    nearest(world, fact, (up) => own.includes(up)) ??
    inOrder(
      world,
      own.filter((each) => isBefore(world, each, fact)),
    ).at(-1)
  );
}
