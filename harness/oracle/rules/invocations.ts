/**
 * Rules of family `reference` about tool calls: events and calls of a run lead to each other, and no effect is left open.
 * They apply where a run has a log of invocations, or a journal; what the entries stand for is verified by `scan` and `replay`.
 */
import type { RecordLine } from '../../core/evidence.js';
import { HARNESS_CALLER, LINE, MODEL_TOOL } from '../../core/journal.js';
import type { Case } from '../case.js';
import { isObject, textOf } from '../documents.js';
import { is, kinds } from '../kinds.js';
import type { Report, Rule } from '../rule.js';

const NAMING = kinds('action_executed', 'action_failed', 'counterfactual_recorded');
const SHOWN_MAX = 8;

/** Who wrote each entry, by its hash. */
function entriesOf(c: Case): Map<string, string> {
  const entries = new Map<string, string>();
  for (const { value } of c.evidence.invocations()) {
    const hash = textOf(value, 'entryHash');
    const header = value?.['header'];
    if (hash !== undefined)
      entries.set(hash, (isObject(header) ? textOf(header, 'writtenBy') : undefined) ?? '');
  }
  return entries;
}

/** Entries that events name, with the event that names each first. */
function namedBy(c: Case): Map<string, number> {
  const named = new Map<string, number>();
  for (let event = 0; event < c.history.size; event++) {
    if (!is(NAMING, c.history.kindCode(event))) continue;
    const hash = c.history.dataText(event, 'invocation');
    if (hash !== undefined && !named.has(hash)) named.set(hash, event);
  }
  return named;
}

const invocationMissing: Rule = {
  id: 'reference/invocation-missing',
  title: 'An event names a tool call that was never recorded',
  facet: 'evidence',
  severity: 'error',
  why: 'Without its entry nobody can see what the action really did.',
  example: 'action_executed whose data.invocation is no entry of invocations.jsonl',
  mend: 'Restore invocations.jsonl; every call through the broker leaves an entry before its event.',
  needs: ['folder'],
  check(c, report) {
    if (!c.evidence.presence('invocations.jsonl').found) return;
    const entries = entriesOf(c);
    for (const [invocation, event] of namedBy(c)) {
      report.applied();
      if (entries.has(invocation)) continue;
      report.found({
        events: [{ event, role: 'names the call' }],
        subject: { kind: 'event', event },
        facts: { invocation, kind: c.history.kindName(event) },
        key: [c.history.kindName(event)],
      });
    }
  },
  say: (facts) =>
    `This ${facts['kind'] as string} names the call ${facts['invocation'] as string}, which has no entry.`,
};

/** What the journal says of one call. */
interface JournalledCall {
  readonly line: number;
  tool: string | undefined;
  entry: string | undefined;
  /** Effects with an intent and no outcome, and with an outcome. */
  readonly open: Set<string>;
  readonly ended: Set<string>;
}

function callsOf(c: Case): Map<string, JournalledCall> {
  const calls = new Map<string, JournalledCall>();
  for (const line of c.evidence.journal()) {
    const callId = textOf(line.value, 'callId');
    if (callId !== undefined) takeLine(line, callOf(calls, callId, line));
  }
  return calls;
}

function callOf(calls: Map<string, JournalledCall>, callId: string, { line }: RecordLine): JournalledCall {
  let call = calls.get(callId);
  if (call === undefined) {
    call = { line, tool: undefined, entry: undefined, open: new Set(), ended: new Set() };
    calls.set(callId, call);
  }
  return call;
}

function takeLine({ value }: RecordLine, call: JournalledCall): void {
  const effectId = textOf(value, 'effectId') ?? '';
  const kind = textOf(value, 'kind');
  if (kind === LINE.callIntent) call.tool = textOf(value, 'tool');
  else if (kind === LINE.callOutcome) call.entry = textOf(value, 'entryHash');
  else if (kind === LINE.effectIntent) call.open.add(effectId);
  else if (kind === LINE.effectOutcome) {
    call.open.delete(effectId);
    // What was denied did not happen, and needs neither event nor end.
    if (textOf(value, 'status') !== 'denied') call.ended.add(effectId);
  }
}

const orphanEntry: Rule = {
  id: 'reference/orphan-entry',
  title: 'An agent acted, and no event says so',
  facet: 'evidence',
  severity: 'error',
  why: 'An effect that the log does not tell of is counted nowhere, and was decided on by nobody.',
  example: 'an entry by the coder with an effect, and no action event that names it',
  mend: 'Write the event of every action from the answer of the broker.',
  needs: ['folder'],
  atEnd: true,
  check(c, report) {
    const calls = [...callsOf(c).values()].filter(
      ({ entry, ended }) => entry !== undefined && ended.size > 0,
    );
    if (calls.length === 0) return;
    const [entries, named] = [entriesOf(c), namedBy(c)];
    for (const { entry = '', tool, line } of calls) {
      const caller = entries.get(entry);
      if (caller === undefined || caller === HARNESS_CALLER || tool === MODEL_TOOL) continue;
      report.applied();
      if (named.has(entry)) continue;
      const facts = { entry, caller, tool: tool ?? null, line };
      const subject = { kind: 'file', path: 'invocations.jsonl' } as const;
      report.found({ events: [], subject, facts, key: [caller, tool ?? ''], path: subject.path });
    }
  },
  say: (facts) =>
    `${facts['caller'] as string} called ${(facts['tool'] as string | null) ?? 'a tool'} (${facts['entry'] as string}), and no event names that call.`,
};

const orphanEffect: Rule = {
  id: 'reference/orphan-effect',
  title: 'An effect was begun and its end is not recorded',
  facet: 'evidence',
  severity: 'error',
  why: 'It may have happened or not; a run that ended with it open does not know what it did.',
  example: 'an intent in journal.jsonl without its outcome, in a run that ended',
  mend: 'See counterproof recover, look at the world, and set the run aside.',
  needs: ['folder'],
  atEnd: true,
  check(c, report) {
    const calls = callsOf(c);
    if (calls.size === 0) return;
    report.applied(calls.size);
    const open = [...calls].filter(
      ([, { entry, tool, open: left, ended }]) =>
        left.size > 0 || (entry === undefined && (tool !== undefined || ended.size > 0)),
    );
    foundOpen(report, open);
  },
  say: (facts) =>
    `${facts['count'] as number} call(s) were begun and not recorded to their end: ${(facts['calls'] as string[]).join(', ')}.`,
};

/** One crash leaves all of them open: one report. */
function foundOpen(report: Report, open: readonly (readonly [string, JournalledCall])[]): void {
  const [first] = open;
  if (first === undefined) return;
  const calls = open.slice(0, SHOWN_MAX).map(([callId]) => callId);
  const subject = { kind: 'file', path: 'journal.jsonl' } as const;
  const facts = { calls, count: open.length, line: first[1].line };
  report.found({ events: [], subject, facts, key: ['open'], path: subject.path });
}

export const INVOCATION_RULES: readonly Rule[] = [invocationMissing, orphanEntry, orphanEffect];
