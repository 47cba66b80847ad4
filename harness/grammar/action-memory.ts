/**
 * Remembers for a while what proposals said they would do, so that a scanner can tell whether a later line says the
 * same. A line far from its proposal is not settled here; nothing depends on how far that is.
 */
import { kindCode } from '../core/event.js';
import { FIELD, SAMENESS, withField } from '../core/facts.js';
import { DATA_MEMBER } from './members.js';
import { ACTION_SLOTS, COMMAND_MAX_BYTES, HASH_LOOK, HASH_NONE, identityHash } from './record.js';
import type { LineScan } from './scan.js';

const PROPOSED = kindCode('action_proposed');
const DONE = new Set([kindCode('action_executed'), kindCode('action_failed')]);
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const LETTER_U = 0x75;
const BLANK_ESCAPES = new Set(Array.from('bfnrt', (letter) => letter.charCodeAt(0)));
const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);

interface Slot {
  readonly proposal: number;
  /** Undefined where the proposal has none, or one that is not kept. */
  readonly digest: Uint8Array | undefined;
  readonly command: Uint8Array | undefined;
}

export class ActionMemory {
  private readonly slots = new Array<Slot | undefined>(ACTION_SLOTS);
  /** Hashes of the line settled last. */
  digestHash = HASH_NONE;
  commandHash = HASH_NONE;

  clear(): void {
    this.slots.fill(undefined);
  }

  /** Completes the facts of a line by what its digest and command are beside those of its proposal. */
  settle(line: { bytes: Uint8Array; scan: LineScan; kind: number; facts: number; proposal: number }): number {
    const { bytes, scan, kind, proposal } = line;
    const digest = valueOf(bytes, scan, DATA_MEMBER.actionDigest);
    const command = valueOf(bytes, scan, DATA_MEMBER.command);
    const isHashed = kind === PROPOSED || (DONE.has(kind) && proposal === 0);
    this.digestHash = isHashed && digest !== undefined ? identityHash(digest, 0, digest.length) : HASH_NONE;
    this.commandHash = isHashed && command !== undefined ? commandHash(command) : HASH_NONE;
    if (digest === undefined && command === undefined && kind !== PROPOSED) return line.facts;
    const facts = line.facts & ~withField(withField(0, FIELD.digest, 3), FIELD.command, 3);
    const slot = this.slots[proposal % ACTION_SLOTS];
    const known = slot?.proposal === proposal ? slot : undefined;
    const isMade = kind === PROPOSED && proposal !== 0;
    if (isMade) this.remember(proposal, digest, command);
    const sameness = (value: Uint8Array | undefined, kept: Uint8Array | undefined): number => {
      if (value === undefined) return SAMENESS.none;
      if (isMade) return SAMENESS.own;
      const isSame = proposal !== 0 && kept !== undefined && Buffer.compare(kept, value) === 0;
      return isSame ? SAMENESS.same : SAMENESS.look;
    };
    return withField(
      withField(facts, FIELD.digest, sameness(digest, known?.digest)),
      FIELD.command,
      sameness(command, known?.command),
    );
  }

  private remember(proposal: number, digest: Uint8Array | undefined, command: Uint8Array | undefined): void {
    const isKept = command !== undefined && command.length <= COMMAND_MAX_BYTES;
    this.slots[proposal % ACTION_SLOTS] = {
      proposal,
      digest: digest?.slice(),
      command: isKept ? command.slice() : undefined,
    };
  }
}

function valueOf(
  bytes: Uint8Array,
  { dataStart, dataEnd }: LineScan,
  member: number,
): Uint8Array | undefined {
  const from = dataStart[member]!;
  if (from < 0) return undefined;
  return dataEnd[member]! - from === 2 ? NOTHING : bytes.subarray(from + 1, dataEnd[member]! - 1);
}

function commandHash(command: Uint8Array): number {
  const { length } = command;
  if (length === 0) return identityHash(command, 0, 0);
  if (isOdd(command[0]!) || command[0] === BACKSLASH || isOdd(command[length - 1]!)) return HASH_LOOK;
  if (command[length - 2] === BACKSLASH && BLANK_ESCAPES.has(command[length - 1]!)) return HASH_LOOK;
  for (let at = 0; at < length; at++) {
    if (command[at] !== BACKSLASH) continue;
    at++;
    if (command[at] === LETTER_U || command[at] === SLASH) return HASH_LOOK;
  }
  return identityHash(command, 0, length);
}

/** Hash of a digest or command that was decoded: that of any line that says the same, however it spells it. */
export function textHash(text: string): number {
  const bytes = encoder.encode(JSON.stringify(text.trim()));
  return identityHash(bytes.subarray(1, -1), 0, bytes.length - 2);
}

function isOdd(byte: number): boolean {
  return byte <= 0x20 || byte >= 0x80;
}
