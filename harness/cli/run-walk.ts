/**
 * What `walk` does: finds where to start, walks, and prints it as text (walk-text.ts) or JSON.
 */
import { readFileSync } from 'node:fs';
import { EXIT, HarnessError } from '../core/errors.js';
import { RecordedRun } from '../effects/recorded.js';
import { findOutput, findStart, isSound, walkEntry, walkObject } from '../effects/walk.js';
import { nodeFileOps } from '../log/file-ops.js';
import { requireFolder } from '../log/small-file.js';
import { print } from './output.js';
import { objectText, walkText } from './walk-text.js';

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
    print(isJson ? jsonText({ sound: isSound(walk.entry), ...walk }) : walkText(walk));
    return isSound(walk.entry) ? EXIT.pass : EXIT.fail;
  } finally {
    run.close();
  }
}

/** Bytes are shown as text: all that is stored is text, or what a handler made of it. */
function jsonText(value: object): string {
  return `${JSON.stringify(withText(value), undefined, 2)}\n`;
}

/** Done before `JSON.stringify`, which would ask the bytes themselves first. */
function withText(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(withText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withText(member)]));
}
