/**
 * What a judgement is: findings, facets, and the three-valued verdict. Data first; sentences are rendered
 * from it, late, for the findings that are shown. The JSON form is schemas/verdict-report.schema.json.
 */
import type { JsonValue } from './event.js';

export const FACETS = ['well-formed', 'evidence', 'policy', 'condition'] as const;
export type Facet = (typeof FACETS)[number];

export type Severity = 'error' | 'warning' | 'note';

/** `unknown` is never shown as `pass`: a rule threw, promised evidence is unreadable, or a scan stopped early. */
export type FacetVerdict = 'pass' | 'fail' | 'unknown' | 'not-applicable';

export const PROFILES = ['strict', 'collapsed'] as const;
export type Profile = (typeof PROFILES)[number];

/** A place in the log that anybody can look at again: line numbers start at 1, offsets are bytes from 0. */
export interface EventRef {
  readonly id: string;
  readonly line: number;
  readonly offset: number;
  /** Why this line matters for the finding, in two or three words. */
  readonly role: string;
}

export type Facts = { readonly [name: string]: JsonValue };

/**
 * The smallest change of the log that would mend the fault. It is advice: a log is never rewritten. What is inserted
 * goes between `causedBy` and those of its effects that stand below `afterLine`.
 */
export type Fix =
  | {
      readonly op: 'insert';
      readonly kind: string;
      readonly data: Facts;
      readonly afterLine: number;
      readonly causedBy: string;
    }
  | { readonly op: 'remove'; readonly line: number }
  | { readonly op: 'set'; readonly line: number; readonly pointer: string; readonly value: JsonValue };

/**
 * What a second, independent script must see to agree: every `present` line holds these values, and no line
 * (in the given line range, ends included) holds all values of `absent`. Keys are JSON pointers into the line.
 */
export interface Witness {
  readonly present: readonly { readonly line: number; readonly values: Facts }[];
  readonly absent?: { readonly values: Facts; readonly fromLine?: number; readonly toLine?: number };
}

export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly facet: Facet;
  readonly run: string | null;
  readonly events: readonly EventRef[];
  readonly facts: Facts;
  /** One sentence, rendered from the facts. */
  readonly message: string;
  /** File of the run folder the finding is about, where there is one. */
  readonly path?: string;
  /** Fingerprint of the finding this one follows from. */
  readonly consequenceOf?: string;
  /** Stable across runs: rule and subjects, never ids, lines, times or the run's name. */
  readonly fingerprint: string;
  readonly witness?: Witness;
  readonly fix?: Fix;
}

export interface FacetJudgement {
  readonly verdict: FacetVerdict;
  /** Why it is not simply a pass or a fail: what could not be decided. */
  readonly reasons: readonly string[];
}

/** How one rule fared: a green verdict with 0 applications is not one with 10,000. */
export interface RuleTally {
  readonly id: string;
  readonly applied: number;
  readonly found: number;
  readonly status: 'ran' | 'not-applicable' | 'unknown';
  readonly reason?: string;
}

/** Findings that were not made because the record they miss may be one that could not be read. */
export interface Withheld {
  readonly rule: string;
  readonly count: number;
  readonly reason: string;
}

export interface TokenTotals {
  readonly blocks: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly thinking: number;
  /** Blocks that do not say how much was thinking: unknown, not 0. */
  readonly unknownThinking: number;
}

export interface LogCounts {
  readonly bytes: number;
  readonly lines: number;
  readonly blank: number;
  readonly events: number;
  /** Lines that hold something and became no event. */
  readonly lost: number;
  /** Fragments that a `log_repaired` event accounts for. */
  readonly repaired: number;
}

/** The judgement of one run, before it has a place in a report. */
export interface RunJudgement {
  readonly run: string | null;
  readonly verdict: FacetVerdict;
  readonly facets: Readonly<Record<Facet, FacetJudgement>>;
  readonly counts: LogCounts;
  readonly tokens: TokenTotals;
  readonly findings: readonly Finding[];
  /** Findings beyond those kept, by rule. */
  readonly omitted: { readonly [rule: string]: number };
  readonly rules: readonly RuleTally[];
  readonly withheld: readonly Withheld[];
  readonly unknownKinds: { readonly [kind: string]: number };
}

export interface RunVerdict extends RunJudgement {
  readonly path: string;
  readonly input: 'folder' | 'log';
}

/** What `check` reports (schemas/verdict-report.schema.json). */
export interface VerdictReport {
  readonly formatVersion: 1;
  readonly harness: { readonly name: string; readonly version: string };
  readonly profile: Profile;
  readonly live: boolean;
  /** Facets that decide the exit code. */
  readonly facets: readonly Facet[];
  readonly exit: number;
  readonly summary: {
    readonly runs: number;
    readonly pass: number;
    readonly fail: number;
    readonly unknown: number;
    readonly errors: number;
    readonly warnings: number;
    readonly notes: number;
  };
  readonly runs: readonly RunVerdict[];
}
