/**
 * Folding must not swallow: two faults in two tasks that have nothing to do with each other are two roots.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { history, jsonl, type TestEvent } from '../support/history.js';
import { judgeText } from '../support/judge.js';
import { MUTANTS, type Spoiled } from '../support/mutants.js';
import { completedRun } from '../support/runs.js';

/** Where an event that is spoiled touches its own task only. */
const LOCAL = new Set([
  'task_dispatched',
  'task_started',
  'task_result',
  'action_proposed',
  'action_approved',
  'action_rejected',
  'action_executed',
]);

it('two faults: one in each of two tasks → both are roots', () => {
  let applied = 0;
  const mutant = fc.constantFrom(
    ...MUTANTS.filter(({ name }) => !/cut|after the end|cause each other/.test(name)),
  );
  const pick = fc.nat();
  fc.assert(
    fc.property(
      completedRun,
      fc.tuple(mutant, mutant),
      fc.tuple(pick, pick),
      (notation, [one, other], [a, b]) => {
        const events = history(notation);
        const tasks = new Map(events.map((event) => [event.id, taskOf(event, events)]));
        const first = spoilIn(events, (event) => tasks.get(event.id) === 'task_t1', {
          spoil: one.spoil,
          pick: a,
        });
        const second =
          first &&
          spoilIn(first.events, (event) => tasks.get(event.id) === 'task_t2', {
            spoil: other.spoil,
            pick: b,
          });
        if (first === undefined || second === undefined) return;
        // A dispatch whose cause is gone and a task without result: that result may be what is gone.
        const rules = [first.rule, second.rule];
        if (rules.includes('task/result-missing') && rules.includes('causal/dangling-cause')) return;
        applied++;
        const { rootRules } = judgeText(jsonl(renamed(second.events)));
        expect(rootRules).toEqual([...new Set([first.rule, second.rule])].sort());
      },
    ),
    { numRuns: 600, seed: 20260528 },
  );
  expect(applied).toBeGreaterThan(150);
});

function spoilIn(
  events: readonly TestEvent[],
  isOwn: (event: TestEvent) => boolean,
  how: { spoil: (events: readonly TestEvent[], at: number) => Spoiled | undefined; pick: number },
): Spoiled | undefined {
  const spots = events.flatMap((event, at) =>
    LOCAL.has(event.kind) && isOwn(event) ? (how.spoil(events, at) ?? []) : [],
  );
  return spots[how.pick % Math.max(spots.length, 1)];
}

/** The second of two events that a mutant gave the same new id gets another. */
function renamed(events: readonly TestEvent[]): TestEvent[] {
  const seen = new Set<string>();
  return events.map((event) => {
    if (!/^evt_(again|late)$/.test(event.id)) return event;
    const id = seen.has(event.id) ? `${event.id}_2` : event.id;
    seen.add(event.id);
    return { ...event, id };
  });
}

function taskOf(event: TestEvent, events: readonly TestEvent[]): string {
  const own = event.data?.['taskId'];
  if (typeof own === 'string') return own;
  const cause = events.find(({ id }) => id === event.causedBy);
  return cause === undefined ? '' : taskOf(cause, events);
}
