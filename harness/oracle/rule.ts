/**
 * What a rule is: one small declarative entry with a pure check.
 *
 * A rule looks at a `Case` and reports violations as data; it renders no text while checking, decides nothing
 * about other rules, and does no I/O. Folding, counting and verdicts happen in judge.ts.
 */
import type { Facet, Facts, Fix, Severity, Witness } from '../core/verdict.js';
import type { Case } from './case.js';

/**
 * What must be there for a rule to apply; where it is not, the rule is `not-applicable` with this reason.
 * `folder`: a run folder · `ours`: a log our writer keeps · `gate`: an active gate · `condition`: condition.json ·
 * `opinions`: classifier opinions handed in.
 */
export type Need = 'folder' | 'ours' | 'gate' | 'condition' | 'opinions';

/** A line that matters for a violation, and why, in two or three words. */
export interface Involved {
  readonly event: number;
  readonly role: string;
}

/** A line that became no event (torn, garbled, foreign), named by its place. */
export interface LinePlace {
  readonly line: number;
  readonly offset: number;
  readonly id: string;
}

/** What a violation is about, so that findings on the same thing can be folded into one report. */
export type Subject =
  | { readonly kind: 'run' }
  | { readonly kind: 'event'; readonly event: number }
  | { readonly kind: 'task' | 'proposal' | 'plan'; readonly number: number }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'line'; readonly line: number };

export interface Violation {
  /** Lines involved, the one the finding is about first. */
  readonly events: readonly Involved[];
  /** Places of lines that are no events. */
  readonly lines?: readonly LinePlace[];
  readonly subject: Subject;
  readonly facts: Facts;
  /** What makes this fault the same fault in another run: names of subjects and kinds, never ids or numbers. */
  readonly key: readonly string[];
  /**
   * The finding says that something is *not* there: before its first event, after it, or anywhere. A line lost on
   * that side may be what is missing.
   */
  readonly absence?: 'before' | 'after' | 'anywhere';
  /** Follows from this rule on the given subject, whatever the folding table says. */
  readonly path?: string;
  readonly fix?: Fix;
  readonly witness?: Witness;
}

/** Where a check puts what it sees. */
export interface Report {
  /** Counts one application of the rule: a subject it was really held against. */
  applied(count?: number): void;
  found(violation: Violation): void;
  /** The rule could not decide here: the facet is unknown unless something fails it. */
  unknown(reason: string): void;
}

export interface Rule {
  readonly id: string;
  readonly title: string;
  readonly facet: Facet;
  readonly severity: Severity;
  readonly why: string;
  /** A log in the notation of test histories, or a sentence, that breaks the rule. */
  readonly example: string;
  /** What to do about it. */
  readonly mend: string;
  readonly needs?: readonly Need[];
  /** The rule holds at the end of a run only: a log still being written is not held against it. */
  readonly atEnd?: boolean;
  check(this: void, c: Case, report: Report): void;
  /** One sentence for the facts of a violation. */
  say(this: void, facts: Facts): string;
}
