/**
 * Documents of the run folder as rules need them: the condition, the plan in force, a proposal's file.
 *
 * Reads through the evidence port and remembers; on a bare log every document is simply not at hand. Whether a
 * document that the log names is missing, escapes or is invalid is for the reference rules to say.
 */
import type { EvidencePort } from '../core/evidence.js';
import type { JsonObject, JsonValue } from '../core/event.js';
import type { History } from '../core/history.js';
import { pathEscapes } from '../core/path.js';

export interface PlannedTask {
  readonly id: string;
  readonly riskTier: string | undefined;
  readonly dependsOn: readonly string[];
}

export class RunDocuments {
  private readonly read = new Map<string, JsonObject | undefined>();

  constructor(
    private readonly history: History,
    private readonly evidence: EvidencePort,
  ) {}

  get condition(): JsonObject | undefined {
    return this.json('condition.json');
  }

  /** A JSON object of the run folder, or undefined where it is not at hand. */
  json(path: string): JsonObject | undefined {
    if (!this.evidence.isFolder) return undefined;
    if (!this.read.has(path)) this.read.set(path, this.load(path));
    return this.read.get(path);
  }

  /** Whether a document is there and cannot be used: no readable file, no JSON object. */
  isUnreadable(path: string): boolean {
    if (!this.evidence.isFolder || this.json(path) !== undefined) return false;
    const found = this.evidence.json(path);
    return found.found || (found.why !== 'missing' && found.why !== 'not-applicable');
  }

  private load(path: string): JsonObject | undefined {
    if (pathEscapes(path) !== undefined) return undefined;
    const found = this.evidence.json(path);
    return found.found && isObject(found.value) ? found.value : undefined;
  }

  /** The plan file that a draft event names, or plans/<planId>.json. */
  plan(draft: number): JsonObject | undefined {
    const path = this.history.dataText(draft, 'planPath');
    const named = path === undefined ? undefined : this.json(path);
    const planId = this.history.dataText(draft, 'planId');
    return named ?? (planId === undefined ? undefined : this.json(`plans/${planId}.json`));
  }

  plannedTasks(plan: JsonObject): ReadonlyMap<string, PlannedTask> {
    const tasks = new Map<string, PlannedTask>();
    const edges = list(plan['edges']).filter(isObject);
    for (const task of list(plan['tasks']).filter(isObject)) {
      const id = task['id'];
      if (typeof id !== 'string') continue;
      const before = edges.filter((edge) => edge['to'] === id).map((edge) => edge['from']);
      const dependsOn = [...list(task['dependsOn']), ...before].filter(
        (name): name is string => typeof name === 'string',
      );
      const tier = task['riskTier'];
      tasks.set(id, {
        id,
        riskTier: typeof tier === 'string' ? tier : undefined,
        dependsOn: [...new Set(dependsOn)],
      });
    }
    return tasks;
  }

  /** The file of a proposal: the one its event names, else proposals/<id>.json. */
  proposal(proposed: number): JsonObject | undefined {
    if (!this.evidence.isFolder) return undefined;
    const path = this.history.dataText(proposed, 'proposalPath');
    if (path !== undefined) return this.json(path);
    const number = this.history.proposalNumber(proposed);
    return number === 0 ? undefined : this.json(`proposals/${this.history.text(number)}.json`);
  }
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A string member, where it is one. */
export function textOf(object: JsonObject | undefined, name: string): string | undefined {
  const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A fact as it reads in a sentence: text as it is, a list with commas, anything else as JSON. */
export function said(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(said).join(', ');
  return value === undefined || value === null ? 'nothing' : JSON.stringify(value);
}
