/**
 * Labelled defects for generated logs: what is spoiled, and the rule that must find it. Each spoils one task, and
 * nothing that another task depends on.
 */
import { backUp, execute, newAction, propose, reject } from './actions.mjs';

/** Defect → rule, in the order in which they are handed out. */
export const DEFECTS = {
  'result-dropped': 'task/result-missing',
  'dispatched-ungranted': 'plan/dispatch-before-grant',
  'executed-though-rejected': 'action/executed-after-rejection',
  'cause-dangling': 'causal/dangling-cause',
  'id-repeated': 'causal/duplicate-id',
  'start-dropped': 'task/start-missing',
  'result-repeated': 'task/result-repeated',
  'executed-other': 'action/executed-differs-from-approved',
  'executed-unasked': 'gate/ungated-high-tier',
  'caused-by-itself': 'causal/cycle',
  'block-dropped': 'counterfactual/block-missing',
  'approved-by-agent': 'gate/approver-not-principal',
  'line-torn': 'log/invalid-json',
};

/** What cannot be read may be what another defect took away, so it gets a run of its own. */
const ALONE = 'line-torn';

/** @returns for each run the names of its defects; no torn line where there is a single run */
export function assignDefects(count, runs) {
  const names = Object.keys(DEFECTS).filter((name) => name !== ALONE || runs > 1);
  const perRun = Array.from({ length: runs }, () => []);
  const others = runs > 1 ? runs - 1 : 1;
  for (let index = 0; index < count; index++) {
    const name = names[index % names.length];
    perRun[name === ALONE ? runs - 1 : index % others].push(name);
  }
  return perRun;
}

/** How a task goes that has this defect: hooks for doTask of story.mjs. */
export function spoil(script, run, { task, defect }) {
  const note = (id) => script.spoiled(defect, DEFECTS[defect], id);
  switch (defect) {
    case 'result-dropped':
      return { skipsResult: true, onDispatched: note };
    case 'dispatched-ungranted':
      return { dispatchCause: run.goal, onDispatched: note };
    case 'start-dropped':
      return { skipsStart: true, onDispatched: note };
    case 'result-repeated':
      return { onResult: (id, data) => note(script.emit('task_result', task.actor, id, { data })) };
    default:
      return { act: (cause) => ACTS[defect](script, { task, cause, note }) };
  }
}

/** Actions that go wrong; each gives the id to go on from. */
const ACTS = {
  *'executed-though-rejected'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T3');
    const asked = yield* ask(script, action, propose(script, action, cause));
    note(execute(script, action, reject(script, action, asked), { data: {} }));
    return cause;
  },
  *'cause-dangling'(script, { task, cause, note }) {
    yield* proposeBadly(script, { task, cause: script.unusedId(), note });
    return cause;
  },
  *'id-repeated'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T1');
    const proposed = propose(script, action, cause);
    yield 100;
    const id = execute(script, action, proposed, { data: {} });
    const again = newAction(script, task, 'T1');
    note(execute(script, again, propose(script, again, cause), { id }));
    return cause;
  },
  *'executed-other'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T3');
    const approved = yield* approve(script, action, propose(script, action, cause));
    const other = {
      actionDigest: `sha256:${script.random.hex(64)}`,
      command: 'git push --force origin main',
    };
    note(execute(script, action, approved, { data: other }));
    return cause;
  },
  *'executed-unasked'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T4');
    const proposed = propose(script, action, yield* backUp(script, task, cause));
    yield 100;
    note(execute(script, action, proposed, { data: {} }));
    return cause;
  },
  *'caused-by-itself'(script, { task, cause, note }) {
    yield* proposeBadly(script, { task, cause: 'itself', note });
    return cause;
  },
  *'block-dropped'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T1');
    const proposed = propose(script, action, cause);
    yield 100;
    note(execute(script, action, proposed, { data: {}, counterfactual: undefined }));
    return cause;
  },
  *'approved-by-agent'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T3');
    const asked = yield* ask(script, action, propose(script, action, cause));
    const data = { proposalId: action.proposalId, decision: 'approve' };
    const approved = script.emit('action_approved', 'planner', asked, { data });
    note(approved);
    return execute(script, action, approved, { data: {} });
  },
  *'line-torn'(script, { task, cause, note }) {
    const action = newAction(script, task, 'T1');
    const proposed = propose(script, action, cause);
    yield 100;
    note(execute(script, action, proposed, { data: {}, torn: true }));
    return cause;
  },
};

/** A proposal whose cause is wrong, and its execution. */
function* proposeBadly(script, { task, cause, note }) {
  const action = newAction(script, task, 'T0');
  const proposed = propose(script, action, cause);
  note(proposed);
  yield 100;
  execute(script, action, proposed, { data: {} });
}

function* ask(script, action, proposed) {
  const { proposalId, tier, actionDigest } = action;
  const data = { proposalId, tier, channel: 'cli', actionDigest };
  const asked = script.emit('approval_requested', 'gate', proposed, { data });
  yield 5000;
  return asked;
}

function* approve(script, action, proposed) {
  const asked = yield* ask(script, action, proposed);
  const data = { proposalId: action.proposalId, by: 'principal', decision: 'approve' };
  return script.emit('action_approved', 'principal', asked, { data });
}
