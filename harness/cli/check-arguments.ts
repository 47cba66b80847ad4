/**
 * The arguments of `check`: its options as the command shows them, and their types as run-check.ts uses them.
 */
import { FACETS, PROFILES, type Facet, type Profile } from '../core/verdict.js';

/** Forms of the report: for people, for programs, and for what shows them in CI. */
const FORMATS = ['text', 'json', 'jsonl', 'sarif', 'junit', 'github', 'markdown'] as const;

export const CHECK_OPTIONS = {
  profile: {
    choices: PROFILES,
    default: PROFILES[0],
    describe: 'collapsed allows a single agent without tasks and approvals',
  },
  live: {
    type: 'boolean',
    default: false,
    describe: 'The log is still being written: what is unfinished is no fault',
  },
  facet: {
    choices: FACETS,
    array: true,
    nargs: 1,
    describe: 'Only this facet decides the exit code; may be given again',
  },
  'fail-on': { choices: ['error', 'warning'], default: 'error', describe: 'Lowest severity that fails' },
  baseline: { type: 'string', describe: 'Earlier JSON report: only findings new since then fail' },
  policy: { type: 'string', describe: 'Gate policy to judge by, instead of the run’s own' },
  opinions: { type: 'string', describe: 'JSON file of classifier opinions: event id → { tier, reasons }' },
  'max-violations': {
    type: 'number',
    default: 100,
    describe: 'Findings kept per rule; the rest are counted',
  },
  jobs: { type: 'number', describe: 'Runs checked at once (default: one per core)' },
  format: {
    choices: FORMATS,
    default: FORMATS[0],
    describe: 'Form of the report; sarif, junit, github and markdown are for CI',
  },
  json: { type: 'boolean', default: false, describe: 'The same as --format json' },
  output: { type: 'string', alias: 'o', describe: 'Write the report to this file' },
  verbose: {
    type: 'boolean',
    alias: 'v',
    default: false,
    describe: 'Show notes and every rule that never applied',
  },
} as const;

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
  readonly format: (typeof FORMATS)[number];
  readonly json: boolean;
  readonly output: string | undefined;
  readonly verbose: boolean;
}
