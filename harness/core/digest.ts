/**
 * Content digests, and the few byte layouts whose digest has a name of its own: actions, log entries, effect requests.
 *
 * The layouts are those of a public content-addressed store; test/core/digest.test.ts holds them against its real
 * bytes. A digest is of payload bytes and nothing else. Reading and writing objects is the business of effects.
 */
import { hash } from 'node:crypto';
import { canonicalBytes, EncodeError, structBytes, utf8 } from './canonical.js';
import type { Encodable } from './canonical.js';

declare const digestBrand: unique symbol;

/** `sha256:` and 64 lower-case hex digits. Only `digestOf` and `parseDigest` make one. */
export type Digest = `sha256:${string}` & { readonly [digestBrand]: true };

/** SHA-256 as 64 lower-case hex digits. */
export function sha256Hex(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The reference of some bytes. */
export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${sha256Hex(bytes)}` as Digest;
}

/** A digest from untrusted text; anything but the one accepted spelling is `undefined`. */
export function parseDigest(text: string): Digest | undefined {
  return /^sha256:[0-9a-f]{64}$/.test(text) ? (text as Digest) : undefined;
}

/**
 * What an approval approves: the tool and its input, not the words around them (summary, tier, rationale).
 * @throws EncodeError when the input has no canonical bytes
 */
export function actionDigest(action: { readonly tool: string; readonly input: Encodable }): Digest {
  return digestOf(canonicalBytes({ tool: action.tool, input: action.input }));
}

/** Digest of a kind's name, such as `world/effect-plan/v1`. */
export function interfaceHash(semanticId: string): Digest {
  return digestOf(utf8(semanticId));
}

/** What an invocation's log entry commits to. The log line keeps `transitionRef` beside the header, the hash has both. */
export interface EntryFields {
  readonly entryIndex: number;
  readonly semanticsEpoch: number;
  readonly transitionFn: Digest;
  readonly interpreter: Digest;
  readonly prevEntryHash: Digest;
  readonly writtenBy: string;
  readonly transitionRef: Digest;
}

/** Digest of encoding B of the entry's fields, flat. */
export function entryHash(entry: EntryFields): Digest {
  return digestOf(
    structBytes([
      ['entryIndex', entry.entryIndex],
      ['semanticsEpoch', entry.semanticsEpoch],
      ['transitionFn', entry.transitionFn],
      ['interpreter', entry.interpreter],
      ['prevEntryHash', entry.prevEntryHash],
      ['writtenBy', entry.writtenBy],
      ['transitionRef', entry.transitionRef],
    ]),
  );
}

/** The state a log entry leads to: `revision` is its index, `stateRoot` its output's digest, `logHead` its hash. */
export interface WorldState {
  readonly revision: number;
  readonly stateRoot: Digest;
  readonly logHead: Digest;
}

/** Digest of encoding B of a world state. */
export function worldRef(state: WorldState): Digest {
  return digestOf(
    structBytes([
      ['revision', state.revision],
      ['stateRoot', state.stateRoot],
      ['logHead', state.logHead],
    ]),
  );
}

/** One effect as asked of the broker. `now` is in whole Unix seconds; `payload` is already in encoding A. */
export interface EffectRequest {
  readonly effect: string;
  readonly scope: string;
  readonly cost: number;
  readonly now: number;
  readonly payload: Uint8Array;
}

/**
 * The request object: `<bytes>:<effect><bytes>:<scope><cost>:<now>:<payload>`, lengths in UTF-8 bytes. A negative cost
 * has bytes too, since a denied request is stored like any other.
 * @throws EncodeError when cost or time is not a safe integer, or a name holds a lone surrogate
 */
export function effectRequestBytes(request: EffectRequest): Uint8Array {
  const effect = utf8(request.effect);
  const scope = utf8(request.scope);
  const tail = `${integerText(request.cost, '/cost')}:${integerText(request.now, '/now')}:`;
  return Buffer.concat([
    utf8(`${effect.length}:`),
    effect,
    utf8(`${scope.length}:`),
    scope,
    utf8(tail),
    request.payload,
  ]);
}

function integerText(value: number, pointer: string): string {
  if (!Number.isSafeInteger(value))
    throw new EncodeError('not-integer', pointer, `${value} where an integer belongs`);
  return String(value === 0 ? 0 : value);
}
