/**
 * Checks the bundled examples and says whether each was judged as its name promises (`good-…`, `bad-…`).
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveInputs } from '../check/inputs.js';
import { checkRuns } from '../check/pool.js';
import { makeReport } from '../check/report.js';
import { EXIT } from '../core/errors.js';
import { FACETS } from '../core/verdict.js';
import { textReport } from '../report/text.js';
import { paintFor, print } from './output.js';
import { harnessInfo } from './version.js';

/** @returns 0 where every example was judged as its name says, else 1 */
export async function showExamples(args: { readonly verbose: boolean }): Promise<number> {
  const folder = fileURLToPath(new URL('../../runs/examples', import.meta.url));
  const inputs = resolveInputs([folder]);
  const shown = inputs.runs.map((run) => ({ ...run, path: relative(process.cwd(), run.path) || run.path }));
  const checked = await checkRuns(shown, { check: { profile: 'strict', live: false, violationsMax: 100 } });
  const verdicts = checked.map((run) => run.verdict);
  const report = makeReport(verdicts, {
    harness: harnessInfo(),
    profile: 'strict',
    live: false,
    facets: FACETS,
    failOn: 'error',
  });
  print(
    textReport(
      report,
      checked.map((run) => run.slices),
      { paint: paintFor(false), verbose: args.verbose },
    ),
  );
  const surprises = verdicts.filter((run) => (run.verdict === 'pass') !== isGood(run.path));
  if (surprises.length > 0) {
    print(`\nNot judged as their names say: ${surprises.map((run) => run.path).join(', ')}\n`);
    return EXIT.fail;
  }
  print(
    `\nAll ${verdicts.length} examples were judged as their names say. Now try: counterproof check <your run>\n`,
  );
  return EXIT.pass;
}

function isGood(path: string): boolean {
  return (path.split(/[\\/]/).at(-1) as string).startsWith('good-');
}
