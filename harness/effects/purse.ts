/**
 * Grants and what is left of them. Default deny: what no grant names, in effect and scope, is not allowed.
 *
 * `decide` looks and debits in one go, so that of two calls at the same time only one gets the last of a budget. It
 * is the only place where anything is allowed.
 */
import { HarnessError } from '../core/errors.js';
import { DENIALS } from '../core/tool.js';
import type { DeclaredEffect, Denial } from '../core/tool.js';

/** A right to an effect in a scope, up to a budget. */
export interface Grant {
  readonly effect: string;
  readonly scope: string;
  /** A whole number from 0. */
  readonly budget: number;
  /** First Unix second in which it holds no more; absent for never. */
  readonly expiresAt?: number;
}

/** What was decided about one effect; `before` and `after` are the budget around it, 0 where no grant applied. */
export type Decided =
  | { readonly allowed: true; readonly before: number; readonly after: number }
  | { readonly allowed: false; readonly denial: Denial; readonly before: number; readonly after: number };

const GRANT =
  /^([A-Za-z][A-Za-z0-9.]{0,63})=([A-Za-z0-9][A-Za-z0-9._/-]{0,127}):(0|[1-9]\d{0,14})(?:@(\d{1,12}))?$/;

/** `EFFECT=SCOPE:BUDGET`, with `@<unix seconds>` behind it where it expires. */
export function grantText({ effect, scope, budget, expiresAt }: Grant): string {
  return `${effect}=${scope}:${budget}${expiresAt === undefined ? '' : `@${expiresAt}`}`;
}

/** The grant a text names; `undefined` for any other text. */
export function parseGrant(text: string): Grant | undefined {
  const found = GRANT.exec(text);
  if (found === null) return undefined;
  const [, effect = '', scope = '', budget, expiresAt] = found;
  const grant = { effect, scope, budget: Number(budget) };
  return expiresAt === undefined ? grant : { ...grant, expiresAt: Number(expiresAt) };
}

export class Purse {
  readonly name: string;
  readonly grants: readonly Grant[];
  private readonly left: number[];

  /** @throws HarnessError `invalid-input` for a grant that cannot be written down */
  constructor(name: string, grants: readonly Grant[]) {
    for (const grant of grants) {
      if (parseGrant(grantText(grant)) !== undefined) continue;
      const hint = 'write EFFECT=SCOPE:BUDGET, the budget a whole number from 0';
      throw new HarnessError('invalid-input', `${grantText(grant)} is no grant`, hint);
    }
    this.name = name;
    this.grants = grants;
    this.left = grants.map(({ budget }) => budget);
  }

  /** Allows an effect and debits it, or says at which check it failed: of several grants the one that got furthest. */
  decide({ effect, scope, cost }: DeclaredEffect, now: number): Decided {
    let deepest = 0;
    let left = 0;
    for (const [at, grant] of this.grants.entries()) {
      const budget = this.left[at]!;
      const failed = failedCheck(grant, { effect, scope, cost, now, budget });
      if (failed === undefined) {
        this.left[at] = budget - cost;
        return { allowed: true, before: budget, after: budget - cost };
      }
      if (failed <= deepest) continue;
      deepest = failed;
      left = failed === BUDGET ? budget : 0;
    }
    return { allowed: false, denial: DENIALS[deepest]!, before: left, after: left };
  }
}

const BUDGET = DENIALS.indexOf('denied:budget');

interface Asked extends DeclaredEffect {
  readonly now: number;
  readonly budget: number;
}

/** Index in `DENIALS` of the first check that fails; `undefined` when all hold. */
function failedCheck(grant: Grant, { effect, scope, cost, now, budget }: Asked): number | undefined {
  if (grant.effect !== effect) return 0;
  if (grant.scope !== scope) return 1;
  if (now < 0 || now >= (grant.expiresAt ?? Infinity)) return 2;
  return Number.isSafeInteger(cost) && cost >= 0 && cost <= budget ? undefined : BUDGET;
}
