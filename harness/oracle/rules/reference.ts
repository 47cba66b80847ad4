/**
 * Rules of family `reference`: files that the log names stay inside the run, are there, and are what they say.
 * Whether a path escapes is judged by its text, also on a bare log; everything else needs the run folder.
 */
import { PATH_KEYS } from '../../core/event.js';
import { FLAG } from '../../core/facts.js';
import { pathEscapes } from '../../core/path.js';
import { validate } from '../../core/schema.js';
import type { SchemaName } from '../../core/types.js';
import type { Case } from '../case.js';
import { isObject, list, textOf } from '../documents.js';
import type { Report, Rule } from '../rule.js';

/** Schema that a named file must fit, by the member that names it. */
const SCHEMA_OF_MEMBER: Readonly<Partial<Record<string, SchemaName>>> = {
  planPath: 'plan',
  messagePath: 'agent-message',
  proposalPath: 'proposal',
  resultPath: 'task-result',
};
/** Frozen copies of a run and their schemas; their digests stand in `run_started`. */
const FROZEN: readonly { readonly member: string; readonly path: string; readonly schema: SchemaName }[] = [
  { member: 'task', path: 'task.json', schema: 'research-task' },
  { member: 'condition', path: 'condition.json', schema: 'condition' },
  { member: 'policy', path: 'gate-policy.json', schema: 'gate-policy' },
];
const PROBLEMS_SHOWN = 4;

interface Named {
  readonly event: number;
  readonly member: string;
  readonly path: string;
}

/** Visits the names of files in events that have a flag. */
function forPaths(c: Case, flag: number, visit: (named: Named) => void): void {
  for (let event = 0; event < c.history.size; event++) {
    if (!c.history.has(event, flag)) continue;
    for (const member of PATH_KEYS) {
      const path = c.history.dataText(event, member);
      if (path !== undefined) visit({ event, member, path });
    }
  }
}

const pathEscapesRun: Rule = {
  id: 'reference/path-escapes-run',
  title: 'A path leaves the run folder',
  facet: 'evidence',
  severity: 'error',
  why: 'Following it would read files of the machine that the agent never had a right to.',
  example: '"resultPath":"../../../../etc/passwd"',
  mend: 'Name files relative to the run folder, without .. and without links that lead out.',
  check(c, report) {
    // On a bare log there are no links, and names that plainly stay inside need no look.
    const isBare = !c.evidence.isFolder;
    if (isBare) report.applied(c.history.parts.sums.paths);
    forPaths(c, isBare ? FLAG.oddPaths : FLAG.paths, ({ event, member, path }) => {
      if (!isBare) report.applied();
      const how = pathEscapes(path) ?? linkEscape(c, path);
      if (how === undefined) return;
      const facts = { member, path, how };
      report.found({
        events: [{ event, role: member }],
        subject: { kind: 'event', event },
        facts,
        key: [member, how],
      });
    });
    const log = c.evidence.prefix(0);
    if ('events' in log || log.why !== 'escapes') return;
    const facts = { member: 'the log', path: 'provenance.jsonl', how: log.how };
    report.found({
      events: [],
      subject: { kind: 'file', path: facts.path },
      facts,
      key: ['log'],
      path: facts.path,
    });
  },
  say: (facts) =>
    `${facts['member'] as string} is ${JSON.stringify(facts['path'])}, which leaves the run folder: it ${facts['how'] as string}.`,
};

function linkEscape(c: Case, path: string): string | undefined {
  const found = c.evidence.presence(path);
  return !found.found && found.why === 'escapes' ? found.how : undefined;
}

/** The files that members of `data` name, and the frozen copies that the start of the run gives digests of. */
function forNamed(c: Case, visit: (named: Named) => void): void {
  forPaths(c, FLAG.paths, visit);
  const [event] = c.runStarts;
  const digests = event === undefined ? undefined : c.history.data(event)['digests'];
  if (event === undefined || !isObject(digests)) return;
  for (const { member, path } of FROZEN) {
    if (textOf(digests, member) !== undefined) visit({ event, member: `digests.${member}`, path });
  }
}

const fileMissing: Rule = {
  id: 'reference/file-missing',
  title: 'A file that the log names is not there',
  facet: 'evidence',
  severity: 'error',
  why: 'What a record points to is a part of the record.',
  example: '"resultPath":"results/task_t1.json", and no such file',
  mend: 'Write the file first, then the event; restore it from where the run was made.',
  needs: ['folder'],
  check(c, report) {
    forNamed(c, ({ event, member, path }) => {
      if (pathEscapes(path) !== undefined) return;
      report.applied();
      const found = c.evidence.presence(path);
      if (found.found || found.why === 'escapes' || found.why === 'not-applicable') return;
      if (found.why === 'unreadable') {
        report.unknown(`${path} cannot be read: ${found.detail}`);
        return;
      }
      report.found({
        events: [{ event, role: member }],
        subject: { kind: 'file', path },
        facts: { member, path },
        key: [member, path],
        path,
      });
    });
  },
  say: (facts) =>
    `${facts['member'] as string} names ${facts['path'] as string}; the run folder has no such file.`,
};

const artifactInvalid: Rule = {
  id: 'reference/artifact-invalid',
  title: 'A file that the log names does not fit its schema',
  facet: 'evidence',
  severity: 'error',
  why: 'A plan, proposal or result that cannot be read proves nothing.',
  example: 'a proposal file without an action',
  mend: 'Write artifacts through the writer, which checks them; schemas/ is the contract.',
  needs: ['folder'],
  check(c, report) {
    const seen = new Set<string>();
    forPaths(c, FLAG.paths, ({ event, member, path }) => {
      const schema = SCHEMA_OF_MEMBER[member];
      if (schema === undefined || seen.has(path) || pathEscapes(path) !== undefined) return;
      seen.add(path);
      checkArtifact(c, report, { event, path, schema });
    });
    const [start] = c.runStarts;
    for (const { path, schema } of FROZEN) {
      if (start !== undefined && !seen.has(path) && c.evidence.presence(path).found)
        checkArtifact(c, report, { event: start, path, schema });
    }
  },
  say: (facts) =>
    `${facts['path'] as string} is no valid ${facts['schema'] as string}: ${(list(facts['problems']) as readonly string[]).join('; ')}.`,
};

function checkArtifact(
  c: Case,
  report: Report,
  at: { event: number; path: string; schema: SchemaName },
): void {
  const json = c.evidence.json(at.path);
  if (!json.found && json.why !== 'invalid') return;
  report.applied();
  const checked = json.found ? validate(at.schema, json.value) : undefined;
  if (checked?.ok === true) return;
  const problems =
    checked === undefined
      ? [json.found ? '' : (json as { detail: string }).detail]
      : checked.problems.map((problem) => problem.message);
  report.found({
    events: [{ event: at.event, role: 'names it' }],
    subject: { kind: 'file', path: at.path },
    facts: {
      path: at.path,
      schema: at.schema,
      problems: problems.slice(0, PROBLEMS_SHOWN),
      count: problems.length,
    },
    key: [at.path, ...problems.slice(0, PROBLEMS_SHOWN)],
    path: at.path,
  });
}

const digestMismatch: Rule = {
  id: 'reference/digest-mismatch',
  title: 'A file is not the one the log gives the digest of',
  facet: 'evidence',
  severity: 'error',
  why: 'It was changed after it was recorded: what was approved or judged is not what is there now.',
  example: 'gate-policy.json edited after the run',
  mend: 'Restore the file as it was when the event was written.',
  needs: ['folder'],
  check(c, report) {
    const { history } = c;
    for (let event = 0; event < history.size; event++) {
      const kind = history.kind(event);
      if (kind === 'run_started') {
        const digests = history.data(event)['digests'];
        for (const { member, path } of FROZEN)
          if (isObject(digests)) compare(event, path, textOf(digests, member));
      } else if (kind === 'approval_granted' || kind === 'approval_requested') {
        const path = c.isAboutPlan(event) ? planPath(c, event) : undefined;
        if (path !== undefined) compare(event, path, history.dataText(event, 'actionDigest'));
      }
    }
    function compare(event: number, path: string, digest: string | undefined): void {
      if (digest === undefined) return;
      const file = c.evidence.file(path);
      if (!file.found) return;
      report.applied();
      const found = `sha256:${file.sha256}`;
      if (found === digest) return;
      const facts = { path, recorded: digest, found };
      report.found({
        events: [{ event, role: 'records the digest' }],
        subject: { kind: 'file', path },
        facts,
        key: [path],
        path,
      });
    }
  },
  say: (facts) =>
    `${facts['path'] as string} has digest ${facts['found'] as string}; the log recorded ${facts['recorded'] as string}.`,
};

/** File of the plan that a request or decision is about. */
function planPath(c: Case, event: number): string | undefined {
  const { history } = c;
  const wanted = history.planNumber(event);
  for (let at = history.lineage.cause(event); at >= 0; at = history.lineage.cause(at)) {
    const kind = history.kind(at);
    if (
      (kind === 'plan_drafted' || kind === 'plan_revised') &&
      (wanted === 0 || history.planNumber(at) === wanted)
    )
      return history.dataText(at, 'planPath');
  }
  return undefined;
}

const payloadInline: Rule = {
  id: 'reference/payload-inline',
  title: 'A payload over 4 KiB stands in the log itself',
  facet: 'evidence',
  severity: 'warning',
  why: 'Large lines can be torn by other writers and make the log slow to read.',
  example: 'a 20 KiB test report in data',
  mend: 'Write the payload to artifacts/ and name it in data.',
  check(c, report) {
    for (let event = 0; event < c.history.size; event++) {
      report.applied();
      if (!c.history.has(event, FLAG.bigData)) continue;
      const facts = { kind: c.history.kindName(event) };
      report.found({
        events: [{ event, role: 'large data' }],
        subject: { kind: 'event', event },
        facts,
        key: [facts.kind],
      });
    }
  },
  say: (facts) => `The data of this ${facts['kind'] as string} is larger than 4 KiB.`,
};

export const REFERENCE_RULES: readonly Rule[] = [
  pathEscapesRun,
  fileMissing,
  artifactInvalid,
  digestMismatch,
  payloadInline,
];
