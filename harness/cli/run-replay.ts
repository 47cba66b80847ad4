/**
 * Shows a replay: how much of the run was covered, and every place where it left the record, in words.
 */
import type { Digest } from '../core/digest.js';
import { EXIT, HarnessError } from '../core/errors.js';
import type { Mismatch, Stage } from '../effects/divergence.js';
import { RecordedRun } from '../effects/recorded.js';
import { countWanted, replayRun } from '../effects/replay.js';
import type { ReplayedEntry, ReplayOptions } from '../effects/replay.js';
import { nodeFileOps } from '../log/file-ops.js';
import { requireFolder } from '../log/small-file.js';
import { printable } from '../report/text.js';
import { ALL_TOOLS } from '../study/live.js';
import { replayWhole } from '../study/replay-whole.js';
import { thisInterpreter } from './interpreter.js';
import { print, progressLine } from './output.js';

export interface ReplayArguments {
  readonly run: string;
  readonly invocation: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly whole: boolean;
  readonly allowInterpreter: boolean;
  readonly format: 'text' | 'json';
  readonly json: boolean;
}

/** Entries with something to say are kept and shown, the others counted. */
const SHOWN_MAX = 100;

/** What a difference at a stage means, for whoever has not read how a replay works. */
const MEANING: Readonly<Record<Stage, string>> = {
  receipt: 'The entry, or its place in the chain, is not what was written.',
  record: 'What the entry names is not the record of this call.',
  interpreter: 'Another version of the harness or of the tool made this record: --allow-interpreter goes on.',
  plan: 'For this input the tool plans something else than what is recorded.',
  request: 'What was asked of the world is not what the plan says.',
  effects: 'The effects recorded are not those of the plan, or their records do not hold.',
  result: 'What the world answered cannot be read as it was recorded.',
  finish: 'The tool does not get to an output from the recorded results.',
  output: 'From the recorded results another output follows than the one that was given.',
  event: 'The agents, the gate or the protocol did something else this time.',
};

/** @returns the exit code */
export async function runReplay(args: ReplayArguments): Promise<number> {
  checkRange(args);
  requireFolder(args.run, nodeFileOps);
  return args.whole ? showWhole(args) : showCalls(args);
}

function checkRange({ from, to, whole, invocation }: ReplayArguments): void {
  for (const [name, value] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    if (value !== undefined && (!Number.isInteger(value) || value < 0))
      throw new HarnessError('usage', `${name} must be a whole number from 0`, 'entries are numbered from 0');
  }
  if (whole && (from !== undefined || to !== undefined || invocation !== undefined))
    throw new HarnessError(
      'usage',
      '--whole replays all of the run',
      'leave out --from, --to and --invocation',
    );
}

function optionsOf({ invocation, from, to, allowInterpreter }: ReplayArguments): ReplayOptions {
  return {
    toolbox: ALL_TOOLS,
    interpreter: thisInterpreter(),
    allowInterpreter,
    ...(invocation === undefined ? {} : { invocation }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function showCalls(args: ReplayArguments): number {
  const run = RecordedRun.open(args.run);
  try {
    const options = optionsOf(args);
    const wanted = countWanted(run, options);
    if (wanted === 0) {
      const what = args.invocation ?? 'any call in that range';
      throw new HarnessError('no-input', `${args.run} has no record of ${what}`, 'see counterproof scan');
    }
    const progress = progressLine('calls', wanted);
    const shown: ReplayedEntry[] = [];
    const counts = { replayed: 0, diverged: 0, gaps: 0 };
    let done = 0;
    for (const entry of replayRun(run, options)) {
      if (entry.mismatch === undefined) counts.replayed += 1;
      else counts[entry.mismatch.type === 'gap' ? 'gaps' : 'diverged'] += 1;
      if ((entry.mismatch !== undefined || entry.notes.length > 0) && shown.length < SHOWN_MAX)
        shown.push(entry);
      done += 1;
      if (done % 256 === 0) progress.update(done);
    }
    progress.clear();
    const bad = run.badLines.filter(({ file, isTail }) => file === 'invocations' && !isTail).length;
    const answer = { ...counts, invocations: countWanted(run), wanted, unreadableLines: bad };
    if (isJson(args)) print(`${JSON.stringify({ ...answer, shown }, undefined, 2)}\n`);
    else showText(answer, shown);
    if (counts.diverged > 0 || bad > 0) return EXIT.fail;
    return counts.gaps > 0 ? EXIT.unknown : EXIT.pass;
  } finally {
    run.close();
  }
}

interface Counts {
  readonly replayed: number;
  readonly diverged: number;
  readonly gaps: number;
  readonly invocations: number;
  readonly wanted: number;
  readonly unreadableLines: number;
}

function showText(counts: Counts, shown: readonly ReplayedEntry[]): void {
  const { replayed, wanted, invocations, diverged, gaps, unreadableLines } = counts;
  const of = wanted === invocations ? '' : ` (of ${invocations} in the run)`;
  print(`replayed ${replayed} of ${wanted} invocations${of}\n`);
  const notes = new Set<string>();
  // One version of the harness made all of a run: what is said of each call alike is said once.
  const alike = new Map<string, ReplayedEntry[]>();
  for (const entry of shown) {
    entry.notes.forEach((note) => notes.add(note));
    if (entry.mismatch === undefined) continue;
    const key = JSON.stringify(entry.mismatch);
    alike.set(key, [...(alike.get(key) ?? []), entry]);
  }
  for (const [{ invocationId, entryHash, tool, mismatch }, ...others] of alike.values() as Iterable<
    [ReplayedEntry, ...ReplayedEntry[]]
  >) {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const where = `${[invocationId, tool].filter(Boolean).join(' ')}${more}`;
    if (mismatch !== undefined) print(`\n${mismatchText(where, mismatch, entryHash)}`);
  }
  const notesText = [...notes].map((note) => `note: ${printable(note)}\n`).join('');
  if (notesText !== '') print(alike.size === 0 ? notesText : `\n${notesText}`);
  if (unreadableLines > 0)
    print(`\n${unreadableLines} line(s) of invocations.jsonl are no entries: see counterproof scan\n`);
  if (diverged + gaps > SHOWN_MAX) print(`\n${diverged + gaps} in all; the first ${SHOWN_MAX} are shown\n`);
}

/** One difference as a block. @param entry reference of its entry, to go on from with `walk` */
function mismatchText(where: string, mismatch: Mismatch, entry?: Digest): string {
  const lines = [`✗ ${mismatch.stage}   ${where}: ${mismatch.what}`];
  if (entry !== undefined) lines.push(`    entry     ${entry}`);
  if (mismatch.type === 'gap') {
    lines.push(
      `    missing   ${mismatch.missing}`,
      '  Without it nobody can tell; the world is not asked again.',
    );
  } else {
    lines.push(
      `    expected  ${mismatch.expected}`,
      `    recorded  ${mismatch.found}`,
      `  ${MEANING[mismatch.stage]}`,
    );
  }
  return `${lines.map(printable).join('\n')}\n`;
}

async function showWhole(args: ReplayArguments): Promise<number> {
  const { interpreter, allowInterpreter } = optionsOf(args);
  const replay = await replayWhole(args.run, { interpreter, allowInterpreter });
  const { answered, recorded, lines, mismatch } = replay;
  if (isJson(args)) print(`${JSON.stringify(replay, undefined, 2)}\n`);
  else {
    print(`replayed ${answered} of ${recorded} invocations, and ${lines} lines of the log\n`);
    print(
      mismatch === undefined
        ? 'The log is the same, byte for byte.\n'
        : `\n${mismatchText(mismatch.at, mismatch)}`,
    );
  }
  if (mismatch === undefined) return EXIT.pass;
  return mismatch.type === 'gap' ? EXIT.unknown : EXIT.fail;
}

function isJson({ format, json }: ReplayArguments): boolean {
  return json || format === 'json';
}
