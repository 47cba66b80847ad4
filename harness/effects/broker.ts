/**
 * The one place where effects happen: decides each against the purse, journals the intent, runs the handler, and
 * records everything, so that a call leaves exactly one entry whatever became of it.
 *
 * Order for a call: objects of what is asked, intents on stable storage, handlers, records, output, entry. What is
 * answered is on stable storage; what a crash interrupts stays as an intent without outcome, and is never run again.
 */
import { utf8 } from '../core/canonical.js';
import { digestOf } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import { assert, HarnessError, unreachable } from '../core/errors.js';
import type { ClockPort } from '../core/ports.js';
import { isPure } from '../core/tool.js';
import type { EffectTool, PureTool, Toolbox } from '../core/tool.js';
import { nodeFileOps } from '../log/file-ops.js';
import type { FileOps } from '../log/file-ops.js';
import { Calls } from './calls.js';
import { Chain } from './chain.js';
import { decideAll, runHandler } from './dispatch.js';
import type { DecidedEffect, Ended } from './dispatch.js';
import { EffectFiles } from './files.js';
import { epochsBytes, genesisBytes } from './genesis.js';
import type { Genesis } from './genesis.js';
import type { EffectIntent, Scalar } from './journal-lines.js';
import { effectRecordBytes } from './objects.js';
import type { EffectLink } from './objects.js';
import { outputBytes, pureOutputBytes, refusalBytes, refusedOutputBytes } from './output.js';
import type { Storable } from './pack-writer.js';
import type { Planned, Refusal } from './plan.js';
import type { Call, CallAnswer, CallPort, Handlers, Interpreter, PreparedCall } from './ports.js';
import { Prepared, prepareCall } from './prepared.js';
import { grantText } from './purse.js';
import type { Grant, Purse } from './purse.js';
import { callStatus } from './recorded-answer.js';

export interface BrokerOptions {
  readonly genesis: Genesis;
  readonly toolbox: Toolbox;
  readonly handlers: Handlers;
  readonly clock: ClockPort;
  readonly interpreter: Interpreter;
  /** Whether what is answered must survive a power failure, not only the death of the process. */
  readonly durable: boolean;
  /** How long a handler may take, in milliseconds of real time; default two minutes. */
  readonly deadlineMs?: number;
  readonly ops?: FileOps;
}

const DEADLINE_MS = 120_000;

/** Opens the boundary of a run, new or continued. @throws HarnessError `invalid-input` for the chain of another run */
export function openBroker(runDir: string, options: BrokerOptions): Broker {
  return new Broker(runDir, options);
}

interface RunParts {
  readonly tool: EffectTool;
  readonly planned: Planned;
  readonly payer: Purse;
}

/** A decided effect, with what its journal lines name. */
interface AskedEffect extends DecidedEffect {
  readonly request: Digest;
  readonly purse: string;
  readonly now: number;
}

/** Made by `openBroker`. */
export class Broker implements CallPort {
  private readonly options: BrokerOptions;
  private readonly files: EffectFiles;
  private readonly calls: Calls;
  private readonly chain: Chain;

  constructor(runDir: string, options: BrokerOptions) {
    const { ops = nodeFileOps, genesis, durable } = options;
    this.options = options;
    this.calls = Calls.open(runDir, ops);
    const epochs = epochsBytes();
    const start = genesisBytes(genesis, digestOf(epochs));
    const { last, unclaimed, start: found = digestOf(start) } = this.calls;
    if (found !== digestOf(start)) throw ofAnotherCell(runDir);
    this.files = EffectFiles.open(runDir, { ops, durable });
    try {
      this.files.put([
        { kind: 'epochs', bytes: epochs },
        { kind: 'genesis', bytes: start },
      ]);
      if (unclaimed.length > 0) this.files.note(unclaimed);
    } catch (error) {
      this.close();
      throw error;
    }
    this.chain = new Chain(this.files, { ...options, last, start: found });
  }

  grant(purse: string, grants: readonly Grant[]): void {
    if (!this.calls.addPurse(purse, grants)) return;
    this.files.note([{ line: 'purse', purse, grants: grants.map(grantText) }]);
  }

  /** @throws EncodeError for an input that is no plain JSON, or names that have no UTF-8 */
  prepare(call: Call): Prepared {
    // Names must be good before anything is written under them.
    utf8(call.callId);
    utf8(call.caller);
    return prepareCall(call, this.options);
  }

  execute(prepared: PreparedCall, purse: string): Promise<CallAnswer> {
    const payer = this.calls.purse(purse) ?? unreachable(`no grants were given out as ${purse}`);
    return this.once(prepared, (call) => {
      const { tool, planned, refusal } = call;
      if (refusal !== undefined) return this.stop(call, refusal);
      if (isPure(tool)) return this.compute(call, tool);
      return this.run(call, {
        tool,
        planned: planned ?? unreachable('a tool with effects has a plan'),
        payer,
      });
    });
  }

  refuse(prepared: PreparedCall, refusal: Refusal): Promise<CallAnswer> {
    return this.once(prepared, (call) => this.stop(call, call.refusal ?? refusal));
  }

  /** Records a value that varies, so that a replay can be given the same. Needs no sync: it binds nobody. */
  keep(scalar: Scalar): void {
    this.files.keep(scalar);
  }

  close(): void {
    try {
      this.calls.close();
    } finally {
      this.files.close();
    }
  }

  /** A call sent again gets the answer it got, and nothing runs again. */
  private once(prepared: PreparedCall, act: (call: Prepared) => Promise<CallAnswer>): Promise<CallAnswer> {
    assert(prepared instanceof Prepared, 'a call is prepared by the broker that runs it');
    return this.calls.once(prepared, () => {
      this.files.assertWorking();
      return act(prepared);
    });
  }

  private compute(call: Prepared, tool: PureTool): Promise<CallAnswer> {
    const output = pureOutputBytes(tool, call.input);
    return this.chain.enter(call, { status: 'executed', output, objects: [], effects: [], evidence: [] });
  }

  private stop(call: Prepared, refusal: Refusal): Promise<CallAnswer> {
    const plan = call.planBytes(refusal);
    const bytes = refusalBytes(refusal);
    const output = refusedOutputBytes(refusal, digestOf(plan), digestOf(bytes));
    const objects: Storable[] = [
      { kind: 'plan', bytes: plan },
      { kind: 'refusal', bytes },
    ];
    return this.chain.enter(call, {
      status: 'refused',
      output,
      plan: digestOf(plan),
      objects,
      effects: [],
      evidence: [],
    });
  }

  private async run(call: Prepared, parts: RunParts): Promise<CallAnswer> {
    const { tool, planned, payer } = parts;
    const now = Math.floor(this.options.clock.nowMs() / 1000);
    const decided = decideAll(planned.effects, payer, now);
    const requests = decided.map(({ requestBytes }): Storable => ({ kind: 'request', bytes: requestBytes }));
    const [, plan, ...refs] = this.files.put([
      { kind: 'input', bytes: call.inputBytes },
      { kind: 'plan', bytes: planned.bytes },
      ...requests,
    ]) as [Digest, Digest, ...Digest[]];
    const asked = decided.map((effect, at) => ({ ...effect, request: refs[at]!, purse: payer.name, now }));
    await this.intend(call, plan, asked);
    const ended: Ended[] = [];
    const links: EffectLink[] = [];
    for (const effect of asked) {
      const end = await this.perform(call, effect);
      ended.push(end);
      links.push(this.record(call, effect, end));
    }
    const results = ended.map(({ result }) => result);
    return this.chain.enter(call, {
      status: callStatus(links.map(({ status }) => status)),
      output: outputBytes({ tool, input: call.input, planned, plan, results, links }),
      plan,
      objects: [],
      effects: links,
      evidence: ended.flatMap(({ result, evidence }) =>
        evidence === undefined ? [] : [{ id: result.id, value: evidence }],
      ),
    });
  }

  /** Says what is about to happen, and waits until that cannot be lost. Nothing is said of what is denied. */
  private async intend(call: Prepared, plan: Digest, asked: readonly AskedEffect[]): Promise<void> {
    const { callId, tool } = call.call;
    const intents = asked
      .filter(({ decided }) => decided.allowed)
      .map(({ asked: { id: effectId, effect, scope, cost }, request, purse, now }): EffectIntent => {
        return { line: 'effectIntent', callId, effectId, effect, scope, cost, now, purse, request };
      });
    if (intents.length === 0) return;
    this.files.note([{ line: 'callIntent', callId, tool, input: call.inputRef, plan }, ...intents]);
    await this.files.settled('journal');
  }

  private perform(call: Prepared, { asked, decided, now }: AskedEffect): Ended | Promise<Ended> {
    const { id, effect, scope, payload } = asked;
    if (!decided.allowed) return { result: { id, status: 'denied', denial: decided.denial } };
    const handler = this.options.handlers.get(effect) ?? unreachable(`no handler for ${effect}`);
    const { deadlineMs = DEADLINE_MS } = this.options;
    return runHandler(handler, { id, callId: call.call.callId, effect, scope, payload, now }, deadlineMs);
  }

  /** The record of one effect, and the line in the journal that closes its intent. */
  private record(call: Prepared, effect: AskedEffect, ended: Ended): EffectLink {
    const { asked, decided, request, purse } = effect;
    const { id, status } = ended.result;
    const { resultBytes, evidenceBytes } = ended;
    const bytes = effectRecordBytes({
      effect: asked.effect,
      scope: asked.scope,
      cost: asked.cost,
      budgetBefore: decided.before,
      budgetAfter: decided.after,
      allowed: decided.allowed,
      failed: status === 'failed',
      denial: decided.allowed ? '' : decided.denial,
      requestRef: request,
      resultRef: resultBytes === undefined ? '' : digestOf(resultBytes),
    });
    this.files.put([
      ...(resultBytes === undefined ? [] : [{ kind: 'result' as const, bytes: resultBytes }]),
      ...(evidenceBytes === undefined ? [] : [{ kind: 'evidence' as const, bytes: evidenceBytes }]),
      { kind: 'effectRecord', bytes },
    ]);
    const record = digestOf(bytes);
    const evidence = evidenceBytes === undefined ? '' : digestOf(evidenceBytes);
    const { callId } = call.call;
    this.files.note([{ line: 'effectOutcome', callId, effectId: id, status, purse, record, evidence }]);
    return { id, record, status };
  }
}

function ofAnotherCell(runDir: string): HarnessError {
  const hint = 'start a run in a folder of its own';
  return new HarnessError('invalid-input', `${runDir} holds the calls of another cell`, hint);
}
