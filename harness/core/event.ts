/**
 * The vocabulary of the log: event kinds, the envelope of a line, and what each kind names in `data`.
 *
 * Both halves of the project share this file and nothing else: what writes a log and what judges it.
 * The exact shapes are in schemas/event.schema.json; an unknown kind is legal and has no protocol meaning.
 */

/** Kinds with protocol meaning, in the order of the protocol. The index is the column value in a History. */
export const KINDS = [
  'run_started',
  'goal_received',
  'plan_drafted',
  'plan_revised',
  'approval_requested',
  'approval_granted',
  'approval_rejected',
  'approval_expired',
  'approval_unavailable',
  'task_dispatched',
  'task_started',
  'action_proposed',
  'action_approved',
  'action_rejected',
  'action_executed',
  'action_failed',
  'task_result',
  'council_convened',
  'council_proposal',
  'council_critique',
  'council_synthesis',
  'council_skipped',
  'snapshot_created',
  'snapshot_verified',
  'rollback_executed',
  'tripwire_triggered',
  'counterfactual_recorded',
  'model_called',
  'criterion_checked',
  'testbed_reset',
  'budget_exhausted',
  'log_repaired',
  'writer_joined',
  'correction',
  'run_completed',
  'run_aborted',
] as const;

export type Kind = (typeof KINDS)[number];

/** Column value of a kind outside `KINDS`. */
export const UNKNOWN_KIND = 255;

const CODE_OF_KIND: ReadonlyMap<string, number> = new Map(KINDS.map((kind, code) => [kind, code]));

/** Column value of a kind name: its index in `KINDS`, or `UNKNOWN_KIND`. */
export function kindCode(name: string): number {
  return CODE_OF_KIND.get(name) ?? UNKNOWN_KIND;
}

/** The only members a line may have. */
export const ENVELOPE_KEYS = [
  'id',
  'runId',
  't',
  'kind',
  'actor',
  'data',
  'causedBy',
  'counterfactual',
  'tokens',
] as const;

export const EVENT_ID = /^evt_[A-Za-z0-9_-]+$/;

/** Longest line a writer of ours produces, in bytes with its LF: larger appends can be torn by other writers. */
export const LINE_WRITE_MAX_BYTES = 16 * 1024;
/** Longest line and deepest nesting a reader accepts. */
export const LINE_READ_MAX_BYTES = 1024 * 1024;
export const DEPTH_MAX = 512;
/** Above this `data` belongs in a file of its own (`reference/payload-inline`). */
export const DATA_INLINE_MAX_BYTES = 4 * 1024;

/** Members of `data` that name a file of the run folder. */
export const PATH_KEYS = [
  'goalPath',
  'planPath',
  'messagePath',
  'proposalPath',
  'resultPath',
  'artifactPath',
  'evidencePath',
  'payloadPath',
] as const;

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** One log line as read from untrusted input: only the envelope's types are known. */
export interface RawEvent {
  readonly id: string;
  readonly runId: string;
  readonly t: string;
  readonly kind: string;
  readonly actor: string;
  readonly data?: JsonObject;
  readonly causedBy?: string;
  readonly counterfactual?: JsonObject;
  readonly tokens?: JsonObject;
}
