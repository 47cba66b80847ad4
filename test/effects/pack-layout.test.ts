/** How an object stands in the pack: headers have one spelling. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { digestOf } from '../../harness/core/digest.js';
import { headerLine, OBJECT_BYTES_MAX, packed, parseHeader } from '../../harness/effects/pack-layout.js';
import type { Header } from '../../harness/effects/pack-layout.js';

const HASH = digestOf(Buffer.from('x'));
const LINE = `{"hash":"${HASH}","bytes":1,"semanticId":"world/effect-plan/v1","provenance":"tool"}`;
const plain = fc.stringMatching(/^[a-zA-Z0-9 ./:_{}[\],'~!-]{1,160}$/);

describe('pack layout', () => {
  it('pack layout: any header → its line is read back as it was', () => {
    const bytes = fc.option(fc.integer({ min: 0, max: OBJECT_BYTES_MAX }), { nil: undefined });
    fc.assert(
      fc.property(plain, plain, bytes, (semanticId, provenance, length) => {
        const header: Header = { hash: HASH, bytes: length, semanticId, provenance };
        const line = headerLine(header).toString();
        expect(line.endsWith('\n')).toBe(true);
        expect(parseHeader(line.slice(0, -1))).toEqual(header);
      }),
    );
  });

  it('pack layout: an object → header, bytes, line feed', () => {
    const bytes = Buffer.from('x');
    const parts = packed({ bytes, semanticId: 'world/effect-plan/v1', provenance: 'tool' }).parts;
    expect(Buffer.concat(parts).toString()).toBe(`${LINE}\nx\n`);
  });

  it('pack layout: any one byte of a header changed → another header or none, never the same', () => {
    const sound = parseHeader(LINE);
    expect(sound).toBeDefined();
    for (let at = 0; at < LINE.length; at += 1) {
      for (const unit of [1, 2, 32, 128]) {
        const bytes = Buffer.from(LINE);
        bytes[at]! ^= unit;
        expect(parseHeader(bytes.toString('latin1'))).not.toEqual(sound);
      }
    }
  });

  test.each([
    ['white space', LINE.replace(',', ', ')],
    ['an escape', LINE.replace('tool', '\\u0074ool')],
    ['another order', LINE.replace(/"bytes":1,(.*)\}/, '$1,"bytes":1}')],
    ['a member more', LINE.replace('}', ',"x":1}')],
    ['a leading zero', LINE.replace(':1,', ':01,')],
    ['a negative length', LINE.replace(':1,', ':-1,')],
    ['an exponent', LINE.replace(':1,', ':1e0,')],
    ['too large an object', LINE.replace(':1,', `:${OBJECT_BYTES_MAX + 1},`)],
    ['a hash in capitals', LINE.replace(HASH, HASH.toUpperCase())],
    ['an empty kind', LINE.replace('world/effect-plan/v1', '')],
    ['a kind beyond ASCII', LINE.replace('world', 'wörld')],
    ['a carriage return', `${LINE}\r`],
    ['nothing', ''],
  ])('pack layout: a header with %s → none', (_what, line) => {
    expect(parseHeader(LINE)).toBeDefined();
    expect(parseHeader(line)).toBeUndefined();
  });

  it('pack layout: a label that is no plain text → our own fault, not written', () => {
    const header = { hash: HASH, bytes: 1, semanticId: 'a"b', provenance: 'tool' };
    expect(() => headerLine(header)).toThrow(/counterproof bug/);
  });
});
