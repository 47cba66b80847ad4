/**
 * What each word of the mini-language for histories stands for: kind, actor, data, and the events it names as cause.
 * One row per word; test/README.md has the table for people. history.ts strings the words together.
 */
import type { JsonObject } from '../../harness/core/event.js';

/** One word of a history, before it has an id, a time and a cause. */
export interface Word {
  readonly kind: string;
  readonly actor: string;
  readonly data?: JsonObject;
  readonly tokens?: JsonObject;
  /** What `@label` and tweaks call it: the word without its tier or status. */
  readonly label: string;
  /** Names under which words that share a purpose are looked up. */
  readonly groups: readonly string[];
  /** Labels, groups or `start` / `last` / `task:<n>`, best first: the latest event of the first that occurs is the cause. */
  readonly after: readonly string[];
}

interface Row {
  readonly pattern: RegExp;
  readonly word: (parts: readonly string[]) => Omit<Word, 'label' | 'groups'> & { groups?: string[] };
}

const PRINCIPAL = 'principal';
const PLANNER = 'planner';
const CODER = 'coder';
const GATE = 'gate';

const RUN: readonly Row[] = [
  row(/^run$/, () => ({ kind: 'run_started', actor: PRINCIPAL, data: { runDir: 'runs/run_x1' }, after: [] })),
  row(/^goal$/, () => ({
    kind: 'goal_received',
    actor: PRINCIPAL,
    data: { goalPath: 'goal.md' },
    after: ['run'],
  })),
  row(/^done$/, () => ({
    kind: 'run_completed',
    actor: PLANNER,
    data: { summary: 'done' },
    after: ['result', 'last'],
  })),
  row(/^abort$/, () => ({
    kind: 'run_aborted',
    actor: PLANNER,
    data: { reason: 'stopped' },
    after: ['last'],
  })),
];

const PLANS: readonly Row[] = [
  row(/^plan(\d*)$/, ([number]) => {
    const version = Number(number || 1);
    return {
      kind: version === 1 ? 'plan_drafted' : 'plan_revised',
      actor: PLANNER,
      data: {
        planId: `plan_v${version}`,
        version,
        planPath: `plans/plan_v${version}.json`,
        taskCount: 1,
        maxRiskTier: 'T2',
      },
      groups: ['plan'],
      after: version === 1 ? ['goal', 'last'] : ['reject', 'result', 'goal'],
    };
  }),
  row(/^ask$/, () => ({
    kind: 'approval_requested',
    actor: PLANNER,
    data: { planId: 'plan', channel: 'cli' },
    after: ['plan', 'goal'],
  })),
  row(/^grant$/, () => ({
    kind: 'approval_granted',
    actor: PRINCIPAL,
    data: { planId: 'plan' },
    after: ['ask', 'plan', 'goal'],
  })),
  row(/^reject$/, () => ({
    kind: 'approval_rejected',
    actor: PRINCIPAL,
    data: { planId: 'plan', decision: 'reject' },
    after: ['ask', 'plan', 'goal'],
  })),
  row(/^(expire|unavail)$/, ([how]) => ({
    kind: how === 'expire' ? 'approval_expired' : 'approval_unavailable',
    actor: GATE,
    data: { planId: 'plan', waitedMs: 60_000 },
    after: ['ask', 'plan'],
  })),
];

const TASKS: readonly Row[] = [
  row(/^t(\w+)>$/, ([task]) => ({
    kind: 'task_dispatched',
    actor: PLANNER,
    data: { taskId: `task_t${task}`, to: CODER },
    groups: ['dispatch'],
    after: ['grant', 'ask', 'plan', 'goal'],
  })),
  row(/^t(\w+)!$/, ([task]) => ({
    kind: 'task_started',
    actor: CODER,
    data: { taskId: `task_t${task}` },
    groups: ['started'],
    after: [`t${task}>`, 'grant'],
  })),
  row(/^t(\w+)<(\w*)$/, ([task, status]) => ({
    kind: 'task_result',
    actor: CODER,
    data: {
      taskId: `task_t${task}`,
      status: status || 'success',
      resultPath: `results/task_t${task}.json`,
    },
    groups: ['result'],
    after: [`task:${task}`, 'grant', 'last'],
  })),
];

const ACTIONS: readonly Row[] = [
  row(/^p(\d+)\?(T[0-4])?$/, ([number, tier]) => ({
    kind: 'action_proposed',
    actor: CODER,
    data: { proposalId: `prop_${number}`, tier: tier || 'T2', ...action(number) },
    after: ['start', 'plan', 'last'],
  })),
  row(/^ask(\d+)$/, ([number]) => ({
    kind: 'approval_requested',
    actor: CODER,
    data: { proposalId: `prop_${number}`, channel: 'cli' },
    after: [`p${number}`, 'start'],
  })),
  row(/^([arvxu])(\d+)$/, ([letter, number]) => ({
    ...decision(letter as string, `prop_${number}`),
    groups: [`decided${number}`],
    after: [`ask${number}`, `p${number}`, 'start'],
  })),
  row(/^([ef])(\d+)(?:\?(T[0-4]))?$/, ([letter, number, tier]) => ({
    kind: letter === 'e' ? 'action_executed' : 'action_failed',
    actor: CODER,
    data: { proposalId: `prop_${number}`, tier: tier || 'T?', ...action(number) },
    groups: ['executed'],
    after: [`decided${number}`, `p${number}`, 'start'],
  })),
  row(/^([ef])-(T[0-4])$/, ([letter, tier]) => ({
    kind: letter === 'e' ? 'action_executed' : 'action_failed',
    actor: CODER,
    data: { tier: tier as string, ...action('x') },
    groups: ['executed'],
    after: ['start', 'plan', 'last'],
  })),
];

function action(number: string | undefined): JsonObject {
  return { kind: 'shell.run', summary: `step ${number}`, command: `make step-${number}` };
}

function decision(letter: string, proposalId: string): { kind: string; actor: string; data: JsonObject } {
  switch (letter) {
    case 'a':
      return { kind: 'action_approved', actor: PRINCIPAL, data: { proposalId } };
    case 'v':
      return {
        kind: 'action_approved',
        actor: GATE,
        data: { proposalId, auto: true, by: 'veto-window', waitedMs: 900_000 },
      };
    case 'r':
      return { kind: 'action_rejected', actor: PRINCIPAL, data: { proposalId, decision: 'reject' } };
    default:
      return {
        kind: letter === 'x' ? 'approval_expired' : 'approval_unavailable',
        actor: GATE,
        data: { proposalId, waitedMs: 60_000 },
      };
  }
}

const AROUND: readonly Row[] = [
  row(/^snap(\d*)$/, ([number]) => ({
    kind: 'snapshot_created',
    actor: CODER,
    data: { snapshotId: `snap_${number || 1}`, target: 'db' },
    after: ['start', 'last'],
  })),
  row(/^verify(\d*)$/, ([number]) => ({
    kind: 'snapshot_verified',
    actor: CODER,
    data: { snapshotId: `snap_${number || 1}`, target: 'db' },
    after: [`snap${number}`, 'start', 'last'],
  })),
  row(/^rollback$/, () => ({
    kind: 'rollback_executed',
    actor: CODER,
    data: { snapshotId: 'snap_1', target: 'db' },
    after: ['executed', 'last'],
  })),
  row(/^trip$/, () => ({
    kind: 'tripwire_triggered',
    actor: 'testbed',
    data: { tripwire: 'db.unscoped-write', severity: 'T4', evidence: '4213 rows', blocked: true },
    after: ['last'],
  })),
  row(/^model(\d*)$/, ([number]) => ({
    kind: 'model_called',
    actor: CODER,
    data: { role: 'executor', purpose: 'act', callId: `call_${number || 1}` },
    tokens: { input: 100, output: 20, thinking: 10, model: 'scripted', callId: `call_${number || 1}` },
    after: ['last'],
  })),
  row(/^council-(convened|proposal|critique|synthesis|skipped)$/, ([what]) => ({
    kind: `council_${what}`,
    actor: what === 'convened' || what === 'skipped' ? PLANNER : 'critic',
    data: { threadId: 'thr_1' },
    after: what === 'convened' || what === 'skipped' ? ['plan', 'last'] : ['last'],
  })),
  row(/^check$/, () => ({
    kind: 'criterion_checked',
    actor: 'testbed',
    data: { criterion: 'http', outcome: 'pass', weight: 1 },
    after: ['result', 'last'],
  })),
  row(/^correct$/, () => ({
    kind: 'correction',
    actor: PRINCIPAL,
    data: { path: '/data/tier', value: 'T1', reason: 'typing error' },
    after: ['executed', 'last'],
  })),
  row(/^(budget|reset|repaired|joined|recorded)$/, ([what]) => ({
    ...MACHINERY[what as keyof typeof MACHINERY],
    actor: 'runtime',
    after: ['last'],
  })),
  row(/^~(\S+)$/, ([kind]) => ({ kind: kind as string, actor: CODER, data: {}, after: ['last'] })),
];

const MACHINERY = {
  budget: { kind: 'budget_exhausted', data: { budget: 'thinkingTokens' } },
  reset: { kind: 'testbed_reset', data: {} },
  repaired: { kind: 'log_repaired', data: {} },
  joined: { kind: 'writer_joined', data: { lane: '01' } },
  recorded: { kind: 'counterfactual_recorded', data: {} },
} as const satisfies Record<string, { kind: string; data: JsonObject }>;

const ROWS: readonly Row[] = [...RUN, ...PLANS, ...TASKS, ...ACTIONS, ...AROUND];

function row(pattern: RegExp, word: Row['word']): Row {
  return { pattern, word };
}

/**
 * Reads one word, such as `p1?T4`.
 * @throws where no row knows it, so that a typing error in a test is not taken for a history
 */
export function readWord(text: string): Word {
  for (const { pattern, word } of ROWS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const label = labelOf(text);
    const found = word(match.slice(1).map((part) => (part as string | undefined) ?? ''));
    return { ...found, label, groups: [label, ...(found.groups ?? [])] };
  }
  throw new Error(`no such word in a history: ${text}`);
}

/** `p1?T4` → `p1`, `t1<partial` → `t1<`, `e-T2` → `e-`: a word without what varies. */
function labelOf(text: string): string {
  return text.replace(/\?.*$/, '').replace(/<\w+$/, '<').replace(/-T\d$/, '-');
}
