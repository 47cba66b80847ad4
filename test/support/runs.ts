/**
 * Good runs by the hundred: arbitraries for fast-check that give histories in the mini-language.
 *
 * Plans with rejections, councils, parallel tasks, actions of every tier and every end, snapshots, aborts at any
 * moment, corrections afterwards, and runs that collapse planner and executor. All of them must pass.
 */
import fc from 'fast-check';

/** One way an action can go, as words; `n` numbers the proposal, `t` the task. */
type Step = (n: number, t: number) => readonly string[];

const STEPS: readonly Step[] = [
  (_, t) => [`e-T0@t${t}!`],
  (_, t) => [`f-T0@t${t}!`],
  (n, t) => [`p${n}?T1@t${t}!`, `e${n}`],
  (n, t) => [`p${n}?T1@t${t}!`, `a${n}(auto)`, `e${n}`],
  (n, t) => [`p${n}?T2@t${t}!`, `a${n}`, `e${n}`],
  (n, t) => [`p${n}?T2@t${t}!`, `v${n}`, `e${n}`],
  (n, t) => [`p${n}?T2@t${t}!`, `ask${n}`, `a${n}`, `e${n}`],
  (n, t) => [`p${n}?T2@t${t}!`, `a${n}`, `trip@a${n}`, `f${n}{by:testbed}`],
  (n, t) => [`p${n}?T3@t${t}!`, `ask${n}`, `a${n}`, `e${n}`],
  (n, t) => [`p${n}?T3@t${t}!`, `a${n}`, `f${n}`, `e${n}@f${n}`],
  (n, t) => [`p${n}?T3@t${t}!`, `r${n}`],
  (n, t) => [`p${n}?T3@t${t}!`, `ask${n}`, `x${n}`],
  (n, t) => [`p${n}?T3@t${t}!`, `ask${n}`, `x${n}`, `ask${n}@x${n}`, `a${n}`, `e${n}`],
  (n, t) => [`p${n}?T4@t${t}!`, `u${n}`],
  (n, t) => [`p${n}?T4@t${t}!`, `r${n}`],
  (n, t) => [`snap${n}@t${t}!`, `verify${n}`, `p${n}?T4@verify${n}`, `ask${n}`, `a${n}`, `e${n}`],
  (n, t) => [`p${n}?T2@t${t}!`, `a${n}`, `e${n}`, `rollback@e${n}`],
];

const STATUSES = ['', 'partial', 'failure'] as const;

/** Until a plan is granted: 0 to 2 rejections, perhaps a council, perhaps a call of the model. */
const planning = fc
  .record({ rejections: fc.nat(2), council: fc.boolean(), model: fc.boolean(), asksTwice: fc.boolean() })
  .map(({ rejections, council, model, asksTwice }) => {
    const words = ['run', 'goal', ...(model ? ['model'] : [])];
    for (let version = 1; version <= rejections + 1; version++) {
      words.push(version === 1 ? 'plan' : `plan${version}`);
      if (council && version === 1)
        words.push('council-convened', 'council-proposal', 'council-critique', 'council-synthesis');
      words.push('ask', ...(asksTwice && version === 1 ? ['expire', 'ask'] : []));
      words.push(version > rejections ? 'grant' : 'reject');
    }
    return words;
  });

/** The words of one to four tasks, each in order. */
const tasks = fc
  .array(
    fc.record({
      steps: fc.array(fc.constantFrom(...STEPS), { maxLength: 4 }),
      status: fc.constantFrom(...STATUSES),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => {
    let proposals = 0;
    return list.map(({ steps, status }, index) => {
      const task = index + 1;
      const inside = steps.flatMap((step) => step(++proposals, task));
      return [`t${task}>`, `t${task}!`, ...inside, `t${task}<${status}`];
    });
  });

/** Several lists as one, each in its own order: the next word comes from the list that a choice names. */
export function interleave(lists: readonly (readonly string[])[], choices: readonly number[]): string[] {
  const rest = lists.map((list) => [...list]);
  const merged: string[] = [];
  for (let turn = 0; rest.some((list) => list.length > 0); turn++) {
    const open = rest.filter((list) => list.length > 0);
    const list = open[(choices[turn % choices.length] ?? 0) % open.length] as string[];
    merged.push(list.shift() as string);
  }
  return merged;
}

const choices = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 });

/** A run that completes. Nothing in it follows its end but what may. */
export const completedRun: fc.Arbitrary<string> = fc
  .record({
    planning,
    tasks,
    choices,
    after: fc.subarray(['check', 'recorded', 'correct@goal']),
  })
  .map((run) => [...run.planning, ...interleave(run.tasks, run.choices), 'done', ...run.after].join(' '));

/** A run that is aborted at any moment. */
export const abortedRun: fc.Arbitrary<string> = fc
  .record({ planning, tasks, choices, at: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map((run) => {
    const words = [...run.planning, ...interleave(run.tasks, run.choices)];
    return [...words.slice(0, 1 + Math.floor(run.at * (words.length - 1))), 'abort'].join(' ');
  });

/** A run without tasks and approvals, for `--profile collapsed`. */
export const collapsedRun: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('e-T0', 'e-T1', 'e-T2', 'f-T0', 'model'), { maxLength: 6 })
  .map((steps) => ['run', 'goal', 'plan', ...steps, 'done'].join(' '));

export const goodRun: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: completedRun },
  { weight: 1, arbitrary: abortedRun },
);
