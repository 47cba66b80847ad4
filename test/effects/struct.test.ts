/** Reading encoding B: accepted only when writing it again gives the very same bytes. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { struct, structBytes } from '../../harness/core/canonical.js';
import { digestOf } from '../../harness/core/digest.js';
import { asObject, mismatch, readObject, readStruct } from '../../harness/effects/struct.js';
import type { Members, Read } from '../../harness/effects/struct.js';

interface Shape {
  readonly name: string;
  readonly size: number;
  readonly flags: readonly boolean[];
}

/** A record with a text, a whole number and a list. */
function read(text: string): Read<Shape> {
  const take = (m: Members): Shape => ({
    name: m.text('name'),
    size: m.integer('size'),
    flags: m.list('flags', (item) => item.flag('on')),
  });
  return readStruct(Buffer.from(text), take, (value) => [
    ['name', value.name],
    ['size', value.size],
    ['flags', value.flags.map((on) => struct([['on', on]]))],
  ]);
}

describe('struct', () => {
  it('struct: any record → its bytes are read back', () => {
    const flags = fc.array(fc.boolean());
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), flags, (name, size, on) => {
        const items = on.map((flag) => struct([['on', flag]]));
        const bytes = structBytes([
          ['name', name],
          ['size', size],
          ['flags', items],
        ]);
        expect(read(Buffer.from(bytes).toString())).toEqual({ ok: true, value: { name, size, flags: on } });
      }),
    );
  });

  test.each([
    ['another order', '{"size":1,"name":"a","flags":[]}', 'not written as we write it'],
    ['an unknown member', '{"name":"a","size":1,"flags":[],"x":1}', 'not written as we write it'],
    [
      'an unknown member deep inside',
      '{"name":"a","size":1,"flags":[{"on":true,"x":1}]}',
      'not written as we write it',
    ],
    ['an escape that is not needed', '{"name":"\\u0061","size":1,"flags":[]}', 'not written as we write it'],
    ['an escape that is missing', '{"name":"<","size":1,"flags":[]}', 'not written as we write it'],
    ['an exponent', '{"name":"a","size":1e0,"flags":[]}', 'not written as we write it'],
    ['a member missing', '{"name":"a","flags":[]}', 'no whole number in "size"'],
    ['half a number', '{"name":"a","size":1.5,"flags":[]}', 'no whole number in "size"'],
    [
      'a number that is not exact',
      '{"name":"a","size":9007199254740993,"flags":[]}',
      'no whole number in "size"',
    ],
    ['a number for a text', '{"name":1,"size":1,"flags":[]}', 'no text in "name"'],
    ['a text for a list', '{"name":"a","size":1,"flags":"[]"}', 'no list in "flags"'],
    ['a list of texts', '{"name":"a","size":1,"flags":["on"]}', 'no object in "flags"'],
    ['no truth value', '{"name":"a","size":1,"flags":[{"on":1}]}', 'no truth value in "on"'],
    ['a list instead of an object', '[]', 'no JSON object'],
    ['nothing', '', 'no JSON: invalid-json at byte 0'],
    ['two equal keys', '{"name":"a","name":"a","size":1,"flags":[]}', 'no JSON: duplicate-key at byte 12'],
  ])('struct: %s → refused, and why', (_what, text, why) => {
    expect(read('{"name":"a","size":1,"flags":[]}').ok).toBe(true);
    expect(read(text)).toEqual({ ok: false, why });
  });

  it('struct: bytes that are no UTF-8 → refused', () => {
    expect(readObject(Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject({ ok: false });
  });

  it('struct: digests, or none where that is allowed → taken; anything else refused', () => {
    const a = digestOf(Buffer.from('a'));
    const take = (text: string): Read<string> =>
      readStruct(
        Buffer.from(text),
        (m) => m.digestOrNone('ref'),
        (ref) => [['ref', ref]],
      );
    expect(take(`{"ref":"${a}"}`)).toEqual({ ok: true, value: a });
    expect(take('{"ref":""}')).toEqual({ ok: true, value: '' });
    expect(take(`{"ref":"${a}0"}`)).toEqual({ ok: false, why: 'no digest in "ref"' });
  });

  it('struct: an error that is no mismatch → not taken for one', () => {
    const broken = (): never => {
      throw new RangeError('ours');
    };
    expect(() => readStruct(Buffer.from('{}'), broken, () => [])).toThrow(RangeError);
    expect(
      readStruct(
        Buffer.from('{}'),
        () => mismatch('so'),
        () => [],
      ),
    ).toEqual({ ok: false, why: 'so' });
  });

  it('struct: the one plain object among values → handed back', () => {
    const object = { a: 1 };
    expect([asObject(object), asObject([]), asObject(null), asObject('x'), asObject(undefined)]).toEqual([
      object,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
