/**
 * What `recover` prints: what a crash left open, call by call, and what that means. It changes nothing and runs nothing.
 */
import { EXIT } from '../core/errors.js';
import { formatTime } from '../core/time.js';
import { isSettled, recover } from '../effects/recover.js';
import type { OpenCall, OpenEffect, Recovery } from '../effects/recover.js';
import { RecordedRun } from '../effects/recorded.js';
import { nodeFileOps } from '../log/file-ops.js';
import { requireFolder } from '../log/small-file.js';
import { printable } from '../report/text.js';
import { print } from './output.js';
import { preview } from './walk-story.js';

export interface RecoverArguments {
  readonly run: string;
  readonly format: 'text' | 'json';
  readonly json: boolean;
}

/** @returns the exit code: 0 where nothing is open, 1 where something is */
export function runRecover(args: RecoverArguments): number {
  requireFolder(args.run, nodeFileOps);
  const run = RecordedRun.open(args.run);
  try {
    const found = recover(run);
    const settled = isSettled(found);
    if (args.json || args.format === 'json')
      print(`${JSON.stringify({ settled, ...found }, undefined, 2)}\n`);
    else print(recoveryText(found, run.entries.length));
    return settled ? EXIT.pass : EXIT.fail;
  } finally {
    run.close();
  }
}

/** @param entries how many calls have their entry */
export function recoveryText(found: Recovery, entries: number): string {
  const lines = [
    ...found.calls.flatMap(callLines),
    ...found.unpairedEntries.map(
      (index) => `entry ${index}: is whole, and the journal does not say whose it is`,
    ),
    ...found.torn.map((file) => `${file}: its end was cut, and what was cut was never acknowledged`),
    isSettled(found) ? `Nothing is open: ${entries} calls, each with its end.` : ADVICE,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

const ADVICE =
  'Nothing was changed or run again. Look at the world to see what happened, then set the run aside.';

const STATE: Readonly<Record<OpenEffect['state'], string>> = {
  'may-have-happened': 'MAY HAVE HAPPENED: it was announced, and nothing is known after that',
  'likely-not-begun':
    'most likely not begun: it was to come after the one above; only a power failure can have hidden it',
  ok: 'HAPPENED, and its result is recorded',
  failed: 'was begun and failed; what it had changed by then is changed',
  denied: 'was denied: it did not happen',
};

function callLines({ callId, tool, effects, entryIndex }: OpenCall): string[] {
  if (entryIndex !== undefined)
    return [`${callId}  ${tool}: is whole, as entry ${entryIndex}; only the last line about it was lost`];
  const isDone = effects.some(({ state }) => state === 'ok' || state === 'failed');
  const what = isDone ? 'took effect, and has no entry' : 'was begun, and has no entry';
  return [
    `${callId}  ${tool}: ${what}`,
    ...(effects.length === 0 ? ['    nothing was asked of the world yet'] : effects.map(effectLine)),
  ];
}

function effectLine({ effectId, state, effect, scope, now, payload }: OpenEffect): string {
  const when = now === undefined ? '' : ` at ${formatTime(now * 1000)}`;
  const what = payload === undefined ? '' : ` with ${preview(JSON.stringify(payload))}`;
  return `    ${effectId}  ${effect} on ${scope}${what}${when}: ${STATE[state]}`;
}
