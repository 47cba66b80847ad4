/**
 * What `import` does: read a foreign log, convert it by its dialect, write protocol lines and say what is unknown.
 */
import { readFileSync } from 'node:fs';
import { HarnessError } from '../core/errors.js';
import type { Dialect, ImportReport } from '../log/dialects/dialect.js';
import { detectDialect, dialectNamed, DIALECTS } from '../log/dialects/index.js';
import { print, printError, writeFile } from './output.js';

export interface ImportArguments {
  readonly dialect: string;
  readonly file: string;
  readonly output: string | undefined;
  readonly json: boolean;
}

export function importLog(args: ImportArguments): void {
  const lines = readLines(args.file);
  const { lines: converted, report } = dialectFor(args.dialect, lines).convert(lines);
  const text = converted.map((line) => `${line}\n`).join('');
  if (args.output === undefined) print(text);
  else writeFile(args.output, text);
  printError(args.json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
}

function dialectFor(name: string, lines: readonly string[]): Dialect {
  const found = name === 'auto' ? detectDialect(lines) : dialectNamed(name);
  if (found !== undefined) return found;
  const known = `known dialects: ${DIALECTS.map((dialect) => dialect.name).join(', ')}`;
  throw new HarnessError(
    'usage',
    name === 'auto' ? 'no known dialect fits this file' : `there is no dialect ${name}`,
    known,
  );
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').split('\n');
  } catch (cause) {
    throw new HarnessError('no-input', `cannot read ${file}: ${(cause as Error).message}`, {
      hint: 'check the path',
      cause,
    });
  }
}

function reportText(report: ImportReport): string {
  const counts = `${report.events} events: ${report.mapped} mapped, ${report.kept} kept under their own kind\n`;
  const unknown = new Map<string, number>();
  for (const { member, why } of report.unknown)
    unknown.set(`${member}: ${why}`, (unknown.get(`${member}: ${why}`) ?? 0) + 1);
  const rows = [...unknown].map(([what, count]) => `  unknown ${what} (${count}×)\n`);
  const skipped = report.skipped.map(({ line, why }) => `  line ${line} skipped: ${why}\n`);
  return [counts, ...rows, ...skipped].join('');
}
