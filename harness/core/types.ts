/**
 * The types of every file a run consists of, inferred from schemas/ and written nowhere else.
 *
 * To change a type, change its schema and build. Only types: nothing here exists at run time, and a value
 * has one of these types only after `validate` (schema.ts) has seen it.
 */
import type { FromSchema } from 'json-schema-to-ts';
import type * as schemas from './generated/schemas.js';

/** A log line as any runtime may have written it; see `RawEvent` (event.ts) for what a reader may assume. */
export type LogEvent = FromSchema<typeof schemas.event>;
/** A log line as our writer accepts it. What each kind needs in `data` is checked, not typed. */
export type WrittenEvent = FromSchema<typeof schemas.eventWritten>;
export type Plan = FromSchema<typeof schemas.plan>;
export type Task = FromSchema<typeof schemas.task>;
export type Proposal = FromSchema<typeof schemas.proposal>;
export type TaskResult = FromSchema<typeof schemas.taskResult>;
export type AgentMessage = FromSchema<typeof schemas.agentMessage>;
export type CapabilityGrant = FromSchema<typeof schemas.capabilityGrant>;
export type GatePolicy = FromSchema<typeof schemas.gatePolicy>;
export type Condition = FromSchema<typeof schemas.condition>;
export type ResearchTask = FromSchema<typeof schemas.researchTask>;
export type Study = FromSchema<typeof schemas.study>;
export type Seal = FromSchema<typeof schemas.seal>;
export type LedgerLine = FromSchema<typeof schemas.ledgerLine>;
export type VerdictReport = FromSchema<typeof schemas.verdictReport>;

/** What a valid value of each schema is; the keys are the file names in schemas/. */
export interface SchemaTypes {
  event: LogEvent;
  'event-written': WrittenEvent;
  plan: Plan;
  task: Task;
  proposal: Proposal;
  'task-result': TaskResult;
  'agent-message': AgentMessage;
  'capability-grant': CapabilityGrant;
  'gate-policy': GatePolicy;
  condition: Condition;
  'research-task': ResearchTask;
  study: Study;
  seal: Seal;
  'ledger-line': LedgerLine;
  'verdict-report': VerdictReport;
}

export type SchemaName = keyof SchemaTypes;
