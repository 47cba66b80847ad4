/**
 * Damage to bytes and members as seen in the wild: whole files of the wrong sort, cuts, odd times and odd counts.
 */
import { h } from '../support/history.js';
import { expectEach, type Hostile } from '../support/hostile.js';
import { GOOD_RUN } from './fixtures/fixture.js';

const GOOD = h(GOOD_RUN);
const LINES = GOOD.split('\n').slice(0, -1);
const UNTRACED = ['causal/untraceable-action', 'causal/untraceable-terminal'];
const BOM = '\ufeff';

function line(number: number, change: (text: string) => string): string {
  return LINES.map((text, index) => `${index === number - 1 ? change(text) : text}\n`).join('');
}

const timed = (t: string) => line(12, (text) => text.replace(/"t":"[^"]*"/, `"t":"${t}"`));
const counted = (input: string) =>
  line(8, (text) => text.replace(/}$/, `,"tokens":{"input":${input},"output":1,"thinking":0,"model":"m"}}`));

const BYTES: readonly Hostile[] = [
  { name: 'last line whole, without newline', log: GOOD.slice(0, -1), must: ['log/torn-tail'], lines: [12] },
  {
    name: 'NULs to the end of the block',
    log: `${GOOD}${'\0'.repeat(2048)}`,
    must: ['log/nul-bytes'],
    lines: [13],
  },
  {
    name: 'last record replaced by NULs',
    log: `${LINES.slice(0, 11).join('\n')}\n${'\0'.repeat(300)}`,
    must: ['log/nul-bytes'],
    lines: [12],
  },
  {
    name: 'UTF-16 file',
    log: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD, 'utf16le')]),
    must: ['log/invalid-utf8'],
    folded: ['log/nul-bytes'],
  },
  {
    name: 'UTF-16 file without a mark',
    log: Buffer.from(GOOD, 'utf16le'),
    must: ['log/nul-bytes'],
    folded: ['log/nul-bytes'],
  },
  {
    name: 'BOM in mid-file',
    log: line(6, (text) => BOM + text),
    must: [],
    notes: ['log/byte-order-mark'],
    lines: [6],
  },
  {
    name: 'two files with BOM joined',
    log: `${BOM}${GOOD}${BOM}\n`,
    must: [],
    notes: ['log/byte-order-mark'],
    lines: [1, 13],
  },
  { name: 'BOM and nothing else', log: BOM, must: ['log/empty-log'], exit: 1 },
  { name: 'blank lines and nothing else', log: '\n\n \r\n', must: ['log/empty-log'], lines: [1] },
  { name: 'empty file', log: '', must: ['log/empty-log'], exit: 66 },
  { name: 'one JSON array', log: `[${LINES.join(',')}]\n`, must: ['log/not-an-object'], lines: [1] },
  {
    name: 'pretty-printed JSON',
    log: `${JSON.stringify({ a: 1 }, null, 2)}\n`,
    must: ['log/invalid-json'],
    folded: ['log/invalid-json'],
  },
  { name: 'carriage returns for newlines', log: LINES.join('\r'), must: ['log/torn-tail'] },
  {
    name: 'compressed file',
    log: Buffer.from('1f8b0800000000000003abae05000ab0', 'hex'),
    must: ['log/nul-bytes'],
    folded: ['log/torn-tail'],
  },
  {
    name: 'two records glued on one line',
    log: GOOD.replace('"}\n{"id":"evt_010"', '"}{"id":"evt_010"').replace(
      '}\n{"id":"evt_010"',
      '}{"id":"evt_010"',
    ),
    must: ['log/invalid-json'],
    folded: ['causal/dangling-cause', 'causal/untraceable-terminal'],
    lines: [9],
  },
];

const MEMBERS: readonly Hostile[] = [
  {
    name: 'leap second that was',
    log: timed('2016-12-31T23:59:60Z'),
    must: [],
    notes: ['causal/time-before-cause'],
  },
  {
    name: 'leap second that was not',
    log: timed('2026-06-30T23:59:60Z'),
    must: ['log/invalid-time'],
    lines: [12],
  },
  {
    name: 'a leap of twelve years',
    log: timed('2038-05-28T15:00:11Z'),
    must: [],
    notes: ['causal/time-leap'],
    lines: [11, 12],
  },
  { name: 'hour 24', log: timed('2026-05-28T24:00:00Z'), must: ['log/invalid-time'], lines: [12] },
  { name: 'tokens: a fraction', log: counted('1.5'), must: ['log/schema'], lines: [8] },
  { name: 'tokens: an exponent that is whole', log: counted('1e3'), must: [] },
  { name: 'tokens: a tiny exponent', log: counted('1e-7'), must: ['log/schema'], lines: [8] },
  { name: 'tokens: a list', log: counted('[1]'), must: ['log/schema'], lines: [8] },
  {
    name: 'tokens: null instead of the block',
    log: line(8, (text) => text.replace(/}$/, ',"tokens":null}')),
    must: ['log/schema'],
    folded: ['tokens/model-missing'],
    lines: [8],
  },
  {
    name: 'data is text',
    log: line(6, (text) => text.replace(/"data":{[^}]*}/, '"data":"x"')),
    must: ['log/schema'],
    folded: ['task/start-without-dispatch'],
    lines: [6],
  },
  {
    name: 'proposalId is a number',
    log: line(8, (text) => text.replace('"prop_1"', '1')),
    must: ['log/schema'],
    folded: ['action/approval-without-proposal', 'gate/proposal-missing'],
    lines: [8],
  },
  {
    name: 'no id',
    log: line(9, (text) => text.replace('"id":"evt_009",', '')),
    must: ['log/schema'],
    folded: ['causal/dangling-cause', ...UNTRACED],
    lines: [9],
  },
  {
    name: 'no kind',
    log: line(9, (text) => text.replace('"kind":"action_approved",', '')),
    must: ['log/schema'],
    folded: ['causal/dangling-cause', ...UNTRACED],
    lines: [9],
  },
  {
    name: 'no runId on the first line',
    log: line(1, (text) => text.replace('"runId":"run_x1",', '')),
    must: ['log/schema'],
    folded: ['causal/dangling-cause'],
    lines: [1],
  },
  {
    name: 'kind in other letters',
    log: line(8, (text) => text.replace('action_proposed', 'Action_Proposed')),
    must: ['action/approval-without-proposal'],
    folded: ['gate/proposal-missing'],
    notes: ['log/unknown-kind'],
  },
];

expectEach([...BYTES, ...MEMBERS]);
