/**
 * Checks a value against a schema of schemas/ and says in plain sentences what is wrong with it.
 *
 * The checking code is generated (harness/build.mjs) so that start-up compiles nothing. This file only turns
 * its errors into our words. It judges shape alone: times, paths, references and order are judged elsewhere.
 */
import { validators } from './generated/validators.js';
import type { Keywords, SchemaError } from './generated/validators.js';
import type { SchemaName, SchemaTypes } from './types.js';

/** One thing wrong with a value. `pointer` is an RFC 6901 JSON pointer; "" is the whole value. */
export interface Problem {
  readonly pointer: string;
  /** A sentence that names the pointer, what is allowed and what was found. */
  readonly message: string;
}

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** Longest piece of a value that a sentence quotes, in characters. */
const QUOTE_LENGTH_MAX = 60;

/**
 * Checks `value` against schemas/<name>.schema.json.
 * @returns the same value, typed, or every problem once, ordered by pointer and then by sentence
 */
export function validate<Name extends SchemaName>(name: Name, value: unknown): Validated<SchemaTypes[Name]> {
  const check = validators[name];
  if (check(value)) return { ok: true, value: value as SchemaTypes[Name] };
  return { ok: false, problems: problemsOf(check.errors ?? []) };
}

/** Writes one segment of a JSON pointer: `~` becomes `~0` and `/` becomes `~1`. */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

function problemsOf(errors: readonly SchemaError[]): Problem[] {
  const found = new Map<string, Problem>();
  for (const error of errors) {
    // `if` repeats what stands inside its `then`; the branches of an `anyOf` are told as one sentence.
    if (error.keyword === 'if' || error.schemaPath.includes('/anyOf/')) continue;
    const problem = problemOf(error);
    // Type and enum, or two refinements, may fail for the same reason: one sentence is enough.
    found.set(`${problem.pointer}\n${problem.message}`, problem);
  }
  return [...found.values()].sort(byPlace);
}

function problemOf(error: SchemaError): Problem {
  const { instancePath, keyword, params } = error;
  if (keyword === 'required') {
    const pointer = member(instancePath, String(params['missingProperty']));
    return { pointer, message: `required member ${pointer} is missing` };
  }
  if (keyword === 'additionalProperties') {
    const pointer = member(instancePath, String(params['additionalProperty']));
    return { pointer, message: `unknown member ${pointer}` };
  }
  const schema = error.parentSchema ?? {};
  if (keyword === 'anyOf') {
    // Our schemas use `anyOf` only for "this member or that one".
    const names = (schema.anyOf ?? []).flatMap(({ required }) =>
      required.map((name) => member(instancePath, name)),
    );
    return { pointer: instancePath, message: `one of the members ${names.join(', ')} is required` };
  }
  const subject = instancePath === '' ? 'the value' : instancePath;
  return {
    pointer: instancePath,
    message: `${subject} must be ${allowed(schema)}, found ${quote(error.data)}`,
  };
}

function member(parent: string, name: string): string {
  return `${parent}/${escapePointer(name)}`;
}

/** What a schema allows, as a noun phrase. */
function allowed(schema: Keywords): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  return [schema.type ?? []]
    .flat()
    .map((type) => NOUN_OF_TYPE[type]?.(schema) ?? type)
    .join(' or ');
}

const NOUN_OF_TYPE: { readonly [type: string]: (schema: Keywords) => string } = {
  null: () => 'null',
  boolean: () => 'true or false',
  integer: (schema) => `a whole number${range(schema)}`,
  number: (schema) => `a number${range(schema)}`,
  string: (schema) => {
    if (schema.pattern !== undefined) return `a string like ${schema.pattern}`;
    if (schema.maxLength !== undefined) return `a string of ${String(schema.maxLength)} characters`;
    return schema.minLength === 1 ? 'a non-empty string' : 'a string';
  },
  array: (schema) => (schema.minItems === undefined ? 'a list' : 'a non-empty list'),
  object: () => 'an object',
};

function range({ minimum, maximum }: Keywords): string {
  const low = minimum === undefined ? '' : ` >= ${minimum}`;
  return maximum === undefined ? low : `${low} and <= ${maximum}`;
}

/** What was found, short enough for a sentence. */
function quote(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  // NaN and Infinity have no JSON form; undefined is a caller's missing value.
  if (typeof value !== 'string') return String(value);
  if (value.length <= QUOTE_LENGTH_MAX) return JSON.stringify(value);
  // JSON.stringify escapes half a surrogate pair, so a cut anywhere stays valid text.
  return `${JSON.stringify(value.slice(0, QUOTE_LENGTH_MAX))} and ${value.length - QUOTE_LENGTH_MAX} more characters`;
}

/** Orders by pointer, list positions as numbers, so that item 10 follows item 9. */
function byPlace(a: Problem, b: Problem): number {
  const left = a.pointer.split('/');
  const right = b.pointer.split('/');
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = bySegment(left[index] ?? '', right[index] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || bySegment(a.message, b.message);
}

function bySegment(a: string, b: string): number {
  if (a === b) return 0;
  const isIndex = /^\d+$/;
  if (isIndex.test(a) && isIndex.test(b)) return Number(a) - Number(b);
  return a < b ? -1 : 1;
}
