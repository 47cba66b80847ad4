/**
 * The import table of harness/README.md, read as the rule that it is.
 * Columns: folder | may import | I/O | holds. Names in backticks in the I/O cell are further permissions: node
 * modules and packages for a folder without I/O, and the globals `process` and `Date.now` for any.
 * A row marked *planned* stands for a folder that does not exist yet.
 */
import type { Finding } from './finding.js';

export interface FolderRule {
  readonly folder: string;
  /** Folders it may import besides itself; `all` is every folder. */
  readonly mayImport: 'all' | readonly string[];
  readonly io: boolean;
  /** Node modules, packages and globals the I/O cell names. */
  readonly permits: readonly string[];
  readonly planned: boolean;
  readonly line: number;
}

export type ImportTable = ReadonlyMap<string, FolderRule>;

export const TABLE_PATH = 'harness/README.md';

const SEPARATOR = /^[\s|:-]+$/;

/** Reads the table; what is wrong with its text comes back as findings. */
export function parseImportTable(markdown: string): { table: ImportTable; findings: Finding[] } {
  const table = new Map<string, FolderRule>();
  const findings: Finding[] = [];
  let inTable = false;
  for (const [index, text] of markdown.split('\n').entries()) {
    const cells = cellsOf(text);
    if (cells === undefined) inTable = false;
    else if (isHeader(cells)) inTable = true;
    else if (inTable && !SEPARATOR.test(text)) {
      const rule = parseRow(cells, index + 1);
      if (table.has(rule.folder))
        findings.push(complain(rule.line, `a second row for ${rule.folder}`, 'one'));
      table.set(rule.folder, rule);
    }
  }
  if (table.size === 0) findings.push(complain(1, 'an architecture page without an import table', 'one'));
  for (const rule of table.values()) findings.push(...unknownNames(rule, table));
  return { table, findings };
}

function cellsOf(text: string): string[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('|') || !trimmed.endsWith('|')) return undefined;
  return trimmed
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

function isHeader(cells: readonly string[]): boolean {
  return cells[0] === 'folder' && cells[1] === 'may import' && cells[2] === 'I/O' && cells[3] === 'holds';
}

function parseRow(cells: readonly string[], line: number): FolderRule {
  const [folder = '', mayImport = '', io = ''] = cells;
  return {
    folder: /[a-z][\w.]*/.exec(folder)?.[0] ?? folder,
    mayImport: parseMayImport(mayImport),
    io: !/^no\b/.test(io),
    permits: [...io.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
    planned: folder.includes('planned'),
    line,
  };
}

function parseMayImport(cell: string): FolderRule['mayImport'] {
  if (/^all\b/.test(cell)) return 'all';
  if (cell === '–' || cell === '-') return [];
  return cell.split(',').map((name) => name.replaceAll('`', '').trim());
}

function unknownNames(rule: FolderRule, table: ImportTable): Finding[] {
  if (rule.mayImport === 'all') return [];
  return rule.mayImport
    .filter((name) => !table.has(name))
    .map((name) => complain(rule.line, `the unknown folder ${name}`, 'a folder that has a row'));
}

function complain(line: number, what: string, use: string): Finding {
  return { path: TABLE_PATH, line, what, use };
}
