/**
 * The verdict on a run that the study's ledger remembers and whose folder is gone: nothing is left to judge, and
 * that is the finding. Without it, deleting a run would be the one way to hide it.
 */
import { FACETS, type Facet, type FacetJudgement, type Finding, type RunVerdict } from '../core/verdict.js';
import { sha256Hex } from '../core/digest.js';
import { ruleOf } from '../oracle/rules/index.js';
import type { CheckedRun } from './check-run.js';

/** What the ledger still says of a run. */
export interface MissingRun {
  readonly run: string;
  readonly events: number;
}

const RULE = 'seal/truncated';

export function missingRun(path: string, missing: MissingRun): CheckedRun {
  const facts = { source: 'ledger.jsonl', sealed: missing.events, found: 0, unit: 'events' };
  const finding: Finding = {
    rule: RULE,
    severity: 'error',
    facet: 'evidence',
    run: missing.run,
    events: [],
    facts,
    message: `${ruleOf(RULE)?.say(facts) ?? ''} The folder of the run is gone.`,
    path: 'ledger.jsonl',
    fingerprint: sha256Hex(new TextEncoder().encode(JSON.stringify([RULE, missing.run]))).slice(0, 16),
  };
  const facets = {} as Record<Facet, FacetJudgement>;
  for (const facet of FACETS)
    facets[facet] = { verdict: 'unknown', reasons: ['the folder of the run is gone'] };
  facets.evidence = { verdict: 'fail', reasons: [] };
  const verdict: RunVerdict = {
    path,
    input: 'folder',
    run: missing.run,
    verdict: 'fail',
    facets,
    counts: { bytes: 0, lines: 0, blank: 0, events: 0, lost: 0, repaired: 0 },
    tokens: { blocks: 0, calls: 0, input: 0, output: 0, thinking: 0, unknownThinking: 0 },
    findings: [finding],
    omitted: {},
    rules: [{ id: RULE, applied: 1, found: 1, status: 'ran' }],
    withheld: [],
    unknownKinds: {},
  };
  return { verdict, slices: [[]] };
}
