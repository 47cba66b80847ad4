/**
 * The rule of family `seal` about the invocation log: its entries form one unbroken chain of hashes, up to the head
 * that the seal names. What the entries stand for is verified by the commands that replay them.
 */
import { entryHash, parseDigest, type Digest } from '../../core/digest.js';
import type { InvocationLine } from '../../core/evidence.js';
import { isObject, textOf } from '../documents.js';
import type { Rule } from '../rule.js';

/** What an entry must be to be linked: its own hash, and that of the one before. */
interface Link {
  readonly index: number;
  readonly previous: Digest;
  readonly hash: Digest;
}

/** The link an entry forms, or what is wrong with it. */
function linkOf(entry: InvocationLine): Link | string {
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
    for (const entry of c.evidence.invocations()) {
      report.applied();
      const link = linkOf(entry);
      const wrong = typeof link === 'string' ? link : breakBetween(before, link);
      if (wrong !== undefined) {
        const facts = { line: entry.line, wrong };
        const subject = { kind: 'file', path: 'invocations.jsonl' } as const;
        report.found({ events: [], subject, facts, key: [wrong], path: subject.path });
        // Everything behind a break hangs in the air: one report.
        return;
      }
      before = link as Link;
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
