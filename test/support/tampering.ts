/**
 * Changes what a run has recorded: single bytes, and forgeries in which every hash is made to fit again, so that only
 * executing the calls once more can tell.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { virtualClock } from '../../harness/core/clock.js';
import { digestOf, entryHash } from '../../harness/core/digest.js';
import type { Digest } from '../../harness/core/digest.js';
import { entryBytes, readEntry } from '../../harness/effects/entries.js';
import { KIND, PROVENANCE } from '../../harness/effects/kinds.js';
import type { KindName } from '../../harness/effects/kinds.js';
import { packed, parseHeader } from '../../harness/effects/pack-layout.js';
import { readRecord, recordBytes } from '../../harness/effects/objects.js';
import type { InvocationRecord } from '../../harness/effects/objects.js';
import { ObjectStore } from '../../harness/effects/store.js';
import { sealRun } from '../../harness/log/seal.js';
import { openWriter } from '../../harness/log/writer.js';
import { effectBed, everyKind, RUN_ID, START_MS } from './effect-bed.js';

/** The folder of a finished and sealed run with one call of every kind. */
export async function sealedRun(): Promise<string> {
  const bed = effectBed();
  const clock = virtualClock(START_MS, 1);
  const writer = openWriter(bed.runDir, { runId: RUN_ID, clock, durability: 'none' });
  const start = writer.append({ kind: 'run_started', data: { formatVersion: 1 } });
  await everyKind(bed);
  bed.broker.keep({ port: 'clock', value: 1 });
  bed.broker.close();
  writer.append({ kind: 'run_aborted', data: { reason: 'test' }, causedBy: start.id });
  writer.close();
  sealRun(bed.runDir, { clock, harness: { name: 'test', version: '1' } });
  return bed.runDir;
}

/** Where the payloads, and the headers, of a kind stand in the pack. */
export interface PackedObject {
  readonly kind: KindName | undefined;
  readonly header: { readonly from: number; readonly to: number };
  readonly payload: { readonly from: number; readonly to: number };
}

const BY_NAME = new Map(
  Object.entries(KIND).map(([name, semanticId]) => [semanticId as string, name as KindName]),
);

/** Reads a pack by its layout, with no code of the harness but the header's pattern. */
export function packedObjects(runDir: string): PackedObject[] {
  const pack = readFileSync(join(runDir, 'objects.pack'));
  const found: PackedObject[] = [];
  for (let at = 0; at < pack.length;) {
    const lf = pack.indexOf(0x0a, at);
    const header = parseHeader(pack.toString('latin1', at, lf));
    if (header === undefined) throw new Error(`no header at ${at}`);
    const end = lf + 1 + (header.bytes ?? 0);
    found.push({
      kind: BY_NAME.get(header.semanticId),
      header: { from: at, to: lf },
      payload: { from: lf + 1, to: end },
    });
    at = header.bytes === undefined ? lf + 1 : end + 1;
  }
  return found;
}

/** Changes one byte of a file to another that it was not; the low bit keeps text printable. */
export function flip(path: string, at: number, mask = 1): void {
  const bytes = readFileSync(path);
  bytes[at] = bytes[at]! ^ mask;
  writeFileSync(path, bytes);
}

/** Rewrites one call, and all that follows from it: record, entry, and every later link of the chain. */
export function forge(
  runDir: string,
  index: number,
  change: (
    record: InvocationRecord,
    read: (ref: Digest) => string,
    put: (kind: KindName, text: string) => Digest,
  ) => InvocationRecord,
): void {
  const store = ObjectStore.open(runDir);
  const pack = join(runDir, 'objects.pack');
  const log = join(runDir, 'invocations.jsonl');
  const read = (ref: Digest): string => {
    const found = store.read(ref);
    if (!found.ok) throw new Error(`${ref} is ${found.fault}`);
    return Buffer.from(found.bytes).toString('utf8');
  };
  const put = (kind: KindName, text: string): Digest => {
    const bytes = Buffer.from(text);
    const { parts } = packed({ bytes, semanticId: KIND[kind], provenance: PROVENANCE[kind] });
    appendFileSync(pack, Buffer.concat(parts));
    return digestOf(bytes);
  };
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  let before: Digest | undefined;
  const forged = lines.map((line, at) => {
    const entry = readEntry(Buffer.from(line));
    if (!entry.ok) throw new Error(entry.why);
    const { fields } = entry.value;
    let transitionRef = fields.transitionRef;
    if (at === index) {
      const record = readRecord(Buffer.from(read(transitionRef)));
      if (!record.ok) throw new Error(record.why);
      const changed = change(record.value, read, put);
      transitionRef = put(
        changed.world === undefined ? 'pureRecord' : 'record',
        Buffer.from(recordBytes(changed)).toString('utf8'),
      );
    }
    const next = { ...fields, transitionRef, prevEntryHash: before ?? fields.prevEntryHash };
    before = entryHash(next);
    return Buffer.from(entryBytes(next)).toString('utf8');
  });
  writeFileSync(log, `${forged.join('\n')}\n`);
  store.close();
}
