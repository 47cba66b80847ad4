/**
 * Members of `data` that have a type in schemas/event.schema.json: where the history needs them they are located,
 * and for most the first bytes settle that the value fits. A test holds this table against the schema, so that a
 * member typed there and forgotten here is found. Not a schema of its own: in doubt the validator is asked.
 */

/**
 * What settles that a value fits. `text`: non-empty string · `string` · `tier`: "T0"…"T4" · `boolean` · `digest`:
 * sha256:… · `count`: plain digits · `ordinal`: the same, not 0 · `texts`: list of non-empty strings · `pairs`:
 * list of strings of two letters of ASCII · `any`: the schema leaves it free.
 */
export const MEMBER_CHECKS = [
  'text',
  'string',
  'tier',
  'boolean',
  'digest',
  'count',
  'ordinal',
  'texts',
  'pairs',
  'any',
] as const;
export type MemberCheck = (typeof MEMBER_CHECKS)[number];

const TABLE = [
  // Those that a History keeps a column or a flag for.
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
  // Those that only have a type.
  ['snapshotId', 'text'],
  ['threadId', 'text'],
  ['callId', 'text'],
  ['studyId', 'text'],
  ['messageId', 'text'],
  ['tripwire', 'text'],
  ['channel', 'text'],
  ['to', 'text'],
  ['maxRiskTier', 'tier'],
  ['version', 'ordinal'],
  ['taskCount', 'count'],
  ['waitedMs', 'count'],
  ['decision', 'string'],
  ['by', 'string'],
  ['status', 'string'],
  ['kind', 'string'],
  ['summary', 'string'],
  ['command', 'string'],
  ['comment', 'string'],
  ['reason', 'string'],
  ['actionDigest', 'digest'],
  ['lanes', 'pairs'],
  ['shown', 'texts'],
  // Those that have no type and that rules ask for.
  ['role', 'any'],
  ['recoverabilityState', 'any'],
  ['backupVerified', 'any'],
  ['verified', 'any'],
  ['rowCountMatches', 'any'],
  ['outcome', 'any'],
  ['restorable', 'any'],
] as const satisfies readonly (readonly [string, MemberCheck])[];

export const DATA_MEMBERS: readonly string[] = TABLE.map(([name]) => name);
export const DATA_MEMBER_CHECK: readonly MemberCheck[] = TABLE.map(([, check]) => check);

/** Members of `tokens`, which has no others. */
const TOKEN_TABLE = [
  ['input', 'count'],
  ['output', 'count'],
  ['thinking', 'count'],
  ['cacheRead', 'count'],
  ['cacheWrite', 'count'],
  ['model', 'text'],
  ['callId', 'text'],
] as const satisfies readonly (readonly [string, MemberCheck])[];

/** Members of `counterfactual` that have a type; it may have others. */
const COUNTERFACTUAL_TABLE = [
  ['wouldHaveExecuted', 'boolean'],
  ['actuallyExecuted', 'boolean'],
  ['predictedRiskTier', 'tier'],
  ['predictedBlastRadius', 'string'],
  ['preventedBy', 'string'],
] as const satisfies readonly (readonly [string, MemberCheck])[];

export const TOKEN_MEMBERS: readonly string[] = TOKEN_TABLE.map(([name]) => name);
export const TOKEN_MEMBER_CHECK: readonly MemberCheck[] = TOKEN_TABLE.map(([, check]) => check);
export const COUNTERFACTUAL_MEMBERS: readonly string[] = COUNTERFACTUAL_TABLE.map(([name]) => name);
export const COUNTERFACTUAL_MEMBER_CHECK: readonly MemberCheck[] = COUNTERFACTUAL_TABLE.map(
  ([, check]) => check,
);

/** Positions of the members that a History keeps a column or a flag for. */
export const DATA_MEMBER = {
  taskId: 0,
  proposalId: 1,
  planId: 2,
  tier: 3,
  auto: 4,
  firstPath: 5,
  lastPath: 12,
  callId: 15,
  channel: 19,
  to: 20,
  waitedMs: 24,
  decision: 25,
  by: 26,
  command: 30,
  reason: 32,
  actionDigest: 33,
  role: 36,
  firstClaim: 37,
  firstDoubt: 39,
  lastDoubt: 42,
} as const;
export const TOKEN_MEMBER = { model: 5, callId: 6 } as const;
export const COUNTERFACTUAL_MEMBER = { would: 0, executed: 1, predicted: 2, preventedBy: 4 } as const;

const QUOTE = 0x22;
/** Every integer of so many digits is safe. */
const SAFE_DIGITS = 15;
const DIGEST = new TextEncoder().encode('"sha256:');
const DIGEST_LENGTH = DIGEST.length + 64 + 1;

/** Whether a JSON value, known to be well formed, plainly passes a check. False decides nothing. */
export function fits(
  check: MemberCheck,
  bytes: Uint8Array,
  { from, to }: { from: number; to: number },
): boolean {
  const first = bytes[from] as number;
  switch (check) {
    case 'text':
      return first === QUOTE && to - from > 2;
    case 'string':
      return first === QUOTE;
    case 'tier':
      return (
        to - from === 4 && first === QUOTE && bytes[from + 1] === 0x54 && isTier(bytes[from + 2] as number)
      );
    case 'boolean':
      return first === 0x74 || first === 0x66;
    case 'digest':
      return to - from === DIGEST_LENGTH && isDigest(bytes, from);
    case 'count':
      return isDigits(bytes, from, to);
    case 'ordinal':
      return first !== 0x30 && isDigits(bytes, from, to);
    case 'texts':
      return isTexts(bytes, from, to);
    case 'pairs':
      return isTexts(bytes, from, to) && arePairs(bytes, from, to);
    case 'any':
      return true;
  }
}

/** Whether every string of a list of strings is of two letters of ASCII. */
function arePairs(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 3] !== QUOTE || !isPlainAscii(bytes[at + 1]!) || !isPlainAscii(bytes[at + 2]!))
      return false;
    at += 3;
  }
  return true;
}

function isPlainAscii(byte: number): boolean {
  return byte < 0x80 && byte !== 0x5c && byte !== QUOTE;
}

/** A list of strings, none of them empty; anything else decides nothing. */
function isTexts(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from] !== 0x5b) return false;
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x2c || byte === 0x20 || byte === 0x09 || byte === 0x0d) continue;
    if (byte !== QUOTE || bytes[at + 1] === QUOTE) return false;
    for (at++; bytes[at] !== QUOTE;) at += bytes[at] === 0x5c ? 2 : 1;
  }
  return true;
}

function isTier(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x34;
}

function isDigits(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > SAFE_DIGITS) return false;
  for (let at = from; at < to; at++) if (!isDigit(bytes[at] as number)) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isDigest(bytes: Uint8Array, from: number): boolean {
  for (let index = 0; index < DIGEST.length; index++) if (bytes[from + index] !== DIGEST[index]) return false;
  for (let at = from + DIGEST.length; at < from + DIGEST_LENGTH - 1; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte) && !(byte >= 0x61 && byte <= 0x66)) return false;
  }
  return true;
}

/** Longest name a table may hold. */
const NAME_MAX_BYTES = 31;

/** Finds a name among a few by its bytes: first by length and first byte, then byte by byte. */
export class NameTable {
  private readonly names: readonly Uint8Array[];
  /** First name by length and first byte, and the next of the same; −1 for none. */
  private readonly first = new Int8Array((NAME_MAX_BYTES + 1) * 128).fill(-1);
  private readonly next: Int8Array;

  constructor(names: readonly string[]) {
    this.names = names.map((name) => new TextEncoder().encode(name));
    this.next = new Int8Array(names.length).fill(-1);
    this.names.forEach((name, index) => {
      const bucket = bucketOf(name, 0, name.length);
      this.next[index] = this.first[bucket] as number;
      this.first[bucket] = index;
    });
  }

  /** Index of the name `bytes[from, to)`, or −1. */
  find(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > NAME_MAX_BYTES || to === from) return -1;
    let index = this.first[bucketOf(bytes, from, to)] as number;
    while (index >= 0 && !isSame(this.names[index] as Uint8Array, bytes, from))
      index = this.next[index] as number;
    return index;
  }
}

function bucketOf(bytes: Uint8Array, from: number, to: number): number {
  return ((to - from) << 7) | ((bytes[from] as number) & 0x7f);
}

/** Whether `name` stands at `from`; the lengths are equal already. */
function isSame(name: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let step = 0; step < name.length; step++) if (name[step] !== bytes[from + step]) return false;
  return true;
}
