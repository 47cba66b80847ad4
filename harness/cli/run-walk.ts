/**
 * Shows a walk so that somebody who does not know the store can read it: what was asked, whether it was let through, what
 * came back, and for each link whether it holds.
 */
import { readFileSync } from 'node:fs';
import { EXIT, HarnessError } from '../core/errors.js';
import { formatTime } from '../core/time.js';
import { readEffectRecord, readInput } from '../effects/objects.js';
import { RecordedRun } from '../effects/recorded.js';
import { readRequest } from '../effects/request.js';
import { asObject, readObject } from '../effects/struct.js';
import { findOutput, findStart, isSound, walkEntry, walkObject } from '../effects/walk.js';
import type { Walk, WalkedObject, WalkNode } from '../effects/walk.js';
import { nodeFileOps } from '../log/file-ops.js';
import { requireFolder } from '../log/small-file.js';
import { printable } from '../report/text.js';
import { print } from './output.js';

export interface WalkArguments {
  readonly run: string;
  readonly from: string;
  readonly format: 'text' | 'json';
  readonly json: boolean;
}

/** @returns the exit code: 0 where every link holds, 1 where one does not */
export function runWalk(args: WalkArguments): number {
  requireFolder(args.run, nodeFileOps);
  const run = RecordedRun.open(args.run);
  try {
    const start =
      args.from === '-' ? findOutput(run, readFileSync(0)) : findStart(run, args.from, nodeFileOps);
    const isJson = args.json || args.format === 'json';
    if (start.start === 'nothing') {
      const hint = `give an entry's index or hash, a call's id, an event that is about a call, any digest, or -`;
      throw new HarnessError('no-input', `${args.run}: ${start.why}`, hint);
    }
    if (start.start === 'object') {
      const found = walkObject(run, start.ref);
      print(isJson ? jsonText({ ref: start.ref, ...found }) : objectText(start.ref, found));
      if (found.state === 'missing' && found.entries.length === 0) return EXIT.noInput;
      return found.state === 'ok' ? EXIT.pass : EXIT.fail;
    }
    const walk = walkEntry(run, start.at);
    print(isJson ? jsonText(walk) : walkText(walk));
    return isSound(walk.entry) ? EXIT.pass : EXIT.fail;
  } finally {
    run.close();
  }
}

/** Bytes are shown as text: all that is stored is text, or what a handler made of it. */
function jsonText(value: object): string {
  const shown = JSON.stringify(
    value,
    (_, member: unknown) => (member instanceof Uint8Array ? Buffer.from(member).toString('utf8') : member),
    2,
  );
  return `${shown}\n`;
}

/** What each outcome means. */
const MEANING: Readonly<Record<Walk['status'], string>> = {
  executed: 'It was run to its end.',
  failed:
    'It was let through, and an effect did not come to its end: a detector stopped it, or what does it broke.',
  denied: 'It was not let through: nobody had given the right to it, or the budget for it was spent.',
  refused: 'It was stopped before anything was asked of the world.',
  unreadable: 'Its record cannot be read.',
};

function walkText(walk: Walk): string {
  const { invocationId, tool, caller, status, world, entry } = walk;
  const lines = [
    `${invocationId}  ${tool}, called by ${caller}: ${status}`,
    `  ${MEANING[status]}${stopped(walk.entry)}`,
    '',
    ...nodeLines(entry, 1),
    '',
    isSound(entry) ? '  Every link holds.' : '  Not every link holds: see the lines marked ✗.',
  ];
  if (world !== undefined) lines.push(`  state after it: revision ${world.revision}, ${world.ref}`);
  return `${lines.map(printable).join('\n')}\n`;
}

/** Who stopped a call and why, in its own words. */
function stopped(node: WalkNode): string {
  if (node.what !== 'refusal') return node.links.map(stopped).join('');
  const refusal = node.bytes === undefined ? undefined : readObject(node.bytes);
  return refusal?.ok === true ? ` By ${said(refusal.value['by'])}: ${said(refusal.value['reason'])}` : '';
}

function nodeLines(node: WalkNode, depth: number): string[] {
  const { what, ref, state, links } = node;
  const mark = state === 'ok' ? '✓' : '✗';
  const name = `${'  '.repeat(depth)}${mark} ${what}`.padEnd(28);
  const said = state === 'ok' ? gist(node) : state;
  return [
    `${name} ${ref === undefined ? '' : shortened(ref)}  ${said}`,
    ...links.flatMap((link) => nodeLines(link, depth + 1)),
  ];
}

/** What an object says, in a few words. */
function gist({ what, bytes }: WalkNode): string {
  if (bytes === undefined)
    return what === 'entry' ? 'its hash holds, and it follows from the one before' : '';
  if (what === 'record') return 'what this call was made of';
  if (what === 'tool') return 'the source of the tool as it was then';
  if (what === 'plan') return planGist(bytes);
  if (what === 'input') {
    const input = readInput(bytes);
    return input.ok ? preview(JSON.stringify(input.value.input)) : input.why;
  }
  if (what === 'request') return requestGist(bytes);
  if (what.startsWith('effect ')) return recordGist(bytes);
  return preview(Buffer.from(bytes).toString('utf8'));
}

function planGist(bytes: Uint8Array): string {
  const plan = readObject(bytes);
  const effects = plan.ok ? plan.value['effects'] : undefined;
  if (!Array.isArray(effects)) return preview(Buffer.from(bytes).toString('utf8'));
  if (effects.length === 0) return 'asks for nothing of the world';
  const asked = effects.map((effect) => {
    const { id, effect: name, scope, cost } = asObject(effect) ?? {};
    return `${said(id)} ${said(name)} on ${said(scope)}, cost ${said(cost)}`;
  });
  return `asks for ${asked.join('; ')}`;
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function requestGist(bytes: Uint8Array): string {
  const request = readRequest(bytes);
  if (request === undefined) return 'no request';
  const { effect, scope, now, payload } = request;
  return `${effect} on ${scope} at ${formatTime(now * 1000)}: ${preview(Buffer.from(payload).toString('utf8'))}`;
}

function recordGist(bytes: Uint8Array): string {
  const read = readEffectRecord(bytes);
  if (!read.ok) return read.why;
  const { allowed, denial, cost, budgetBefore, budgetAfter } = read.value;
  if (!allowed) return `not allowed (${denial}); nothing was spent`;
  return `allowed; cost ${cost}, budget ${budgetBefore} before and ${budgetAfter} after`;
}

const PREVIEW_MAX = 120;

function preview(text: string): string {
  return text.length <= PREVIEW_MAX ? text : `${text.slice(0, PREVIEW_MAX)} … (${text.length} characters)`;
}

function shortened(ref: string): string {
  return `${ref.slice(0, 19)}…`;
}

function objectText(ref: string, { labels, state, bytes, entries }: WalkedObject): string {
  const leads =
    entries.length === 0
      ? 'no call leads to it'
      : `calls that lead to it: ${entries.slice(0, 20).join(', ')}`;
  const lines = [`${ref}: ${state === 'ok' ? labels.join('; ') : state}`, `  ${leads}`];
  if (bytes !== undefined) lines.push(`  ${preview(Buffer.from(bytes).toString('utf8'))}`);
  return `${lines.map(printable).join('\n')}\n`;
}
