/**
 * The ports through which anything that varies enters the harness: time, randomness, models, previews,
 * decisions and approvers. Frozen here so that writer, gate, testbed and replay agree on their shapes
 * before any of them is built. A port is passed in; nothing reads the world on its own.
 */
import type { JsonObject } from './event.js';
import type { Tier } from './tier.js';

/** Wall clock in whole milliseconds since the Unix epoch. Virtual in studies and tests, recorded for replay. */
export interface ClockPort {
  nowMs(): number;
}

/** Uniform draws in [0, 1), reproducible from a seed. */
export interface RandomPort {
  next(): number;
}

/** One call to a language model: messages in, content and usage out. A missing count is unknown, not 0. */
export interface ModelPort {
  generate(request: ModelRequest): Promise<ModelAnswer>;
}

export interface ModelRequest {
  readonly callId: string;
  readonly model: string;
  readonly role: string;
  readonly purpose: string;
  readonly messages: readonly {
    readonly role: 'system' | 'user' | 'assistant' | 'tool';
    readonly content: string;
  }[];
  readonly thinkingTokensMax?: number;
}

export interface ModelAnswer {
  readonly content: string;
  readonly usage: Usage;
  readonly durationMs: number;
}

export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly thinking?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What an action would do, found by executing it on a clone of the testbed. */
export interface PreviewPort {
  preview(action: ActionRequest): Promise<Preview>;
}

export interface ActionRequest {
  readonly proposalId: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export type Preview =
  | {
      readonly outcome: 'shown';
      readonly summary: string;
      readonly affected: number;
      readonly tripped: readonly string[];
    }
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** The gate's answer to a proposal. Fail closed: no answer is a block. */
export interface DecisionPort {
  decide(action: ActionRequest, tier: Tier): Promise<Decision>;
}

export type Decision =
  | { readonly outcome: 'allow'; readonly by: 'policy'; readonly policyLine: string }
  | { readonly outcome: 'allow'; readonly by: 'veto-window'; readonly waitedMs: number }
  | { readonly outcome: 'allow'; readonly by: 'principal'; readonly comment?: string }
  | { readonly outcome: 'block'; readonly by: 'policy' | 'principal' | 'gate'; readonly reason: string };

/** Who answers an approval request. Sees exactly `ApprovalView`, so that it stays blind to the condition. */
export interface ApproverPort {
  ask(view: ApprovalView): Promise<ApproverAnswer>;
}

/** The fixed list of fields an approver is shown (blind view: no rationale, role, plan, council or condition). */
export const APPROVAL_VIEW_FIELDS = [
  'tier',
  'what',
  'target',
  'command',
  'affected',
  'reversibility',
  'rationale',
] as const;

export type ApprovalView = {
  readonly [Field in Exclude<(typeof APPROVAL_VIEW_FIELDS)[number], 'rationale'>]: string;
} & { readonly rationale?: string };

export type ApproverAnswer =
  | { readonly answer: 'approve'; readonly comment?: string }
  | { readonly answer: 'reject'; readonly comment?: string }
  | { readonly answer: 'request_changes'; readonly comment: string }
  | { readonly answer: 'expired'; readonly waitedMs: number }
  | { readonly answer: 'unavailable'; readonly reason: string };
