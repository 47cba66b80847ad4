/**
 * The machine-readable reports of a check: one document, or one line per run. The shape is
 * schemas/verdict-report.schema.json; the same report gives the same bytes.
 */
import type { VerdictReport } from '../core/verdict.js';

/** One JSON document. */
export function jsonReport(report: VerdictReport): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** One line per run, then one line with the summary: can be read while it is written. */
export function jsonLinesReport(report: VerdictReport): string {
  const { runs, ...rest } = report;
  return [...runs, rest].map((line) => `${JSON.stringify(line)}\n`).join('');
}
