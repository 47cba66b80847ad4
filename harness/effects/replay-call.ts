/**
 * Replays one recorded call: plans again, asks a broker that only has records, finishes again, composes the output again,
 * and compares byte for byte. No handler is ever called, so it may be done anywhere and as often as wanted.
 */
import { effectRequestBytes, parseDigest } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { isPure } from '../core/tool.js';
import type { EffectResult, EffectTool, Toolbox } from '../core/tool.js';
import { divergence, gap } from './divergence.js';
import type { Mismatch, Stage } from './divergence.js';
import type { KindName } from './kinds.js';
import { effectStatusOf, readEffectRecord, readInput } from './objects.js';
import type { EffectLink, InvocationRecord } from './objects.js';
import { outputBytes, pureOutputBytes, refusalBytes, refusalIn, refusedOutputBytes } from './output.js';
import type { AskedEffect, Refusal } from './plan.js';
import { prepareCall } from './prepared.js';
import type { Prepared } from './prepared.js';
import type { JournalledCall } from './recorded.js';
import { journalFault } from './replay-journal.js';
import { readRequest } from './request.js';
import { asObject, readObject } from './struct.js';
import type { ObjectSource } from './store.js';

/** What a call is replayed from. */
export interface RecordedCall {
  readonly store: ObjectSource;
  readonly record: InvocationRecord;
  /** Who called, as the entry says. */
  readonly writtenBy: string;
  /** What the journal has about it; absent where there is no journal, or no line of it. */
  readonly journal?: JournalledCall;
}

/** Who refuses before anybody decides: planning again must then give the same refusal. */
const REPEATABLE: readonly string[] = ['tool', 'input', 'plan'];

/** Thrown inside a replay to leave it; caught in `replayCall`. */
class Stopped extends Error {
  readonly mismatch: Mismatch;

  constructor(mismatch: Mismatch) {
    super(mismatch.what);
    this.mismatch = mismatch;
  }
}

/** @returns what does not agree or is missing first; `undefined` when the call replays */
export function replayCall(call: RecordedCall, toolbox: Toolbox): Mismatch | undefined {
  const replay = new CallReplay(call, toolbox);
  try {
    replay.run();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return replay.effect === undefined ? error.mismatch : { ...error.mismatch, effect: replay.effect };
  }
  return journalFault(call.record, call.journal);
}

class CallReplay {
  /** Place in the plan of the effect that is being replayed. */
  effect: number | undefined;
  private readonly call: RecordedCall;
  private readonly toolbox: Toolbox;

  constructor(call: RecordedCall, toolbox: Toolbox) {
    this.call = call;
    this.toolbox = toolbox;
  }

  run(): void {
    const { record } = this.call;
    const prepared = this.prepare();
    const { world } = record;
    if (world === undefined) {
      this.runPure(prepared);
      return;
    }
    const refusal = world.effects.length === 0 ? refusalIn(this.output()) : undefined;
    const again = prepared.refusal;
    const isRepeatable = again !== undefined || (refusal !== undefined && REPEATABLE.includes(refusal.by));
    if (isRepeatable && !isSameRefusal(refusal, again)) {
      const values = { expected: again ?? 'no refusal', found: refusal ?? 'no refusal' };
      stop(divergence('plan', 'the refusal', values));
    }
    this.same('plan', 'the plan', {
      expected: refusal === undefined ? planBytes(prepared) : prepared.planBytes(refusal),
      found: this.object(world.plan, 'plan', 'plan'),
    });
    if (refusal !== undefined) this.runRefused(refusal, world.plan);
    else this.runEffects(prepared, world.plan, world.effects);
  }

  private prepare(): Prepared {
    const { record, writtenBy } = this.call;
    const bytes = this.object(record.input, 'input', 'plan');
    const input = readInput(bytes);
    if (!input.ok) return stop(divergence('plan', 'the input', { expected: 'an input', found: input.why }));
    const { tool } = input.value;
    if (tool !== record.skillId)
      return stop(divergence('record', 'the tool', { expected: record.skillId, found: tool }));
    return prepareCall(
      { callId: '', tool, input: input.value.input, caller: writtenBy },
      { toolbox: this.toolbox },
    );
  }

  private runPure({ tool, input, refusal }: Prepared): void {
    if (!isPure(tool) || refusal !== undefined)
      stop(
        divergence('plan', 'the tool', {
          expected: 'a tool that only computes',
          found: refusal?.reason ?? 'one with effects',
        }),
      );
    else this.compareOutput(pureOutputBytes(tool, input));
  }

  /** A call that was stopped: what stopped it is recorded, and the output follows from that. */
  private runRefused(refusal: Refusal, plan: Digest): void {
    const named = asObject(this.output()['world'])?.['refusal'];
    const ref = typeof named === 'string' ? parseDigest(named) : undefined;
    if (ref === undefined)
      return stop(divergence('output', 'the refusal', { expected: 'a digest', found: named ?? 'nothing' }));
    const bytes = this.object(ref, 'refusal', 'result');
    if (Buffer.compare(bytes, refusalBytes(refusal)) !== 0)
      stop(divergence('result', 'the refusal', { expected: refusal, found: bytes }));
    this.compareOutput(refusedOutputBytes(refusal, plan, ref));
  }

  private runEffects(prepared: Prepared, plan: Digest, links: readonly EffectLink[]): void {
    const { planned, tool, refusal } = prepared;
    if (planned === undefined || isPure(tool) || refusal !== undefined) {
      const found = refusal?.reason ?? 'the tool only computes';
      return stop(divergence('plan', 'the call', { expected: 'a call that is let through', found }));
    }
    const [ids, recorded] = [planned.effects, links].map((list) => list.map(({ id }) => id).join(', '));
    if (ids !== recorded) stop(divergence('effects', 'the effects', { expected: ids, found: recorded }));
    const results = links.map((link, at) => {
      this.effect = at;
      return this.replayEffect(planned.effects[at]!, link);
    });
    this.effect = undefined;
    const ran = { tool: tool satisfies EffectTool, input: prepared.input, planned, plan, results, links };
    const output = outputBytes(ran);
    const broken = planned.finish ? readObject(output) : undefined;
    const isBroken = broken?.ok === true && 'broken' in broken.value;
    this.compareOutput(output, isBroken && !('broken' in this.output()) ? 'finish' : 'output');
  }

  /** Asks again, of the records: the request must be the very same, and its record says what came of it. */
  private replayEffect(effect: AskedEffect, { id, record: ref, status }: EffectLink): EffectResult {
    const bytes = this.object(ref, 'effectRecord', 'effects');
    const read = readEffectRecord(bytes);
    if (!read.ok)
      return stop(divergence('effects', `the record of ${id}`, { expected: 'a record', found: read.why }));
    const record = read.value;
    const asked = `${effect.effect} ${effect.scope} ${effect.cost}`;
    const answered = `${record.effect} ${record.scope} ${record.cost}`;
    if (asked !== answered)
      stop(divergence('request', `what ${id} asks for`, { expected: asked, found: answered }));
    if (effectStatusOf(record) !== status)
      stop(divergence('effects', `the outcome of ${id}`, { expected: status, found: bytes }));
    const requestBytes = this.object(record.requestRef, 'request', 'request');
    const request = readRequest(requestBytes);
    if (request === undefined)
      return stop(
        divergence('request', `the request of ${id}`, { expected: 'a request', found: requestBytes }),
      );
    // The time is the only part of a request that no plan gives. A denied effect has no intent that would tell it.
    const now = this.call.journal?.effects.get(id)?.intent?.now ?? request.now;
    const again = effectRequestBytes({ ...effect, now, payload: effect.payloadBytes });
    this.same('request', `the request of ${id}`, { expected: again, found: requestBytes });
    if (status === 'failed') return { id, status };
    if (record.denial !== '') return { id, status: 'denied', denial: record.denial };
    const value = readObject(this.object(record.resultRef as Digest, 'result', 'result'));
    if (!value.ok)
      return stop(divergence('result', `the result of ${id}`, { expected: 'an object', found: value.why }));
    return { id, status: 'ok', value: value.value };
  }

  private output(): ReturnType<typeof asObject> & object {
    const bytes = this.object(this.call.record.output, 'output', 'output');
    const read = readObject(bytes);
    return read.ok
      ? read.value
      : stop(divergence('output', 'the output', { expected: 'an object', found: read.why }));
  }

  private compareOutput(expected: Uint8Array, stage: Stage = 'output'): void {
    this.same(stage, 'the output', {
      expected,
      found: this.object(this.call.record.output, 'output', 'output'),
    });
  }

  private same(stage: Stage, what: string, values: { expected: Uint8Array; found: Uint8Array }): void {
    if (Buffer.compare(values.expected, values.found) !== 0) stop(divergence(stage, what, values));
  }

  /** An object, verified; missing ones are gaps. */
  private object(ref: Digest, kind: KindName, stage: Stage): Uint8Array {
    const found = this.call.store.read(ref, kind);
    if (found.ok) return found.bytes;
    if (found.fault === 'missing') return stop(gap(stage, `the ${kind}`, ref));
    return stop(
      divergence(stage, `the ${kind} ${ref}`, {
        expected: 'bytes with this digest and kind',
        found: found.fault,
      }),
    );
  }
}

function planBytes({ planned }: Prepared): Uint8Array {
  return planned?.bytes ?? new Uint8Array();
}

/** Whether two refusals say the same, word by word. */
export function isSameRefusal(a: Refusal | undefined, b: Refusal | undefined): boolean {
  return a?.by === b?.by && a?.reason === b?.reason && a?.event === b?.event;
}

function stop(mismatch: Mismatch): never {
  throw new Stopped(mismatch);
}
