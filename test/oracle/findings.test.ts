/**
 * What every fixture gives, to the letter: facts, fixes, witnesses, fingerprints, what follows from what, what its rule
 * says it is about, and what becomes of it when the log has lost its first line. Programs read these, and a baseline is
 * lost where a fingerprint changes, so a change must be meant.
 * `COUNTERPROOF_WRITE_FINDINGS=1 npx vitest run test/oracle/findings` writes the record anew; read the difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FACETS, type Finding, type RunJudgement } from '../../harness/core/verdict.js';
import type { Case } from '../../harness/oracle/case.js';
import { judge } from '../../harness/oracle/judge.js';
import type { Violation } from '../../harness/oracle/rule.js';
import { RULES } from '../../harness/oracle/rules/index.js';
import { caseOf } from '../support/case.js';
import { history, jsonl, type TestEvent } from '../support/history.js';
import { MUTANTS } from '../support/mutants.js';
import { CORNERS } from './fixtures/corners.js';
import { logOf, type Input } from './fixtures/fixture.js';
import { FIXTURES } from './fixtures/index.js';

const RECORD = join(import.meta.dirname, 'fixtures/findings.jsonl');
const isWriting = process.env['COUNTERPROOF_WRITE_FINDINGS'] !== undefined;

interface Entry {
  readonly fixture: string;
}

interface Situation {
  readonly fixture: string;
  /** The rule that it is a fixture of. */
  readonly rule?: string;
  readonly input: Input;
  readonly counts?: boolean;
}

const CASES: readonly Situation[] = [
  ...FIXTURES.flatMap(({ rule, pass, fail }) => [
    ...pass.map((input, at) => ({ fixture: `${rule} good ${at + 1}`, rule, input })),
    ...fail.map((input, at) => ({ fixture: `${rule} bad ${at + 1}`, rule, input })),
  ]),
  ...CORNERS.map(({ name, input, counts = false }) => ({ fixture: name, input, counts })),
];
/** Failing histories made worse: what a lost or misplaced line does to what is found. */
const WORSE: readonly Situation[] = FIXTURES.flatMap(({ rule, fail }) =>
  fail.slice(0, 2).flatMap((input, index) => {
    const log = logOf(input);
    if (typeof log !== 'string' || input.raw !== undefined) return [];
    const lines = log.split('\n').slice(0, -1);
    const own = (input.lines[0] ?? 2) - 1;
    const lost = (at: number, text: string): string[] =>
      lines.map((line, each) => (each === at ? text : line));
    const ways: Readonly<Record<string, readonly (string | undefined)[]>> = {
      'without its first line': lines.slice(1),
      'with its line in front': [lines[own], ...lines.slice(0, own), ...lines.slice(own + 1)],
      'with a lost line before': lost(Math.max(own - 1, 0), 'torn'),
      'with a cut line behind': lost(own + 1, lines[own + 1]?.slice(0, 40) ?? ''),
    };
    const kept = Object.entries(ways).slice(index === 0 ? 0 : 2);
    return kept.map(([way, text]) => ({
      fixture: `${rule} bad ${index + 1} ${way}`,
      input: { ...input, raw: `${text.join('\n')}\n` },
    }));
  }),
);

/** A run that does a little of everything; each way to spoil a history, at up to six places of it. */
const RICH =
  'run goal model plan council-convened council-proposal council-critique council-synthesis ask reject ' +
  'plan2 ask grant t1> t2> t1! t2! p1?T3@t1! ask1 a1 e1 p2?T2@t2! a2 f2 e2@f2 snap@t1! verify p3?T4@verify ' +
  'ask3 x3 p4?T3@t2! r4 e-T0@t2! t1<@t1! t2<@t2! done correct';
const RICH_EVENTS = history(RICH);
const SPOILED: readonly Situation[] = MUTANTS.flatMap(({ name, spoil }) => {
  const spots = spotsOf(RICH_EVENTS, spoil);
  const every = Math.ceil(spots.length / 6);
  return spots
    .filter((_, index) => index % every === 0)
    .map(({ at, events }) => ({ fixture: `${name}, at line ${at + 1}`, input: { raw: jsonl(events) } }));
});

/** Spoiled in one way and then in another. */
const SPOILED_TWICE: readonly Situation[] = MUTANTS.flatMap((first, index) =>
  MUTANTS.flatMap((second, other) => {
    const spots = spotsOf(RICH_EVENTS, first.spoil);
    const once = spots[(other * 3) % spots.length]?.events ?? RICH_EVENTS;
    const again = spotsOf(once, second.spoil);
    const twice = again[(index * 5 + other) % Math.max(again.length, 1)]?.events;
    const fixture = `${first.name}, then ${second.name}`;
    return twice === undefined ? [] : [{ fixture, input: { raw: jsonl(twice) } }];
  }),
);

function spotsOf(events: readonly TestEvent[], spoil: (typeof MUTANTS)[number]['spoil']) {
  return events.flatMap((_, at) => {
    const spoiled = spoil(events, at);
    return spoiled === undefined ? [] : [{ at, events: spoiled.events }];
  });
}

/** The same run with one line lost or cut, and with two. */
const LOSSY: readonly Situation[] = RICH_EVENTS.flatMap((_, at) => {
  const lines = RICH_EVENTS.map((event) => JSON.stringify(event));
  const cut = (text: string, index: number): string => (index === at ? text.slice(0, 130) : text);
  const torn = (text: string, index: number): string => (index === at || index === at + 9 ? 'torn' : text);
  const input = (change: typeof cut): Input => ({ raw: `${lines.map(change).join('\n')}\n` });
  const lost = { fixture: `lost at line ${at + 1}, and nine on`, input: input(torn) };
  return at % 2 === 0 ? [lost] : [{ fixture: `cut at line ${at + 1}`, input: input(cut) }];
});

/** A judgement in short: nothing stands here that goes without saying. */
function entryOf({ fixture, rule, input, counts }: Situation): Entry {
  const c = caseOf(input);
  const run = judge(c, { violationsMax: input.options?.violationsMax ?? 100 });
  const found = new Set(run.findings.map((finding) => finding.rule));
  return said({
    fixture,
    ...summary(run),
    ...(rule === undefined ? {} : run.rules.find(({ id }) => id === rule)),
    about: [...found].filter((id) => rule === undefined || id === rule).flatMap((id) => aboutOf(c, id)),
    counts: counts === true ? run.rules.map((tally) => Object.values(tally).join(' ')) : [],
  });
}

function summary(run: RunJudgement): object {
  const facets = FACETS.map((facet) => run.facets[facet]);
  const { findings, omitted, tokens, withheld, unknownKinds } = run;
  return {
    facets: facets.map(({ verdict }) => verdict).join(' '),
    reasons: facets.flatMap((facet) => facet.reasons),
    findings: findings.map((finding) => shortened(finding, findings)),
    withheld,
    omitted,
    unknownKinds,
    tokens: tokens.blocks === 0 && tokens.calls === 0 ? undefined : Object.values(tokens).join(' '),
  };
}

/** What a rule says its violations are about, by which they are folded, withheld and known again. */
function aboutOf(c: Case, id: string): object[] {
  const violations: Violation[] = [];
  const ignored = (): void => undefined;
  const report = {
    applied: ignored,
    unknown: ignored,
    found: (violation: Violation) => void violations.push(violation),
  };
  RULES.find((rule) => rule.id === id)?.check(c, report);
  return violations.slice(0, 12).map(({ subject, absence }) => ({
    rule: id,
    subject: subjectOf(c, subject),
    absence,
  }));
}

function shortened(finding: Finding, all: readonly Finding[]): object {
  const { rule, message, facts, path, fingerprint, consequenceOf, witness, fix } = finding;
  const root = placeOf(all.find((other) => other.fingerprint === consequenceOf));
  const lines = finding.events.map(({ line, role }) => `${line} ${role}`);
  return { rule, lines, message, facts, path, fingerprint, root, witness, fix };
}

/** A subject as a log names it, whatever numbers it has in memory. */
function subjectOf(c: Case, subject: Violation['subject']): string {
  switch (subject.kind) {
    case 'event':
      return `event on line ${c.history.line(subject.event)}`;
    case 'task':
    case 'proposal':
    case 'plan':
      return `${subject.kind} ${c.history.text(subject.number)}`;
    case 'file':
      return `file ${subject.path}`;
    case 'line':
      return `line ${subject.line}`;
    case 'run':
      return 'run';
  }
}

/** A finding by its rule and the line it is about first. */
function placeOf(finding: Finding | undefined): string | undefined {
  return finding === undefined ? undefined : `${finding.rule} ${finding.events[0]?.line ?? ''}`.trimEnd();
}

/** Rules and lines alone, in the order of the findings. */
function outline({ fixture, input }: Situation): Entry {
  const { findings, withheld, facets } = judge(caseOf(input), { violationsMax: 100 });
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const named = findings.map((finding) =>
    [finding.consequenceOf, finding.fingerprint].flatMap(
      (name) => placeOf(byFingerprint.get(name ?? '')) ?? [],
    ),
  );
  return said({
    fixture,
    facets: FACETS.map((facet) => facets[facet].verdict).join(' '),
    findings: named.map((names) => names.join(' > ')),
    withheld: withheld.map(({ rule, count, reason }) => `${count} ${rule}: ${reason}`),
  });
}

function said(entry: { fixture: string; [member: string]: unknown }): Entry {
  const isSaid = (value: unknown): boolean =>
    value !== undefined && (typeof value !== 'object' || Object.keys(value as object).length > 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => isSaid(value))) as unknown as Entry;
}

function entries(): Entry[] {
  const lines = readFileSync(RECORD, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Entry);
}

describe('findings', () => {
  const recorded = new Map(isWriting ? [] : entries().map((entry) => [entry.fixture, entry]));
  const written: string[] = [];
  const all = [
    ...CASES.map((situation) => ({ situation, make: entryOf })),
    ...[...WORSE, ...SPOILED, ...SPOILED_TWICE, ...LOSSY].map((situation) => ({ situation, make: outline })),
  ];
  for (const { situation, make } of all) {
    it(`findings: ${situation.fixture} → as recorded`, () => {
      const text = JSON.stringify(make(situation));
      if (isWriting) written.push(text);
      else expect(JSON.parse(text)).toEqual(recorded.get(situation.fixture));
    });
  }

  it('findings: what a rule is → as recorded', () => {
    const rules = RULES.map(({ id, facet, severity, needs = [], atEnd = false }) =>
      [id, facet, severity, ...needs, ...(atEnd ? ['at the end'] : [])].join(' '),
    );
    const entry = { fixture: 'the rules', rules };
    if (isWriting) written.push(JSON.stringify(entry));
    else expect(entry).toEqual(recorded.get('the rules'));
  });

  it('findings: the record → holds these fixtures and no others', () => {
    if (isWriting) writeFileSync(RECORD, `${written.join('\n')}\n`);
    const known = all.map(({ situation }) => situation.fixture);
    expect(entries().map(({ fixture }) => fixture)).toEqual([...known, 'the rules']);
  });
});
