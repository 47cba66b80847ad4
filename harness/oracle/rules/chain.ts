/**
 * The rule of family `seal` about the invocation log: its entries form one unbroken chain of hashes, up to the head
 * that the seal names. What the entries stand for is verified by the commands that replay them.
 */
import { entryHash, parseDigest, type Digest } from '../../core/digest.js';
import type { RecordLine } from '../../core/evidence.js';
import { isObject, textOf } from '../documents.js';
import type { Report, Rule } from '../rule.js';

/** What an entry must be to be linked: its own hash, and that of the one before. */
interface Link {
  readonly index: number;
  readonly previous: Digest;
  readonly hash: Digest;
}

/** The link an entry forms, or what is wrong with it. */
function linkOf(entry: RecordLine): Link | string {
  const header = entry.value?.['header'];
  if (entry.value === undefined || !isObject(header)) return 'is no entry';
  const digests = ['transitionFn', 'interpreter', 'prevEntryHash'].map((name) =>
    parseDigest(textOf(header, name) ?? ''),
  );
  const [transitionFn, interpreter, prevEntryHash] = digests;
  const transitionRef = parseDigest(textOf(entry.value, 'transitionRef') ?? '');
  const hash = parseDigest(textOf(entry.value, 'entryHash') ?? '');
  const { entryIndex, semanticsEpoch } = header;
  if (!Number.isSafeInteger(entryIndex) || !Number.isSafeInteger(semanticsEpoch))
    return 'has no index or epoch';
  if (!transitionFn || !interpreter || !prevEntryHash || !transitionRef || !hash) return 'lacks a digest';
  const fields = {
    entryIndex: entryIndex as number,
    semanticsEpoch: semanticsEpoch as number,
    transitionFn,
    interpreter,
    prevEntryHash,
    writtenBy: textOf(header, 'writtenBy') ?? '',
    transitionRef,
  };
  if (entryHash(fields) !== hash) return 'does not have the hash it says';
  return { index: fields.entryIndex, previous: prevEntryHash, hash };
}

/** What is wrong between two entries; the first has the run's genesis before it, which is no entry. */
function breakBetween(before: Link | undefined, link: Link): string | undefined {
  if (before === undefined) return undefined;
  if (link.index !== before.index + 1) return `has index ${link.index} after ${before.index}`;
  return link.previous === before.hash ? undefined : 'does not name the entry before it';
}

function foundBroken(report: Report, line: number, wrong: string): void {
  const subject = { kind: 'file', path: 'invocations.jsonl' } as const;
  report.found({ events: [], subject, facts: { line, wrong }, key: [wrong], path: subject.path });
}

export const chainBroken: Rule = {
  id: 'seal/chain-broken',
  title: 'The chain of invocations is broken',
  facet: 'evidence',
  severity: 'error',
  why: 'An entry that was changed, dropped or put in no longer hashes to what the next one names.',
  example: 'entry 7 of invocations.jsonl edited',
  mend: 'Restore invocations.jsonl from a backup; entries are never rewritten.',
  needs: ['folder'],
  check(c, report) {
    let before: Link | undefined;
    let torn: number | undefined;
    for (const entry of c.evidence.invocations()) {
      report.applied();
      const link = linkOf(entry);
      // A line that a crash tore is no entry, and takes nothing away if the chain goes on behind it.
      if (entry.value === undefined) {
        torn ??= entry.line;
        continue;
      }
      const wrong = typeof link === 'string' ? link : breakBetween(before, link);
      if (wrong !== undefined) {
        foundBroken(report, torn ?? entry.line, torn === undefined ? wrong : 'is no entry');
        // Everything behind a break hangs in the air: one report.
        return;
      }
      torn = undefined;
      before = link as Link;
    }
    if (torn !== undefined) {
      foundBroken(report, torn, 'is no entry');
      return;
    }
    const last = c.evidence.seals().at(-1);
    const seal = last === undefined ? undefined : c.documents.json(last);
    const head = textOf(seal, 'head');
    if (
      seal === undefined ||
      head === (before?.hash ?? undefined) ||
      (head === undefined && before === undefined)
    )
      return;
    report.applied();
    const facts = {
      line: 0,
      wrong: `ends at ${before?.hash ?? 'nothing'}, the seal names ${head ?? 'nothing'}`,
    };
    report.found({
      events: [],
      subject: { kind: 'file', path: 'invocations.jsonl' },
      facts,
      key: ['head'],
      path: 'invocations.jsonl',
    });
  },
  say: (facts) =>
    facts['line'] === 0
      ? `The chain of invocations.jsonl ${facts['wrong'] as string}.`
      : `Entry on line ${facts['line'] as number} of invocations.jsonl ${facts['wrong'] as string}.`,
};
