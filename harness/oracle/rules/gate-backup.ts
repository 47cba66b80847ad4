/**
 * Rules of family `gate` about backups: a T4 action is shown to somebody only while a verified backup is fresh, by the
 * log's own word and not by the proposal's claim.
 */
import { kindCode, type JsonObject, type JsonValue } from '../../core/event.js';
import { FLAG } from '../../core/facts.js';
import { parseTime } from '../../core/time.js';
import type { Case, ProposalRecord } from '../case.js';
import { isObject, said, textOf } from '../documents.js';
import type { Report, Rule } from '../rule.js';
import { forShown, lastBefore, type Shown } from '../walks.js';

const VERIFIED = kindCode('snapshot_verified');
const SKEW_TOLERATED_MS = 2000;
/** How many requests of one proposal are searched for what it says of its backup. */
const REQUESTS_READ = 8;

interface Claim {
  readonly verified: boolean;
  readonly snapshot: string | undefined;
  readonly verifiedAt: string | undefined;
}

/** What the proposal says of its backup: where it was shown, its event, its requests, or its file. */
function claimOf(c: Case, { proposal, proposed, shownAt }: Shown): Claim | undefined {
  const file = c.documents.proposal(proposed);
  const events = new Set([shownAt, proposed, ...proposal.requests.slice(0, REQUESTS_READ)]);
  const places: JsonObject[] = [...events]
    .filter((event) => c.history.has(event, FLAG.claims))
    .map((event) => c.history.data(event));
  const states = [...places, ...(file === undefined ? [] : [file])]
    .map((place) => place['recoverabilityState'])
    .filter(isObject);
  const inline = places.find((place) => Object.hasOwn(place, 'backupVerified'));
  const state = states[0] ?? inline;
  if (state === undefined) return undefined;
  return {
    verified: state['backupVerified'] === true,
    snapshot: textOf(state, 'snapshotId'),
    verifiedAt: textOf(
      states.find((each) => textOf(each, 'verifiedAt') !== undefined),
      'verifiedAt',
    ),
  };
}

/** The verifications of a log in canonical order, and those of each snapshot. */
interface Verifications {
  readonly done: number[];
  readonly bySnapshot: Map<string, number[]>;
}

const verificationsIn = new WeakMap<Case, Verifications>();

function verifications(c: Case): Verifications {
  const known = verificationsIn.get(c);
  if (known !== undefined) return known;
  const found: Verifications = { done: [], bySnapshot: new Map() };
  const { history } = c;
  for (const event of history.landmarks(VERIFIED)) {
    if (!isFailed(history.data(event))) found.done.push(event);
    const snapshot = history.dataText(event, 'snapshotId');
    if (snapshot === undefined) continue;
    const same = found.bySnapshot.get(snapshot);
    if (same === undefined) found.bySnapshot.set(snapshot, [event]);
    else same.push(event);
  }
  verificationsIn.set(c, found);
  return found;
}

/** The log's own verification that counts for a proposal: of the claimed snapshot, else the last before the moment. */
function verificationOf(c: Case, claim: Claim | undefined, shownAt: number): number | undefined {
  const { done, bySnapshot } = verifications(c);
  if (claim?.snapshot === undefined) return lastBefore(c, done, shownAt);
  const same = bySnapshot.get(claim.snapshot) ?? [];
  for (let last = lastBefore(c, same, shownAt); last !== undefined; last = lastBefore(c, same, last))
    if (!isFailed(c.history.data(last))) return last;
  return undefined;
}

function isFailed(data: JsonObject): boolean {
  return (
    data['verified'] === false ||
    data['rowCountMatches'] === false ||
    data['outcome'] === 'failed' ||
    data['restorable'] === false
  );
}

const backupUnverified: Rule = {
  id: 'gate/backup-unverified',
  title: 'A T4 action goes ahead without a verified backup',
  facet: 'policy',
  severity: 'error',
  why: 'What cannot be undone may only be risked where a restore is known to work.',
  example: 'p1?T4 ask1 a1 e1',
  mend: 'Verify a snapshot by restoring it, log snapshot_verified, then ask.',
  needs: ['gate'],
  check(c, report) {
    forShown(c, 4, (moments) => {
      report.applied();
      const bare = moments.find((shown) => !isBackedUp(c, report, shown));
      if (bare === undefined) return;
      const { proposal, proposed, shownAt } = bare;
      report.found({
        events: [
          { event: proposed, role: 'T4 proposal' },
          ...(shownAt === proposed ? [] : [{ event: shownAt, role: 'shown' }]),
        ],
        subject: { kind: 'proposal', number: proposal.number },
        facts: { proposal: proposal.name, claimed: claimOf(c, bare) !== undefined },
        key: [proposal.name],
        absence: 'before',
      });
    });
  },
  say: (facts) =>
    `${facts['proposal'] as string} (T4) goes ahead ` +
    (facts['claimed'] === true
      ? 'although it says itself that its backup is not verified.'
      : 'without a verified backup in the log.'),
};

/** Whether a backup was verified by then; what is only claimed, or stands elsewhere, is unknown and not held against it. */
function isBackedUp(c: Case, report: Report, shown: Shown): boolean {
  const { proposal, proposed, shownAt } = shown;
  const claim = claimOf(c, shown);
  if (verificationOf(c, claim, shownAt) !== undefined) return true;
  if (claim?.verified === true) {
    if (!isStale(c, ageOfClaim(c, claim, shownAt)))
      report.unknown(
        `the backup of ${proposal.name} is claimed, and no snapshot_verified event bears it out`,
      );
    return true;
  }
  const isElsewhere =
    claim === undefined &&
    c.documents.proposal(proposed) === undefined &&
    c.history.dataText(proposed, 'proposalPath') !== undefined;
  if (isElsewhere)
    report.unknown(`what ${proposal.name} says of its backup stands in a file that is not at hand`);
  return isElsewhere;
}

function ageOfClaim(c: Case, claim: Claim, shownAt: number): number | undefined {
  const at = claim.verifiedAt === undefined ? undefined : parseTime(claim.verifiedAt);
  const shown = c.history.timeMs(shownAt);
  return at === undefined || !at.ok || shown === undefined ? undefined : shown - at.ms;
}

function isStale(c: Case, ageMs: number | undefined): boolean {
  return ageMs !== undefined && ageMs > c.policy.backupAgeMaxMs;
}

const backupStale: Rule = {
  id: 'gate/backup-stale',
  title: 'The backup of a T4 action is older than 30 minutes',
  facet: 'policy',
  severity: 'error',
  why: 'What changed since the backup would be lost by restoring it.',
  example: 'snapshot_verified at 14:29, T4 asked at 15:00',
  mend: 'Verify a fresh snapshot right before asking.',
  needs: ['gate'],
  check(c, report) {
    forShown(c, 4, (moments) => {
      const aged = moments.map((shown) => ageOf(c, shown)).filter((age) => age !== undefined);
      if (aged.length === 0) return;
      report.applied();
      const stale = aged.find(({ ageMs }) => isStale(c, ageMs));
      if (stale === undefined) return;
      const { proposal, shownAt } = stale.shown;
      report.found({
        events: [
          { event: shownAt, role: 'asked' },
          ...(stale.verified === undefined ? [] : [{ event: stale.verified, role: 'verified' }]),
        ],
        subject: { kind: 'proposal', number: proposal.number },
        facts: {
          proposal: proposal.name,
          ageMs: stale.ageMs,
          ageMaxMs: c.policy.backupAgeMaxMs,
          source: stale.verified === undefined ? 'claim' : 'log',
        },
        key: [proposal.name],
      });
    });
  },
  say: (facts) =>
    `The backup of ${facts['proposal'] as string} was verified ${minutes(facts['ageMs'])} before it was asked for ` +
    `(${facts['source'] === 'log' ? 'by the log' : 'by its own claim'}); at most ${minutes(facts['ageMaxMs'])} are allowed.`,
};

/** How old the backup was when its action was shown, by the log's own word, else by its claim. */
function ageOf(
  c: Case,
  shown: Shown,
): { shown: Shown; ageMs: number; verified: number | undefined } | undefined {
  const claim = claimOf(c, shown);
  const verified = verificationOf(c, claim, shown.shownAt);
  const claimedMs = claim?.verified === true ? ageOfClaim(c, claim, shown.shownAt) : undefined;
  const ageMs = verified === undefined ? claimedMs : between(c, verified, shown.shownAt);
  return ageMs === undefined ? undefined : { shown, ageMs, verified };
}

function between(c: Case, earlier: number, later: number): number | undefined {
  const from = c.history.timeMs(earlier);
  const to = c.history.timeMs(later);
  return from === undefined || to === undefined ? undefined : to - from;
}

function minutes(value: JsonValue | undefined): string {
  const seconds = Math.round((value as number) / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const backupClaimContradicted: Rule = {
  id: 'gate/backup-claim-contradicted',
  title: 'The log contradicts what a proposal says of its backup',
  facet: 'policy',
  severity: 'error',
  why: 'The approver saw a claim; the log’s own verification says something else.',
  example: 'claim: verified 14:11:08; snapshot_verified at 15:41:48',
  mend: 'Copy the time from the log’s event, or verify again.',
  needs: ['gate'],
  check(c, report) {
    const { bySnapshot } = verifications(c);
    if (bySnapshot.size === 0) return;
    for (const proposal of c.proposals()) {
      const [proposed] = proposal.proposed;
      const claim =
        proposed === undefined ? undefined : claimOf(c, { proposal, proposed, shownAt: proposed });
      if (proposed === undefined || claim?.verified !== true || claim.snapshot === undefined) continue;
      const ofSnapshot = bySnapshot.get(claim.snapshot);
      if (ofSnapshot === undefined) continue;
      report.applied();
      const claimed = claim.verifiedAt === undefined ? undefined : parseTime(claim.verifiedAt);
      const agrees = ofSnapshot.some((event) => {
        if (isFailed(c.history.data(event))) return false;
        const at = c.history.timeMs(event);
        return (
          claimed === undefined ||
          !claimed.ok ||
          at === undefined ||
          Math.abs(at - claimed.ms) <= SKEW_TOLERATED_MS
        );
      });
      if (!agrees)
        foundContradiction(c, report, {
          proposal,
          proposed,
          claim,
          verification: ofSnapshot.at(-1) as number,
        });
    }
  },
  say: (facts) =>
    `${facts['proposal'] as string} says its backup ${facts['snapshot'] as string} was verified ${said(facts['claimed'])}; ` +
    `the log says ${facts['failed'] === true ? 'that verification failed' : `it was verified ${facts['logged'] as string}`}.`,
};

function foundContradiction(
  c: Case,
  report: Report,
  at: { proposal: ProposalRecord; proposed: number; claim: Claim; verification: number },
): void {
  report.found({
    events: [
      { event: at.proposed, role: 'claims a backup' },
      { event: at.verification, role: 'the log’s own word' },
    ],
    subject: { kind: 'proposal', number: at.proposal.number },
    facts: {
      proposal: at.proposal.name,
      snapshot: at.claim.snapshot ?? '',
      claimed: at.claim.verifiedAt ?? 'earlier',
      logged: said(c.history.raw(at.verification)['t']),
      failed: isFailed(c.history.data(at.verification)),
    },
    key: [at.proposal.name],
    ...(c.history.dataText(at.proposed, 'proposalPath') === undefined
      ? {}
      : { path: c.history.dataText(at.proposed, 'proposalPath') as string }),
  });
}

export const GATE_BACKUP_RULES: readonly Rule[] = [backupUnverified, backupStale, backupClaimContradicted];
