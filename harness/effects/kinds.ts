/**
 * The kinds of objects in a run's store: their names, who makes them, and which encoding they are in.
 *
 * Names that begin with `world/` are those of a public content-addressed store, so that its readers understand ours;
 * `counterproof/` are our own. To add a kind, add its line here and its encoding in objects.ts.
 */

/** Name of a kind (`semanticId`), by the short name used in this code. */
export const KIND = {
  input: 'world/invocation-input/v1',
  plan: 'world/effect-plan/v1',
  output: 'world/invocation-output/v1',
  pureRecord: 'world/invocation-record/v1',
  record: 'world/invocation-record/v2',
  request: 'world/effect-request/v1',
  effectRecord: 'world/effect-record/v1',
  result: 'world/effect-result/v1',
  source: 'world/transition-source/v1',
  epochs: 'world/epoch-registry/v1',
  refusal: 'counterproof/refusal/v1',
  evidence: 'counterproof/evidence/v1',
  genesis: 'counterproof/genesis/v1',
} as const;

export type KindName = keyof typeof KIND;
export type SemanticId = (typeof KIND)[KindName];

/** Who made an object of a kind: part of its label, and always the same for a kind. */
export const PROVENANCE: Readonly<Record<KindName, string>> = {
  input: 'caller',
  plan: 'tool',
  output: 'tool',
  pureRecord: 'host/broker',
  record: 'host/broker',
  request: 'host/broker',
  effectRecord: 'host/broker',
  result: 'host/handler',
  source: 'harness',
  epochs: 'harness',
  refusal: 'harness',
  evidence: 'host/handler',
  genesis: 'harness',
};

const BY_SEMANTIC_ID: ReadonlyMap<string, KindName> = new Map(
  (Object.keys(KIND) as KindName[]).map((name) => [KIND[name], name]),
);

/** The kind with that name; `undefined` for kinds of others. */
export function kindOf(semanticId: string): KindName | undefined {
  return BY_SEMANTIC_ID.get(semanticId);
}
