/**
 * Histories at the edge of what rules decide: the errors that stand on their own there, and no others. What is unknown
 * there, and all else that comes of them, is held by findings.test.ts.
 */
import { expect, it } from 'vitest';
import { CORNERS } from './fixtures/corners.js';
import { judgeInput } from './fixtures/fixture.js';

for (const { name, input, roots } of CORNERS) {
  it(`corners: ${name} → ${roots.length === 0 ? 'no root' : roots.join(', ')}`, () => {
    expect(judgeInput(input).rootRules).toEqual(roots);
  });
}
