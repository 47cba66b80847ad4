/**
 * What must not matter does not matter: other interleavings, forward references, key order, white space, clock skew,
 * names. Held on good and on spoiled runs, by the rules of their roots; one cut byte must always matter.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Finding } from '../../harness/core/verdict.js';
import { history, jsonl, type TestEvent } from '../support/history.js';
import { judgeText, type Judged } from '../support/judge.js';
import { MUTANTS } from '../support/mutants.js';
import { completedRun, interleave } from '../support/runs.js';

const OPTIONS = { numRuns: 250, seed: 20260528 };

/** A good run, or one spoiled somewhere. */
const anyRun: fc.Arbitrary<readonly TestEvent[]> = fc
  .tuple(completedRun, fc.option(fc.constantFrom(...MUTANTS)), fc.nat())
  .map(([notation, mutant, pick]) => {
    const events = history(notation);
    const spoiled = mutant?.spoil(events, pick % events.length);
    return spoiled?.events ?? events;
  });

function sameRoots(one: Judged, other: Judged): void {
  expect(other.rootRules).toEqual(one.rootRules);
  expect(other.report.exit).toBe(one.report.exit);
}

it('metamorphic: tasks interleaved in another way → the same roots', () => {
  fc.assert(
    fc.property(completedRun, fc.array(fc.nat(3), { minLength: 1 }), fc.nat(), (notation, choices, pick) => {
      const words = notation.split(' ');
      const from = words.indexOf('grant') + 1;
      const to = words.indexOf('done');
      const events = history(notation);
      const lanes = new Map<string, TestEvent[]>();
      for (const event of events.slice(from, to)) {
        const task = taskOf(event, events);
        lanes.set(task, [...(lanes.get(task) ?? []), event]);
      }
      const byId = new Map(events.map((event) => [event.id, event]));
      const ids = [...lanes.values()].map((lane) => lane.map(({ id }) => id));
      const middle = interleave(ids, choices).map((id) => byId.get(id) as TestEvent);
      const shuffled = [...events.slice(0, from), ...middle, ...events.slice(to)];
      sameRoots(judgeText(jsonl(events)), judgeText(jsonl(shuffled)));
      for (const mutant of MUTANTS.filter(
        ({ name }) => name.startsWith('relink to') || name.startsWith('approve'),
      )) {
        const at = pick % events.length;
        const spoiled = mutant.spoil(events, at);
        const other = mutant.spoil(shuffled, shuffled.indexOf(events[at] as TestEvent));
        if (spoiled !== undefined && other !== undefined)
          sameRoots(judgeText(jsonl(spoiled.events)), judgeText(jsonl(other.events)));
      }
    }),
    { ...OPTIONS, numRuns: 80 },
  );
});

function taskOf(event: TestEvent, events: readonly TestEvent[]): string {
  const own = event.data?.['taskId'];
  if (typeof own === 'string') return own;
  const cause = events.find(({ id }) => id === event.causedBy);
  return cause === undefined ? '' : taskOf(cause, events);
}

it('metamorphic: an event written just before its cause → the same roots, and a note', () => {
  fc.assert(
    fc.property(anyRun, fc.nat(), (events, pick) => {
      const pairs = events.flatMap((event, at) =>
        at > 1 && event.causedBy === events[at - 1]?.id && event.causedBy !== event.id ? [at] : [],
      );
      const at = pairs[pick % Math.max(pairs.length, 1)];
      if (at === undefined) return;
      const swapped = [...events.slice(0, at - 1), events[at], events[at - 1], ...events.slice(at + 1)];
      const plain = judgeText(jsonl(events));
      // A repeated id means the first line with it, so there the order does matter.
      if (plain.rootRules.includes('causal/duplicate-id')) return;
      const other = judgeText(jsonl(swapped));
      sameRoots(plain, other);
      if (!plain.rootRules.includes('causal/cycle'))
        expect(other.findings.map(({ rule }) => rule)).toContain('causal/forward-reference');
    }),
    OPTIONS,
  );
});

it('metamorphic: keys in another order, white space, CR LF and blank lines → the same findings', () => {
  fc.assert(
    fc.property(anyRun, fc.array(fc.nat(), { minLength: 3, maxLength: 9 }), (events, salt) => {
      const loose = events
        .map((event, at) => respelled(event, salt[at % salt.length] as number))
        .join('\r\n');
      const plain = judgeText(jsonl(events));
      const other = judgeText(`${loose}\r\n\n  \n`);
      // A line repeated in another spelling is no longer the same byte for byte.
      if (plain.rootRules.includes('causal/duplicate-id')) return;
      sameRoots(plain, other);
      expect(prints(other)).toEqual(prints(plain));
    }),
    OPTIONS,
  );
});

/** The same event with its members turned round and spaces between them. */
function respelled(event: TestEvent, salt: number): string {
  const members = Object.entries(event);
  const turned = [...members.slice(salt % members.length), ...members.slice(0, salt % members.length)];
  const space = [' ', '\t', '', '  '][salt % 4] as string;
  const inside = turned.map(
    ([key, value]) => `${JSON.stringify(key)}${space}:${space}${JSON.stringify(value)}`,
  );
  return `${space}{${space}${inside.join(`,${space}`)}${space}}${space}`;
}

function prints(judged: Judged): string[] {
  return judged.findings.map(printed).sort();
}

function printed({ rule, fingerprint }: Finding): string {
  return `${rule} ${fingerprint}`;
}

it('metamorphic: clocks up to a second off → the same roots', () => {
  fc.assert(
    fc.property(
      anyRun,
      fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 5 }),
      (events, skews) => {
        const skewed = events.map((event, at) => ({
          ...event,
          t: new Date(Date.parse(event.t) + (skews[at % skews.length] as number)).toISOString(),
        }));
        sameRoots(judgeText(jsonl(events)), judgeText(jsonl(skewed)));
      },
    ),
    OPTIONS,
  );
});

it('metamorphic: other ids, another day, another run id → the same fingerprints', () => {
  fc.assert(
    fc.property(anyRun, fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/), fc.nat(900), (events, salt, days) => {
      const renamed = events.map((event) => ({
        ...event,
        id: `evt_${salt}${event.id}`,
        runId: `run_${salt}`,
        t: new Date(Date.parse(event.t) + days * 86_400_000).toISOString(),
        ...(event.causedBy === undefined ? {} : { causedBy: `evt_${salt}${event.causedBy}` }),
      }));
      const plain = judgeText(jsonl(events));
      const other = judgeText(jsonl(renamed));
      sameRoots(plain, other);
      expect(other.findings.map(printed)).toEqual(plain.findings.map(printed));
    }),
    OPTIONS,
  );
});

it('metamorphic: cut inside the last line → a torn tail, and nothing else is a root', () => {
  fc.assert(
    fc.property(
      completedRun,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(),
      (notation, part, length) => {
        const log = jsonl(history(notation));
        const lines = log.split('\n').slice(0, -1);
        const line = 2 + Math.floor(part * (lines.length - 2));
        const whole = lines.slice(0, line - 1).join('\n') + '\n';
        const last = lines[line - 1] as string;
        const torn = judgeText(whole + last.slice(0, 1 + (length % last.length)));
        expect(torn.rootRules).toEqual(['log/torn-tail']);
        expect(torn.report.exit).toBe(1);
      },
    ),
    OPTIONS,
  );
});
