/**
 * Members of `data` that the scanner knows: which it locates for the history, and how much of the event
 * schema it can settle by looking at the first bytes. A test holds this table against schemas/event.schema.json,
 * so that a member typed there and forgotten here is found. Not a schema of its own.
 */

/** `text`: non-empty string · `string` · `tier`: "T0"…"T4" · `boolean` · `schema`: ask the validator. */
export type MemberCheck = 'text' | 'string' | 'tier' | 'boolean' | 'schema';

const TABLE = [
  ['taskId', 'text'],
  ['proposalId', 'text'],
  ['planId', 'text'],
  ['tier', 'tier'],
  ['auto', 'boolean'],
  ['goalPath', 'string'],
  ['planPath', 'string'],
  ['messagePath', 'string'],
  ['proposalPath', 'string'],
  ['resultPath', 'string'],
  ['artifactPath', 'string'],
  ['evidencePath', 'string'],
  ['payloadPath', 'string'],
] as const satisfies readonly (readonly [string, MemberCheck])[];

export const DATA_MEMBERS: readonly string[] = TABLE.map(([name]) => name);
export const DATA_MEMBER_CHECK: readonly MemberCheck[] = TABLE.map(([, check]) => check);

/** Positions of the members that a History keeps a column for. */
export const DATA_MEMBER = {
  taskId: 0,
  proposalId: 1,
  planId: 2,
  tier: 3,
  auto: 4,
  firstPath: 5,
  lastPath: 12,
} as const;
