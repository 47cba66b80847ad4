/**
 * Whether a condition holds back anything: a statement without one, or with one that is always true, changes every row.
 *
 * Constants are folded, and a column compared with itself is true for every row that has a value there.
 */
import type { JsonObject, JsonValue } from '../../core/event.js';

/** What a condition can be, as far as it does not depend on the rows. */
export type Truth = boolean | 'depends';

/** @param where condition as parsed; `undefined` for none */
export function truthOf(where: JsonValue | undefined): Truth {
  const [kind, node] = nodeOf(where);
  switch (kind) {
    case undefined:
      return true;
    case 'A_Const':
      return constantTruth(node);
    case 'BoolExpr':
      return boolTruth(node);
    case 'A_Expr':
      return comparisonTruth(node);
    case 'NullTest':
      return nullTruth(node);
    case 'BooleanTest':
    case 'TypeCast':
      return truthOf(node['arg']);
    case 'SubLink':
      return subqueryTruth(node);
    default:
      return 'depends';
  }
}

/** A node is an object with one member, whose name is its kind. */
export function nodeOf(value: JsonValue | undefined): readonly [string | undefined, JsonObject] {
  const entries = Object.entries(asObject(value));
  const [kind, node] = entries[0] ?? [];
  return [kind, asObject(node)];
}

export function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A text, or nothing where there is none. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a `String` node. */
export function stringIn(value: JsonValue | undefined): string {
  return textOf(asObject(asObject(value)['String'])['sval']);
}

function constantTruth(node: JsonObject): Truth {
  if ('boolval' in node) return asObject(node['boolval'])['boolval'] === true;
  if (node['isnull'] === true) return false;
  const text = asObject(node['sval'])['sval'];
  if (typeof text === 'string') return /^(t|true|yes|on|1)$/i.test(text.trim());
  return Number(asObject(node['ival'])['ival'] ?? 0) !== 0;
}

function boolTruth(node: JsonObject): Truth {
  const parts = listOf(node['args']).map(truthOf);
  if (node['boolop'] === 'NOT_EXPR') {
    const [only] = parts;
    return typeof only === 'boolean' ? !only : 'depends';
  }
  const decisive = node['boolop'] === 'OR_EXPR';
  if (parts.includes(decisive)) return decisive;
  return parts.includes('depends') ? 'depends' : !decisive;
}

function comparisonTruth(node: JsonObject): Truth {
  const name = listOf(node['name']).map(stringIn).join('.');
  const [left, right] = [node['lexpr'], node['rexpr']];
  if (node['kind'] === 'AEXPR_LIKE' || node['kind'] === 'AEXPR_ILIKE')
    return isEverything(right) && !name.startsWith('!') ? true : 'depends';
  if (node['kind'] !== 'AEXPR_OP') return 'depends';
  const [a, b] = [constantOf(left), constantOf(right)];
  if (a !== undefined && b !== undefined) return compare(a, b, name);
  if (sameColumn(left, right)) return ['=', '<=', '>='].includes(name) ? true : 'depends';
  return 'depends';
}

/** `LIKE '%'` holds for every value. */
function isEverything(pattern: JsonValue | undefined): boolean {
  const value = constantOf(pattern);
  return typeof value === 'string' && /^%+$/.test(value);
}

function compare(a: string | number, b: string | number, operator: string): Truth {
  const [x, y] = typeof a === typeof b ? [a, b] : [Number(a), Number(b)];
  switch (operator) {
    case '=':
      return x === y;
    case '<>':
    case '!=':
      return x !== y;
    case '<':
      return x < y;
    case '>':
      return x > y;
    case '<=':
      return x <= y;
    case '>=':
      return x >= y;
    default:
      return 'depends';
  }
}

/** A constant, also one that is computed of constants. */
function constantOf(value: JsonValue | undefined): string | number | undefined {
  const [kind, node] = nodeOf(value);
  if (kind === 'TypeCast') return constantOf(node['arg']);
  if (kind === 'A_Expr' && node['kind'] === 'AEXPR_OP') return computed(node);
  if (kind !== 'A_Const' || node['isnull'] === true) return undefined;
  const text = asObject(node['sval'])['sval'];
  if (typeof text === 'string') return text;
  const decimal = asObject(node['fval'])['fval'];
  if (typeof decimal === 'string') return Number(decimal);
  return 'ival' in node ? Number(asObject(node['ival'])['ival'] ?? 0) : undefined;
}

function computed(node: JsonObject): number | undefined {
  const [a, b] = [constantOf(node['lexpr']), constantOf(node['rexpr'])];
  const operator = asObject(asObject(listOf(node['name'])[0])['String'])['sval'];
  if (typeof a !== 'number' || typeof b !== 'number') return undefined;
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  return operator === '*' ? a * b : undefined;
}

function sameColumn(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [left, right] = [nodeOf(a), nodeOf(b)];
  if (left[0] !== 'ColumnRef' || right[0] !== 'ColumnRef') return false;
  return JSON.stringify(left[1]['fields']) === JSON.stringify(right[1]['fields']);
}

/** Most columns have a value in most rows: `IS NOT NULL` holds back next to nothing. */
function nullTruth(node: JsonObject): Truth {
  const value = constantOf(node['arg']);
  if (value !== undefined) return node['nulltesttype'] === 'IS_NOT_NULL';
  return node['nulltesttype'] === 'IS_NOT_NULL' ? true : 'depends';
}

/** A row is in the set of all rows of its table; and something is there if a constant is selected. */
function subqueryTruth(node: JsonObject): Truth {
  const select = asObject(asObject(node['subselect'])['SelectStmt']);
  if (truthOf(select['whereClause']) !== true) return 'depends';
  return node['subLinkType'] === 'EXISTS_SUBLINK' || node['subLinkType'] === 'ANY_SUBLINK' ? true : 'depends';
}
