/**
 * The arguments of `check`, as its command declares them and run-check.ts uses them.
 */
import type { Facet, Profile } from '../core/verdict.js';

export interface CheckArguments {
  readonly paths: string[];
  readonly profile: Profile;
  readonly live: boolean;
  readonly facet: Facet[] | undefined;
  readonly 'fail-on': 'error' | 'warning';
  readonly baseline: string | undefined;
  readonly policy: string | undefined;
  readonly opinions: string | undefined;
  readonly 'max-violations': number;
  readonly jobs: number | undefined;
  readonly format: 'text' | 'json' | 'jsonl';
  readonly json: boolean;
  readonly output: string | undefined;
  readonly verbose: boolean;
}
