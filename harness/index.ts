/**
 * The package's public face: keep a log from any agent runtime, read one, and have it judged.
 * Everything else under dist/ is internal and may change.
 */
export { openWriter, type LogWriter, type WriterOptions, type Durability } from './log/writer.js';
export type { EventDraft } from './log/event-line.js';
export { sealRun, type Sealed, type SealOptions } from './log/seal.js';
export { readLog, type OpenLog, type ReadOptions } from './log/reader.js';
export { History } from './core/history.js';
export { checkRun, type CheckedRun, type CheckOptions } from './check/check-run.js';
export { resolveInputs, type Inputs, type RunInput } from './check/inputs.js';
export { makeReport, type ReportOptions } from './check/report.js';
export { RULES, ruleOf } from './oracle/rules/index.js';
export type { Rule } from './oracle/rule.js';
export { actionDigest, digestOf, type Digest } from './core/digest.js';
export { canonicalBytes } from './core/canonical.js';
export { virtualClock } from './core/clock.js';
export { EXIT, HarnessError } from './core/errors.js';
export { KINDS, type Kind, type JsonObject, type JsonValue } from './core/event.js';
export type {
  ApproverPort,
  ClockPort,
  DecisionPort,
  ModelPort,
  PreviewPort,
  RandomPort,
} from './core/ports.js';
export type { Facet, Finding, RunVerdict, VerdictReport } from './core/verdict.js';
