/**
 * The gate policy a run is held to: the default per tier, made stricter by gate-policy.json where there is one.
 *
 * An override may only make it stricter; a looser one is not followed but reported (`gate/policy-loosened`).
 * This reads policies for judging; deciding live is the gate's business.
 */
import type { JsonObject, JsonValue } from '../core/event.js';
import type { Tier } from '../core/tier.js';
import { TIERS } from '../core/tier.js';

/** Requirements from loosest to strictest. */
export const REQUIREMENTS = [
  'allow',
  'notify',
  'soft_gate',
  'require_approval',
  'require_approval_and_two_person',
  'block',
] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

const DEFAULT_BY_TIER: Readonly<Record<Tier, Requirement>> = {
  T0: 'allow',
  T1: 'allow',
  T2: 'soft_gate',
  T3: 'require_approval',
  T4: 'require_approval',
};

/** Veto window of the soft gate and the longest age of a verified backup, for people. */
const VETO_WINDOW_MS = 15 * 60 * 1000;
const BACKUP_AGE_MAX_MS = 30 * 60 * 1000;

/** Channels on which a person answers while the gate waits. A channel in neither list is unknown. */
const SYNCHRONOUS = [
  'cli',
  'terminal',
  'tty',
  'tui',
  'console',
  'dashboard',
  'web',
  'ui',
  'gui',
  'inline',
  'interactive',
  'phone',
  'in-person',
  'scripted',
];
const ASYNCHRONOUS = [
  'slack',
  'email',
  'mail',
  'sms',
  'teams',
  'discord',
  'chat',
  'async',
  'webhook',
  'queue',
  'ticket',
  'jira',
  'issue',
  'github',
  'pr',
  'pull-request',
  'push',
  'notification',
  'pager',
];

export interface Loosening {
  readonly member: string;
  readonly allowed: string;
  readonly found: string;
}

export interface Policy {
  readonly vetoWindowMs: number;
  readonly backupAgeMaxMs: number;
  /** Members of the run's policy that are looser than the default, in file order. */
  readonly loosenings: readonly Loosening[];
  /** Whether any requirement depends on the action's kind or target. */
  readonly hasKinds: boolean;
  /** Requirement for an action; `targets` are the branches, environments or targets it names. */
  requirement(tier: Tier, kinds: readonly string[], targets: readonly string[]): Requirement;
  channelKind(channel: string): 'synchronous' | 'asynchronous' | 'unknown';
}

/**
 * The policy in force for judging.
 * @param run the run's gate-policy.json, where it has one
 * @param given a policy handed in by the caller, taken as it is (also looser)
 */
export function effectivePolicy(run: JsonObject | undefined, given: JsonObject | undefined): Policy {
  const loosenings: Loosening[] = [];
  const byTier = { ...DEFAULT_BY_TIER };
  const source = given ?? run ?? {};
  for (const tier of TIERS) {
    const wanted = source[tier];
    if (!isRequirement(wanted)) continue;
    if (given === undefined && rank(wanted) < rank(byTier[tier])) {
      loosenings.push({ member: `/${tier}`, allowed: byTier[tier], found: wanted });
    } else byTier[tier] = wanted;
  }
  const vetoWindowMs = seconds(source['vetoWindowSeconds'], VETO_WINDOW_MS, 'longer');
  const backupAgeMaxMs = seconds(source['backupMaxAgeSeconds'], BACKUP_AGE_MAX_MS, 'shorter');
  if (vetoWindowMs.loosened !== undefined)
    loosenings.push({ member: '/vetoWindowSeconds', ...vetoWindowMs.loosened });
  if (backupAgeMaxMs.loosened !== undefined)
    loosenings.push({ member: '/backupMaxAgeSeconds', ...backupAgeMaxMs.loosened });
  const perKind = isObject(source['perKind']) ? source['perKind'] : {};
  const isListed = Array.isArray(source['synchronousChannels']);
  const channels = synchronousChannels(source['synchronousChannels']);
  for (const name of given === undefined ? ASYNCHRONOUS.filter((each) => channels.has(each)) : []) {
    channels.delete(name);
    loosenings.push({
      member: '/synchronousChannels',
      allowed: 'a channel on which the gate waits',
      found: name,
    });
  }
  return {
    vetoWindowMs: vetoWindowMs.ms,
    backupAgeMaxMs: backupAgeMaxMs.ms,
    loosenings,
    hasKinds: Object.keys(perKind).length > 0,
    requirement: (tier, kinds, targets) => {
      const names = kinds.flatMap((kind) => [kind, ...targets.map((target) => `${kind}:${target}`)]);
      return strictest(byTier[tier], names, perKind);
    },
    channelKind: (channel) => {
      const name = channel.trim().toLowerCase();
      if (channels.has(name)) return 'synchronous';
      return ASYNCHRONOUS.includes(name) || isListed ? 'asynchronous' : 'unknown';
    },
  };
}

/** The channels that count as synchronous: those that the policy lists, else the ones known. */
function synchronousChannels(listed: JsonValue | undefined): Set<string> {
  if (!Array.isArray(listed)) return new Set(SYNCHRONOUS);
  return new Set(
    listed
      .filter((name): name is string => typeof name === 'string')
      .map((name) => name.trim().toLowerCase()),
  );
}

/** Position in `REQUIREMENTS`: higher is stricter. */
function rank(requirement: Requirement): number {
  return REQUIREMENTS.indexOf(requirement);
}

/** The stricter of two requirements. */
export function stricter(one: Requirement, other: Requirement): Requirement {
  return rank(one) >= rank(other) ? one : other;
}

export function needsApproval(requirement: Requirement): boolean {
  return rank(requirement) >= rank('require_approval');
}

function strictest(base: Requirement, names: readonly string[], perKind: JsonObject): Requirement {
  let found = base;
  for (const name of names) {
    const wanted = Object.hasOwn(perKind, name) ? perKind[name] : undefined;
    if (isRequirement(wanted) && rank(wanted) > rank(found)) found = wanted;
  }
  return found;
}

function isRequirement(value: JsonValue | undefined): value is Requirement {
  return typeof value === 'string' && (REQUIREMENTS as readonly string[]).includes(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function seconds(
  value: JsonValue | undefined,
  defaultMs: number,
  stricter: 'longer' | 'shorter',
): { ms: number; loosened?: { allowed: string; found: string } } {
  if (typeof value !== 'number') return { ms: defaultMs };
  const ms = value * 1000;
  const isLooser = stricter === 'longer' ? ms < defaultMs : ms > defaultMs;
  if (isLooser) return { ms: defaultMs, loosened: { allowed: `${defaultMs / 1000} s`, found: `${value} s` } };
  return { ms };
}
