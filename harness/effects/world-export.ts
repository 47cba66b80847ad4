/**
 * Scans the export of the public store that our records are made to fit: a folder of JSON files, each an entry of its log,
 * a commit with its objects, or objects on their own. What it exports is a part, so what is not in it is no hole.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, entryHash, interfaceHash, parseDigest, worldRef } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import { takeEntry } from './entries.js';
import type { Entry } from './entries.js';
import { readEffectRecord } from './objects.js';
import { filesDigest } from './scan-cursor.js';
import type { OnItem, ScanItem } from './scan-items.js';
import type { Rows } from './scan-rows.js';
import { asObject, readMembers, readObject } from './struct.js';

export interface ExportScanned {
  readonly entries: number;
  readonly objects: number;
  /** Files that are no part of an export. */
  readonly ignored: readonly string[];
  readonly isComplete: boolean;
}

interface ExportFile {
  readonly name: string;
  readonly value: JsonObject;
}

/** Whether a folder looks like an export: it has an entry or a commit, and no log of ours. */
export function isWorldExport(folder: string): boolean {
  return jsonFiles(folder).some(({ value }) => isEntry(value) || asObject(value['entry']) !== undefined);
}

/** Sixteen hex digits for all that an export has. */
export function exportFiles(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return filesDigest(names.sort().map((name) => `${name} ${digestOf(readFileSync(join(folder, name)))}`));
}

/** Scans an export. Rows are objects and entries, in the order of the files' names. */
export function scanExport(folder: string, { rows, onItem }: { rows: Rows; onItem: OnItem }): ExportScanned {
  const files = jsonFiles(folder);
  const scan = new ExportScan(rows, onItem);
  const ignored: string[] = [];
  for (const file of files) {
    if (!scan.collect(file)) ignored.push(file.name);
  }
  const isComplete = files.every((file) => scan.verify(file)) && scan.chain() && scan.references();
  return { entries: scan.entries.length, objects: scan.objects.size, ignored, isComplete };
}

class ExportScan {
  readonly objects = new Set<Digest>();
  readonly entries: { readonly file: string; readonly entry: Entry }[] = [];
  private readonly rows: Rows;
  private readonly onItem: OnItem;
  private isDue = true;
  /** References that objects and entries name, with who names them. */
  private readonly named: { readonly file: string; readonly field: string; readonly ref: Digest }[] = [];

  constructor(rows: Rows, onItem: OnItem) {
    this.rows = rows;
    this.onItem = onItem;
  }

  /** Takes in what a file has. @returns whether it is a part of an export */
  collect({ name, value }: ExportFile): boolean {
    for (const object of objectsOf(value)) {
      const bytes = payloadOf(object);
      if (bytes !== undefined) this.objects.add(digestOf(bytes));
    }
    if (isEntry(value)) {
      const entry = readMembers(value, takeEntry);
      if (entry.ok) this.entries.push({ file: name, entry: entry.value });
    }
    return isEntry(value) || objectsOf(value).length > 0;
  }

  /** Verifies the objects and the entry of a file. @returns false when the budget has ended */
  verify(file: ExportFile): boolean {
    for (const object of objectsOf(file.value)) {
      if (!this.row(() => this.verifyObject(file.name, object))) return false;
    }
    const entry = isEntry(file.value) ? file.value : asObject(file.value['entry']);
    if (entry !== undefined && !this.row(() => this.verifyEntry(file.name, entry))) return false;
    const world = asObject(file.value['nextWorld']);
    return world === undefined || this.row(() => this.verifyWorld(file, world));
  }

  /** The links between the entries of one log. */
  chain(): boolean {
    const sorted = [...this.entries].sort((a, b) => a.entry.fields.entryIndex - b.entry.fields.entryIndex);
    for (const [at, { file, entry }] of sorted.entries()) {
      const before = sorted[at - 1]?.entry;
      const check = (): void => {
        if (before === undefined) return;
        const { entryIndex, prevEntryHash } = entry.fields;
        if (entryIndex !== before.fields.entryIndex + 1)
          this.hole(file, 'entryIndex', { reason: `gap after ${before.fields.entryIndex}` });
        if (prevEntryHash !== before.hash) this.hole(file, 'prevEntryHash', { reason: 'chain' });
      };
      if (!this.row(check)) return false;
    }
    return true;
  }

  /** What is named and not in the export: told apart from holes, since an export is a part. */
  references(): boolean {
    for (const { file, field, ref } of this.named) {
      const check = (): void => {
        if (!this.objects.has(ref)) this.item({ type: 'note', file, field, ref, reason: 'not_in_export' });
      };
      if (!this.row(check)) return false;
    }
    return true;
  }

  private verifyObject(file: string, object: JsonObject): void {
    const hash = parseDigest(textOf(object['hash']));
    const bytes = payloadOf(object);
    if (hash === undefined || bytes === undefined) {
      this.hole(file, 'object', { reason: 'unreadable' });
      return;
    }
    if (digestOf(bytes) !== hash) this.hole(file, 'payload', { reason: 'hash', ref: hash });
    const semanticId = textOf(object['semanticId']);
    if (object['interfaceHash'] !== interfaceHash(semanticId)) {
      const reason = 'client-supplied: not the hash of the semantic id';
      this.item({ type: 'note', file, field: 'interfaceHash', ref: hash, reason });
    }
    this.name(file, semanticId, bytes);
  }

  /** References inside of objects whose kinds are known. */
  private name(file: string, semanticId: string, bytes: Uint8Array): void {
    if (semanticId === 'world/effect-record/v1') {
      const record = readEffectRecord(bytes);
      if (!record.ok) {
        this.hole(file, 'effect-record', { reason: record.why });
        return;
      }
      const { requestRef, resultRef } = record.value;
      this.named.push({ file, field: 'requestRef', ref: requestRef });
      if (resultRef !== '') this.named.push({ file, field: 'resultRef', ref: resultRef });
    }
    if (semanticId === 'world/invocation-output/v1') {
      const output = readObject(bytes);
      const world = output.ok ? asObject(output.value['world']) : undefined;
      const plan = parseDigest(textOf(world?.['plan']));
      if (plan !== undefined) this.named.push({ file, field: 'world.plan', ref: plan });
    }
  }

  private verifyEntry(file: string, value: JsonObject): void {
    const read = readMembers(value, takeEntry);
    if (!read.ok) {
      this.hole(file, 'entry', { reason: read.why });
      return;
    }
    const { fields, hash } = read.value;
    const isGenesis = fields.transitionRef === fields.transitionFn;
    if (entryHash(fields) !== hash)
      this.hole(file, 'entryHash', {
        reason: isGenesis ? 'hash: client-supplied genesis' : 'hash',
        ref: hash,
      });
    this.named.push({ file, field: 'transitionFn', ref: fields.transitionFn });
    this.named.push({ file, field: 'transitionRef', ref: fields.transitionRef });
  }

  private verifyWorld({ name: file, value }: ExportFile, world: JsonObject): void {
    const [ref, stateRoot, logHead] = ['ref', 'stateRoot', 'logHead'].map((name) =>
      parseDigest(textOf(world[name])),
    );
    const revision = world['revision'];
    if (!ref || !stateRoot || !logHead || typeof revision !== 'number') {
      this.hole(file, 'nextWorld', { reason: 'unreadable' });
      return;
    }
    if (worldRef({ revision, stateRoot, logHead }) !== ref)
      this.hole(file, 'nextWorld.ref', { reason: 'hash', ref });
    if (!this.objects.has(stateRoot))
      this.hole(file, 'nextWorld.stateRoot', { reason: 'the root of no object here', ref: stateRoot });
    const entry = asObject(value['entry']);
    if (entry !== undefined && entry['entryHash'] !== logHead)
      this.hole(file, 'nextWorld.logHead', { reason: 'not the entry', ref: logHead });
  }

  private row(check: () => void): boolean {
    const row = this.rows.next();
    if (row === 'stop') return false;
    // Rows that an earlier part has verified say again what they name, and nothing else.
    this.isDue = row === 'due';
    check();
    return true;
  }

  private hole(file: string, field: string, what: { readonly reason: string; readonly ref?: Digest }): void {
    this.item({ type: 'hole', file, field, ...what });
  }

  private item(item: Omit<ScanItem, 'table'>): void {
    if (this.isDue) this.onItem({ table: 'export', ...item });
  }
}

function jsonFiles(folder: string): ExportFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort(byNumberedName).flatMap((name) => {
    const read = readObject(readFileSync(join(folder, name)));
    return [{ name, value: read.ok ? read.value : {} }];
  });
}

/** `log-2` before `log-10`. */
function byNumberedName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function isEntry(value: JsonObject): boolean {
  return asObject(value['header']) !== undefined && typeof value['entryHash'] === 'string';
}

function objectsOf(value: JsonObject): JsonObject[] {
  const { objects } = value;
  if (!Array.isArray(objects)) return [];
  return objects.map((object) => asObject(object) ?? {});
}

function payloadOf(object: JsonObject): Uint8Array | undefined {
  const { payload } = object;
  return typeof payload === 'string' ? Buffer.from(payload, 'base64') : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
