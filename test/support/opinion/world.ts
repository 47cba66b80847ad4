/**
 * Relations over the facts of a log, computed the slow and obvious way: `causes` as pairs, its transitive closure by
 * repeating until nothing is added, and the canonical order by looking for the next line again and again.
 * Rules ask these relations only. Nothing here knows a rule.
 */
import { named, type Fact, type Table } from './facts.js';

export interface World {
  readonly facts: readonly Fact[];
  readonly copies: readonly number[];
  /** The direct cause of an event, if it is there: where several lines bear the id it names, the first of them. */
  readonly causes: readonly ReadonlySet<number>[];
  /** It is among its own causes. */
  readonly onCircle: readonly boolean[];
  /** All causes of an event, near and far. A circle is cut open above the event of it that is first in the file. */
  readonly above: readonly ReadonlySet<number>[];
  /** Place in the canonical order. */
  readonly place: readonly number[];
  /** The way up from the event, or the event itself, breaks off: nothing else is said about its ancestry. */
  readonly broken: readonly boolean[];
}

export function worldOf({ facts, copies }: Table): World {
  const causes = facts.map(
    (fact) =>
      new Set(
        facts
          .filter(({ id }) => id === fact.cause)
          .slice(0, 1)
          .map(({ at }) => at),
      ),
  );
  const around = closureOf(causes);
  const onCircle = facts.map(({ at }) => around[at]?.has(at) === true);
  const isFirstOfCircle = ({ at }: Fact): boolean =>
    onCircle[at] === true && !some(around[at], (up) => up < at && around[up]?.has(at) === true);
  const forest = facts.map((fact) =>
    isFirstOfCircle(fact) ? new Set<number>() : (causes[fact.at] as Set<number>),
  );
  const above = closureOf(forest);
  const place = placesOf(facts, forest);
  const roots = facts.filter(({ cause, kind }) => cause === undefined && kind === 'run_started');
  const isTheRoot = (fact: Fact): boolean =>
    roots.includes(fact) && !roots.some(({ at }) => (place[at] as number) < (place[fact.at] as number));
  const breaks = facts.map((fact) => {
    const isLoose = fact.cause === undefined ? !isTheRoot(fact) : causes[fact.at]?.size === 0;
    return onCircle[fact.at] === true || isLoose;
  });
  const broken = facts.map(({ at }) => breaks[at] === true || some(above[at], (up) => breaks[up] === true));
  return { facts, copies, causes, onCircle, above, place, broken };
}

function closureOf(causes: readonly ReadonlySet<number>[]): Set<number>[] {
  const above = causes.map((direct) => new Set(direct));
  for (let grew = true; grew;) {
    grew = false;
    for (const ups of above) {
      const before = ups.size;
      for (const up of [...ups]) for (const further of above[up] ?? []) ups.add(further);
      grew ||= ups.size > before;
    }
  }
  return above;
}

/** Parents before children, otherwise the place in the file. */
function placesOf(facts: readonly Fact[], causes: readonly ReadonlySet<number>[]): number[] {
  const place: (number | undefined)[] = facts.map(() => undefined);
  for (let next = 0; next < facts.length; next++) {
    const open = facts.filter(({ at }) => place[at] === undefined);
    const free = open.find(({ at }) => !some(causes[at], (up) => place[up] === undefined)) ?? open[0];
    if (free !== undefined) place[free.at] = next;
  }
  return place as number[];
}

export function some(rows: Iterable<number> | undefined, test: (at: number) => boolean): boolean {
  return [...(rows ?? [])].some(test);
}

export function ofKind(world: World, ...kinds: readonly string[]): Fact[] {
  return world.facts.filter(({ kind }) => kinds.includes(kind));
}

/** `early` stands before `late` in the canonical order. */
export function isBefore(world: World, early: Fact, late: Fact): boolean {
  return (world.place[early.at] as number) < (world.place[late.at] as number);
}

/** `effect` has `cause` among its causes, near or far. */
export function descends(world: World, effect: Fact, cause: Fact): boolean {
  return world.above[effect.at]?.has(cause.at) === true;
}

/** Whether it can be said that none of these is above the event: the way up is whole and holds none of them. */
export function misses(world: World, effect: Fact, causes: readonly Fact[]): boolean {
  return world.broken[effect.at] !== true && !causes.some((cause) => descends(world, effect, cause));
}

/** The nearest causes that pass a test: those with no other such cause in between. */
export function nearest(world: World, of: Fact, test: (fact: Fact) => boolean): Fact | undefined {
  const found = world.facts.filter((fact) => descends(world, of, fact) && test(fact));
  return found.find((fact) => !found.some((other) => other !== fact && descends(world, other, fact)));
}

/** Ids are compared only where both sides have them. */
export function agree(one: Fact, other: Fact, member: string): boolean {
  const [left, right] = [named(one, member), named(other, member)];
  return left === undefined || right === undefined || left === right;
}
