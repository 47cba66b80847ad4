/**
 * Shows what the gate's classifier reads in an action: one given on the command line, or many as JSON lines.
 */
import { readFileSync } from 'node:fs';
import { EXIT, HarnessError } from '../core/errors.js';
import type { JsonObject } from '../core/event.js';
import { parseExact, toPlain } from '../core/json.js';
import { factsFrom } from '../gate/classify/facts.js';
import { classify } from '../gate/classify/index.js';
import type { Classification } from '../gate/classify/reading.js';
import { loadShell } from '../grammar/shell.js';
import { loadSql } from '../grammar/sql.js';
import { printable } from '../report/text.js';
import { print } from './output.js';

export interface ClassifyArguments {
  readonly action: string | undefined;
  readonly tool: string;
  readonly environment: string | undefined;
  readonly json: boolean;
}

interface Asked {
  readonly id?: string;
  readonly tool: string;
  readonly command: string | JsonObject;
  readonly environment?: string;
}

/** @returns the exit code: 0, since a tier is an answer */
export async function runClassify(args: ClassifyArguments): Promise<number> {
  const { action, tool, environment } = args;
  const asked: readonly Asked[] =
    action === undefined || action === '-'
      ? linesOf(readFileSync(0, 'utf8'))
      : [{ tool, command: action, ...(environment === undefined ? {} : { environment }) }];
  // The grammar of the tool at hand is enough, and SQL may stand in a shell text.
  const grammars = { shell: await loadShell(), sql: await loadSql() };
  for (const { id, tool: name, command, environment: where } of asked) {
    const read = classify(name, command, { facts: factsFrom(where), grammars });
    print(args.json || action === undefined ? jsonLine(id, read) : textOf(read));
  }
  return EXIT.pass;
}

function linesOf(text: string): Asked[] {
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }));
  const asked = lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => askedIn(line, number));
  if (asked.length > 0) return asked;
  throw new HarnessError(
    'no-input',
    'nothing to classify',
    'give an action, or JSON lines on standard input',
  );
}

function askedIn(line: string, number: number): Asked {
  const parsed = parseExact(line);
  const value = parsed.ok ? toPlain(parsed.value) : undefined;
  const { id, tool, command, environment } = (value ?? {}) as Partial<Asked>;
  const isCommand = typeof command === 'string' || (typeof command === 'object' && !Array.isArray(command));
  if (typeof tool !== 'string' || !isCommand) {
    const hint = 'each line is {"tool": "bash", "command": "…"}, with id and environment where known';
    throw new HarnessError('usage', `<stdin>:${number}: no action`, hint);
  }
  return {
    tool,
    command,
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof environment === 'string' ? { environment } : {}),
  };
}

function jsonLine(id: string | undefined, read: Classification): string {
  const { tier, reversibility, blastRadius, tripwires, reasons, unresolved, confidence } = read;
  return `${JSON.stringify({ id, tier, reversibility, blastRadius, tripwires, reasons, unresolved, confidence })}\n`;
}

const REASONS_SHOWN = 6;

function textOf({
  tier,
  reversibility,
  blastRadius,
  reasons,
  tripwires,
  unresolved,
  confidence,
}: Classification): string {
  const lines = [`${tier}  ${reversibility} to undo × reaches ${blastRadius} (${confidence})`];
  const shown = [...new Set(reasons.map(({ why }) => why))];
  lines.push(...shown.slice(0, REASONS_SHOWN).map((why) => `  ${why}`));
  if (shown.length > REASONS_SHOWN) lines.push(`  and ${shown.length - REASONS_SHOWN} more`);
  if (unresolved.length > 0) lines.push(`  not resolved: ${unresolved.join(', ')}`);
  if (tripwires.length > 0) lines.push(`  would be seen by: ${tripwires.join(', ')}`);
  return `${lines.map(printable).join('\n')}\n`;
}
