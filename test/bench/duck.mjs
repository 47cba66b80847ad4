/**
 * The main rules of well-formedness as SQL, in DuckDB on one thread: loads one log and counts what breaks each rule.
 * The plain cases only: no folding, no explanation, no lines that cannot be read, no policy, one run per log.
 *
 *   node duck.mjs <path of @duckdb/node-api> <log>
 */
import { pathToFileURL } from 'node:url';

const [api, log] = process.argv.slice(2);
const module = await import(pathToFileURL(api).href);
const { DuckDBInstance } = module.default ?? module;

const COLUMNS =
  "{id: 'VARCHAR', kind: 'VARCHAR', causedBy: 'VARCHAR', t: 'VARCHAR', data: 'JSON', tokens: 'JSON', counterfactual: 'JSON'}";
const LOAD = `CREATE TABLE log AS
  SELECT row_number() OVER () AS line, id, kind, causedBy, data->>'taskId' AS task, data->>'proposalId' AS proposal,
    data->>'planId' AS plan, data->>'actionDigest' AS digest, data->>'tier' AS tier, tokens, counterfactual
  FROM read_ndjson('${log.replaceAll("'", "''")}', columns = ${COLUMNS}, maximum_object_size = 33554432)`;
const LINK = `CREATE TABLE link AS
  SELECT e.*, c.line AS cause_line, c.kind AS cause_kind FROM log e LEFT JOIN log c ON c.id = e.causedBy`;

/** How often something was done to each task, at most or at least once. */
function perTask(kind, wrong) {
  return `SELECT count(*) FROM (SELECT task FROM log WHERE kind IN ('task_dispatched', '${kind}') GROUP BY task
    HAVING count(*) FILTER (kind = 'task_dispatched') > 0 AND count(*) FILTER (kind = '${kind}') ${wrong})`;
}

const ENDS = "('action_executed', 'action_failed')";
const RULES = {
  'causal/duplicate-id': 'SELECT count(*) FROM (SELECT id FROM log GROUP BY id HAVING count(*) > 1)',
  'causal/dangling-cause': 'SELECT count(*) FROM link WHERE causedBy IS NOT NULL AND cause_line IS NULL',
  'causal/orphan': "SELECT count(*) FROM log WHERE causedBy IS NULL AND kind <> 'run_started'",
  // UNION, not UNION ALL: with a repeated id or a cycle the latter never ends.
  'causal/cycle': `WITH RECURSIVE reached(line) AS (
      SELECT line FROM link WHERE cause_line IS NULL
      UNION SELECT link.line FROM link JOIN reached ON link.cause_line = reached.line)
    SELECT (SELECT count(*) FROM log) - (SELECT count(*) FROM reached)`,
  'run/start-repeated': "SELECT count(*) - 1 FROM log WHERE kind = 'run_started'",
  'run/terminal-missing':
    "SELECT 1 - least(1, count(*)) FROM log WHERE kind IN ('run_completed', 'run_aborted')",
  'plan/decision-without-request': `SELECT count(*) FROM link
    WHERE kind IN ('approval_granted', 'approval_rejected') AND cause_kind <> 'approval_requested'`,
  'plan/dispatch-before-grant': `SELECT count(*) FROM log WHERE kind = 'task_dispatched'
    AND line < (SELECT min(line) FROM log WHERE kind = 'approval_granted')`,
  'task/start-missing': perTask('task_started', '= 0'),
  'task/started-twice': perTask('task_started', '> 1'),
  'task/result-missing': perTask('task_result', '= 0'),
  'task/result-repeated': perTask('task_result', '> 1'),
  'action/approval-without-proposal': `SELECT count(*) FROM log d ANTI JOIN log p
    ON p.proposal = d.proposal AND p.kind = 'action_proposed' WHERE d.kind IN ('action_approved', 'action_rejected')`,
  'action/executed-after-rejection': `SELECT count(*) FROM log e JOIN log r
    ON r.proposal = e.proposal AND r.kind = 'action_rejected' AND r.line < e.line WHERE e.kind IN ${ENDS}`,
  'action/executed-twice': `SELECT count(*) FROM (SELECT proposal FROM log
    WHERE kind = 'action_executed' AND proposal IS NOT NULL GROUP BY proposal HAVING count(*) > 1)`,
  'action/executed-differs-from-approved': `SELECT count(*) FROM log e JOIN log p
    ON p.proposal = e.proposal AND p.kind = 'action_proposed' WHERE e.kind IN ${ENDS} AND p.digest <> e.digest`,
  'gate/ungated-high-tier': `SELECT count(*) FROM log e ANTI JOIN log a
    ON a.proposal = e.proposal AND a.kind = 'action_approved' WHERE e.kind IN ${ENDS} AND e.tier IN ('T3', 'T4')`,
  'counterfactual/block-missing': `SELECT count(*) FROM log
    WHERE kind IN ('action_executed', 'action_failed', 'action_rejected') AND counterfactual IS NULL`,
  'tokens/block-missing': "SELECT count(*) FROM log WHERE kind = 'model_called' AND tokens IS NULL",
};

const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
await connection.run(LOAD);
await connection.run(LINK);
const counts = {};
for (const [rule, sql] of Object.entries(RULES)) {
  const [[count]] = (await connection.runAndReadAll(sql)).getRows();
  counts[rule] = Number(count);
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
process.exit(0);
