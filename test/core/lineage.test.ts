/**
 * Causal structure against a naive reading of its definition: canonical order, cycles, ancestry.
 * Random forests have parents before and behind their children, dangling causes and cycles.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lineage } from '../../harness/core/lineage.js';
import { DANGLING, NO_CAUSE, Parents } from '../../harness/core/parents.js';

/** Cycles by walking from every event, each with its members in file order. */
function naiveCycles(parents: readonly number[]): number[][] {
  const cycles = new Map<number, number[]>();
  for (let start = 0; start < parents.length; start++) {
    const path: number[] = [];
    let at = start;
    while (at >= 0 && !path.includes(at)) {
      path.push(at);
      at = parents[at] as number;
    }
    if (at !== start) continue;
    const members = [...path].sort((a, b) => a - b);
    cycles.set(members[0] as number, members);
  }
  return [...cycles.values()].sort((a, b) => (a[0] as number) - (b[0] as number));
}

/** Causes with every cycle cut at its first event. */
function cutCauses(parents: readonly number[]): number[] {
  const first = new Set(naiveCycles(parents).map((members) => members[0]));
  return parents.map((parent, event) => (first.has(event) ? NO_CAUSE : parent));
}

/** Parents before children, otherwise the smallest position: what is ready and stands first comes next. */
function naiveOrder(parents: readonly number[]): number[] {
  const causes = cutCauses(parents);
  const order: number[] = [];
  const isReady = (event: number): boolean =>
    !order.includes(event) && ((causes[event] as number) < 0 || order.includes(causes[event] as number));
  while (order.length < parents.length) order.push(parents.findIndex((_, event) => isReady(event)));
  return order;
}

function naiveAncestors(causes: readonly number[], event: number): Set<number> {
  const above = new Set<number>();
  for (let at = event; at >= 0; at = causes[at] as number) above.add(at);
  return above;
}

const forest = fc
  .integer({ min: 1, max: 40 })
  .chain((size) =>
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: size - 1 }) },
        { weight: 1, arbitrary: fc.constant(NO_CAUSE) },
        { weight: 1, arbitrary: fc.constant(DANGLING) },
      ),
      { minLength: size, maxLength: size },
    ),
  );
/** Mostly causes that stand before their effects, as in a real log. */
const nearlyOrdered = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 40 }).map((steps) =>
  steps.map((step, event) => {
    if (step === 30) return Math.min(event + 2, steps.length - 1);
    return event - step < 0 ? NO_CAUSE : event - step === event ? event - 1 : event - step;
  }),
);

function orderOf(lineage: Lineage): number[] {
  return Array.from({ length: lineage.size }, (_, place) => lineage.at(place));
}

describe('lineage: against the definition', () => {
  test.each([
    ['any parents', forest],
    ['parents mostly before', nearlyOrdered],
  ] as const)('lineage: %s → order, cycles and ancestry as defined', (_, parentsOf) => {
    fc.assert(
      fc.property(parentsOf, (parents) => {
        const lineage = new Lineage(Parents.from(parents));
        const cycles = naiveCycles(parents);
        const causes = cutCauses(parents);
        const order = naiveOrder(parents);
        expect(lineage.cycles).toEqual(cycles);
        expect(orderOf(lineage)).toEqual(order);
        order.forEach((event, place) => expect(lineage.place(event)).toBe(place));
        parents.forEach((parent, event) => {
          expect(lineage.parent(event)).toBe(parent);
          expect(lineage.cause(event)).toBe(causes[event]);
          expect(lineage.isOnCycle(event)).toBe(cycles.some((members) => members.includes(event)));
          expect(lineage.cycleHead(event)).toBe(cycles.find((members) => members.includes(event))?.[0] ?? -1);
          const above = naiveAncestors(causes, event);
          parents.forEach((__, other) => expect(lineage.isAncestor(other, event)).toBe(above.has(other)));
          for (const some of [parents.keys(), order.slice(0, 6), order.slice(-3)].map((list) => [...list])) {
            const others = some.filter((other) => other !== event);
            expect(lineage.belowAny(others)(event)).toBe(others.some((other) => above.has(other)));
          }
        });
      }),
      { seed: 5, numRuns: 250 },
    );
  });
});

describe('lineage: by hand', () => {
  test.each<[string, number[], number[]]>([
    ['nothing', [], []],
    ['a chain in order', [-1, 0, 1], [0, 1, 2]],
    ['a chain written backwards', [1, 2, -1], [2, 1, 0]],
    ['a child before its parent', [-1, 2, 0, 0], [0, 2, 1, 3]],
    ['two children of a late parent', [3, 3, -1, -1], [2, 3, 0, 1]],
    ['a dangling cause', [-2, 0, -2], [0, 1, 2]],
    ['a cycle of one', [-1, 1, 0], [0, 1, 2]],
    ['a cycle of three, entered from below', [2, 0, 1, 0], [0, 1, 2, 3]],
    ['a tail into a cycle behind it', [2, -1, 3, 2], [1, 2, 0, 3]],
  ])('lineage: %s → %j in order %j', (_, parents, order) => {
    expect(orderOf(new Lineage(Parents.from(parents)))).toEqual(order);
  });

  test('lineage: two cycles and a tail → each cycle once, in file order', () => {
    const lineage = new Lineage(Parents.from([4, 3, -1, 1, 0, 3, 6]));
    expect(lineage.cycles).toEqual([[0, 4], [1, 3], [6]]);
    expect([lineage.cause(0), lineage.cause(4), lineage.cause(5), lineage.cause(6)]).toEqual([-1, 0, 3, -1]);
  });
});

describe('lineage: long chains', () => {
  const LENGTH = 200_000;

  test('lineage: 200,000 events in a chain → ancestry at every distance, no recursion', () => {
    const lineage = new Lineage(Parents.from(Array.from({ length: LENGTH }, (_, event) => event - 1)));
    for (const step of [0, 1, 46, 47, 48, 49, 50, 1000, LENGTH - 1]) {
      expect(lineage.isAncestor(LENGTH - 1 - step, LENGTH - 1), `${step} steps up`).toBe(true);
      expect(lineage.isAncestor(LENGTH - 1, LENGTH - 1 - step), `${step} steps down`).toBe(step === 0);
    }
    expect(lineage.cycles).toEqual([]);
  });

  test('lineage: the same chain written backwards → turned around', () => {
    const lineage = new Lineage(
      Parents.from(Array.from({ length: LENGTH }, (_, event) => (event === LENGTH - 1 ? -1 : event + 1))),
    );
    expect([lineage.at(0), lineage.at(LENGTH - 1), lineage.place(0)]).toEqual([LENGTH - 1, 0, LENGTH - 1]);
    expect([lineage.isAncestor(LENGTH - 1, 0), lineage.isAncestor(0, LENGTH - 1)]).toEqual([true, false]);
  });

  test('lineage: 200,000 events in one cycle → one cycle, cut at the first event', () => {
    const lineage = new Lineage(
      Parents.from(Array.from({ length: LENGTH }, (_, event) => (event === 0 ? LENGTH - 1 : event - 1))),
    );
    expect(lineage.cycles).toHaveLength(1);
    expect(lineage.cycles[0]).toHaveLength(LENGTH);
    expect([lineage.cause(0), lineage.isAncestor(0, LENGTH - 1), lineage.isAncestor(LENGTH - 1, 0)]).toEqual([
      -1,
      true,
      false,
    ]);
  });

  test('lineage: two long branches → ancestry beyond the walk limit keeps them apart', () => {
    const parents = Int32Array.from({ length: 2000 }, (_, event) => (event < 2 ? event - 1 : event - 2));
    parents[1] = 0;
    const lineage = new Lineage(Parents.from(parents));
    expect([lineage.isAncestor(2, 1998), lineage.isAncestor(1, 1998), lineage.isAncestor(3, 1999)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([
      lineage.isAncestor(0, 1998),
      lineage.isAncestor(0, 1999),
      lineage.isAncestor(1998, 1999),
    ]).toEqual([true, true, false]);
  });
});
