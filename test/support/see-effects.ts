/**
 * The files of the boundary as somebody reads them who shares no code with it: plain cutting, JSON.parse and SHA-256.
 * What is whole is handed back; torn and damaged pieces are left out.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Whatever a line or an object holds; the assertions take it apart. */
type Json = ReturnType<typeof JSON.parse>;

export interface SeenRun {
  /** Payloads by reference, in the order of the pack. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Kinds an object was stored as, by reference. */
  readonly kinds: ReadonlyMap<string, readonly string[]>;
  readonly journal: readonly Json[];
  readonly entries: readonly Json[];
}

export function sha256(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function seeRun(runDir: string): SeenRun {
  return {
    ...seePack(bytesOf(join(runDir, 'objects.pack'))),
    journal: seeLines(bytesOf(join(runDir, 'journal.jsonl'))),
    entries: seeLines(bytesOf(join(runDir, 'invocations.jsonl'))),
  };
}

function bytesOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

function seeLines(bytes: Buffer): unknown[] {
  const lines = bytes.toString().split('\n').slice(0, -1);
  return lines.map(parsed).filter((value) => value !== undefined);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function seePack(bytes: Buffer): Pick<SeenRun, 'objects' | 'kinds'> {
  const objects = new Map<string, Buffer>();
  const kinds = new Map<string, string[]>();
  for (let at = 0; at >= 0 && at < bytes.length;) {
    const lf = bytes.indexOf('\n', at);
    const head = lf < 0 ? undefined : parsed(bytes.toString('utf8', at, lf));
    const hash = String(head?.['hash']);
    const length = head?.['bytes'];
    const from = lf + 1;
    const payload = typeof length === 'number' ? bytes.subarray(from, from + length) : undefined;
    const isWhole =
      payload !== undefined && sha256(payload) === hash && bytes[from + payload.length] === 0x0a;
    if (isWhole) objects.set(hash, payload);
    if (isWhole || (head !== undefined && length === undefined))
      kinds.set(hash, [...(kinds.get(hash) ?? []), String(head?.['semanticId'])]);
    if (isWhole) at = from + payload.length + 1;
    else {
      const next = bytes.indexOf('\n{"hash":"sha256:', at);
      at = next < 0 ? -1 : next + 1;
    }
  }
  return { objects, kinds };
}

/** Every entry has the hash it says, follows the one before, and leads to all that it names. */
export function expectChain({ entries, objects, kinds }: SeenRun): void {
  const [genesis] = [...kinds].filter(([, names]) => names.includes('counterproof/genesis/v1'));
  let head = genesis?.[0];
  for (const [at, { header, entryHash, transitionRef }] of entries.entries()) {
    expect(header.entryIndex).toBe(at);
    expect(header.prevEntryHash).toBe(head);
    const { entryIndex, semanticsEpoch, transitionFn, interpreter, prevEntryHash, writtenBy } = header;
    const flat = {
      entryIndex,
      semanticsEpoch,
      transitionFn,
      interpreter,
      prevEntryHash,
      writtenBy,
      transitionRef,
    };
    expect(sha256(JSON.stringify(flat))).toBe(entryHash);
    head = entryHash;
    const record = seeJson(objects, transitionRef);
    expect(objects.has(transitionFn)).toBe(true);
    for (const ref of [record.input, record.output, ...(record.plan === undefined ? [] : [record.plan])])
      expect(objects.has(ref)).toBe(true);
    for (const { record: ref } of record.effects ?? []) {
      const effect = seeJson(objects, ref);
      expect(objects.has(effect.requestRef)).toBe(true);
      if (effect.resultRef !== '') expect(objects.has(effect.resultRef)).toBe(true);
    }
  }
}

export function seeJson(objects: SeenRun['objects'], ref: string): Json {
  const bytes = objects.get(ref);
  if (bytes === undefined) throw new Error(`${ref} is not in the pack`);
  return JSON.parse(bytes.toString());
}
