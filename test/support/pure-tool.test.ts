/** The guard of pure tools against tools that are not: each source of what varies, and each function of a tool. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hrtime } from 'node:process';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../harness/core/event.js';
import type { EffectTool, PureTool } from '../../harness/core/tool.js';
import { addTool, getTool, setTool, swapTool } from './effect-bed.js';
import { impurities } from './pure-tool.js';

const INPUT = { name: 'a', note: 1, value: 2, a: 1, b: 2 };

const READS: readonly (readonly [string, () => unknown])[] = [
  ['Date.now', () => Date.now()],
  ['new Date', () => new Date().getTime()],
  ['Date', () => Date()],
  ['Math.random', () => Math.random()],
  ['performance.now', () => performance.now()],
  ['process.hrtime', () => process.hrtime()],
  ['process.hrtime', () => process.hrtime.bigint()],
  ['process.hrtime', () => hrtime()],
  ['process.uptime', () => process.uptime()],
  ['crypto.randomUUID', () => crypto.randomUUID()],
  ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(4))],
  ['crypto.randomUUID', () => randomUUID()],
  ['crypto.randomBytes', () => randomBytes(4)],
  ['globalThis.setTimeout', () => setTimeout(() => undefined, 1)],
];

describe('pure tools', () => {
  for (const [name, read] of READS) {
    it(`pure tools: one that uses ${String(read).slice(6)} → caught, in plan, finish and compute`, () => {
      const value = (): JsonObject => ({ read: String(read()) });
      const tools: readonly (EffectTool | PureTool)[] = [
        { ...getTool, plan: () => ({ effects: [], finish: false, result: value() }) },
        { ...swapTool, finish: value },
        { ...addTool, compute: value },
      ];
      for (const tool of tools) expect(impurities(tool, INPUT), tool.name).toEqual([name]);
    });
  }

  it('pure tools: one that keeps a count → caught', () => {
    let count = 0;
    const counting: PureTool = { ...addTool, compute: () => ({ count: ++count }) };
    expect(impurities(counting, INPUT)).toEqual(['another plan for the same input']);
  });

  it('pure tools: one that reads the clock only where an effect failed → caught', () => {
    const finish: EffectTool['finish'] = (_input, [first]) => ({
      at: first?.status === 'failed' ? Date.now() : 0,
    });
    expect(impurities({ ...swapTool, finish }, INPUT)).toEqual(['Date.now']);
  });

  it('pure tools: sound ones, and one that is told a time → nothing, and clock and chance are as before', () => {
    const told: PureTool = { ...addTool, compute: () => ({ day: new Date(0).toISOString() }) };
    for (const tool of [getTool, setTool, swapTool, addTool, told])
      expect(impurities(tool, INPUT)).toEqual([]);
    expect(Date.now()).toBeGreaterThan(0);
    expect(new Date()).toBeInstanceOf(Date);
    expect([Math.random(), performance.now(), process.uptime()].every(Number.isFinite)).toBe(true);
    expect(hrtime.bigint()).toBeGreaterThan(0n);
    expect(randomUUID()).not.toBe(crypto.randomUUID());
  });

  it('pure tools: one that throws by itself → the error is its own', () => {
    const broken: PureTool = {
      ...addTool,
      compute: () => {
        throw new RangeError('mine');
      },
    };
    expect(() => impurities(broken, INPUT)).toThrow(RangeError);
  });
});
