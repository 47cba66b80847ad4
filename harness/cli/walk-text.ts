/**
 * Shows a walk as text: the story of the call (walk-story.ts), then the chain of evidence for it, one line a link.
 */
import { printable } from '../report/text.js';
import { isSound } from '../effects/walk.js';
import type { Walk, WalkedObject, WalkNode } from '../effects/walk.js';
import { preview, storyLines } from './walk-story.js';

/** What each link is, in words. Effects have their status in their name. */
const WHAT: ReadonlyMap<string, string> = new Map([
  ['entry', 'the line about this call in invocations.jsonl, which names what comes before it'],
  ['record', 'what the call was made of'],
  ['input', 'what the tool was called with'],
  ['plan', 'what the tool wanted done'],
  ['request', 'what was asked, where and when'],
  ['result', 'what came back'],
  ['evidence', 'what stopped it'],
  ['refusal', 'who stopped the call, and why'],
  ['output', 'what the caller got back'],
  ['tool', 'the program of the tool, as it was'],
]);

const COLUMN = 30;

/** The text of a walk, control characters made visible: agents wrote much of it. */
export function walkText(walk: Walk): string {
  const { invocationId, entry, world } = walk;
  const sound = isSound(entry);
  const lines = [
    `Call ${invocationId}`,
    '',
    ...storyLines(walk).map((line) => `  ${line}`),
    '',
    'The evidence: each object was read again, and has the digest that the one above it names',
    '',
    ...nodeLines(entry, 1),
    '',
    sound
      ? '  Every link holds.'
      : '  NOT every link holds: see the lines marked ✗. What is told above may not be what was.',
  ];
  if (world !== undefined)
    lines.push(
      '',
      `World row, the state after this call: revision ${world.revision}, ${world.ref}`,
      `  made of the output ${world.stateRoot} and the entry ${world.logHead}`,
    );
  return `${lines.map(printable).join('\n')}\n`;
}

function nodeLines(node: WalkNode, depth: number): string[] {
  const { what, ref, state, links } = node;
  const isOk = state === 'ok';
  const name = `${'  '.repeat(depth)}${isOk ? '✓' : '✗'} ${what}`.padEnd(COLUMN);
  const said = isOk ? `ok   ${wordsFor(what)}` : `${state.toUpperCase()}   ${wordsFor(what)}`;
  return [
    `${name} ${ref === undefined ? '' : shortened(ref)}  ${said}`.trimEnd(),
    ...links.flatMap((link) => nodeLines(link, depth + 1)),
  ];
}

function wordsFor(what: string): string {
  return WHAT.get(what) ?? (what.startsWith('effect ') ? 'what was decided about it, and how it ended' : '');
}

function shortened(ref: string): string {
  return `${ref.slice(0, 19)}…`;
}

/** The text about one object. */
export function objectText(ref: string, { labels, state, bytes, entries }: WalkedObject): string {
  const leads =
    entries.length === 0
      ? 'No call leads to it.'
      : `Calls that lead to it, by the index of their entry: ${entries.slice(0, 20).join(', ')}${entries.length > 20 ? ` … (${entries.length})` : ''}`;
  const lines = [ref, state === 'ok' ? `  ok, stored as ${labels.join('; ')}` : `  ${state}`, `  ${leads}`];
  if (bytes !== undefined) lines.push(`  ${preview(Buffer.from(bytes).toString('utf8'))}`);
  return `${lines.map(printable).join('\n')}\n`;
}
