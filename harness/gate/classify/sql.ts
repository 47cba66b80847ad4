/**
 * Classifies SQL by PostgreSQL's own grammar: statement by statement, into common table expressions, procedures and
 * subqueries. What is no PostgreSQL is tried in the spellings that people paste, and else taken for the worst.
 */
import type { JsonObject, JsonValue } from '../../core/event.js';
import type { SqlGrammar, SqlStatement } from '../../core/grammars.js';
import type { Facts } from './facts.js';
import { harmless, join, reading, unknown } from './reading.js';
import type { Reading } from './reading.js';
import { DATA_CHANGING, guardOff, isOneRow, namesIn, REBUILT, tableName, tableOf } from './sql-parts.js';
import { STATEMENTS, VOLATILE } from './sql-statements.js';
import { asObject, listOf, nodeOf, stringIn, textOf, truthOf } from './sql-where.js';
import { lookUp } from './table.js';

export interface SqlContext {
  readonly facts: Facts;
  readonly grammar: SqlGrammar;
}

/** Reads a text of SQL. */
export function readSql(text: string, context: SqlContext): Reading {
  if (text.trim() === '') return harmless('no statement');
  const parsed = context.grammar.parse(text);
  if (parsed.ok) {
    const reader = new Reader(context);
    return join(
      parsed.statements.map((statement) => reader.read(statement)),
      'no statement',
    );
  }
  const rewritten = asPostgres(text);
  if (rewritten !== text && context.grammar.parse(rewritten).ok) {
    const read = readSql(rewritten, context);
    return {
      ...read,
      reasons: [...read.reasons, { why: 'not PostgreSQL: read after its spelling was changed' }],
    };
  }
  const end = Math.min(text.length, parsed.at + 20);
  const read = unknown(`not PostgreSQL (${parsed.why}), so it may do anything`, text.slice(parsed.at, end));
  return { ...read, reasons: read.reasons.map(({ why }) => ({ why, from: parsed.at, to: end })) };
}

/** Spellings of other databases, where PostgreSQL has the same thing under another. */
function asPostgres(text: string): string {
  return text
    .replace(/`([^`]*)`/g, '"$1"')
    .replace(/\[([A-Za-z_][\w ]*)\]/g, '"$1"')
    .replace(/^\s*GO\s*$/gim, ';')
    .replace(/\b(DELETE|UPDATE)\s+TOP\s*\(\s*\d+\s*\)/gi, '$1')
    .replace(/\bDELETE\s+(?!FROM\b)(\w+)\s+FROM\b/gi, 'DELETE FROM')
    .replace(/((?:DELETE|UPDATE)\b[^;]*?)\s+(?:ORDER\s+BY\s+[^;]*?)?LIMIT\s+\d+/gi, '$1');
}

/** Reads statements one after the other; tables that were made as temporary are known from then on. */
class Reader {
  private readonly facts: Facts;
  private readonly grammar: SqlGrammar;
  private readonly temporary: Set<string>;

  constructor({ facts, grammar }: SqlContext) {
    this.facts = facts;
    this.grammar = grammar;
    this.temporary = new Set(facts.temporaryTables);
  }

  read({ kind, body, from, to }: SqlStatement): Reading {
    const read = this.statement(kind, body);
    return { ...read, reasons: read.reasons.map((reason) => ({ from, to, ...reason })) };
  }

  private statement(kind: string, body: JsonObject): Reading {
    switch (kind) {
      case 'SelectStmt':
        return this.select(body);
      case 'DeleteStmt':
      case 'UpdateStmt':
        return join([this.rows(kind, body), ...this.inner(body)]);
      case 'MergeStmt':
        return join([
          reading(['irreversible', this.wide], 'MERGE changes what it matches'),
          ...this.inner(body),
        ]);
      case 'InsertStmt':
        return join([reading(['trivial', this.local], 'adds rows'), ...this.inner(body)]);
      case 'TruncateStmt':
        return this.tables(listOf(body['relations']).map(tableOf), 'TRUNCATE empties');
      case 'DropStmt':
        return this.drop(body);
      case 'AlterTableStmt':
        return this.alter(body);
      case 'CreateStmt':
      case 'CreateTableAsStmt':
        return this.create(kind, body);
      case 'ExplainStmt':
        return this.explain(body);
      case 'CopyStmt':
        return this.copy(body);
      case 'DoStmt':
        return this.block(body);
      case 'VariableSetStmt':
        return guardOff(body);
      case 'PrepareStmt':
        return join(this.inner(body));
      default: {
        const known = lookUp(STATEMENTS, kind);
        if (known === undefined) return unknown(`a statement nobody has described here (${kind})`, kind);
        return reading(known.reading, known.why, { tripwires: known.tripwires ?? [] });
      }
    }
  }

  /** DELETE and UPDATE: what holds them back decides. */
  private rows(kind: string, body: JsonObject): Reading {
    const table = tableName(asObject(body['relation']));
    const verb = kind === 'DeleteStmt' ? 'DELETE' : 'UPDATE';
    if (this.isTemporary(table)) return reading(['trivial', 'local'], `${verb} on a temporary table`);
    const where = body['whereClause'];
    const truth = truthOf(where);
    if (truth === true) {
      const why =
        where === undefined
          ? `${verb} without WHERE changes every row of ${table}`
          : `${verb} with a WHERE that is always true`;
      return reading(['irreversible', this.all], why, { tripwires: ['db.unscoped-write'] });
    }
    if (truth === false) return harmless(`${verb} with a WHERE that is never true`);
    if (isOneRow(where)) {
      const undo = kind === 'DeleteStmt' ? 'irreversible' : 'hard';
      return reading([undo, this.few], `${verb} of the rows of ${table} with one value`);
    }
    const undo = kind === 'DeleteStmt' ? 'irreversible' : 'hard';
    return reading([undo, this.wide], `${verb} of as many rows of ${table} as match`, {
      confidence: 'likely',
    });
  }

  private select(body: JsonObject): Reading {
    const parts = this.inner(body);
    if (body['intoClause'] !== undefined)
      parts.push(reading(['trivial', 'local'], 'SELECT INTO makes a table'));
    return join(parts, 'reads');
  }

  /** Statements and calls anywhere inside of one. */
  private inner(body: JsonValue): Reading[] {
    const found: Reading[] = [];
    const look = (value: JsonValue): void => {
      if (Array.isArray(value)) value.forEach(look);
      else if (typeof value === 'object' && value !== null) {
        for (const [kind, node] of Object.entries(value)) {
          if (kind === 'FuncCall') found.push(...this.call(asObject(node)));
          if (DATA_CHANGING.has(kind) || kind === 'SelectStmt')
            found.push(this.statement(kind, asObject(node)));
          else look(node);
        }
      }
    };
    look(body);
    return found;
  }

  /** Functions can do anything; those that are known to only compute are most of what is called. */
  private call(node: JsonObject): Reading[] {
    const name = namesIn(node['funcname']).at(-1)?.toLowerCase() ?? '';
    const volatile = lookUp(VOLATILE, name);
    if (volatile !== undefined)
      return [reading(volatile.reading, volatile.why, { tripwires: volatile.tripwires ?? [] })];
    if (/^(delete|drop|purge|truncate|remove|wipe|reset|destroy|clear|kill|cleanup)/.test(name))
      return [
        reading(['irreversible', this.all], `calls ${name}, whose name says what it does`, {
          unresolved: [`${name}()`],
        }),
      ];
    return [];
  }

  private tables(names: readonly string[], verb: string): Reading {
    const real = names.filter((name) => !this.isTemporary(name));
    if (real.length === 0) return reading(['trivial', 'local'], `${verb} temporary tables`);
    return reading(['irreversible', this.all], `${verb} ${real.join(', ')}`, {
      tripwires: ['db.schema-destruction'],
    });
  }

  private drop(body: JsonObject): Reading {
    const type = textOf(body['removeType']).replace('OBJECT_', '').toLowerCase();
    if (REBUILT.has(type))
      return reading(['hard', this.wide], `DROP ${type}: can be made again from its definition`);
    const names = listOf(body['objects']).map((object) =>
      namesIn(asObject(asObject(object)['List'])['items'] ?? [object]).join('.'),
    );
    return type === 'table'
      ? this.tables(names, 'DROP TABLE removes')
      : this.tables([`${type} ${names.join(', ')}`], 'DROP removes');
  }

  private alter(body: JsonObject): Reading {
    const types = listOf(body['cmds']).map((cmd) =>
      textOf(asObject(asObject(cmd)['AlterTableCmd'])['subtype']),
    );
    const destroys = types.find((type) =>
      /^AT_(DropColumn|AlterColumnType|DropConstraint|DetachPartition)/.test(type),
    );
    if (destroys !== undefined)
      return reading(
        ['irreversible', this.all],
        `ALTER TABLE (${destroys.slice(3)}) loses what stood there`,
        { tripwires: ['db.schema-destruction'] },
      );
    const adds = types.every((type) =>
      /^AT_(AddColumn|AddConstraint|ColumnDefault|ValidateConstraint|SetStatistics)/.test(type),
    );
    return adds
      ? reading(['trivial', 'bounded'], 'ALTER TABLE adds to it')
      : reading(['hard', this.wide], 'ALTER TABLE changes it');
  }

  private create(kind: string, body: JsonObject): Reading {
    const into = kind === 'CreateStmt' ? body : asObject(body['into']);
    const relation = asObject(kind === 'CreateStmt' ? body['relation'] : into['rel']);
    if (relation['relpersistence'] === 't') this.temporary.add(textOf(relation['relname']));
    return join([reading(['trivial', 'local'], 'makes a table'), ...this.inner(body['query'] ?? {})]);
  }

  /** EXPLAIN only plans, and EXPLAIN ANALYZE does it. */
  private explain(body: JsonObject): Reading {
    const analyzes = listOf(body['options']).some((option) => {
      const { defname, arg } = asObject(asObject(option)['DefElem']);
      return defname === 'analyze' && !/false|off|"ival":\{\}/.test(JSON.stringify(arg ?? ''));
    });
    const [kind = '', node] = nodeOf(body['query']);
    return analyzes ? this.statement(kind, node) : harmless('EXPLAIN plans and does not run');
  }

  private copy(body: JsonObject): Reading {
    if (body['is_program'] === true)
      return reading(['irreversible', 'critical'], 'COPY with PROGRAM runs a command on the server', {
        tripwires: ['fs.outside-sandbox'],
      });
    if (body['is_from'] === true) return reading(['trivial', this.local], 'COPY adds rows');
    const file = body['filename'];
    const inner = this.inner(body['query'] ?? {});
    return join([
      ...inner,
      file === undefined
        ? harmless('COPY TO the client')
        : reading(['hard', 'wide'], 'COPY writes a file on the server', {
            tripwires: ['fs.outside-sandbox'],
          }),
    ]);
  }

  /** A block of procedural code: its statements are looked for in its text, and one that is put together is not known. */
  private block(body: JsonObject): Reading {
    const code = listOf(body['args'])
      .map((arg) => stringIn(asObject(asObject(arg)['DefElem'])['arg']))
      .join('\n');
    if (/\bEXECUTE\b/i.test(code))
      return unknown('DO runs a statement that is put together as it runs', 'EXECUTE in DO');
    const statements =
      code.match(/\b(DELETE|UPDATE|INSERT|TRUNCATE|DROP|ALTER|MERGE|PERFORM|CALL|COPY)\b[^;]*/gi) ?? [];
    const inner = statements.map((text) => {
      const parsed = this.grammar.parse(text.replace(/^PERFORM\b/i, 'SELECT'));
      return parsed.ok
        ? join(parsed.statements.map((found) => this.statement(found.kind, found.body)))
        : unknown('code in DO that is not understood', text.slice(0, 40));
    });
    return join(inner, 'DO without a statement that changes anything');
  }

  private isTemporary(table: string): boolean {
    const name = table.split('.').at(-1) ?? table;
    return this.temporary.has(name) || table.startsWith('pg_temp.');
  }

  /** Every row, as many as match, a few, and one more, by where this is. */
  private get all(): 'bounded' | 'wide' | 'critical' {
    const { surroundings } = this.facts;
    if (surroundings === 'production') return 'critical';
    return surroundings === 'development' ? 'wide' : 'bounded';
  }

  private get wide(): 'bounded' | 'wide' {
    return this.facts.surroundings === 'production' ? 'wide' : 'bounded';
  }

  private get few(): 'local' | 'bounded' {
    return this.facts.surroundings === 'production' ? 'bounded' : 'local';
  }

  private get local(): 'local' | 'bounded' {
    return this.few;
  }
}
