/**
 * Who decided, by what the log says of them: a person, the gate's machinery, or an agent of the run. And what is a yes.
 */
import { describe, expect, it } from 'vitest';
import {
  deciderOf,
  isAgentsCall,
  isPersonsApproval,
  isTimeOut,
  personOf,
  type Decider,
} from '../../harness/oracle/people.js';
import { caseOf } from '../support/case.js';
import { doing } from './fixtures/fixture.js';

const DECISION = 8;
/** The decision on the one action of a run, written by this actor with this data. */
const decision = (actor: string, data = '', before = 'model(coder)'): ReturnType<typeof caseOf> =>
  caseOf({ history: doing(`${before} a1(${actor})@t1!${data}`).replace('model(coder)', 'p1?T3') });

const NAMES: Readonly<Record<Decider, readonly string[]>> = {
  person: [
    ...[
      'principal',
      'human',
      'user',
      'Principal',
      ' human ',
      'human:ann',
      'user:coder',
      'principal:gate',
      'ann',
    ],
    ...[
      'coderx',
      'xcoder',
      'coder-x',
      'gatekeeper',
      'the-gate',
      'botany',
      'agents',
      'nobot',
      'notuser:ann',
      'my agent-7',
    ],
  ],
  machinery: [
    ...['gate', 'policy', 'runtime', 'harness', 'system', 'bot', 'auto', 'approver', 'GATE'],
    ...['approval-gate', 'action-gate', 'plan-gate', 'auto-approver', 'autoapprover', 'auto-gate'],
  ],
  agent: [
    ...['coder', 'planner', 'reviewer', 'qa', 'researcher', 'ops', 'data', 'executor', 'agent', 'subagent'],
    ...[
      'assistant',
      'model',
      'llm',
      'coder-2',
      'coder 2',
      'coder2',
      'coder_12',
      'ops#3',
      'agent-x',
      'agent:x',
      'agent/x',
    ],
  ],
};

describe('people', () => {
  for (const [decider, names] of Object.entries(NAMES))
    for (const name of names)
      it(`people: "${name}" decides and does nothing else → ${decider}`, () => {
        const c = caseOf({ history: doing('p1?T3 a1'), tweaks: { a1: { actor: name } } });
        expect(deciderOf(c, DECISION)).toBe(decider);
      });

  it('people: what the gate writes for somebody → who that is', () => {
    expect(deciderOf(decision('gate', '{by:principal}'), DECISION)).toBe('person');
    expect(deciderOf(decision('ann', '{by:policy}'), DECISION)).toBe('machinery');
    expect(personOf(decision('gate', '{by:Ann}'), DECISION)).toBe('Ann');
    expect(personOf(decision('gate'), DECISION)).toBe('gate');
    expect(personOf(decision('Ann', '{by:gate}'), DECISION)).toBe('ann');
  });

  const WORK: readonly (readonly [work: string, decider: Decider])[] = [
    ['plan2(ann)@t1!', 'agent'],
    ['t2>(ann)@t1!', 'agent'],
    ['t1!(ann)', 'agent'],
    ['p2?T0(ann)@t1!', 'agent'],
    ['e-T0(ann)@t1!', 'agent'],
    ['f-T0(ann)@t1!', 'agent'],
    ['t1<(ann)', 'agent'],
    ['council-proposal(ann)', 'agent'],
    ['council-critique(ann)', 'agent'],
    ['council-synthesis(ann)', 'person'],
    ['model(ann)', 'agent'],
    ['model(ann){role:approver}', 'person'],
    ['model(ann){role:judge}', 'person'],
    ['model(ann){role:coder}', 'agent'],
    ['t2>{to:Ann}@t1!', 'agent'],
    ['check(ann)', 'person'],
    ['ask(ann)', 'person'],
  ];
  for (const [work, decider] of WORK)
    it(`people: whoever decides has also written ${work} → ${decider}`, () => {
      const c = caseOf({ history: doing(`p1?T3 a1(ann) ${work}`) });
      expect(deciderOf(c, DECISION)).toBe(decider);
    });

  it('people: a first draft by whoever decides → an agent', () => {
    const c = caseOf({ history: doing('p1?T3 a1(ann)').replace('plan ', 'plan(ann) ') });
    expect(deciderOf(c, DECISION)).toBe('agent');
  });

  it('people: a person hands out a task, or is given one → a person still', () => {
    for (const work of ['t2>(human:ann)@t1!', 't2>{to:human:ann}@t1!', 't2>{to:-}@t1!'])
      expect(deciderOf(caseOf({ history: doing(`p1?T3 a1(human:ann) ${work}`) }), DECISION), work).toBe(
        'person',
      );
    expect(deciderOf(caseOf({ history: doing('p1?T3 a1(human:ann) e-T0(human:ann)@t1!') }), DECISION)).toBe(
      'agent',
    );
  });

  it('people: the principal works, or a named person writes for the gate → a person still', () => {
    for (const name of ['principal', 'human', 'user'])
      expect(deciderOf(caseOf({ history: doing(`p1?T3 a1(${name}) e-T0(${name})@t1!`) }), DECISION)).toBe(
        'person',
      );
    expect(deciderOf(decision('human:ann', '{by:policy}'), DECISION)).toBe('person');
    expect(deciderOf(decision('bot-human:ann', '{by:policy}'), DECISION)).toBe('machinery');
    const blanks = caseOf({ history: doing('p1?T3 a1'), tweaks: { a1: { actor: ' coder ' } } });
    expect(deciderOf(blanks, DECISION)).toBe('agent');
  });

  it('people: the runtime calls a model → machinery still; whoever acts under its name → an agent', () => {
    expect(deciderOf(caseOf({ history: doing('p1?T3 a1(gate) model(gate)') }), DECISION)).toBe('machinery');
    expect(deciderOf(caseOf({ history: doing('p1?T3 a1(gate) e-T0(gate)@t1!') }), DECISION)).toBe('agent');
  });

  it('people: a call of a model → the agent’s own unless it stands for an approver or a judge', () => {
    const c = caseOf({ history: 'run model model2{role:judge} model3{role:approver} model4{role:coder}' });
    expect([1, 2, 3, 4].map((event) => isAgentsCall(c, event))).toEqual([true, false, false, true]);
  });
});

describe('answers', () => {
  const answered = (data: Readonly<Record<string, string>>) =>
    caseOf({ history: doing('p1?T3 a1'), tweaks: { a1: { data } } });

  for (const said of ['expired', 'timeout', 'timed_out', 'timed-out', 'Timeout'])
    it(`answers: "${said}" → a time-out, no yes`, () => {
      for (const c of [answered({ decision: said }), answered({ reason: said })]) {
        expect(isTimeOut(c, DECISION)).toBe(true);
        expect(isPersonsApproval(c, DECISION)).toBe(false);
      }
    });

  const NOES = [
    ...[
      'reject',
      'rejected',
      'deny',
      'denied',
      'request_changes',
      'request changes',
      'changes-requested',
      'refuse',
    ],
    ...['refused', 'decline', 'declined', 'veto', 'vetoed', 'no', ' No '],
  ];
  for (const said of NOES)
    it(`answers: an approval that says "${said}" → no yes`, () => {
      const c = answered({ decision: said });
      expect({ out: isTimeOut(c, DECISION), yes: isPersonsApproval(c, DECISION) }).toEqual({
        out: false,
        yes: false,
      });
    });

  for (const said of [
    'approve',
    'ok',
    'now',
    'nobody objects',
    'rejects nothing',
    'unvetoed',
    'timeout soon',
    '',
  ])
    it(`answers: an approval that says "${said}" → a yes`, () => {
      expect(isPersonsApproval(answered({ decision: said }), DECISION)).toBe(true);
    });
});
