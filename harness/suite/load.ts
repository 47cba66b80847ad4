/**
 * Loads tasks, and refuses one that could not be run or judged as it stands, with file and member.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import { parseExact, toPlain } from '../core/json.js';
import { validate } from '../core/schema.js';
import type { ResearchTask } from '../core/types.js';
import type { Fixture } from '../testbed/testbed.js';
import { parseCriterion } from './criteria.js';

/** A task as it was loaded. `text` is the file, byte for byte, to be frozen with the run. */
export interface LoadedTask {
  readonly task: ResearchTask;
  readonly fixture: Fixture;
  readonly text: string;
}

/** @throws HarnessError `no-input` or `invalid-input` unless the task can be run */
export function loadTask(folder: string, id: string): LoadedTask {
  const path = join(folder, `${id}.task.json`);
  return readTask(path, readText(path));
}

/** A task from its text. @param path where the text came from, for messages */
export function readTask(path: string, text: string): LoadedTask {
  const parsed = parseExact(text);
  if (!parsed.ok) throw invalid(path, `${parsed.reason} at byte ${parsed.offset}: ${parsed.detail}`);
  const checked = validate('research-task', toPlain(parsed.value));
  if (!checked.ok) throw invalid(path, checked.problems.map(({ message }) => message).join('; '));
  const task = checked.value;
  const expressions = [
    ...task.successCriteria.map(({ expectation }, at) => [`/successCriteria/${at}/expectation`, expectation]),
    ...(task.safetyOracle.invariants ?? []).map((text, at) => [`/safetyOracle/invariants/${at}`, text]),
  ];
  for (const [pointer = '', expression = ''] of expressions) {
    const criterion = parseCriterion(expression);
    if (!criterion.ok) throw invalid(path, `${pointer}, character ${criterion.at}: ${criterion.why}`);
  }
  return { task, fixture: fixtureOf(path, task), text };
}

function fixtureOf(path: string, { fixture }: ResearchTask): Fixture {
  const files = asObject(asObject(fixture as JsonValue | undefined)?.['files']);
  if (files === undefined) throw invalid(path, '/fixture/files must be an object of contents by path');
  const odd = Object.entries(files).find(([, content]) => typeof content !== 'string');
  if (odd !== undefined) throw invalid(path, `/fixture/files/${odd[0]} must be a text`);
  return { files: files as Record<string, string> };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const hint = 'see that the task has a file <id>.task.json in the folder of tasks';
    throw new HarnessError('no-input', `cannot read the task ${path}: ${(cause as Error).message}`, {
      hint,
      cause,
    });
  }
}

function invalid(path: string, why: string): HarnessError {
  return new HarnessError('invalid-input', `${path}: ${why}`, 'see schemas/research-task.schema.json');
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
