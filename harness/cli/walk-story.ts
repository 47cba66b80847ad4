/**
 * Tells what a call was in sentences, for somebody who knows neither the store nor its words: who asked for what, whether
 * it was allowed, what came back, and what a call that did not go through means for the world.
 *
 * It says only what the records say. Whether they hold is said beside each link, by walk-text.ts.
 */
import { formatTime } from '../core/time.js';
import type { Denial } from '../core/tool.js';
import { readEffectRecord, readInput } from '../effects/objects.js';
import type { EffectRecord } from '../effects/objects.js';
import { readRequest } from '../effects/request.js';
import { asObject, readObject } from '../effects/struct.js';
import type { Walk, WalkNode } from '../effects/walk.js';

const PREVIEW_MAX = 160;

/** The start of a text, and how long it is where that is not all. */
export function preview(text: string): string {
  if (text.length <= PREVIEW_MAX) return text;
  // No character is cut in half.
  const start = text.slice(0, PREVIEW_MAX).replace(/[\ud800-\udbff]$/, '');
  return `${start} … (${text.length} characters)`;
}

/** What a call came to, each a sentence that needs no other. */
const OUTCOME: Readonly<Record<Walk['status'], string>> = {
  executed: 'Executed: it was allowed, and done to its end.',
  failed: 'Failed: something it asked for was allowed and begun, and went wrong.',
  denied: 'Denied: something it asked for was not covered by a right it had, so that was not done.',
  refused: 'Refused: it was stopped before anything was done. The world is as it was, and nothing was spent.',
  unreadable: 'What became of it is not known: the record of this call cannot be read.',
};

const DENIED: Readonly<Record<Denial, string>> = {
  'denied:effect-name': 'the caller had no right to this kind of effect',
  'denied:scope': 'the caller had a right to this kind of effect, but not there',
  'denied:expired': 'the right of the caller to it had run out by then',
  'denied:budget': 'the caller had a right to it, but less was left of its budget than this costs',
};

/** Sentences about a call, one a line. */
export function storyLines(walk: Walk): string[] {
  const record = child(walk.entry, 'record');
  const { tool, caller, status } = walk;
  if (record === undefined || status === 'unreadable') return [OUTCOME.unreadable];
  const effects = record.links.filter(({ what }) => what.startsWith('effect '));
  return [
    `${caller} called the tool ${tool} with ${inputText(child(record, 'input'))}`,
    OUTCOME[status],
    ...(status === 'refused' ? [refusedText(record)] : []),
    ...(effects.length === 0 ? unasked(walk, record) : [asksText(effects.length)]),
    ...effects.flatMap((effect, at) => effectLines(effect, at + 1)),
    `What the caller got back: ${answerText(child(record, 'output'))}`,
  ];
}

function asksText(count: number): string {
  return count === 1
    ? 'It asked the world for one thing:'
    : `It asked the world for ${count} things, in this order:`;
}

/** A call without effects: of a pure tool, or stopped, with what it would have asked for. */
function unasked({ status }: Walk, record: WalkNode): string[] {
  if (status !== 'refused')
    return ['Its answer follows from its input alone: it asked the world for nothing.'];
  const plan = objectIn(child(record, 'plan'));
  const effects = plan?.['effects'];
  if (!Array.isArray(effects) || effects.length === 0) return [];
  const asked = effects.map((effect) => {
    const { effect: name, scope, payload } = asObject(effect) ?? {};
    return `  - ${said(name)} on ${said(scope)}, with ${preview(said(payload))}`;
  });
  return ['What it would have asked the world for:', ...asked];
}

/** Who stopped a call and why. Without a refusal it was the tool's own doing. */
function refusedText(record: WalkNode): string {
  const node = child(record, 'refusal');
  if (node === undefined) return 'Nobody stopped it: the tool itself answered without asking for anything.';
  const refusal = objectIn(node);
  if (refusal === undefined) return `Why cannot be read: ${node.state}.`;
  const event =
    refusal['event'] === undefined ? '' : ` (event ${said(refusal['event'])} of provenance.jsonl)`;
  return `${STOPPED_BY.get(said(refusal['by'])) ?? `Stopped by ${said(refusal['by'])}`}: ${preview(said(refusal['reason']))}${event}`;
}

const STOPPED_BY: ReadonlyMap<string, string> = new Map([
  ['input', 'Its input is not what the tool takes'],
  ['plan', 'What the tool wanted to do breaks a rule for tools'],
  ['tool', 'It could not be called'],
  ['broker', 'It cannot be done here'],
]);

function effectLines(node: WalkNode, number: number): string[] {
  const read = node.bytes === undefined ? undefined : readEffectRecord(node.bytes);
  if (read?.ok !== true) return [`  ${number}. What became of it cannot be read: ${node.state}`];
  const { value: record } = read;
  const request = child(node, 'request');
  const asked = request?.bytes === undefined ? undefined : readRequest(request.bytes);
  const payload =
    asked === undefined
      ? 'something that cannot be read'
      : preview(Buffer.from(asked.payload).toString('utf8'));
  const when = asked === undefined ? '' : ` at ${formatTime(asked.now * 1000)}`;
  return [
    `  ${number}. ${record.effect} on ${record.scope}, with ${payload}${when}`,
    `     ${endText(record, node)}`,
    `     ${spentText(record)}`,
  ];
}

function endText(record: EffectRecord, node: WalkNode): string {
  const { allowed, failed, denial } = record;
  if (!allowed) {
    const why = denial === '' ? 'no reason is recorded' : `${DENIED[denial]} (${denial})`;
    return `Not allowed, and not done: ${why}.`;
  }
  if (!failed) return `Allowed, and done. Its result: ${textIn(child(node, 'result'))}`;
  const evidence = child(node, 'evidence');
  const why = evidence === undefined ? '' : ` What stopped it says: ${textIn(evidence)}`;
  return `Allowed and begun, but it failed: whatever it had changed by then is changed.${why}`;
}

function spentText({ allowed, cost, budgetBefore, budgetAfter, denial }: EffectRecord): string {
  if (denial === 'denied:budget')
    return `Nothing was spent: it would have cost ${cost}, and ${budgetBefore} was left.`;
  if (!allowed) return 'Nothing was spent.';
  return cost === 0
    ? 'It costs nothing.'
    : `It cost ${cost}: of a budget of ${budgetBefore}, ${budgetAfter} is left.`;
}

function inputText(node: WalkNode | undefined): string {
  const input = node?.bytes === undefined ? undefined : readInput(node.bytes);
  return input?.ok === true ? preview(JSON.stringify(input.value.input)) : 'an input that cannot be read';
}

/** What the caller was answered, without the member that leads to the evidence. */
function answerText(node: WalkNode | undefined): string {
  const output = objectIn(node);
  if (output === undefined) return textIn(node);
  const answer = Object.entries(output).filter(([name]) => name !== 'world');
  return answer.length === 0
    ? 'nothing but how it ended'
    : preview(JSON.stringify(Object.fromEntries(answer)));
}

function textIn(node: WalkNode | undefined): string {
  if (node?.bytes === undefined) return `it cannot be read: ${node?.state ?? 'nothing names it'}`;
  return preview(Buffer.from(node.bytes).toString('utf8'));
}

function objectIn(node: WalkNode | undefined): ReturnType<typeof asObject> {
  const read = node?.bytes === undefined ? undefined : readObject(node.bytes);
  return read?.ok === true ? read.value : undefined;
}

function child({ links }: WalkNode, name: string): WalkNode | undefined {
  return links.find(({ what }) => what === name);
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? 'nothing' : JSON.stringify(value);
}
