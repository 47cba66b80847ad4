/**
 * Lines of logs to hold scanners against each other: events with good and odd members, and then damage to their bytes.
 * A seed gives the same lines again, many of them in little time.
 */
import { KINDS } from '../../harness/core/event.js';
import { BY, PREVENTED_BY, TIME_OUT_WORDS } from '../../harness/core/facts.js';
import { DATA_MEMBERS, DATA_MEMBER_CHECK, type MemberCheck } from '../../harness/grammar/members.js';
import { ODD_NUMBERS, ODD_STRINGS } from './json-lines.js';

/** Chance from a seed: xorshift, good enough to choose. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed | 0, 0x9e3779b1) ^ 0x5bd1e995 || 1;
  }

  below(count: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % count;
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

const TEXTS = [
  '"a"',
  '"task_1"',
  '"prop_1-2"',
  '"principal"',
  '"eight888"',
  '"sixteen sixteen "',
  '"seventeen letters"',
  '"naïve 日本 😀"',
  '" blank in front"',
  '"é"',
  '"rm -rf build && echo \\"done\\""',
  '"shell run src/aaaa/bbbbbbb.ts --message cached"',
  `"${'long '.repeat(40)}"`,
  '"\\u0061"',
  '"\\ud83d\\ude00"',
];
const ODD = [...ODD_NUMBERS, ...ODD_STRINGS, 'true', 'false', 'null', '{}', '[]', '[1,]', '{"a":1,}'];
const DIGITS = ['3', '1', '7', '42', '899999', '900000', '2147483647', '0', '2147483648', '999999999999999'];
const DIGESTS = ['0', 'a', 'f9'].map((digits) => `"sha256:${digits.repeat(64).slice(0, 64)}"`);
const LISTS = ['[]', '["a"]', '[ "a" ,\t"b\\n" ]', '[""]', '["a",1]', '["é","\\u00e9"]', '[["a"]]'];

const VALUES: Readonly<Record<MemberCheck, readonly string[]>> = {
  text: TEXTS,
  string: [...TEXTS, '""'],
  tier: ['"T0"', '"T1"', '"T2"', '"T3"', '"T4"', '"T5"', '"t1"', '"T\\u0031"'],
  boolean: ['true', 'false'],
  digest: [...DIGESTS, '"sha256:"', `"sha256:${'A'.repeat(64)}"`, `"sha256:${'a'.repeat(65)}"`],
  count: DIGITS,
  ordinal: DIGITS,
  texts: LISTS,
  pairs: ['[]', '["00"]', '["0a" , "z9"]', '["é"]', '["\\n"]', '["\\n0"]', '["abc"]', '["a"]', ...LISTS],
  any: [...TEXTS, '"approver"', '"judge"', '"judg\\u0065"', '1', '{"a":[1,{"b":2}]}'],
};
/** How many of the first values of a check are surely good. */
const GOOD: Readonly<Record<MemberCheck, number>> = {
  text: 12,
  string: 12,
  tier: 5,
  boolean: 2,
  digest: 3,
  count: 7,
  ordinal: 7,
  texts: 3,
  pairs: 3,
  any: 12,
};
const SPECIAL: Readonly<Record<string, readonly string[]>> = {
  decision: ['"approve"', '"Granted"', '"yes"', '"no"', '"reject"', '""', '"\\u0061pprove"', '"Timed_Out"'],
  reason: [...TIME_OUT_WORDS.map((word) => `"${word}"`), '"TIMEOUT"', '"timed out"', '"expired "', '""'],
  by: [...BY.map((word) => `"${word}"`), '"somebody"', '""', '"princip\\u0061l"'],
  callId: ['"call_1"', '"call_2"', '"call\\u005f1"'],
  role: ['"approver"', '"judge"', '"coder"', '"judg\\u0065"', '3'],
};
const TIMES = [
  '2026-01-05T08:00:00.074Z',
  '2026-01-05T08:00:59.9Z',
  '2026-01-05t08:00:00Z',
  '2026-01-05T08:01:10.13Z',
  '2024-02-29T23:59:59.999Z',
  '2023-02-29T00:00:00Z',
  '2000-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '0000-01-01T00:00:00.001Z',
  '0000-03-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2016-12-31T23:59:60Z',
  '2026-04-31T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-05T24:00:00Z',
  '2026-01-05T08:60:00Z',
  '2026-01-05T08:00:00.Z',
  '2026-01-05T08:00:00.1234Z',
  '2026-01-05T08:00:00z',
  '2026-01-05T08:00:00+00:00',
  '2026-01-05 08:00:00Z',
  '2026-01-05T08:00Z',
  '1969-12-31T23:59:59.5Z',
];
const NAMES = ['a', 'purpose', 'formatVersion', 'policyLine', 'sixteen16sixteen', 'é', '', 'a\\u0062', 'x'];
const SPACES = [' ', '\t', '\r', '  ', ' \t '];

/** An event, most of whose members are good; as text, so that it need not be JSON. */
function eventText(chance: Chance): string {
  const odd = (good: string): string => (chance.once(99) ? chance.pick(ODD) : good);
  const members: [string, string][] = [
    ['id', odd(idText(chance))],
    ['runId', odd(chance.once(8) ? chance.pick(TEXTS) : '"run_1"')],
    ['t', odd(`"${chance.once(9) ? chance.pick(TIMES) : `2026-01-05T08:0${chance.below(10)}:00.07Z`}"`)],
    ['kind', odd(`"${chance.pick(KINDS)}"`)],
    ['actor', odd(chance.once(8) ? chance.pick(TEXTS) : '"coder"')],
  ];
  if (!chance.once(4)) members.push(['data', odd(dataText(chance))]);
  if (!chance.once(3)) members.push(['causedBy', odd(idText(chance))]);
  if (chance.once(4)) members.push(['counterfactual', odd(counterfactualText(chance))]);
  if (chance.once(3)) members.push(['tokens', odd(tokensText(chance))]);
  if (chance.once(30)) members.push([chance.pick(['extra', 'datA', 'i\\u0064', '']), '1']);
  return objectText(chance, members);
}

function idText(chance: Chance): string {
  if (chance.once(99))
    return chance.pick(['"evt_"', '"evt_é"', '"evt_a b"', '"ev_1"', '"evt_\\u0031"', '"EVT_1"']);
  if (chance.once(3))
    return `"evt_1ke6jq32${chance
      .below(1 << 25)
      .toString(32)
      .padStart(5, '0')}"`;
  return `"evt_${chance.below(50_000).toString(36)}${chance.pick(['', '0', '_-Zz', 'abcdefghijklmnop'])}"`;
}

function dataText(chance: Chance): string {
  const members: [string, string][] = [];
  const typed = (check: MemberCheck): string =>
    chance.pick(chance.once(20) ? VALUES[check] : VALUES[check].slice(0, GOOD[check]));
  for (let rest = chance.below(9); rest > 0; rest--) {
    const index = chance.below(DATA_MEMBERS.length);
    const name = DATA_MEMBERS[index] as string;
    if (name === 'lanes' && !chance.once(9)) continue;
    const value =
      SPECIAL[name] === undefined
        ? typed(DATA_MEMBER_CHECK[index] as MemberCheck)
        : chance.pick(SPECIAL[name]);
    if (!chance.once(5)) members.push([name, chance.once(99) ? chance.pick(ODD) : value]);
    else members.push([chance.pick(NAMES), nestedText(chance, 3)]);
  }
  if (chance.once(300)) members.push(['summary', `"${'x'.repeat(4000 + chance.below(200))}"`]);
  if (chance.once(200)) for (let n = 0; n < 60 + chance.below(9); n++) members.push([`m${n}`, '0']);
  return objectText(chance, members);
}

function nestedText(chance: Chance, depth: number): string {
  const roll = chance.below(depth > 0 ? 6 : 3);
  if (roll < 3) return chance.once(10) ? chance.pick(ODD) : chance.pick([...TEXTS, ...DIGITS, '-1.5e3']);
  if (chance.once(400)) return '['.repeat(505 + chance.below(12)) + ']'.repeat(505 + chance.below(12));
  const items = Array.from({ length: chance.below(4) }, () => nestedText(chance, depth - 1));
  if (roll === 3) return `[${items.join(',')}]`;
  return objectText(
    chance,
    items.map((item) => [chance.once(12) ? chance.pick(NAMES) : `n${chance.below(20)}`, item]),
  );
}

function tokensText(chance: Chance): string {
  const members: [string, string][] = [['model', chance.pick(TEXTS)]];
  for (const name of ['input', 'output', 'thinking', 'cacheRead', 'cacheWrite', 'total'])
    if (!chance.once(3) && (name !== 'total' || chance.once(20)))
      members.push([name, chance.pick(chance.once(9) ? DIGITS : DIGITS.slice(0, 7))]);
  if (chance.once(2)) members.push(['callId', chance.pick(SPECIAL.callId as string[])]);
  return objectText(chance, members);
}

function counterfactualText(chance: Chance): string {
  const members: [string, string][] = [];
  if (!chance.once(4)) members.push(['wouldHaveExecuted', chance.pick(VALUES.boolean)]);
  if (!chance.once(4)) members.push(['actuallyExecuted', chance.pick(VALUES.boolean)]);
  if (chance.once(2))
    members.push(['predictedRiskTier', chance.pick(VALUES.tier.slice(0, chance.once(9) ? 9 : 5))]);
  if (chance.once(2)) members.push(['predictedBlastRadius', chance.pick(VALUES.string)]);
  if (!chance.once(4))
    members.push([
      'preventedBy',
      `"${chance.pick(chance.once(9) ? ['nobody', 'non\\u0065'] : PREVENTED_BY)}"`,
    ]);
  if (chance.once(5)) members.push([chance.pick(NAMES), nestedText(chance, 2)]);
  return objectText(chance, members);
}

/** An object, now and then in another order, with white space, or with a member twice. */
function objectText(chance: Chance, members: readonly (readonly [string, string])[]): string {
  const list = [...members];
  if (chance.once(10)) list.sort(() => chance.below(3) - 1);
  if (chance.once(60) && list.length > 0) list.push(chance.pick(list));
  const spaced = chance.once(12);
  const space = (): string => (spaced && chance.once(2) ? chance.pick(SPACES) : '');
  const body = list.map(([name, value]) => `${space()}"${name}"${space()}:${space()}${value}${space()}`);
  return `${space()}{${body.join(',')}${space()}}${space()}`;
}

const INSERTS = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '0',
  'e',
  '\0',
  '\t',
  '\r',
  ' ',
  '\u001f',
  '\u007f',
  'é',
  '😀',
];
const RAW = [
  [0x80],
  [0xc0, 0x80],
  [0xe0, 0x9f, 0xbf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff, 0xfe],
  [0xef, 0xbb, 0xbf],
];

/** Lines without their LF, which none of them holds. */
export class LineFuzzer {
  private readonly chance: Chance;
  private last: Buffer = Buffer.alloc(0);

  constructor(seed: number) {
    this.chance = new Chance(seed);
  }

  next(): Buffer {
    const { chance } = this;
    let line: Buffer = Buffer.from(eventText(chance));
    if (chance.once(3)) for (let n = chance.below(3); n >= 0; n--) line = this.damaged(line);
    if (chance.once(500))
      line = Buffer.from(chance.pick(['', ' ', '\r', '\ufeff{}', '[]', 'null', '1', '"a"']));
    for (let at = line.indexOf(10); at >= 0; at = line.indexOf(10, at)) line[at] = 0x20;
    this.last = line;
    return line;
  }

  /** One way to damage a line. */
  private damaged(line: Buffer): Buffer {
    const { chance } = this;
    const at = chance.below(line.length + 1);
    const to = Math.min(line.length, at + 1 + chance.below(chance.once(3) ? 60 : 3));
    const cut = (inserted: Uint8Array, end: number): Buffer =>
      Buffer.concat([line.subarray(0, at), inserted, line.subarray(end)]);
    switch (chance.below(8)) {
      case 0: {
        const flipped = Buffer.from(line);
        if (at < line.length) flipped[at] = (flipped[at] as number) ^ (1 << chance.below(8));
        return flipped;
      }
      case 1:
        return cut(Buffer.from(chance.pick(INSERTS)), at);
      case 2:
        return cut(Buffer.alloc(0), to);
      case 3:
        return cut(line.subarray(at, to), at);
      case 4:
        return cut(Buffer.from(chance.pick(RAW)), chance.once(2) ? at : to);
      case 5:
        return cut(Buffer.from(chance.pick(ODD)), at);
      case 6:
        return Buffer.from(line.subarray(0, at));
      default:
        return cut(this.last.subarray(chance.below(this.last.length + 1)), line.length);
    }
  }
}
