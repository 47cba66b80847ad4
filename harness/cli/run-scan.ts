/**
 * What `scan` prints: one line a hole or note, and at the end whether everything was looked at.
 */
import { EXIT, HarnessError } from '../core/errors.js';
import { scanFolder } from '../effects/scan-folder.js';
import type { FolderItem, FolderWorld } from '../effects/scan-folder.js';
import { printable } from '../report/text.js';
import { print, printError } from './output.js';
import { systemClock } from './version.js';

export interface ScanArguments {
  readonly path: string;
  readonly rows: number | undefined;
  readonly seconds: number | undefined;
  readonly resume: string | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
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
  const worlds: FolderWorld[] = [];
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
    onWorld: (world) => {
      if (isJson) worlds.push(world);
      else if (args.verbose) print(worldLine(world));
    },
  });
  const { runs, entries, objects, ignored } = scanned;
  if (isJson)
    print(
      `${JSON.stringify({ complete: scanned.resume === undefined, ...scanned, ...counts, items: shown, worlds }, undefined, 2)}\n`,
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

/** The state after one call. */
function worldLine({ run, revision, ref, stateRoot, logHead }: FolderWorld): string {
  return `${printable(`world_row run=${run} revision=${revision} ref=${ref} stateRoot=${stateRoot} logHead=${logHead}`)}\n`;
}

/** Values have no white space but in the reason, which is last. */
function itemLine({ type, run, table, index, ref, file, field, reason }: FolderItem): string {
  const parts = [`integrity_${type}`, ...(run === '' ? [] : [`run=${run}`]), `table=${table}`];
  if (index !== undefined) parts.push(`index=${index}`);
  if (file !== undefined) parts.push(`file=${file}`);
  if (ref !== undefined) parts.push(`ref=${ref}`);
  return `${printable([...parts, `field=${field}`, `reason=${reason}`].join(' '))}\n`;
}
