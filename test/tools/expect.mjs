/**
 * The `expect` of vitest outside of vitest, made of the parts that vitest makes it of.
 */
import {
  getState,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import * as chai from 'chai';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect);
Object.assign(expect, { getState: () => getState(expect), setState: (state) => setState(state, expect) });
setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);
globalThis[GLOBAL_EXPECT] = expect;
