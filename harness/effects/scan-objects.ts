/**
 * The first table of a scan: every object of the pack, hashed once and, where it is a record, read on the way. Of records
 * only the numbers of the objects they name are kept, some tens of bytes each.
 */
import type { Digest } from '../core/digest.js';
import { unreachable } from '../core/errors.js';
import { KIND, kindOf, PROVENANCE } from './kinds.js';
import type { KindName, SemanticId } from './kinds.js';
import { effectStatusOf, readEffectRecord, readInput, readRecord } from './objects.js';
import type { EffectRecord, InvocationRecord } from './objects.js';
import type { PackIndex } from './pack-index.js';
import type { Label } from './pack-layout.js';
import type { PackItem } from './pack-scan.js';
import { readRequest } from './request.js';
import type { OnItem } from './scan-items.js';
import type { Rows } from './scan-rows.js';

/** What is kept of a request. */
export interface RequestFacts {
  readonly effect: string;
  readonly scope: string;
  readonly cost: number;
  readonly now: number;
}

/** What the later tables ask of the objects. Whatever is asked for has been read, or there is a hole about it. */
export class ObjectFacts {
  readonly records = new Map<number, InvocationRecord>();
  readonly effectRecords = new Map<number, EffectRecord>();
  readonly requests = new Map<number, RequestFacts>();
  /** Objects that something leads to, by their number. */
  private reached = new Uint8Array(1024);
  readonly index: PackIndex;

  constructor(index: PackIndex) {
    this.index = index;
  }

  /** Number of an object that was stored as `kind`; says why there is none. Marks it as reached. */
  reach(ref: Digest, kind: KindName): number | 'missing' | 'mislabelled' {
    const number = this.index.numberOf(ref);
    if (number === undefined) return 'missing';
    this.mark(number);
    return this.index.hasKind(number, KIND[kind]) ? number : 'mislabelled';
  }

  isReached(number: number): boolean {
    return this.reached[number] === 1;
  }

  private mark(number: number): void {
    if (number >= this.reached.length) {
      const larger = new Uint8Array(Math.max(number + 1, this.reached.length * 2));
      larger.set(this.reached);
      this.reached = larger;
    }
    this.reached[number] = 1;
  }
}

/** Verifies one item of the pack. @returns false when the budget has ended before it */
export function scanItem(item: PackItem, { facts, rows, onItem }: ScanTable): boolean {
  const row = rows.next();
  if (row === 'stop') return false;
  const report: OnItem = row === 'due' ? onItem : () => undefined;
  switch (item.type) {
    case 'skipped': {
      const { at, bytes, isTail } = item;
      const reason = `${bytes} bytes at ${at} are no record`;
      report({
        type: isTail ? 'note' : 'hole',
        table: 'objects',
        field: 'pack',
        reason: isTail ? `torn-tail: ${reason}` : reason,
      });
      break;
    }
    case 'label':
      scanLabel(item.header, item.header.hash, report);
      if (facts.index.numberOf(item.header.hash) === undefined)
        report({ type: 'hole', table: 'objects', ref: item.header.hash, field: 'label', reason: 'missing' });
      else facts.index.add(item.header.hash, { offset: 0, bytes: 0 }, item.header);
      break;
    case 'object': {
      const { hash } = item.header;
      if (!item.isSound)
        report({ type: 'hole', table: 'objects', ref: hash, field: 'payload', reason: 'hash' });
      scanLabel(item.header, hash, report);
      facts.index.add(hash, { offset: item.offset, bytes: item.bytes.length }, item.header);
      const why = readFacts(facts, item, kindOf(item.header.semanticId));
      // A damaged payload that cannot be read is one hole, not two.
      if (why !== undefined && item.isSound)
        report({ type: 'hole', table: 'objects', ref: hash, field: 'payload', reason: why });
    }
  }
  return true;
}

export interface ScanTable {
  readonly facts: ObjectFacts;
  readonly rows: Rows;
  readonly onItem: OnItem;
}

function scanLabel({ semanticId, provenance }: Label, ref: Digest, report: OnItem): void {
  const kind = kindOf(semanticId);
  if (kind === undefined)
    report({
      type: 'note',
      table: 'objects',
      ref,
      field: 'semanticId',
      reason: `unknown-kind ${semanticId}`,
    });
  else if (PROVENANCE[kind] !== provenance)
    report({ type: 'hole', table: 'objects', ref, field: 'provenance', reason: `not ${PROVENANCE[kind]}` });
}

type ObjectItem = Extract<PackItem, { type: 'object' }>;

/** Reads what later tables ask for. @returns what is wrong with the record itself */
function readFacts(
  facts: ObjectFacts,
  { header, bytes }: ObjectItem,
  kind: KindName | undefined,
): string | undefined {
  const number = facts.index.numberOf(header.hash) ?? unreachable('an object that was just added');
  switch (kind) {
    case 'record':
    case 'pureRecord': {
      const read = readRecord(bytes);
      if (!read.ok) return read.why;
      facts.records.set(number, read.value);
      const expected: SemanticId = read.value.world === undefined ? KIND.pureRecord : KIND.record;
      return expected === header.semanticId ? undefined : `its members are those of ${expected}`;
    }
    case 'effectRecord': {
      const read = readEffectRecord(bytes);
      if (!read.ok) return read.why;
      facts.effectRecords.set(number, read.value);
      return effectStatusOf(read.value) === undefined ? 'it contradicts itself' : undefined;
    }
    case 'request': {
      const request = readRequest(bytes);
      if (request === undefined) return 'it is no request';
      const { effect, scope, cost, now } = request;
      facts.requests.set(number, { effect, scope, cost, now });
      return undefined;
    }
    case 'input': {
      const read = readInput(bytes);
      return read.ok ? undefined : read.why;
    }
    // The bytes of these are compared or read where they are used.
    case 'plan':
    case 'output':
    case 'result':
    case 'refusal':
    case 'evidence':
    case 'source':
    case 'epochs':
    case 'genesis':
    case undefined:
      return undefined;
  }
}
