/**
 * Digests, held against the real bytes of a public content-addressed store and against hashes computed elsewhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, struct, structBytes } from '../../harness/core/canonical.js';
import {
  actionDigest,
  digestOf,
  effectRequestBytes,
  entryHash,
  interfaceHash,
  parseDigest,
  sha256Hex,
  worldRef,
} from '../../harness/core/digest.js';
import type { Digest } from '../../harness/core/digest.js';
import { parseExact, toPlain } from '../../harness/core/json.js';
import type { ExactJson } from '../../harness/core/json.js';
import { describeWithData } from '../support/data.js';

const EMPTY = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function digest(text: string): Digest {
  const parsed = parseDigest(text);
  if (parsed === undefined) throw new Error(`no digest: ${text}`);
  return parsed;
}

describe('digest: form', () => {
  it('digest: known bytes → the SHA-256 of FIPS 180-4', () => {
    expect(digestOf(new Uint8Array())).toBe(EMPTY);
    expect(sha256Hex(Buffer.from('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it.each([
    ['', undefined],
    [EMPTY, EMPTY],
    [EMPTY.toUpperCase(), undefined],
    [EMPTY.replace('e3b0', 'E3B0'), undefined],
    [EMPTY.slice(7), undefined],
    [EMPTY.slice(0, -1), undefined],
    [`${EMPTY}0`, undefined],
    [`${EMPTY}\n`, undefined],
    [` ${EMPTY}`, undefined],
    [EMPTY.replace('sha256', 'sha512'), undefined],
    [EMPTY.replace('e3', 'g3'), undefined],
  ])('digest: the text %j → %s', (text, parsed) => {
    expect(parseDigest(text)).toBe(parsed);
  });
});

describe('digest: actions', () => {
  it('digest: an action → SHA-256 of {"input":…,"tool":…}, members sorted', () => {
    const expected = digestOf(Buffer.from('{"input":{"a":[1,2.5],"b":"x"},"tool":"sql"}'));
    expect(actionDigest({ tool: 'sql', input: { b: 'x', a: [1, 2.5] } })).toBe(expected);
    expect(actionDigest({ tool: 'sql', input: { a: [1, 2.5], b: 'x' } })).toBe(expected);
  });

  it('digest: words around an action → not in its digest', () => {
    const worded = { tool: 'sql', input: { q: 'select 1' }, summary: 'harmless', tier: 'T0' };
    expect(actionDigest(worded)).toBe(actionDigest({ tool: 'sql', input: { q: 'select 1' } }));
    expect(actionDigest({ tool: 'sql', input: { q: 'select 2' } })).not.toBe(actionDigest(worded));
    expect(actionDigest({ tool: 'shell', input: { q: 'select 1' } })).not.toBe(actionDigest(worded));
  });

  it('digest: an exact input → big integers count to the last digit', () => {
    const [one, two] = ['{"n":9007199254740993}', '{"n":9007199254740992}'].map((text) => {
      const result = parseExact(text);
      return result.ok ? actionDigest({ tool: 't', input: result.value }) : result.reason;
    });
    expect(one).not.toBe(two);
  });
});

describe('digest: effect requests', () => {
  const request = { effect: 'Datei.Löschen', scope: 'Ä', cost: 0, now: 0, payload: Buffer.from('{}') };

  it('digest: a request with names beyond ASCII → lengths in bytes', () => {
    expect(Buffer.from(effectRequestBytes(request)).toString()).toBe('14:Datei.Löschen2:Ä0:0:{}');
  });

  it('digest: a negative or minus zero cost → plain integers; a fraction → refused', () => {
    expect(Buffer.from(effectRequestBytes({ ...request, cost: -1 })).toString()).toContain('Ä-1:0:');
    expect(Buffer.from(effectRequestBytes({ ...request, cost: -0 })).toString()).toContain('Ä0:0:');
    expect(() => effectRequestBytes({ ...request, cost: 0.5 })).toThrow('/cost');
    expect(() => effectRequestBytes({ ...request, now: 1e21 })).toThrow('/now');
    expect(() => effectRequestBytes({ ...request, scope: '\ud800' })).toThrow('lone surrogate');
  });

  it('digest: digits that move between cost, time and scope → different bytes', () => {
    const texts = [
      effectRequestBytes({ ...request, scope: 'a1', cost: 2 }),
      effectRequestBytes({ ...request, scope: 'a', cost: 12 }),
    ].map((bytes) => Buffer.from(bytes).toString());
    expect(texts[0]).not.toBe(texts[1]);
  });
});

describe('digest: world states', () => {
  it('digest: a world state → SHA-256 of its three fields in order', () => {
    const state = { revision: 7, stateRoot: digest(EMPTY), logHead: digest(EMPTY) };
    const bytes = `{"revision":7,"stateRoot":"${EMPTY}","logHead":"${EMPTY}"}`;
    expect(worldRef(state)).toBe(digestOf(Buffer.from(bytes)));
  });
});

interface StoredObject {
  readonly hash: string;
  readonly interfaceHash: string;
  readonly semanticId: string;
  readonly payload: string;
}

describeWithData('digest: the public store', (dir) => {
  const world = (name: string): Buffer => readFileSync(join(dir, 'world', name));
  const parsed = (bytes: Uint8Array): ExactJson => {
    const result = parseExact(bytes);
    if (!result.ok) throw new Error(result.reason);
    return result.value;
  };
  const derived = (): readonly StoredObject[] =>
    (JSON.parse(world('derived-entry1-objects.json').toString()) as { objects: StoredObject[] }).objects;
  const payloadOf = (kind: string): Buffer =>
    Buffer.from(derived().find((object) => object.semanticId === kind)!.payload, 'base64');

  const entryOf = (index: number): { recorded: string; computed: string; previous: string } => {
    const { header, entryHash: recorded, transitionRef } = JSON.parse(world(`log-${index}.json`).toString());
    const computed = entryHash({
      entryIndex: header.entryIndex,
      semanticsEpoch: header.semanticsEpoch,
      transitionFn: digest(header.transitionFn),
      interpreter: digest(header.interpreter),
      prevEntryHash: digest(header.prevEntryHash),
      writtenBy: header.writtenBy,
      transitionRef: digest(transitionRef),
    });
    return { recorded, computed, previous: header.prevEntryHash };
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'digest: log entry %i → its recorded hash, linked to the one before',
    (index) => {
      const { recorded, computed, previous } = entryOf(index);
      expect(computed).toBe(recorded);
      expect(previous).toBe(entryOf(index - 1).recorded);
    },
  );

  it('digest: log entry 0, supplied by a client → does not recompute', () => {
    const { recorded, computed } = entryOf(0);
    expect(computed).not.toBe(recorded);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'digest: log file %i → encoding B gives its very bytes',
    (index) => {
      const { header, ...rest } = JSON.parse(world(`log-${index}.json`).toString());
      const bytes = structBytes([
        ['header', struct(Object.entries(header))],
        ...Object.entries<string>(rest),
      ]);
      expect(Buffer.from(bytes).toString()).toBe(world(`log-${index}.json`).toString().trim());
    },
  );

  it('digest: objects behind entry 1 → payload hashes and interface hashes recompute', () => {
    const objects = derived();
    expect(objects).toHaveLength(5);
    for (const object of objects) {
      expect(digestOf(Buffer.from(object.payload, 'base64'))).toBe(object.hash);
      expect(interfaceHash(object.semanticId)).toBe(object.interfaceHash);
    }
  });

  it.each(['world/effect-plan/v1', 'world/invocation-output/v1'])(
    'digest: %s → encoding A gives its very bytes',
    (kind) => {
      const payload = payloadOf(kind);
      expect(Buffer.from(canonicalBytes(parsed(payload))).equals(payload)).toBe(true);
      expect(Buffer.from(canonicalBytes(toPlain(parsed(payload)))).equals(payload)).toBe(true);
    },
  );

  it.each(['world/effect-record/v1', 'world/effect-result/v1'])(
    'digest: %s → encoding B gives its very bytes',
    (kind) => {
      const payload = payloadOf(kind);
      const fields = [...(parsed(payload) as Map<string, ExactJson>)];
      expect(Buffer.from(structBytes(fields)).toString()).toBe(payload.toString());
    },
  );

  it('digest: the effect request → rebuilt from the plan, its record names it', () => {
    const plan = JSON.parse(payloadOf('world/effect-plan/v1').toString());
    const { effect, scope, cost, payload } = plan.effects[0];
    const bytes = effectRequestBytes({
      effect,
      scope,
      cost,
      now: 1_791_011_016,
      payload: canonicalBytes(payload),
    });
    expect(Buffer.from(bytes).equals(payloadOf('world/effect-request/v1'))).toBe(true);
    expect(JSON.parse(payloadOf('world/effect-record/v1').toString()).requestRef).toBe(digestOf(bytes));
  });

  it('digest: 15 objects of the client commits → payload hashes verify, interface hashes do not', () => {
    const commits = readdirSync(join(dir, 'world')).filter((name) => /^q[1-4]-/.test(name));
    const objects = commits.flatMap(
      (name) => (JSON.parse(world(name).toString()) as { objects: StoredObject[] }).objects,
    );
    expect(objects).toHaveLength(15);
    for (const object of objects) {
      expect(digestOf(Buffer.from(object.payload, 'base64'))).toBe(object.hash);
      expect(interfaceHash(object.semanticId)).not.toBe(object.interfaceHash);
    }
  });
});
