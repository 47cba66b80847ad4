/**
 * The one wrapper around PostgreSQL's own parser, compiled to WebAssembly. It stops at a NUL byte, so a text with one is
 * refused before it gets there.
 */
import type { JsonObject, JsonValue } from '../core/event.js';
import type { SqlGrammar, SqlParsed, SqlStatement } from '../core/grammars.js';

interface Parser {
  readonly loadModule: () => Promise<void>;
  readonly parseSync: (text: string) => unknown;
}

/** Loads the parser; 20 ms, once a process. */
export async function loadSql(): Promise<SqlGrammar> {
  const parser = (await import('libpg-query')) as unknown as Parser;
  await parser.loadModule();
  return { parse: (text) => parse(parser, text) };
}

function parse(parser: Parser, text: string): SqlParsed {
  const nul = text.indexOf('\0');
  if (nul >= 0) return { ok: false, at: nul, why: 'a NUL byte' };
  try {
    const { stmts = [] } = parser.parseSync(text) as { stmts?: { [name: string]: JsonValue }[] };
    return { ok: true, statements: stmts.map((found) => statementOf(text, found)) };
  } catch (error) {
    const { sqlDetails } = error as { sqlDetails?: { cursorPosition?: number } };
    return { ok: false, at: sqlDetails?.cursorPosition ?? 0, why: (error as Error).message };
  }
}

/** Places are told in bytes of UTF-8. */
function statementOf(text: string, found: { readonly [name: string]: JsonValue }): SqlStatement {
  const [kind = '', body = {}] = Object.entries((found['stmt'] ?? {}) as JsonObject)[0] ?? [];
  const start = typeof found['stmt_location'] === 'number' ? found['stmt_location'] : 0;
  const length = found['stmt_len'];
  const bytes = Buffer.from(text);
  const end = typeof length === 'number' && length > 0 ? start + length : bytes.length;
  const from = bytes.toString('utf8', 0, start).length;
  return { kind, body: body as JsonObject, from, to: from + bytes.toString('utf8', start, end).length };
}
