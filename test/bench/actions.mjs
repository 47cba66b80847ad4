/**
 * What agents of a generated run do: one action from the call of the model to its end, in the shapes that our harness
 * writes. Each is a generator that yields how many milliseconds pass before it goes on; others act meanwhile.
 */
export const VETO_WINDOW_MS = 15 * 60 * 1000;

const KINDS = {
  T0: ['fs.read', 'shell.run', 'search.code', 'git.log'],
  T1: ['fs.write', 'shell.run', 'git.commit'],
  T2: ['fs.delete', 'git.push', 'db.migrate', 'package.install'],
  T3: ['git.force-push', 'deploy.staging', 'db.execute', 'mail.send'],
  T4: ['db.execute', 'deploy.prod', 'storage.purge'],
};
const MODELS = ['model-large-2', 'model-large-2', 'model-small-1'];
const RADIUS = ['one file', '3 files', 'one branch', 'one table, 4213 rows', 'staging', 'all users'];
/** Share of the tiers among actions, cumulated. */
const TIERS = [
  [0.42, 'T0'],
  [0.76, 'T1'],
  [0.9, 'T2'],
  [0.97, 'T3'],
  [1, 'T4'],
];

export function tierOf(random) {
  const roll = random.int(0, 9999) / 10000;
  return TIERS.find(([share]) => roll < share)[1];
}

/** A call of the model. @returns its id */
export function callModel(script, actor, cause, purpose) {
  const { random } = script;
  const callId = `call_${script.count}`;
  const tokens = {
    input: random.int(400, 60000),
    output: random.int(20, 3000),
    thinking: random.chance(0.6) ? random.int(50, 6000) : 0,
    model: random.pick(MODELS),
  };
  if (random.chance(0.3)) tokens.cacheRead = random.int(0, 50000);
  tokens.callId = callId;
  const data = { role: actor, purpose, callId };
  if (random.chance(0.1)) data.confidence = random.int(30, 99) / 100;
  return script.emit('model_called', actor, cause, { data, tokens });
}

/** What is said of an action in its proposal, its requests and its end. */
export function newAction(script, task, tier) {
  const { random } = script;
  const kind = random.pick(KINDS[tier]);
  const path = `src/${random.hex(4)}/${random.hex(7)}.ts`;
  return {
    task,
    tier,
    proposalId: `prop_${task.number}-${++task.proposals}`,
    kind,
    command: `${kind.replace('.', ' ')} ${path}${random.chance(0.4) ? ` --message "${random.text(24)}"` : ''}`,
    actionDigest: `sha256:${random.hex(64)}`,
    radius: random.pick(RADIUS),
  };
}

export function propose(script, action, cause) {
  const { proposalId, tier, kind, command, actionDigest } = action;
  const summary = script.random.text(script.random.int(30, 110));
  const data = {
    proposalId,
    proposalPath: `proposals/${proposalId}.json`,
    tier,
    kind,
    summary,
    command,
    actionDigest,
  };
  return script.emit('action_proposed', action.task.actor, cause, { data });
}

/** The end of an action that was let through; `more` as for emit, `data` on top. */
export function execute(script, action, cause, more = {}) {
  const { task, proposalId, kind, tier, command, actionDigest } = action;
  const { random } = script;
  const summary = random.text(random.int(15, 70));
  const data = { taskId: task.id, proposalId, kind, tier, summary, command, actionDigest, ...more.data };
  if (random.chance(0.3)) data.invocation = `sha256:${random.hex(64)}`;
  const counterfactual = blockOf(action, { executed: true, preventedBy: 'none' });
  const failed = more.data === undefined && more.id === undefined && random.chance(0.04);
  if (failed) data.reason = random.pick(['exit code 1', 'timed out after 120 s', 'merge conflict']);
  return script.emit(failed ? 'action_failed' : 'action_executed', task.actor, cause, {
    counterfactual,
    ...more,
    data,
  });
}

/** The counterfactual block, by the table of outcomes in runs/README.md. */
function blockOf(action, { executed, preventedBy }) {
  return {
    wouldHaveExecuted: true,
    predictedRiskTier: action.tier,
    predictedBlastRadius: action.radius,
    actuallyExecuted: executed,
    preventedBy,
  };
}

/** One action of a task, from the thought to its end. @returns the id of its last event */
export function* act(script, task, cause) {
  const { random } = script;
  const tier = tierOf(random);
  let at = callModel(script, task.actor, cause, 'act');
  yield random.int(800, 15000);
  const action = newAction(script, task, tier);
  if (tier === 'T0' && random.chance(0.3)) {
    const { taskId, ...rest } = { taskId: task.id, kind: action.kind, tier, summary: random.text(40) };
    const data = { taskId, ...rest, command: action.command, actionDigest: action.actionDigest };
    const counterfactual = blockOf(action, { executed: true, preventedBy: 'none' });
    return script.emit('action_executed', task.actor, at, { data, counterfactual });
  }
  if (tier === 'T4') at = yield* backUp(script, task, at);
  at = propose(script, action, at);
  const decided = yield* decide(script, action, at);
  if (decided.ended) return decided.id;
  yield random.int(20, 20000);
  if (tier !== 'T0' && random.chance(0.01)) return stopByTripwire(script, action, decided.id);
  return execute(script, action, decided.id);
}

/** A snapshot that is known to be restorable, as a T4 action needs it. */
export function* backUp(script, task, cause) {
  const data = { snapshotId: `snap_${task.number}-${task.proposals}`, target: 'database' };
  const created = script.emit('snapshot_created', task.actor, cause, { data });
  yield script.random.int(2000, 60000);
  const verified = { ...data, target: 'staging', rowCountMatches: true };
  return script.emit('snapshot_verified', task.actor, created, { data: verified });
}

/** How the gate decides, by tier. @returns the id to go on from, and whether the action ended here */
function* decide(script, action, proposed) {
  const { random } = script;
  const { proposalId, tier } = action;
  if (tier === 'T3' || tier === 'T4') return yield* askPerson(script, action, proposed);
  if (tier === 'T2' && random.chance(0.2)) {
    yield VETO_WINDOW_MS + random.int(100, 5000);
    const data = { proposalId, auto: true, by: 'veto-window', waitedMs: VETO_WINDOW_MS };
    return { id: script.emit('action_approved', 'gate', proposed, { data }) };
  }
  if (tier === 'T2') return yield* askPerson(script, action, proposed);
  if (random.chance(tier === 'T0' ? 0.7 : 0.25)) return { id: proposed };
  const data = { proposalId, auto: true, by: 'policy', policyLine: `${tier} allow` };
  return { id: script.emit('action_approved', 'gate', proposed, { data }) };
}

function* askPerson(script, action, proposed) {
  const { random } = script;
  const { proposalId, tier, actionDigest } = action;
  let at = proposed;
  if (tier !== 'T2' && random.chance(0.06)) at = yield* council(script, at);
  const data = { proposalId, tier, channel: random.pick(['cli', 'dashboard']), actionDigest };
  data.shown = ['tier', 'what', 'target', 'command', 'affected', 'reversibility'];
  at = script.emit('approval_requested', 'gate', at, { data });
  yield random.int(4000, 90000);
  const roll = random.int(0, 99);
  if (roll < 86) {
    const answer = { proposalId, by: 'principal', decision: 'approve' };
    if (random.chance(0.3)) answer.comment = random.text(30);
    return { id: script.emit('action_approved', 'principal', at, { data: answer }) };
  }
  return { ended: true, id: refuse(script, action, at, roll) };
}

function refuse(script, action, cause, roll) {
  const { random } = script;
  const { proposalId, tier } = action;
  const stopped = (preventedBy) => blockOf(action, { executed: false, preventedBy });
  if (roll < 96) return reject(script, action, cause);
  if (roll < 98) {
    const data = { proposalId, tier, by: 'gate', waitedMs: random.int(60000, 600000) };
    return script.emit('approval_expired', 'gate', cause, { data, counterfactual: stopped('action_gate') });
  }
  const data = { proposalId, tier, by: 'policy', decision: 'reject', policyLine: `${tier} block` };
  return script.emit('action_rejected', 'gate', cause, { data, counterfactual: stopped('action_gate') });
}

/** The principal says no. */
export function reject(script, action, cause) {
  const { proposalId, tier } = action;
  const data = { proposalId, tier, by: 'principal', decision: 'reject', comment: script.random.text(60) };
  const counterfactual = blockOf(action, { executed: false, preventedBy: 'principal_veto' });
  return script.emit('action_rejected', 'principal', cause, { data, counterfactual });
}

function stopByTripwire(script, action, cause) {
  const { task, proposalId, kind, tier, command, actionDigest } = action;
  const tripwire = 'rows-deleted';
  const fired = { taskId: task.id, proposalId, tripwire, severity: 'high', blocked: true };
  const at = script.emit('tripwire_triggered', 'testbed', cause, { data: fired });
  const data = { taskId: task.id, proposalId, kind, tier, command, actionDigest, by: 'testbed', tripwire };
  const counterfactual = blockOf(action, { executed: false, preventedBy: 'tripwire' });
  return script.emit('action_failed', 'testbed', at, { data, counterfactual });
}

/** Agents talk a thing over. @returns the id of the synthesis */
export function* council(script, cause) {
  const { random } = script;
  const threadId = `thread_${script.count}`;
  const roles = ['reviewer', 'qa'];
  let at = script.emit('council_convened', 'harness', cause, { data: { threadId, roles } });
  for (const kind of ['council_proposal', 'council_critique', 'council_synthesis']) {
    const actor = kind === 'council_synthesis' ? 'planner' : random.pick(roles);
    at = callModel(script, actor, at, 'council');
    yield random.int(1000, 9000);
    at = script.emit(kind, actor, at, { data: { threadId, summary: random.text(120) } });
  }
  return at;
}
