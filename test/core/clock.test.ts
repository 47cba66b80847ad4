/** The virtual clock: still unless told, and never back. */
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';

describe('clock', () => {
  it('clock: without a step → stands still until advanced', () => {
    const clock = virtualClock(1000);
    expect([clock.nowMs(), clock.nowMs()]).toEqual([1000, 1000]);
    clock.advance(250);
    clock.advance(0);
    expect(clock.nowMs()).toBe(1250);
  });

  it('clock: with a step → every reading is later than the one before', () => {
    const clock = virtualClock(1000, 5);
    expect([clock.nowMs(), clock.nowMs()]).toEqual([1000, 1005]);
    clock.advance(100);
    expect(clock.nowMs()).toBe(1110);
  });

  it('clock: two clocks → do not share their time', () => {
    const [a, b] = [virtualClock(0), virtualClock(0)];
    a.advance(1);
    expect([a.nowMs(), b.nowMs()]).toEqual([1, 0]);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('clock: a step of %d → refused', (step) => {
    const clock = virtualClock(10);
    expect(() => clock.advance(step)).toThrow('whole milliseconds forward');
    expect(() => virtualClock(10, step)).toThrow('whole milliseconds forward');
    expect(clock.nowMs()).toBe(10);
  });

  it('clock: a start between two milliseconds → refused', () => {
    expect(() => virtualClock(0.5)).toThrow('whole millisecond');
  });
});
