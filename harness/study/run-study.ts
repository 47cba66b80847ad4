/**
 * Runs a study: every cell of its plan, one after the other, each sealed and entered in the ledger when it has ended.
 *
 * The study is frozen before its first run. A folder that holds runs already is not run into again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HarnessError } from '../core/errors.js';
import { parseExact, toPlain } from '../core/json.js';
import { validate } from '../core/schema.js';
import type { Condition, GatePolicy, SchemaName, SchemaTypes, Study } from '../core/types.js';
import type { Interpreter } from '../effects/ports.js';
import { scriptedApprover } from '../gate/approvers.js';
import { STUDY } from '../log/run-dir.js';
import { appendLedger } from '../log/ledger.js';
import { sealRun } from '../log/seal.js';
import { behaviourOf } from '../models/behaviours.js';
import { scriptedModel } from '../models/scripted.js';
import { loadTask } from '../suite/load.js';
import { runCell } from './cell.js';
import type { CellEnd } from './cell.js';
import type { Cell } from './cell-ports.js';
import { liveCell } from './live.js';

/** Folders of tasks and conditions. */
export interface PlanOptions {
  readonly tasks: string;
  readonly conditions: string;
}

export interface StudyOptions {
  /** Folder of the study; it must not be there yet. */
  readonly folder: string;
  readonly interpreter: Interpreter;
  readonly harness: { readonly name: string; readonly version: string };
  /** Told of each cell when it has ended. */
  readonly onCell: (cell: Cell, end: CellEnd) => void;
}

/** A read study: its cells in order, and what is frozen of it. */
export interface PlannedStudy {
  readonly study: Study;
  readonly cells: readonly Cell[];
  readonly text: string;
}

/** Reads a study and all that it names. @throws HarnessError when something is missing or wrong */
export function planStudy(path: string, options: PlanOptions): PlannedStudy {
  const { value: study, text } = readChecked('study', path);
  const policyPath = study.policy === undefined ? undefined : join(dirname(path), study.policy);
  const policy = policyPath === undefined ? NO_POLICY : readChecked('gate-policy', policyPath);
  const conditions = study.conditions.map((id) =>
    readChecked('condition', join(options.conditions, `${id}.json`)),
  );
  const tasks = study.tasks.map((id) => loadTask(options.tasks, id));
  const cells: Cell[] = [];
  for (const task of tasks) {
    for (const seed of study.seeds) {
      for (const model of study.models) {
        for (const condition of conditions)
          cells.push(cellOf(study, { task, seed, model, condition, policy }));
      }
    }
  }
  return { study, cells, text };
}

/** Runs all cells. @throws HarnessError `invalid-input` when the folder exists */
export async function runStudy(planned: PlannedStudy, options: StudyOptions): Promise<void> {
  const { folder } = options;
  if (existsSync(folder)) {
    const hint =
      'move it away, or give another folder with --output: a study is never run into what is there';
    throw new HarnessError('invalid-input', `${folder} exists already`, hint);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, STUDY.plan), planned.text);
  for (const cell of planned.cells) options.onCell(cell, await runOne(cell, folder, options));
}

async function runOne(cell: Cell, folder: string, options: StudyOptions): Promise<CellEnd> {
  const runDir = join(folder, cell.runId);
  mkdirSync(runDir);
  const name = cell.condition.approver.protocol;
  const approver = scriptedApprover(name);
  if (approver === undefined) throw noSuch('approver', name);
  const behaviour = behaviourOf(cell.model, cell.task.task.id);
  if (behaviour === undefined) throw noSuch(`script for ${cell.task.task.id}`, cell.model);
  const { interpreter, harness } = options;
  const live = liveCell(cell, {
    runDir,
    model: scriptedModel(behaviour),
    approver,
    interpreter,
    durable: true,
  });
  let end: CellEnd;
  try {
    end = await runCell(cell, live.ports);
  } finally {
    live.dispose();
  }
  const sealed = sealRun(runDir, { clock: live.clock, harness });
  appendLedger(folder, sealed.ledgerLine);
  return end;
}

interface CellParts {
  readonly task: Cell['task'];
  readonly seed: Cell['seed'];
  readonly model: string;
  readonly condition: Checked<'condition'>;
  readonly policy: Checked<'gate-policy'>;
}

interface Checked<Name extends SchemaName> {
  readonly value: SchemaTypes[Name];
  readonly text: string;
}

const NO_POLICY: Checked<'gate-policy'> = { value: {}, text: '{}\n' };

function cellOf(study: Study, { task, seed, model, condition, policy }: CellParts): Cell {
  const { value, text } = condition;
  return {
    studyId: study.id,
    runId: `run_${task.task.id.slice(3)}_${value.id}_${model.replace(/[^A-Za-z0-9]+/g, '-')}_${seed}`,
    task,
    condition: value satisfies Condition,
    conditionText: text,
    policy: policy.value satisfies GatePolicy,
    policyText: policy.text,
    model,
    seed,
    simulation: study.simulation === true,
  };
}

/** A file that fits its schema, with its text as it will be frozen. */
function readChecked<Name extends SchemaName>(name: Name, path: string): Checked<Name> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const hint = 'see that the file is there and can be read';
    throw new HarnessError('no-input', `cannot read ${path}: ${(cause as Error).message}`, { hint, cause });
  }
  const parsed = parseExact(text);
  if (!parsed.ok) {
    const where = `${path}: ${parsed.reason} at byte ${parsed.offset}: ${parsed.detail}`;
    throw new HarnessError('invalid-input', where, 'give strict JSON');
  }
  const checked = validate(name, toPlain(parsed.value));
  if (checked.ok) return { value: checked.value, text };
  const why = checked.problems.map(({ message }) => message).join('; ');
  throw new HarnessError('invalid-input', `${path}: ${why}`, `see schemas/${name}.schema.json`);
}

function noSuch(what: string, name: string): HarnessError {
  return new HarnessError('invalid-input', `there is no ${what} called ${name}`, 'see conditions/README.md');
}
