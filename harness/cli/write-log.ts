/**
 * What `append`, `correct` and `seal` do: each opens the run's own writer, or seal, and reports what was written.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { HarnessError } from '../core/errors.js';
import type { JsonValue } from '../core/event.js';
import { parseExact, toPlain } from '../core/json.js';
import { nodeFileOps } from '../log/file-ops.js';
import { folderEvidence } from '../log/folder-evidence.js';
import { readHead } from '../log/head.js';
import { appendLedger } from '../log/ledger.js';
import { sealRun } from '../log/seal.js';
import { openWriter, type LogWriter } from '../log/writer.js';
import { print, printError } from './output.js';
import { harnessInfo, systemClock } from './version.js';

export interface Correction {
  readonly run: string;
  readonly event: string;
  readonly path: string;
  readonly value: string;
  readonly reason: string;
  readonly actor: string;
}

/** Prints the id of every event once it is recorded: what is printed is in the log. */
export function appendEvents(args: {
  readonly run: string;
  readonly event: string;
  readonly 'run-id': string | undefined;
}): void {
  const source = args.event === '-' ? 0 : args.event;
  const drafts = parseLines(readText(source, args.event), args.event === '-' ? '<stdin>' : args.event);
  withWriter(args.run, args['run-id'], (writer) => {
    for (const draft of drafts) print(`${writer.appendEvent(draft).id}\n`);
  });
}

export function correctEvent(args: Correction): void {
  const value = parseValue(args.value, '--value');
  withWriter(args.run, undefined, (writer) => {
    const { path, reason, actor } = args;
    print(`${writer.correct({ causedBy: args.event, path, value, reason, actor }).id}\n`);
  });
  if (folderEvidence(args.run).seals().length > 0) {
    printError(`the run is sealed without this correction: counterproof seal ${args.run}\n`);
  }
}

export function sealFolder(args: {
  readonly run: string;
  readonly ledger: boolean;
  readonly json: boolean;
}): void {
  const sealed = sealRun(args.run, { clock: systemClock, harness: harnessInfo() });
  if (args.ledger) appendLedger(dirname(resolve(args.run)), sealed.ledgerLine);
  if (args.json) print(`${JSON.stringify(sealed.seal, undefined, 2)}\n`);
  else
    print(
      `${sealed.name}: ${sealed.seal.events} events, ${sealed.seal.files.length} files, ${sealed.seal.logDigest}\n`,
    );
}

function withWriter(run: string, runId: string | undefined, use: (writer: LogWriter) => void): void {
  const head = readHead(run, nodeFileOps);
  const id = head.state === 'started' ? head.runId : (runId ?? basename(resolve(run)));
  const writer = openWriter(run, { runId: id, clock: systemClock, durability: 'event' });
  try {
    use(writer);
  } finally {
    writer.close();
  }
}

function readText(source: string | number, name: string): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (cause) {
    throw new HarnessError('no-input', `cannot read ${name}: ${(cause as Error).message}`, {
      hint: 'check the path',
      cause,
    });
  }
}

/** One object a line; a file with one pretty-printed object is fine too. */
function parseLines(text: string, name: string): JsonValue[] {
  const whole = parseExact(text.trim());
  if (whole.ok) return [toPlain(whole.value)];
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const found = lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => parseValue(line, `${name}:${number}`));
  if (found.length === 0)
    throw new HarnessError('no-input', `${name} holds no event`, 'give one JSON object a line');
  return found;
}

function parseValue(text: string, where: string): JsonValue {
  const parsed = parseExact(text);
  if (parsed.ok) return toPlain(parsed.value);
  throw new HarnessError(
    'usage',
    `${where}: ${parsed.reason} at byte ${parsed.offset}: ${parsed.detail}`,
    'give strict JSON',
  );
}
