/**
 * The evidence port: how files, seals and lines of a run reach the judge, which itself does no I/O.
 * Implemented in log (folders) and, later, effects (objects). Every absence comes with its reason.
 */
import type { JsonObject, JsonValue } from './event.js';

/** Why something is not at hand. `not-applicable`: this kind of input never had it. */
export type Absence =
  | { readonly found: false; readonly why: 'not-applicable' }
  | { readonly found: false; readonly why: 'missing' }
  | { readonly found: false; readonly why: 'escapes'; readonly how: string }
  | { readonly found: false; readonly why: 'unreadable'; readonly detail: string };

export type FileEvidence =
  { readonly found: true; readonly bytes: number; readonly sha256: string } | Absence;
export type JsonEvidence = { readonly found: true; readonly value: JsonValue } | InvalidJson | Absence;
export type InvalidJson = { readonly found: false; readonly why: 'invalid'; readonly detail: string };

/** `unreadable`: the ledger has lines that are none, and any of them may be about this run. */
export type LedgerEvidence =
  { readonly found: true; readonly lines: readonly JsonObject[]; readonly unreadable: boolean } | Absence;

/** One line of the invocation log or of the journal, as untrusted as any other. */
export interface RecordLine {
  readonly line: number;
  readonly value: JsonObject | undefined;
}

/** A prefix of the log as measured from its bytes. */
export interface PrefixMeasure {
  readonly bytes: number;
  readonly events: number;
  readonly sha256: string;
}

/**
 * What a run folder holds beside its log. All paths are relative to the folder, as written in the log.
 * On a bare log every answer is `not-applicable`.
 */
export interface EvidencePort {
  /** False for a bare log: what only a folder could show is then not applicable. */
  readonly isFolder: boolean;
  /** Size and SHA-256 (64 hex digits) of a file; symlinks that leave the folder are refused, never opened. */
  file(path: string): FileEvidence;
  /** Whether a file is there, without reading it. */
  presence(path: string): { readonly found: true } | Absence;
  /** A file parsed as strict JSON (no duplicate keys), at most 16 MiB. */
  json(path: string): JsonEvidence;
  /** Names of the seals in order: seal.json, seal.2.json, … */
  seals(): readonly string[];
  /** Bytes, events and SHA-256 of the first `bytes` bytes of the log. */
  prefix(bytes: number): PrefixMeasure | Absence;
  /** Paths of all files that a seal lists: everything but the log, the seals and the writers' own. */
  files(): readonly string[];
  /** Lines of the study ledger beside the folder that are about this run, by its id or the name of its folder. */
  ledger(runId: string | null): LedgerEvidence;
  /** The lines of invocations.jsonl in order, parsed; undefined for a line that is no JSON object. */
  invocations(): Iterable<RecordLine>;
  /** The lines of journal.jsonl, in the same way. */
  journal(): Iterable<RecordLine>;
  /** Rotated parts beside the log (`provenance.jsonl.1` …). */
  rotatedParts(): readonly string[];
}
