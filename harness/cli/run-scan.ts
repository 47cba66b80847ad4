/**
 * What `scan` and `recover` print: one line a hole or note, and at the end whether everything was looked at.
 */
import { EXIT, HarnessError } from '../core/errors.js';
import { formatTime } from '../core/time.js';
import { isSettled, recover } from '../effects/recover.js';
import type { OpenEffect } from '../effects/recover.js';
import { RecordedRun } from '../effects/recorded.js';
import { scanFolder } from '../effects/scan-folder.js';
import type { FolderItem } from '../effects/scan-folder.js';
import { nodeFileOps } from '../log/file-ops.js';
import { requireFolder } from '../log/small-file.js';
import { printable } from '../report/text.js';
import { print, printError } from './output.js';
import { systemClock } from './version.js';

export interface ScanArguments {
  readonly path: string;
  readonly rows: number | undefined;
  readonly seconds: number | undefined;
  readonly resume: string | undefined;
  readonly quiet: boolean;
  readonly format: 'text' | 'json';
  readonly json: boolean;
}

/** @returns the exit code: 0 complete and without a hole, 1 with one, 2 incomplete */
export function runScan(args: ScanArguments): number {
  const { rows, seconds, resume, path, quiet } = args;
  for (const [name, value] of [
    ['--rows', rows],
    ['--seconds', seconds],
  ] as const) {
    if (value !== undefined && !(value > 0))
      throw new HarnessError('usage', `${name} must be more than 0`, 'leave it out to scan all');
  }
  const isJson = args.json || args.format === 'json';
  const counts = { hole: 0, note: 0 };
  const shown: FolderItem[] = [];
  const scanned = scanFolder(path, {
    budget: {
      clock: systemClock,
      ...(rows === undefined ? {} : { rows }),
      ...(seconds === undefined ? {} : { ms: seconds * 1000 }),
    },
    ...(resume === undefined ? {} : { resume }),
    onItem: (item) => {
      counts[item.type] += 1;
      if (isJson) shown.push(item);
      else if (item.type === 'hole' || !quiet) print(itemLine(item));
    },
  });
  const { runs, entries, objects, ignored } = scanned;
  if (isJson)
    print(
      `${JSON.stringify({ complete: scanned.resume === undefined, ...scanned, ...counts, items: shown }, undefined, 2)}\n`,
    );
  else {
    if (ignored.length > 0) printError(`not scanned: ${ignored.join(', ')}\n`);
    const found = `runs=${runs} entries=${entries} objects=${objects} holes=${counts.hole} notes=${counts.note}`;
    if (scanned.resume === undefined) print(`integrity_scan_complete ${found}\n`);
    else print(`integrity_scan_incomplete ${found} resume=${printable(scanned.resume)}\n`);
  }
  if (counts.hole > 0) return EXIT.fail;
  return scanned.resume === undefined ? EXIT.pass : EXIT.unknown;
}

/** Values have no white space but in the reason, which is last. */
function itemLine({ type, run, table, index, ref, file, field, reason }: FolderItem): string {
  const parts = [`integrity_${type}`, ...(run === '' ? [] : [`run=${run}`]), `table=${table}`];
  if (index !== undefined) parts.push(`index=${index}`);
  if (file !== undefined) parts.push(`file=${file}`);
  if (ref !== undefined) parts.push(`ref=${ref}`);
  return `${printable([...parts, `field=${field}`, `reason=${reason}`].join(' '))}\n`;
}

export interface RecoverArguments {
  readonly run: string;
  readonly format: 'text' | 'json';
  readonly json: boolean;
}

const STATE: Readonly<Record<OpenEffect['state'], string>> = {
  'may-have-happened': 'may have happened: nothing is known after it was announced',
  ok: 'happened, and its result is recorded',
  failed: 'was begun and failed',
  denied: 'was denied: it did not happen',
};

/** @returns the exit code: 0 where nothing is open, 1 where something is */
export function runRecover(args: RecoverArguments): number {
  requireFolder(args.run, nodeFileOps);
  const run = RecordedRun.open(args.run);
  try {
    const found = recover(run);
    const settled = isSettled(found);
    if (args.json || args.format === 'json') {
      print(`${JSON.stringify({ settled, ...found }, undefined, 2)}\n`);
      return settled ? EXIT.pass : EXIT.fail;
    }
    const lines: string[] = [];
    for (const { callId, tool, effects } of found.calls) {
      lines.push(`${callId}  ${tool}: was begun, and its end is not recorded`);
      if (effects.length === 0) lines.push('    nothing was asked of the world yet');
      lines.push(...effects.map(effectLine));
    }
    for (const index of found.unpairedEntries)
      lines.push(`entry ${index}: is whole; only the journal's line about its end is missing`);
    for (const file of found.torn)
      lines.push(`${file}: its end was cut, and what was cut was never acknowledged`);
    lines.push(
      settled
        ? `Nothing is open: ${run.entries.length} calls, each with its end.`
        : 'Nothing was changed or run again. Look at the world to see what happened, then set the run aside.',
    );
    print(`${lines.map(printable).join('\n')}\n`);
    return settled ? EXIT.pass : EXIT.fail;
  } finally {
    run.close();
  }
}

function effectLine({ effectId, state, effect, scope, now, payload }: OpenEffect): string {
  const when = now === undefined ? '' : ` at ${formatTime(now * 1000)}`;
  const what = payload === undefined ? '' : ` ${JSON.stringify(payload).slice(0, 200)}`;
  return `    ${effectId}  ${effect} on ${scope}${when}${what}: ${STATE[state]}`;
}
