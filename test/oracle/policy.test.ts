/**
 * The policy that a run is held to: what may be made stricter, what is loosened, and which channels wait.
 */
import { describe, expect, it } from 'vitest';
import { effectivePolicy, needsApproval, REQUIREMENTS, stricter } from '../../harness/oracle/policy.js';

const MINUTE = 60_000;
const TIERS = ['T0', 'T1', 'T2', 'T3', 'T4'] as const;
const DEFAULTS = ['allow', 'allow', 'soft_gate', 'require_approval', 'require_approval'];

function requirements(policy: ReturnType<typeof effectivePolicy>): string[] {
  return TIERS.map((tier) => policy.requirement(tier, [], []));
}

describe('policy', () => {
  it('policy: none → the default', () => {
    const policy = effectivePolicy(undefined, undefined);
    expect(requirements(policy)).toEqual(DEFAULTS);
    expect(policy).toMatchObject({ vetoWindowMs: 15 * MINUTE, backupAgeMaxMs: 30 * MINUTE, hasKinds: false });
    expect(policy.loosenings).toEqual([]);
  });

  it('policy: the default again, to the letter → nothing is loosened', () => {
    const tiers = Object.fromEntries(TIERS.map((tier, at) => [tier, DEFAULTS[at] as string]));
    const same = { ...tiers, vetoWindowSeconds: 900, backupMaxAgeSeconds: 1800 };
    const policy = effectivePolicy(same, undefined);
    expect(policy.loosenings).toEqual([]);
    expect(requirements(policy)).toEqual(DEFAULTS);
  });

  it('policy: stricter by the run → followed', () => {
    const policy = effectivePolicy(
      { T0: 'notify', T2: 'block', vetoWindowSeconds: 901, backupMaxAgeSeconds: 1799, perKind: {} },
      undefined,
    );
    expect(requirements(policy)).toEqual([
      'notify',
      'allow',
      'block',
      'require_approval',
      'require_approval',
    ]);
    expect(policy).toMatchObject({ vetoWindowMs: 901_000, backupAgeMaxMs: 1_799_000, hasKinds: false });
    expect(policy.loosenings).toEqual([]);
  });

  it('policy: looser by the run → not followed, each said', () => {
    const policy = effectivePolicy(
      {
        T3: 'notify',
        vetoWindowSeconds: 899,
        backupMaxAgeSeconds: 1801,
        synchronousChannels: [' Slack ', 7, 'cli'],
      },
      undefined,
    );
    expect(requirements(policy)).toEqual(DEFAULTS);
    expect(policy).toMatchObject({ vetoWindowMs: 15 * MINUTE, backupAgeMaxMs: 30 * MINUTE });
    expect(policy.loosenings).toEqual([
      { member: '/T3', allowed: 'require_approval', found: 'notify' },
      { member: '/vetoWindowSeconds', allowed: '900 s', found: '899 s' },
      { member: '/backupMaxAgeSeconds', allowed: '1800 s', found: '1801 s' },
      { member: '/synchronousChannels', allowed: 'a channel on which the gate waits', found: 'slack' },
    ]);
    expect(policy.channelKind('slack')).toBe('asynchronous');
  });

  it('policy: looser by whoever asks → followed', () => {
    const given = { T3: 'allow', synchronousChannels: ['slack'] };
    const policy = effectivePolicy({ T3: 'block' }, given);
    expect(requirements(policy)).toEqual(['allow', 'allow', 'soft_gate', 'allow', 'require_approval']);
    expect(policy.loosenings).toEqual([]);
    expect(policy.channelKind('slack')).toBe('synchronous');
  });

  it('policy: members that say nothing → as if they were not there', () => {
    for (const perKind of [null, [], 'all', 7]) {
      const policy = effectivePolicy({ T2: 'perhaps', T3: 7, vetoWindowSeconds: 'long', perKind }, undefined);
      expect(requirements(policy)).toEqual(DEFAULTS);
      expect(policy.hasKinds).toBe(false);
    }
  });

  it('policy: by kind, and by kind and target → the strictest of all that apply', () => {
    const perKind = { deploy: 'notify', 'deploy:prod': 'block', mail: 'perhaps', sync: 'require_approval' };
    const policy = effectivePolicy({ perKind }, undefined);
    expect(policy.hasKinds).toBe(true);
    expect(policy.requirement('T0', ['deploy'], [])).toBe('notify');
    expect(policy.requirement('T0', ['deploy'], ['test', 'prod'])).toBe('block');
    expect(policy.requirement('T0', ['deploy', 'sync'], ['test'])).toBe('require_approval');
    expect(policy.requirement('T0', ['sync', 'deploy'], ['test'])).toBe('require_approval');
    expect(policy.requirement('T3', ['deploy'], [])).toBe('require_approval');
    expect(policy.requirement('T0', ['mail', 'toString', 'prod'], ['deploy'])).toBe('allow');
  });

  it('policy: two requirements → the stricter, whichever comes first', () => {
    for (const [at, low] of REQUIREMENTS.entries())
      for (const high of REQUIREMENTS.slice(at))
        expect([stricter(low, high), stricter(high, low)]).toEqual([high, high]);
    expect(REQUIREMENTS.filter(needsApproval)).toEqual(REQUIREMENTS.slice(3));
  });
});

const WAITING = [
  ...['cli', 'terminal', 'tty', 'tui', 'console', 'dashboard', 'web', 'ui', 'gui', 'inline', 'interactive'],
  ...['phone', 'in-person', 'scripted', ' CLI '],
];
const NOT_WAITING = [
  ...[
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
  ],
  ...['issue', 'github', 'pr', 'pull-request', 'push', 'notification', 'pager', 'Slack'],
];

describe('channels', () => {
  it('channels: of the default → each is known for what it is', () => {
    const policy = effectivePolicy(undefined, undefined);
    const kindsOf = (names: readonly string[]): string[] => [
      ...new Set(names.map((name) => policy.channelKind(name))),
    ];
    expect(kindsOf(WAITING)).toEqual(['synchronous']);
    expect(kindsOf(NOT_WAITING)).toEqual(['asynchronous']);
    expect(kindsOf(['pigeon', ''])).toEqual(['unknown']);
  });

  it('channels: listed by the policy → those and no others wait', () => {
    const policy = effectivePolicy({ synchronousChannels: ['Pigeon '] }, undefined);
    expect(['pigeon', 'cli', 'slack', 'radio'].map((name) => policy.channelKind(name))).toEqual([
      ...['synchronous', 'asynchronous', 'asynchronous', 'asynchronous'],
    ]);
    expect(effectivePolicy({ synchronousChannels: 'pigeon' }, undefined).channelKind('pigeon')).toBe(
      'unknown',
    );
  });
});
