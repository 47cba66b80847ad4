/**
 * The machine-readable reports of a check: one document, or one line per run. The shape is
 * schemas/verdict-report.schema.json; the same report gives the same bytes.
 */
import type { VerdictReport } from '../core/verdict.js';

/** Characters that move a cursor, end a line or turn text round: written as escapes, which JSON reads as the same. */
const UNPRINTABLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function safe(json: string): string {
  return json.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One JSON document. */
export function jsonReport(report: VerdictReport): string {
  return `${safe(JSON.stringify(report, undefined, 2))}\n`;
}

/** One line per run, then one line with the summary: can be read while it is written. */
export function jsonLinesReport(report: VerdictReport): string {
  const { runs, ...rest } = report;
  return [...runs, rest].map((line) => `${safe(JSON.stringify(line))}\n`).join('');
}
