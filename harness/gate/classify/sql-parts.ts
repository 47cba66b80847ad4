/**
 * Parts of statements that classifying SQL asks for: names, settings, and conditions on one value.
 */
import type { JsonObject, JsonValue } from '../../core/event.js';
import { harmless, reading } from './reading.js';
import type { Reading } from './reading.js';
import { asObject, listOf, nodeOf, stringIn, textOf } from './sql-where.js';

/** Settings that take away what would have held a statement back. */
const GUARDS =
  /^(session_replication_role|row_security|search_path|session_authorization|role|check_function_bodies|zero_damaged_pages|allow_system_table_mods)$/;

export function guardOff(body: JsonObject): Reading {
  const name = textOf(body['name']).toLowerCase();
  if (!GUARDS.test(name)) return harmless('concerns the session only');
  return reading(
    ['hard', name === 'search_path' ? 'bounded' : 'critical'],
    `SET ${name} takes away what would hold statements back`,
  );
}

export const DATA_CHANGING = new Set(['DeleteStmt', 'UpdateStmt', 'InsertStmt', 'MergeStmt']);
/** Kinds of objects that hold no data of their own. */
export const REBUILT = new Set([
  'index',
  'view',
  'trigger',
  'function',
  'rule',
  'policy',
  'procedure',
  'aggregate',
  'operator',
  'cast',
]);

export function tableOf(value: JsonValue): string {
  return tableName(asObject(asObject(value)['RangeVar']));
}

export function tableName(relation: JsonObject): string {
  const { schemaname, relname } = relation;
  return typeof schemaname === 'string' ? `${schemaname}.${textOf(relname)}` : textOf(relname);
}

export function namesIn(value: JsonValue | undefined): string[] {
  return listOf(value).map(stringIn);
}

/** A column that is equal to one value, with or without more conditions. */
export function isOneRow(where: JsonValue | undefined): boolean {
  const [kind, node] = nodeOf(where);
  if (kind === 'BoolExpr') return node['boolop'] === 'AND_EXPR' && listOf(node['args']).some(isOneRow);
  if (kind !== 'A_Expr' || node['kind'] !== 'AEXPR_OP') return false;
  const operator = asObject(asObject(listOf(node['name'])[0])['String'])['sval'];
  const [left, right] = [nodeOf(node['lexpr'])[0], nodeOf(node['rexpr'])[0]];
  return operator === '=' && left === 'ColumnRef' && (right === 'A_Const' || right === 'ParamRef');
}
