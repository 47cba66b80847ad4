/**
 * Walks from any point of a call to all that it was made of: entry, record, input, plan, requests, results, output. Each
 * link is followed and verified, and says what is wrong with it if anything is.
 */
import { join } from 'node:path';
import { digestOf, entryHash, parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { unreachable } from '../core/errors.js';
import type { FileOps } from '../log/file-ops.js';
import { objectOf } from '../log/lines.js';
import { RUN } from '../log/run-dir.js';
import { worldRow } from './entries.js';
import type { WorldRow } from './entries.js';
import type { KindName } from './kinds.js';
import { linesOf } from './line-log.js';
import { effectStatusOf, readEffectRecord, readRecord } from './objects.js';
import type { EffectLink, InvocationRecord } from './objects.js';
import type { CallStatus } from './ports.js';
import { callStatus } from './recorded-answer.js';
import type { JournalledCall, PlacedEntry, RecordedRun } from './recorded.js';
import { asObject, readObject } from './struct.js';

/** One thing on the way, and what it leads to. `state` is `ok` or what is wrong, in a phrase. */
export interface WalkNode {
  readonly what: string;
  readonly ref?: Digest;
  readonly state: string;
  /** What it holds, as it was recorded. */
  readonly bytes?: Uint8Array;
  readonly links: readonly WalkNode[];
}

export interface Walk {
  readonly status: CallStatus | 'unreadable';
  readonly tool: string;
  readonly caller: string;
  readonly invocationId: string;
  /** State of the world that the call led to. */
  readonly world?: WorldRow;
  readonly entry: WalkNode;
}

/** An object that was asked for by itself: what it is stored as, and the calls that lead to it. */
export interface WalkedObject {
  readonly labels: readonly string[];
  readonly state: string;
  readonly bytes?: Uint8Array;
  readonly entries: readonly number[];
}

/** Where a walk may start. `at` is the place of an entry in the log, from 0. */
export type WalkStart =
  | { readonly start: 'entry'; readonly at: number }
  | { readonly start: 'object'; readonly ref: Digest }
  | { readonly start: 'nothing'; readonly why: string };

/** Finds what a name means: an index, an invocation id, the hash of an entry or object, or an event. */
export function findStart(run: RecordedRun, name: string, ops: FileOps): WalkStart {
  if (/^\d{1,15}$/.test(name)) return atIndex(run, Number(name));
  if (name.startsWith('evt_')) return atEvent(run, name, ops);
  const digest = parseDigest(name);
  if (digest !== undefined) {
    const at = run.entries.findIndex(({ hash }) => hash === digest);
    return at < 0 ? { start: 'object', ref: digest } : { start: 'entry', at };
  }
  const index = /^.+:(\d{1,15})$/.exec(name)?.[1];
  if (index !== undefined) return atIndex(run, Number(index));
  return { start: 'nothing', why: `${name} is no entry, event or digest` };
}

/** Finds the entry whose output has these bytes. */
export function findOutput(run: RecordedRun, bytes: Uint8Array): WalkStart {
  const output = digestOf(bytes);
  const at = run.entries.findIndex((entry) => recordAt(run, entry)?.output === output);
  return at < 0 ? { start: 'nothing', why: `no call has the output ${output}` } : { start: 'entry', at };
}

function atIndex(run: RecordedRun, index: number): WalkStart {
  const at = run.entries.findIndex(({ fields }) => fields.entryIndex === index);
  return at < 0 ? { start: 'nothing', why: `there is no entry ${index}` } : { start: 'entry', at };
}

function atEvent(run: RecordedRun, id: string, ops: FileOps): WalkStart {
  for (const { bytes } of linesOf(join(run.runDir, RUN.log), ops)) {
    const event = objectOf(bytes);
    if (event?.['id'] !== id) continue;
    const invocation = asObject(event['data'])?.['invocation'];
    const at = run.entries.findIndex(({ hash }) => hash === invocation);
    if (at >= 0) return { start: 'entry', at };
    const why =
      typeof invocation === 'string' ? `its call ${invocation} has no entry` : 'it is about no call';
    return { start: 'nothing', why: `event ${id}: ${why}` };
  }
  return { start: 'nothing', why: `there is no event ${id}` };
}

function recordAt(run: RecordedRun, { fields }: PlacedEntry): InvocationRecord | undefined {
  const found = run.store.read(fields.transitionRef);
  const read = found.ok ? readRecord(found.bytes) : undefined;
  return read?.ok === true ? read.value : undefined;
}

/** Walks a call from its entry. @param at place of the entry in the log, from 0 */
export function walkEntry(run: RecordedRun, at: number): Walk {
  const entry = run.entries[at] ?? unreachable(`no entry at ${at}`);
  const { fields } = entry;
  const walker = new Walker(run, entry);
  const record = recordAt(run, entry);
  const node: WalkNode = {
    what: 'entry',
    ref: entry.hash,
    state: chainState(run, at),
    links: [walker.record(fields.transitionRef, record), walker.link('source', fields.transitionFn, 'tool')],
  };
  const caller = fields.writtenBy;
  if (record === undefined)
    return {
      status: 'unreadable',
      tool: '',
      caller,
      invocationId: `entry ${fields.entryIndex}`,
      entry: node,
    };
  const effects = record.world?.effects.map((effect) => effect.status);
  const status = effects === undefined ? 'executed' : callStatus(effects);
  const { skillId: tool, invocationId, output } = record;
  return { status, tool, caller, invocationId, world: worldRow(entry, output), entry: node };
}

/** Looks at one object, and at what leads to it. */
export function walkObject(run: RecordedRun, ref: Digest): WalkedObject {
  const found = run.store.read(ref);
  const entries = run.entries.flatMap(({ fields }, at) =>
    refsAt(run, at).includes(ref) ? [fields.entryIndex] : [],
  );
  if (!found.ok) return { labels: [], state: found.fault, entries };
  const labels = found.labels.map(({ semanticId, provenance }) => `${semanticId} by ${provenance}`);
  return { labels, state: 'ok', bytes: found.bytes, entries };
}

/** Whether a node and all below it are as they should be. */
export function isSound({ state, links }: WalkNode): boolean {
  return state === 'ok' && links.every(isSound);
}

function refsAt(run: RecordedRun, at: number): Digest[] {
  const refs: Digest[] = [];
  const collect = (node: WalkNode): void => {
    if (node.ref !== undefined) refs.push(node.ref);
    node.links.forEach(collect);
  };
  collect(walkEntry(run, at).entry);
  return refs;
}

function chainState(run: RecordedRun, at: number): string {
  const { fields, hash } = run.entries[at] ?? unreachable(`no entry at ${at}`);
  if (entryHash(fields) !== hash) return 'its hash is not that of what it says';
  const before = run.entries[at - 1];
  if (before !== undefined)
    return before.hash === fields.prevEntryHash ? 'ok' : 'it does not follow from the entry before';
  return run.store.read(fields.prevEntryHash, 'genesis').ok
    ? 'ok'
    : 'it does not follow from the start of the run';
}

class Walker {
  private readonly run: RecordedRun;
  private readonly journalled: JournalledCall | undefined;

  constructor(run: RecordedRun, { hash }: PlacedEntry) {
    this.run = run;
    this.journalled = run.calls.get(run.callOf(hash) ?? '');
  }

  record(ref: Digest, record: InvocationRecord | undefined): WalkNode {
    const kind: KindName = record !== undefined && record.world === undefined ? 'pureRecord' : 'record';
    const node = this.link(kind, ref, 'record');
    if (record === undefined) return node.state === 'ok' ? { ...node, state: 'it cannot be read' } : node;
    const { world } = record;
    const links = [this.link('input', record.input, 'input')];
    if (world !== undefined) {
      links.push(this.link('plan', world.plan, 'plan'));
      for (const effect of world.effects) links.push(this.effect(effect));
    }
    const output = this.link('output', record.output, 'output');
    links.push(...this.refusal(output), output);
    return { ...node, links };
  }

  link(kind: KindName, ref: Digest, what: string): WalkNode {
    const found = this.run.store.read(ref, kind);
    if (found.ok) return { what, ref, state: 'ok', bytes: found.bytes, links: [] };
    return { what, ref, state: found.fault, links: [] };
  }

  private effect({ id, record: ref, status }: EffectLink): WalkNode {
    const node = this.link('effectRecord', ref, `effect ${id}: ${status}`);
    const read = node.bytes === undefined ? undefined : readEffectRecord(node.bytes);
    if (read?.ok !== true) return node.state === 'ok' ? { ...node, state: 'it cannot be read' } : node;
    const { requestRef, resultRef } = read.value;
    const links = [this.link('request', requestRef, 'request')];
    if (resultRef !== '') links.push(this.link('result', resultRef, 'result'));
    const evidence = this.journalled?.effects.get(id)?.outcome?.evidence ?? '';
    if (evidence !== '') links.push(this.link('evidence', evidence, 'evidence'));
    const isSame = effectStatusOf(read.value) === status;
    return { ...node, state: isSame ? 'ok' : 'it says otherwise than the call', links };
  }

  /** What stopped a call, as its output names it. */
  private refusal({ bytes }: WalkNode): WalkNode[] {
    const output = bytes === undefined ? undefined : readObject(bytes);
    const ref = output?.ok === true ? asObject(output.value['world'])?.['refusal'] : undefined;
    const digest = typeof ref === 'string' ? parseDigest(ref) : undefined;
    return digest === undefined ? [] : [this.link('refusal', digest, 'refusal')];
  }
}
