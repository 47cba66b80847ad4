/**
 * Rules of family `seal`: the log and the files beside it are those that were sealed when the run ended.
 * A seal covers a prefix of the log; later seals cover longer ones.
 */
import type { Absence, PrefixMeasure } from '../../core/evidence.js';
import type { JsonObject } from '../../core/event.js';
import type { Case } from '../case.js';
import { isObject, list, said, textOf } from '../documents.js';
import type { Report, Rule, Violation } from '../rule.js';

interface Seal {
  readonly path: string;
  readonly logBytes: number;
  readonly events: number;
  readonly logDigest: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

function* seals(c: Case, report: Report): Generator<Seal> {
  for (const path of c.evidence.seals()) {
    const json = c.evidence.json(path);
    if (!json.found) {
      report.unknown(`${path} cannot be read`);
      continue;
    }
    const seal = isObject(json.value) ? sealOf(path, json.value) : undefined;
    if (seal === undefined) report.unknown(`${path} is no seal`);
    else yield seal;
  }
}

function sealOf(path: string, value: JsonObject): Seal | undefined {
  const { logBytes, events, logDigest } = value;
  if (typeof logBytes !== 'number' || typeof events !== 'number' || typeof logDigest !== 'string')
    return undefined;
  const files = list(value['files']).filter(isObject);
  return {
    path,
    logBytes,
    events,
    logDigest,
    files: files.map((file) => ({
      path: textOf(file, 'path') ?? '',
      bytes: Number(file['bytes']),
      sha256: textOf(file, 'sha256') ?? '',
    })),
  };
}

/** What the study's ledger says of this run: one line, or several that should agree. */
function ledgerLines(c: Case, report: Report): readonly JsonObject[] {
  const ledger = c.evidence.ledger(c.history.run);
  if (!ledger.found) {
    if (ledger.why !== 'not-applicable') report.unknown('ledger.jsonl of the study cannot be read');
    return [];
  }
  if (ledger.unreadable)
    report.unknown('ledger.jsonl has lines that cannot be read, and this run may be on one');
  return ledger.lines;
}

function violation(path: string, facts: Violation['facts'], key: readonly string[] = []): Violation {
  return { events: [], subject: { kind: 'file', path }, facts, key: [path, ...key], path };
}

/** A log that is shorter is `truncated`; one that cannot be read leaves the rule undecided. */
function isMeasured(prefix: PrefixMeasure | Absence, report: Report): prefix is PrefixMeasure {
  if ('events' in prefix) return true;
  if (prefix.why !== 'missing')
    report.unknown('the log cannot be measured: it is no plain file of the run folder');
  return false;
}

const sealMissing: Rule = {
  id: 'seal/missing',
  title: 'A finished run has no seal, or its last events have none',
  facet: 'evidence',
  severity: 'error',
  why: 'Without a seal nobody can tell whether the log is the one that was written.',
  example: 'a run of ours that ended, and no seal.json',
  mend: 'Seal the run: `counterproof seal <run>`; a run cut short by a crash is abandoned, not sealed.',
  needs: ['folder', 'ours'],
  atEnd: true,
  check(c, report) {
    if (c.terminals.length === 0) return;
    report.applied();
    const covered = [...seals(c, report)].map((seal) => seal.logBytes);
    const unsealed = c.history.parts.counts.bytes - Math.max(0, ...covered);
    if (unsealed <= 0 || (covered.length === 0 && c.evidence.seals().length > 0)) return;
    report.found({
      ...violation('seal.json', { seals: covered.length, unsealed }),
      events: [{ event: c.terminals[0] as number, role: 'end of the run' }],
    });
  },
  say: (facts) =>
    facts['seals'] === 0
      ? 'The run has ended and is not sealed.'
      : `The last ${facts['unsealed'] as number} bytes of the log are under no seal.`,
};

const truncated: Rule = {
  id: 'seal/truncated',
  title: 'The log is shorter than what was sealed',
  facet: 'evidence',
  severity: 'error',
  why: 'Records were removed after the run ended.',
  example: 'sealed with 40 events, 31 left',
  mend: 'Restore the log from a backup; a log is never shortened.',
  needs: ['folder'],
  check(c, report) {
    const { counts } = c.history.parts;
    let isShort = false;
    for (const seal of seals(c, report)) {
      report.applied();
      if (counts.bytes >= seal.logBytes) continue;
      isShort = true;
      const facts = { source: seal.path, sealed: seal.logBytes, found: counts.bytes, unit: 'bytes' };
      report.found(violation(seal.path, facts));
    }
    const found = counts.lines - counts.blank;
    for (const { events } of ledgerLines(c, report)) {
      if (typeof events !== 'number') continue;
      report.applied();
      // A seal that says so already has said it.
      if (found >= events || isShort) continue;
      const facts = { source: 'ledger.jsonl', sealed: events, found, unit: 'events' };
      report.found(violation('ledger.jsonl', facts));
      isShort = true;
    }
  },
  say: (facts) =>
    `${facts['source'] as string} covers ${facts['sealed'] as number} ${facts['unit'] as string}; the log has ${facts['found'] as number}.`,
};

const countDiffers: Rule = {
  id: 'seal/count-differs',
  title: 'The sealed part of the log has another number of events',
  facet: 'evidence',
  severity: 'error',
  why: 'Records were added to, or taken out of, what was sealed.',
  example: 'sealed with 40 events, 41 in the same bytes',
  mend: 'Restore the log from a backup.',
  needs: ['folder'],
  check(c, report) {
    for (const seal of seals(c, report)) {
      const prefix = c.evidence.prefix(seal.logBytes);
      if (!isMeasured(prefix, report)) continue;
      report.applied();
      if (prefix.events !== seal.events)
        report.found(violation(seal.path, { sealed: seal.events, found: prefix.events }));
    }
  },
  say: (facts) =>
    `The seal counts ${facts['sealed'] as number} events; the same bytes now hold ${facts['found'] as number}.`,
};

const digestDiffers: Rule = {
  id: 'seal/digest-differs',
  title: 'The log or a file is not what was sealed',
  facet: 'evidence',
  severity: 'error',
  why: 'Something was changed after the run ended.',
  example: 'one byte of provenance.jsonl edited',
  mend: 'Restore it from a backup; corrections are appended, never edited in.',
  needs: ['folder'],
  check(c, report) {
    for (const seal of seals(c, report)) {
      const prefix = c.evidence.prefix(seal.logBytes);
      if (isMeasured(prefix, report)) {
        report.applied();
        const found = `sha256:${prefix.sha256}`;
        if (found !== seal.logDigest)
          report.found(violation(seal.path, { file: 'provenance.jsonl', sealed: seal.logDigest, found }));
      }
      for (const file of seal.files) {
        const measured = c.evidence.file(file.path);
        report.applied();
        const found = measured.found ? measured.sha256 : 'missing';
        if (found !== file.sha256)
          report.found(violation(seal.path, { file: file.path, sealed: file.sha256, found }, [file.path]));
      }
    }
  },
  say: (facts) =>
    facts['found'] === 'missing'
      ? `${facts['file'] as string} was sealed and is gone.`
      : `${facts['file'] as string} has digest ${facts['found'] as string}; sealed was ${facts['sealed'] as string}.`,
};

const fileAdded: Rule = {
  id: 'seal/file-added',
  title: 'A file was added to a sealed run',
  facet: 'evidence',
  severity: 'error',
  why: 'A seal lists everything beside the log; what came later is no evidence of the run.',
  example: 'proposals/prop_9.json written after the run was sealed',
  mend: 'Keep what is made from a run outside its folder.',
  needs: ['folder'],
  check(c, report) {
    const all = [...seals(c, report)];
    if (all.length === 0) return;
    const sealed = new Set(all.flatMap((seal) => seal.files.map((file) => file.path)));
    report.applied();
    const added = c.evidence.files().filter((path) => !sealed.has(path));
    const [first] = added;
    if (first === undefined) return;
    const facts = { files: added.slice(0, 8), count: added.length };
    report.found(violation(first, facts, added.slice(0, 8)));
  },
  say: (facts) =>
    `${facts['count'] as number} file(s) of the folder are on no seal: ${said(facts['files'])}.`,
};

const ledgerDiffers: Rule = {
  id: 'seal/ledger-differs',
  title: 'The study ledger remembers another run here',
  facet: 'evidence',
  severity: 'error',
  why: 'The ledger is written once per run; a run swapped for another shows here.',
  example: 'ledger digest A, seal digest B',
  mend: 'Restore the run the ledger names.',
  needs: ['folder'],
  check(c, report) {
    const all = [...seals(c, report)];
    for (const line of ledgerLines(c, report)) {
      const digest = textOf(line, 'logDigest') ?? '';
      const run = textOf(line, 'runId') ?? '';
      report.applied();
      const isSealed = all.length === 0 || all.some((seal) => seal.logDigest === digest);
      if (isSealed && run === c.history.run) continue;
      const facts = { ledger: digest, ledgerRun: run, seal: all[0]?.logDigest ?? null, run: c.history.run };
      report.found(violation('ledger.jsonl', facts));
      return;
    }
  },
  say: (facts) =>
    facts['ledgerRun'] === facts['run']
      ? `ledger.jsonl records ${facts['ledger'] as string}, the seal ${said(facts['seal'])}.`
      : `ledger.jsonl remembers ${facts['ledgerRun'] as string} under this folder's name; the log is of ${said(facts['run'])}.`,
};

export const SEAL_RULES: readonly Rule[] = [
  sealMissing,
  truncated,
  countDiffers,
  digestDiffers,
  fileAdded,
  ledgerDiffers,
];
